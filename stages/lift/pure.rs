//! From labels to classes, and from lifted objects to rows. No files, no clock, no threads.

mod scene_graph;

pub(super) use scene_graph::{arrangement_rows, oriented_box_rows, relation_rows};

use crate::class_values::{ClassValues, Label};
use std::collections::BTreeMap;
use std::ops::Range;
use uavgen_lifting::{Classes, Fragment as LiftedFragment, FragmentReason as LiftedReason};
use uavgen_lifting::{Instance as Lifted, Placement, Role, Seen};
use uavgen_media::Labels;
use uavgen_schemas::{ClassKind, Fragment, FragmentReason, Frame, HeadingSource, Instance, MaskClass, PlacedBy};

/// A label that no class has.
const NO_CLASS: u16 = u16::MAX;

/// The classes of a recording's masks.
pub(super) struct ClassTable {
    names: BTreeMap<u16, (String, ClassKind)>,
    values: ClassValues,
    roles: Vec<Role>,
}

impl ClassTable {
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a MaskClass> + Clone) -> Self {
        let mut table = Self { names: BTreeMap::new(), values: ClassValues::new(rows.clone()), roles: Vec::new() };
        for row in rows {
            let Ok(value) = u16::try_from(row.value) else { continue };
            let length = table.roles.len().max(usize::from(value) + 1);
            table.roles.resize(length, Role::Other);
            table.roles[usize::from(value)] = role(row.kind);
            table.names.insert(value, (row.name.clone(), row.kind));
        }
        table
    }

    /// As lifting has them; depth of a mesh does not show what moves.
    pub(super) fn classes(&self) -> Classes {
        Classes::new(self.roles.clone(), false)
    }

    /// The class of every pixel of an image so wide, and what no class has, by its value or colour.
    pub(super) fn values(&self, labels: Labels, width: usize) -> (Vec<u16>, Vec<Foreign>) {
        let mut foreign = ForeignPixels::default();
        let values = self.values.of_each(labels, |at, label| foreign.add(label, at, width));
        (values.into_iter().map(|value| value.unwrap_or(NO_CLASS)).collect(), foreign.listed())
    }

    fn is_moving(&self, value: u16) -> bool {
        self.names.get(&value).is_some_and(|(_, kind)| *kind == ClassKind::Moving)
    }

    fn name(&self, value: u16) -> &str {
        self.names.get(&value).map_or("", |(name, _)| name)
    }

    /// What association looks at.
    pub(super) fn seen(&self, lifted: &Lifted) -> Seen {
        Seen {
            class: lifted.class,
            ground_box: lifted.ground_box,
            can_move: self.is_moving(lifted.class),
            weight: f64::from(lifted.pixels),
        }
    }

    /// The row of an object, without a heading.
    pub(super) fn row(&self, frame: &Frame, position: usize, object: u32, lifted: &Lifted) -> Instance {
        let (bounds, upright) = (lifted.image_box, lifted.ground_box);
        let in_depth = lifted.placement == Placement::Depth;
        let [x, y] = upright.footprint().centre();
        Instance {
            instance_id: instance_id(frame, position),
            frame_id: frame.frame_id.clone(),
            recording_id: frame.recording_id.clone(),
            object_id: format!("{}#object{object}", frame.recording_id),
            category: self.name(lifted.class).to_owned(),
            moving: self.is_moving(lifted.class),
            pixels: i64::from(lifted.pixels),
            x1: bounds.x1(),
            y1: bounds.y1(),
            x2: bounds.x2(),
            y2: bounds.y2(),
            truncated: lifted.is_truncated,
            visibility: lifted.visibility,
            placed_by: if in_depth { PlacedBy::Depth } else { PlacedBy::GroundRays },
            x,
            y,
            base_z: upright.base_m(),
            top_z: in_depth.then_some(upright.top_m()),
            length_m: upright.length_m(),
            width_m: upright.width_m(),
            footprint_m2: upright.footprint_area_m2(),
            height_m: lifted.height_m,
            axis_yaw_rad: upright.axis_yaw_rad(),
            heading_rad: None,
            heading_source: None,
            distance_m: lifted.distance_m,
            surface: lifted.surface.map(|value| self.name(value).to_owned()),
        }
    }
}

/// The pixels of a frame that have one value or colour, which no class has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    /// The value, or the three parts of the colour.
    pub(super) label: String,
    /// Number of the pixels.
    pub(super) pixels: u64,
    /// Columns of the box round them, half-open.
    columns: Range<u32>,
    /// Rows of the box round them, half-open.
    rows: Range<u32>,
    /// Row and column of the first of them, row by row.
    first_pixel: (u32, u32),
}

/// Foreign pixels by their label.
#[derive(Debug, Default)]
struct ForeignPixels(BTreeMap<Label, Foreign>);

impl ForeignPixels {
    /// Adds the pixel at a place of an image so wide.
    fn add(&mut self, label: Label, at: usize, width: usize) {
        let (x, y) = ((at % width) as u32, (at / width) as u32);
        let own = self.0.entry(label).or_insert_with(|| Foreign {
            label: String::new(),
            pixels: 0,
            columns: x..x + 1,
            rows: y..y + 1,
            first_pixel: (y, x),
        });
        own.pixels += 1;
        own.columns = own.columns.start.min(x)..own.columns.end.max(x + 1);
        own.rows.end = y + 1;
    }

