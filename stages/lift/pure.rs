//! From labels to classes, and from lifted objects to rows. No files, no clock, no threads.

use std::collections::BTreeMap;
use uavgen_lifting::{Classes, Instance as Lifted, Placement, Role, Seen};
use uavgen_media::Labels;
use uavgen_schemas::{ClassKind, Frame, HeadingSource, Instance, MaskClass, PlacedBy};

/// A label that no class has.
const NO_CLASS: u16 = u16::MAX;

/// The classes of a recording's masks.
pub(super) struct ClassTable {
    names: BTreeMap<u16, (String, ClassKind)>,
    colours: BTreeMap<[u8; 3], u16>,
    roles: Vec<Role>,
}

impl ClassTable {
    pub(super) fn new<'a>(rows: impl Iterator<Item = &'a MaskClass>) -> Self {
        let mut table = Self { names: BTreeMap::new(), colours: BTreeMap::new(), roles: Vec::new() };
        for row in rows {
            let Ok(value) = u16::try_from(row.value) else { continue };
            if let (Some(red), Some(green), Some(blue)) = (row.red, row.green, row.blue) {
                table.colours.insert([red as u8, green as u8, blue as u8], value);
            }
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

    /// The class of every pixel; what no class has is counted by its value or colour.
    pub(super) fn values(&self, labels: Labels, unknown: &mut BTreeMap<String, u64>) -> Vec<u16> {
        match labels {
            Labels::Ids { values, palette } if !palette.is_empty() && !self.colours.is_empty() => {
                let colour = |value: u16| palette.get(usize::from(value)).copied().unwrap_or_default();
                self.of_colours(values.into_iter().map(colour), unknown)
            }
            Labels::Ids { values, .. } => {
                for (value, count) in
                    counted(values.iter().copied()).into_iter().filter(|(value, _)| !self.names.contains_key(value))
                {
                    *unknown.entry(value.to_string()).or_default() += count;
                }
                values
            }
            Labels::Colours(colours) => self.of_colours(colours.into_iter(), unknown),
        }
    }

    fn of_colours(&self, colours: impl Iterator<Item = [u8; 3]>, unknown: &mut BTreeMap<String, u64>) -> Vec<u16> {
        let mut foreign: BTreeMap<[u8; 3], u64> = BTreeMap::new();
        // Neighbouring pixels mostly have one colour.
        let mut last = ([0; 3], self.colours.get(&[0; 3]).copied());
        let value = |colour: [u8; 3]| {
            if colour != last.0 {
                last = (colour, self.colours.get(&colour).copied());
            }
            last.1.unwrap_or_else(|| {
                *foreign.entry(colour).or_default() += 1;
                NO_CLASS
            })
        };
        let values = colours.map(value).collect();
        for ([red, green, blue], count) in foreign {
            *unknown.entry(format!("{red},{green},{blue}")).or_default() += count;
        }
        values
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
            instance_id: format!("{}#{position}", frame.frame_id),
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

fn role(kind: ClassKind) -> Role {
    match kind {
        ClassKind::Thing => Role::Fixed,
        ClassKind::Moving => Role::Moving,
        ClassKind::Ground => Role::Ground,
        ClassKind::Stuff => Role::Other,
    }
}

fn counted(values: impl Iterator<Item = u16>) -> BTreeMap<u16, u64> {
    let mut table = vec![0_u64; usize::from(u16::MAX) + 1];
    values.for_each(|value| table[usize::from(value)] += 1);
    (0..=u16::MAX).zip(table).filter(|(_, count)| *count > 0).collect()
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
