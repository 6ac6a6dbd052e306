//! The whole way from a view to its instances.

use crate::classes::Classes;
use crate::cloud::{Projector, cloud_of};
use crate::assembly::{Part, assemble};
use crate::components::{Component, Components, components_of};
use crate::fit::fit_box;
use crate::ground::ground_near;
use crate::jumps::JumpRule;
use crate::refine::reasons;
use crate::runs::Run;
use crate::smooth::Depth;
use crate::{LiftOptions, LiftingError, Raster};
use rayon::prelude::*;
use uavgen_geometry::{Camera, GroundBox, Intrinsics, Transform, World};

/// One image with what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, L> {
    /// Class of every pixel.
    pub labels: Raster<'a, L>,
    /// Depth of every pixel along the optical axis, metres; what is not above 0 and finite is unknown.
    pub depth: Raster<'a, f32>,
    /// The camera.
    pub intrinsics: &'a Intrinsics,
    /// Its pose.
    pub world_from_camera: Transform<World, Camera>,
}

/// Why a component is no instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RejectReason {
    /// Fewer pixels than the options ask for.
    TooSmall,
    /// As thin as the rim of a mask.
    TooThin,
    /// A loose region round smaller objects of its class.
    LooseRegion,
    /// No pixel of it has a depth.
    NoDepth,
}

/// An object of one view.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Label value of its class.
    pub class: u16,
    /// Its pixels, row by row.
    pub runs: Vec<Run>,
    /// Number of its pixels.
    pub pixels: u32,
    /// The box that it stands in.
    pub ground_box: GroundBox,
}

/// What a view holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lifted {
    /// Objects, in the order of their first pixels.
    pub instances: Vec<Instance>,
    /// Components that are none, by reason.
    pub rejects: Vec<(RejectReason, u32)>,
}

/// Lifts the objects of a view.
pub fn lift_view<L: Copy + PartialEq + Into<u16> + Sync>(
    view: &View<L>,
    classes: &Classes,
    options: &LiftOptions,
) -> Result<Lifted, LiftingError> {
    options.check()?;
    let depth = Depth::new(view.depth);
    let rule = JumpRule::new(view.intrinsics, view.world_from_camera, &depth, options);
    let found = components_of(view.labels, &depth, classes, &rule);
    let projector = Projector::new(view.intrinsics, view.world_from_camera);
    let ground = |component: &Component| ground_near(component, view.labels, &depth, classes, &projector);
    let cloud = |runs: &[Run], pixels: u32, ground| cloud_of(runs, pixels, &depth, &projector, ground, options.max_points);
    let (large, small): (Vec<&Component>, Vec<&Component>) =
        found.components.iter().partition(|component| component.pixels >= options.min_part_pixels);
    let parts: Vec<Part> = large
        .into_par_iter()
        .map(|component| {
            let ground = ground(component);
            Part::new(component, cloud(&found.runs[component.runs.clone()], component.pixels, ground), ground)
        })
        .collect();
    let objects: Vec<Object> = assemble(&parts, options).iter().map(|places| Object::new(&found, &parts, places)).collect();
    let reasons = reasons(&objects.iter().map(|object| &object.whole).collect::<Vec<_>>(), options);
    let lift = |(object, reason): (&Object, &Option<RejectReason>)| -> Result<Instance, RejectReason> {
        if let Some(reason) = reason {
            return Err(*reason);
        }
        let whole = &object.whole;
        let part = match object.parts[..] {
            [part] => part,
            _ => &{
                let ground = ground(whole);
                Part::new(whole, cloud(&object.runs, whole.pixels, ground), ground)
            },
        };
        let ground_box = fit_box(&part.cloud, part.ground).ok_or(RejectReason::NoDepth)?;
        Ok(Instance { class: whole.class, runs: object.runs.clone(), pixels: whole.pixels, ground_box })
    };
    let results: Vec<_> = objects.par_iter().zip(&reasons).map(lift).collect();
    let mut lifted = Lifted::default();
    lifted.rejects.extend((!small.is_empty()).then_some((RejectReason::TooSmall, small.len() as u32)));
    for result in results {
        match result {
            Ok(instance) => lifted.instances.push(instance),
            Err(reason) => lifted.rejects.push((reason, 1)),
        }
    }
    Ok(lifted)
}

/// Parts that are one object.
struct Object<'a> {
    whole: Component,
    runs: Vec<Run>,
    parts: Vec<&'a Part<'a>>,
}

impl<'a> Object<'a> {
    fn new(found: &Components, parts: &'a [Part<'a>], places: &[usize]) -> Self {
        let parts: Vec<&Part> = places.iter().map(|&place| &parts[place]).collect();
        let components: Vec<&Component> = parts.iter().map(|part| part.component).collect();
        let mut runs: Vec<Run> = components.iter().flat_map(|own| &found.runs[own.runs.clone()]).copied().collect();
        runs.sort_unstable_by_key(|run| (run.row, run.start));
        Self { whole: Component::of_parts(components[0], &components[1..]), runs, parts }
    }
}