    fn listed(self) -> Vec<Foreign> {
        let text = |label| match label {
            Label::Id(value) => value.to_string(),
            Label::Colour([red, green, blue]) => format!("{red},{green},{blue}"),
        };
        self.0.into_iter().map(|(label, foreign)| Foreign { label: text(label), ..foreign }).collect()
    }
}

/// The rows of all that the masks of a frame show and that is no instance, in the order of first pixels; without what nobody could
/// see.
pub(super) fn fragment_rows(
    classes: &ClassTable,
    frame: &Frame,
    fragments: &[LiftedFragment],
    foreign: &[Foreign],
    least_pixels: u32,
) -> Vec<Fragment> {
    let blank = |pixels: i64| Fragment {
        fragment_id: String::new(),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        category: None,
        reason: FragmentReason::UnknownClass,
        part_of: None,
        pixels,
        x1: 0.0,
        y1: 0.0,
        x2: 0.0,
        y2: 0.0,
    };
    let of_class = |own: &LiftedFragment| {
        let bounds = own.image_box;
        let row = Fragment {
            category: Some(classes.name(own.class).to_owned()),
            reason: fragment_reason(own.reason),
            part_of: own.part_of.map(|position| instance_id(frame, position)),
            x1: bounds.x1(),
            y1: bounds.y1(),
            x2: bounds.x2(),
            y2: bounds.y2(),
            ..blank(i64::from(own.pixels))
        };
        (own.first_pixel, row)
    };
    let of_none = |own: &Foreign| {
        let [x1, y1, x2, y2] = [own.columns.start, own.rows.start, own.columns.end, own.rows.end].map(f64::from);
        (own.first_pixel, Fragment { x1, y1, x2, y2, ..blank(own.pixels as i64) })
    };
    let mut rows: Vec<_> = fragments
        .iter()
        .filter(|own| own.pixels >= least_pixels)
        .map(of_class)
        .chain(foreign.iter().filter(|own| own.pixels >= u64::from(least_pixels)).map(of_none))
        .collect();
    rows.sort_by_key(|(first_pixel, _)| *first_pixel);
    let numbered = |(position, (_, row)): (usize, (_, Fragment))| Fragment {
        fragment_id: format!("{}#fragment{position}", frame.frame_id),
        ..row
    };
    rows.into_iter().enumerate().map(numbered).collect()
}

fn fragment_reason(reason: LiftedReason) -> FragmentReason {
    match reason {
        LiftedReason::TooSmall => FragmentReason::TooSmall,
        LiftedReason::TooThin => FragmentReason::TooThin,
        LiftedReason::LooseRegion => FragmentReason::LooseRegion,
        LiftedReason::NoDepth => FragmentReason::NoDepth,
        LiftedReason::NoGround => FragmentReason::NoGround,
    }
}

/// Id of an instance by its position among those of a frame.
pub(super) fn instance_id(frame: &Frame, position: usize) -> String {
    format!("{}#{position}", frame.frame_id)
}

fn role(kind: ClassKind) -> Role {
    match kind {
        ClassKind::Thing => Role::Fixed,
        ClassKind::Moving => Role::Moving,
        ClassKind::Ground => Role::Ground,
        ClassKind::Stuff => Role::Other,
    }
}

/// Seconds between frames of which nobody knows the time: so many that nothing that moves is looked for again.
const UNKNOWN_S: f64 = 1e6;

/// The time of each frame in seconds, for association.
pub(super) fn times(frames: &[&Frame], source_fps: Option<f64>) -> Vec<f64> {
    let time = |frame: &&Frame| match (frame.timestamp_us, source_fps) {
        (Some(time), _) => time as f64 * 1e-6,
        (None, Some(fps)) if fps > 0.0 => frame.source_number as f64 / fps,
        _ => frame.index as f64 * UNKNOWN_S,
    };
    frames.iter().map(time).collect()
}

/// Time in seconds, place (east and north) in metres, and row of an object on a frame.
type Sight = (f64, [f64; 2], usize);

/// Gives objects that move the heading of their motion: from the frame before to the one behind that shows them, or from and to
/// this one where it is the first or the last. A way shorter than `least_m` metres tells none, and nor does one over frames further
/// apart than `longest_s` seconds. Rows of one frame follow each other; `times` has one for each row.
pub(super) fn add_headings(rows: &mut [Instance], times: &[f64], least_m: f64, longest_s: f64) {
    let mut sights: BTreeMap<&str, Vec<Sight>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.moving) {
        sights.entry(&row.object_id).or_default().push((times[at], [row.x, row.y], at));
    }
    let mut headings: Vec<(usize, f64)> = Vec::new();
    for sights in sights.values() {
        for (order, (time, _, at)) in sights.iter().enumerate() {
            let (before, behind) = (&sights[order.saturating_sub(1)], &sights[(order + 1).min(sights.len() - 1)]);
            let near = (time - before.0).abs() <= longest_s && (behind.0 - time).abs() <= longest_s;
            let (east, north) = (behind.1[0] - before.1[0], behind.1[1] - before.1[1]);
            if near && east.hypot(north) >= least_m {
                headings.push((*at, east.atan2(north).rem_euclid(std::f64::consts::TAU)));
            }
        }
    }
    for (at, heading) in headings {
        rows[at].heading_rad = Some(heading);
        rows[at].heading_source = Some(HeadingSource::Motion);
    }
}
