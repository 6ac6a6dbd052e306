//! The whole way from a view to its instances.

use crate::assembly::{Part, assemble};
use crate::attributes::{image_box, is_truncated, visibility};
use crate::classes::Classes;
use crate::cloud::{Cloud, Projector, cloud_of};
use crate::components::{Component, Components, components_of};
use crate::fit::fit_box;
use crate::fragments::{Fragment, FragmentReason, Owners, Piece};
use crate::ground::{GroundPlane, ground_near};
use crate::jumps::JumpRule;
use crate::placement::{ground_points, nearest_m, place};
use crate::refine::reasons;
use crate::runs::{Run, runs_of_row};
use crate::smooth::Depth;
use crate::surface::surface_of;
use crate::{LiftOptions, LiftingError, Raster};
use rayon::prelude::*;
use uavgen_geometry::{
    Box2, Camera, GroundBox, Intrinsics, OrientedBox, Point, Transform, World, smallest_oriented_box,
};

/// Height of the ground in metres above the world's origin at a place, east and north in metres; `None` where it is
/// unknown.
pub type GroundHeight<'a> = &'a (dyn Fn([f64; 2]) -> Option<f64> + Sync);

/// One image with what is known of it.
#[derive(Clone, Copy)]
pub struct View<'a, L> {
    /// Class of every pixel.
    pub labels: Raster<'a, L>,
    /// Depth of every pixel along the optical axis, metres; what is not above 0 and finite is unknown.
    pub depth: Raster<'a, f32>,
    /// The camera.
    pub intrinsics: &'a Intrinsics,
    /// Its pose.
    pub world_from_camera: Transform<World, Camera>,
    /// The ground under what the depth does not show; `None` where the depth shows the ground there, as that of a mesh
    /// without moving objects does.
    pub ground: Option<GroundHeight<'a>>,
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
    /// The box round its pixels.
    pub image_box: Box2,
    /// Whether it touches the border of the image, so that part of it may lie outside.
    pub is_truncated: bool,
    /// Share of the area that its box covers in the image that are its pixels, at most 1; null where the box is partly
    /// behind the camera and where it was placed by rays.
    pub visibility: Option<f64>,
    /// The box that it stands in: centre, size, `axis_yaw`, corners, footprint. Without height where it was placed by
    /// rays.
    pub ground_box: GroundBox,
    /// A small box at any angle round its points; null where none was asked for and where it was placed by rays.
    pub oriented_box: Option<OrientedBox>,
    /// Height of its top above the local ground in metres; null where no ground is seen near it, and where it was
    /// placed by rays.
    pub height_m: Option<f64>,
    /// Distance from the camera to its nearest visible point in metres.
    pub distance_m: f64,
    /// What its place comes from.
    pub placement: Placement,
    /// Label value of the ground that it stands on: of nearly all ground seen near it; null where hardly any is seen, or
    /// several classes share it.
    pub surface: Option<u16>,
}

/// What the place of an instance comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The depth of its own pixels.
    Depth,
    /// The ground that the rays of its outline meet: the depth does not show what moves.
    GroundRays,
}

/// What a view holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lifted {
    /// Objects, in the order of their first pixels.
    pub instances: Vec<Instance>,
    /// Pieces of masks that are no objects, in the order of their first pixels.
    pub fragments: Vec<Fragment>,
}

/// Lifts the objects of a view.
pub fn lift_view<L: Copy + PartialEq + Into<u16> + Sync>(
    view: &View<L>,
    classes: &Classes,
    options: &LiftOptions,
) -> Result<Lifted, LiftingError> {
    options.check()?;
    check_sizes(view)?;
    let rows: Vec<Vec<Run>> =
        (0..view.labels.height()).into_par_iter().map(|y| runs_of_row(view.labels, classes, y)).collect();
    let depth = Depth::new(view.depth, &rows);
    let rule = JumpRule::new(view.intrinsics, view.world_from_camera, &depth, options);
    let found = components_of(&rows, &depth, classes, &rule);
    let lifter = Lifter {
        view,
        classes,
        options,
        depth: &depth,
        projector: Projector::new(view.intrinsics, view.world_from_camera),
    };
    let (large, small): (Vec<&Component>, Vec<&Component>) =
        found.components.iter().partition(|component| component.pixels >= options.min_part_pixels);
    let parts = large.into_par_iter().map(|own| lifter.part(own, &found.runs[own.runs.clone()])).collect::<Vec<_>>();
    let objects: Vec<Object> =
        assemble(&parts, options).iter().map(|places| Object::new(&found, &parts, places)).collect();
    let reasons = reasons(&objects.iter().map(|object| &object.whole).collect::<Vec<_>>(), options);
    let lift = |(object, reason): (&Object, &Option<FragmentReason>)| match reason {
        Some(reason) => Err(*reason),
        None if classes.is_in_depth(object.whole.class) => lifter.lift(object),
        None => lifter.place(object),
    };
    let results: Vec<_> = objects.par_iter().zip(&reasons).map(lift).collect();
    let mut instances = Vec::new();
    let of_small = |own| Piece { whole: own, runs: &found.runs[own.runs.clone()], reason: FragmentReason::TooSmall };
    let mut pieces: Vec<Piece> = small.into_iter().map(of_small).collect();
    for (object, result) in objects.iter().zip(results) {
        match result {
            Ok(instance) => instances.push(instance),
            Err(reason) => pieces.push(Piece { whole: &object.whole, runs: &object.runs, reason }),
        }
    }
    let owners = Owners::new(view, classes, &depth, &lifter.projector, &instances, options);
    let mut fragments: Vec<Fragment> = pieces.par_iter().map(|piece| owners.fragment(piece)).collect();
    fragments.sort_unstable_by_key(|fragment| fragment.first_pixel);
    Ok(Lifted { instances, fragments })
}

