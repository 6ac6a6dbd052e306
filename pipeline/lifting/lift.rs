//! The whole way from a view to its instances.

use crate::classes::Classes;
use crate::cloud::{Projector, cloud_of};
use crate::components::{Component, components_of};
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
    let reasons = reasons(&found.components, options);
    let projector = Projector::new(view.intrinsics, view.world_from_camera);
    let instances = found.components.par_iter().zip(&reasons).filter(|(_, reason)| reason.is_none());
    let lift = |(component, _): (&Component, _)| -> Option<Instance> {
        let runs = &found.runs[component.runs.clone()];
        let cloud = cloud_of(runs, component, &depth, &projector, options.max_points);
        let ground = ground_near(component, view.labels, &depth, classes, &projector);
        let ground_box = fit_box(&cloud, ground)?;
        Some(Instance { class: component.class, runs: runs.to_vec(), pixels: component.pixels, ground_box })
    };
    let instances = instances.filter_map(lift).collect();
    Ok(Lifted { instances, rejects: Vec::new() })
}
