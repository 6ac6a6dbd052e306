//! Pieces of masks that became no instance.
//!
//! Something is there, and not known well enough. Whoever counts must know of it, unless it surely is a piece of an
//! instance that is counted anyhow.

use crate::attributes::image_box;
use crate::cloud::{Projector, points_of};
use crate::components::Component;
use crate::placement::ground_points;
use crate::runs::Run;
use crate::smooth::Depth;
use crate::surface::{above_and_below, beside};
use crate::{Classes, Instance, LiftOptions, View};
use uavgen_geometry::{Box2, GroundBox, Rectangle};

/// Share of its points that must lie in the box of the instance that a fragment is a piece of.
const INSIDE_SHARE: f64 = 0.9;

/// Share of its pixels that must have a depth for that.
const KNOWN_SHARE: f64 = 0.5;

/// Share of its outline that ground may touch: a hut in the corner of a house with two wings lies in the box of the house, with
/// ground round it.
const GROUND_SHARE: f64 = 0.1;

/// Points that are looked at of one fragment, about.
const POINTS: usize = 256;

/// Why a piece of a mask is no instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FragmentReason {
    /// Fewer pixels than the options ask for.
    TooSmall,
    /// As thin as the rim of a mask.
    TooThin,
    /// A loose region round smaller objects of its class.
    LooseRegion,
    /// No pixel of it has a depth.
    NoDepth,
    /// No ray of its outline meets the ground.
    NoGround,
}

/// A piece of a mask that is no instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    /// Label value of its class.
    pub class: u16,
    /// Number of its pixels.
    pub pixels: u32,
    /// The box round its pixels.
    pub image_box: Box2,
    /// Row and column of its first pixel, row by row.
    pub first_pixel: (u32, u32),
    /// Why it is no instance.
    pub reason: FragmentReason,
    /// Place among the instances of the view of the one that it surely is a piece of: nearly all of it lies in the box of
    /// that one, and hardly any ground touches it. Null where there is none.
    pub part_of: Option<usize>,
}

/// A component, or several that are one object, with the reason why it is none.
pub(crate) struct Piece<'a> {
    pub(crate) whole: &'a Component,
    pub(crate) runs: &'a [Run],
    pub(crate) reason: FragmentReason,
}

/// Tells which instance a piece belongs to.
pub(crate) struct Owners<'a, L> {
    pub(crate) view: &'a View<'a, L>,
    pub(crate) classes: &'a Classes,
    pub(crate) depth: &'a Depth<'a>,
    pub(crate) projector: &'a Projector<'a>,
    boxes: Vec<(u16, GroundBox)>,
    /// Fewer pixels are part of no object, and so no object of their own.
    min_part_pixels: u32,
}

impl<'a, L: Copy + PartialEq + Into<u16> + Sync> Owners<'a, L> {
    pub(crate) fn new(
        view: &'a View<'a, L>,
        classes: &'a Classes,
        depth: &'a Depth<'a>,
        projector: &'a Projector<'a>,
        instances: &[Instance],
        options: &LiftOptions,
    ) -> Self {
        let grown = |own: &Instance| (own.class, grown(&own.ground_box, options.gap_m));
        Self {
            view,
            classes,
            depth,
            projector,
            boxes: instances.iter().map(grown).collect(),
            min_part_pixels: options.min_part_pixels,
        }
    }

    pub(crate) fn fragment(&self, piece: &Piece) -> Fragment {
        Fragment {
            class: piece.whole.class,
            pixels: piece.whole.pixels,
            image_box: image_box(piece.whole),
            first_pixel: piece.runs.first().map_or((0, 0), |run| (run.row, run.start)),
            reason: piece.reason,
            part_of: self.owner(piece),
        }
    }

    /// The instance whose box holds the largest share of the piece, the first one of several.
    fn owner(&self, piece: &Piece) -> Option<usize> {
        let class = piece.whole.class;
        if !self.boxes.iter().any(|(other, _)| *other == class) || self.is_on_open_ground(piece) {
            return None;
        }
        let points = self.points(piece);
        let mut least_outside = (points.len() as f64 * (1.0 - INSIDE_SHARE)) as usize + 1;
        let mut owner = None;
        for (place, (_, own)) in self.boxes.iter().enumerate().filter(|(_, (other, _))| *other == class) {
            let outside =
                points.iter().filter(|point| !self.is_inside(own, class, **point)).take(least_outside).count();
            if outside < least_outside {
                (least_outside, owner) = (outside, Some(place));
            }
        }
        owner.filter(|_| !points.is_empty())
    }

    /// Points of a piece by which its place is judged; none where too little of it has a depth.
    fn points(&self, piece: &Piece) -> Vec<[f64; 3]> {
        if !self.classes.is_in_depth(piece.whole.class) {
            return ground_points(piece.runs, self.view, self.depth, self.projector);
        }
        let known = |run: &Run| {
            let row = &self.depth.row(run.row as usize)[run.start as usize..run.end as usize];
            row.iter().filter(|depth| **depth > 0.0).count()
        };
        let known = piece.runs.iter().map(known).sum::<usize>() as f64;
        if known < KNOWN_SHARE * f64::from(piece.whole.pixels) {
            return Vec::new();
        }
        points_of(piece.runs, piece.whole.pixels, self.depth, self.projector, POINTS)
    }

    /// What was placed by rays has no height, so that only its footprint counts.
    fn is_inside(&self, own: &GroundBox, class: u16, [x, y, z]: [f64; 3]) -> bool {
        let level = !self.classes.is_in_depth(class) || (own.base_m()..=own.top_m()).contains(&z);
        level && own.footprint().contains([x, y])
    }

    /// Whether a piece may be an object that stands for itself. Specks of what the depth shows are none: they lie along the edges of
    /// objects, where a jump in depth cuts them off, with the ground beside them.
    fn is_on_open_ground(&self, piece: &Piece) -> bool {
        if piece.whole.pixels < self.min_part_pixels && self.classes.is_in_depth(piece.whole.class) {
            return false;
        }
        let labels = self.view.labels;
        let touching = beside(piece.runs, labels).chain(above_and_below(piece.runs, labels));
        let ground = touching.filter(|class| self.classes.is_ground(*class)).count();
        // A strip of wall below a roof touches the ground as well, and the roof.
        let own = beside(piece.runs, labels).filter(|class| *class == piece.whole.class).count();
        own == 0 && ground as f64 > GROUND_SHARE * f64::from(piece.whole.outline_px)
    }
}

/// A box that reaches farther by a distance on every side.
fn grown(own: &GroundBox, by_m: f64) -> GroundBox {
    let base = own.footprint();
    let footprint =
        Rectangle::new(base.centre(), base.length() + 2.0 * by_m, base.width() + 2.0 * by_m, base.axis_yaw_rad());
    GroundBox::new(footprint, own.base_m() - by_m, own.top_m() + by_m)
}