/// Refuses rasters of another size than the camera's image.
fn check_sizes<L: Copy>(view: &View<L>) -> Result<(), LiftingError> {
    let size = view.intrinsics.size();
    let (camera_width, camera_height) = (size.width_px() as usize, size.height_px() as usize);
    let rasters =
        [("labels", view.labels.width(), view.labels.height()), ("depths", view.depth.width(), view.depth.height())];
    match rasters.into_iter().find(|(_, width, height)| (*width, *height) != (camera_width, camera_height)) {
        Some((what, width, height)) => {
            Err(LiftingError::SizeDiffers { what, width, height, camera_width, camera_height })
        }
        None => Ok(()),
    }
}

/// What all objects of a view are lifted with.
struct Lifter<'a, L> {
    view: &'a View<'a, L>,
    classes: &'a Classes,
    options: &'a LiftOptions,
    depth: &'a Depth<'a>,
    projector: Projector<'a>,
}

impl<L: Copy + PartialEq + Into<u16> + Sync> Lifter<'_, L> {
    /// A component with its points: those that the depth shows, or those of its outline on the ground.
    fn part<'c>(&self, component: &'c Component, runs: &[Run]) -> Part<'c> {
        if !self.classes.is_in_depth(component.class) {
            // Where its outline meets the ground: a lorry whose body and cab do not touch in the mask is one object as well.
            let points = ground_points(runs, self.view, self.depth, &self.projector);
            return Part::new(component, Cloud { points, ..Cloud::default() }, None);
        }
        let ground = ground_near(component, self.view.labels, self.depth, self.classes, &self.projector);
        let limit = self.options.max_points;
        Part::new(component, cloud_of(runs, component.pixels, self.depth, &self.projector, ground, limit), ground)
    }

    fn lift(&self, object: &Object) -> Result<Instance, FragmentReason> {
        let part = match object.parts[..] {
            [part] => part,
            _ => &self.part(&object.whole, &object.runs),
        };
        let ground_box = fit_box(part).ok_or(FragmentReason::NoDepth)?;
        // Seen along its surface, all points lie on a line.
        if ground_box.width_m() <= 0.0 {
            return Err(FragmentReason::TooThin);
        }
        let height =
            |ground: GroundPlane| (ground_box.top_m() - ground.height_at(ground_box.footprint().centre())).max(0.0);
        Ok(Instance {
            visibility: visibility(&ground_box, object.whole.pixels, &self.projector),
            oriented_box: self.options.with_oriented_box.then(|| oriented_box(&part.cloud)).flatten(),
            height_m: part.ground.map(height),
            distance_m: nearest_m(self.projector.position().coordinates(), &part.cloud.points),
            ..self.instance(object, ground_box)
        })
    }

    fn place(&self, object: &Object) -> Result<Instance, FragmentReason> {
        let placed = place(&object.runs, self.view, self.depth, &self.projector).ok_or(FragmentReason::NoGround)?;
        let placement = Placement::GroundRays;
        Ok(Instance { distance_m: placed.distance_m, placement, ..self.instance(object, placed.ground_box) })
    }

    /// What holds for every object.
    fn instance(&self, object: &Object, ground_box: GroundBox) -> Instance {
        Instance {
            class: object.whole.class,
            runs: object.runs.clone(),
            pixels: object.whole.pixels,
            image_box: image_box(&object.whole),
            is_truncated: is_truncated(&object.whole, self.view.intrinsics.size()),
            visibility: None,
            ground_box,
            oriented_box: None,
            height_m: None,
            distance_m: 0.0,
            placement: Placement::Depth,
            surface: surface_of(&object.whole, &object.runs, self.view.labels, self.classes),
        }
    }
}

/// The box at any angle; it is round all points, so noise swells it.
fn oriented_box(cloud: &Cloud) -> Option<OrientedBox> {
    let points: Vec<Point<World>> = cloud.points.iter().map(|&[x, y, z]| Point::new(x, y, z)).collect();
    smallest_oriented_box(&points)
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
