//! What is known of a frame without looking at its image.

use crate::generation::GenerationConfig;
use serde::Serialize;
use std::collections::BTreeMap;
use uavgen_geometry::{Camera, Direction, Intrinsics, Pixel, Transform, World};
use uavgen_schemas::{ClassKind, Fragment, Instance, MaskClass, SegmentClass};

/// Points that the height is taken from, at most: a grid over the image.
const GRID: usize = 64;
/// Fewer points on the ground tell no height above it.
const LEAST_POINTS: usize = 12;
/// Classes by area that a text names.
const MOST_AREAS: usize = 3;
/// Categories of objects that a text names.
const MOST_CATEGORIES: usize = 6;

/// How a camera is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::generation) enum View {
    Nadir,
    Oblique,
    Level,
}

/// What a height is above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::generation) enum Above {
    /// Median of the ground that the frame shows.
    Ground,
    /// Median of all surfaces that it shows: it shows too little ground.
    Scene,
}

/// Objects of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::generation) struct Counted {
    pub(in crate::generation) category: String,
    pub(in crate::generation) count: usize,
    /// Whether something of the category, or that may be, is there and was not counted.
    pub(in crate::generation) at_least: bool,
}

/// Everything that a text may say. Stored with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::generation) struct Facts {
    pub(in crate::generation) view: View,
    /// Angle between the optical axis and straight down, in degrees.
    pub(in crate::generation) tilt_deg: f64,
    /// Height of the camera in metres.
    pub(in crate::generation) height_m: f64,
    pub(in crate::generation) above: Above,
    /// Most frequent first.
    pub(in crate::generation) objects: Vec<Counted>,
    /// Names of the largest classes, largest first.
    pub(in crate::generation) areas: Vec<String>,
}

/// The camera of a frame in the world.
pub(in crate::generation) struct Eye<'a> {
    pub(in crate::generation) intrinsics: &'a Intrinsics,
    pub(in crate::generation) world_from_camera: Transform<World, Camera>,
}

impl Eye<'_> {
    /// Angle between the optical axis and straight down, in degrees.
    pub(in crate::generation) fn tilt_deg(&self) -> f64 {
        let axis: Direction<World> = self.world_from_camera * Direction::<Camera>::new(0.0, 0.0, 1.0);
        (-axis.z()).clamp(-1.0, 1.0).acos().to_degrees()
    }

    /// Height above the median of what is seen: of ground where there is enough of it, else of everything. Null where nothing is.
    pub(in crate::generation) fn height(
        &self,
        depth: &[u16],
        step_m: f64,
        is_ground: impl Fn(usize) -> bool,
    ) -> Option<(f64, Above)> {
        let size = self.intrinsics.size();
        let (width, height) = (size.width_px() as usize, size.height_px() as usize);
        let (mut ground, mut all) = (Vec::new(), Vec::new());
        for row in (0..height).step_by((height / GRID).max(1)) {
            for column in (0..width).step_by((width / GRID).max(1)) {
                let at = row * width + column;
                let Some(&value) = depth.get(at).filter(|value| **value > 0) else { continue };
                let pixel = Pixel { x: column as f64 + 0.5, y: row as f64 + 0.5 };
                let Some(point) = self.intrinsics.unproject(pixel, f64::from(value) * step_m) else { continue };
                let up = (self.world_from_camera * point).z();
                all.push(up);
                if is_ground(at) {
                    ground.push(up);
                }
            }
        }
        let (mut seen, above) =
            if ground.len() >= LEAST_POINTS { (ground, Above::Ground) } else { (all, Above::Scene) };
        seen.sort_by(f64::total_cmp);
        let median = seen.get(seen.len() / 2)?;
        Some((self.world_from_camera.position().z() - median, above))
    }
}

/// How a camera that is turned so far is called.
pub(in crate::generation) fn view(tilt_deg: f64, config: &GenerationConfig) -> View {
    if tilt_deg <= config.nadir_deg {
        View::Nadir
    } else if tilt_deg < config.level_deg {
        View::Oblique
    } else {
        View::Level
    }
}

/// The objects of a frame by category. What is in a piece of a mask that became no object makes a count a lower bound, unless the
/// piece surely belongs to an object that was counted.
pub(in crate::generation) fn counted(instances: &[&Instance], fragments: &[&Fragment]) -> Vec<Counted> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    instances.iter().for_each(|one| *counts.entry(&one.category).or_default() += 1);
    let uncounted = |category: &str| {
        let may_be = |piece: &&&Fragment| piece.category.as_deref().is_none_or(|own| own == category);
        fragments.iter().filter(may_be).any(|piece| piece.part_of.is_none())
    };
    let mut counted: Vec<Counted> = counts
        .into_iter()
        .map(|(category, count)| Counted { category: category.to_owned(), count, at_least: uncounted(category) })
        .collect();
    counted.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.category.cmp(&b.category)));
    counted.truncate(MOST_CATEGORIES);
    counted
}

/// The largest classes: the first by area, and others of at least a share of the picture. What no class has has no name.
pub(in crate::generation) fn areas(shown: &[SegmentClass], least_share: f64) -> Vec<String> {
    let mut named: Vec<(&SegmentClass, &String)> =
        shown.iter().filter_map(|one| Some((one, one.name.as_ref()?))).collect();
    named.sort_by(|(a, _), (b, _)| b.pixels.cmp(&a.pixels).then(a.value.cmp(&b.value)));
    let large = named.iter().enumerate().filter(|(place, (one, _))| *place == 0 || one.pixel_share >= least_share);
    large.map(|(_, (_, name))| (*name).clone()).take(MOST_AREAS).collect()
}

/// Values of the classes that things stand on.
pub(in crate::generation) fn ground_values<'a>(classes: impl IntoIterator<Item = &'a MaskClass>) -> Vec<bool> {
    let mut is_ground = vec![false; usize::from(u8::MAX) + 1];
    for class in classes.into_iter().filter(|class| class.kind == ClassKind::Ground) {
        if let Some(place) = usize::try_from(class.value).ok().and_then(|value| is_ground.get_mut(value)) {
            *place = true;
        }
    }
    is_ground
}
