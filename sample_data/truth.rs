//! The truth table: what is there on each frame, from the world's state and never from the annotation files.

use crate::category::Category;
use crate::plane::{Camera, Point};
use crate::raster::{Bounds, for_each_covered};
use crate::script::Recording;
use crate::world::{Actor, IgnoredArea, Kind, Solid};
use std::fmt::Write;

/// Largest share of an object outside the picture that is still annotated, as VisDrone has it.
const MOST_TRUNCATION: f64 = 0.5;
/// Smallest share of an object that must be in sight to be annotated.
const LEAST_VISIBLE: f64 = 0.1;
/// Ignored areas of which less than this many pixels in either direction are in the picture are not annotated.
const LEAST_REGION: i64 = 8;

/// Everything that the generator knows about what it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// One row per frame and object: sequences first, in each recording by object number and then frame.
    pub rows: Vec<TruthRow>,
}

/// One object on one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthRow {
    /// Sequence name, or file stem of the still.
    pub recording: String,
    /// `train` or `val`.
    pub split: String,
    /// Frame number in file name and annotation, from 1; 0 for a still.
    pub frame_number: u32,
    /// Width of the frame in pixels.
    pub width: u32,
    /// Height of the frame in pixels.
    pub height: u32,
    /// Track number in a sequence; in a still the position of the row in its annotation file, from 0.
    pub object_number: u32,
    /// What the object is.
    pub category: Category,
    /// What the annotation calls it on this frame; differs from `category` where a label flips.
    pub annotated_category: Category,
    /// Object, ignored area, `others`, or object to be ignored.
    pub kind: Kind,
    /// Box as annotated: left edge in pixels.
    pub x: i64,
    /// Box as annotated: top edge in pixels.
    pub y: i64,
    /// Box as annotated: width in pixels.
    pub w: i64,
    /// Box as annotated: height in pixels.
    pub h: i64,
    /// 0 inside the picture, 1 partly outside (up to 50 %).
    pub truncation: u8,
    /// 0 in full sight, 1 up to half hidden, 2 more.
    pub occlusion: u8,
    /// What annotations do not tell; null for an ignored region.
    pub state: Option<ObjectState>,
}

/// State of an object that annotations do not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectState {
    /// Colour of the body, or of the clothes.
    pub colour: &'static str,
    /// Metres east of the place's origin (centre of the object on the ground).
    pub east_m: f64,
    /// Metres north of the place's origin.
    pub north_m: f64,
    /// Speed over the ground in metres per second; 0 when it stands.
    pub speed_mps: f64,
    /// Direction that the object faces: degrees clockwise from north, [0, 360).
    pub heading_deg: f64,
}

impl Truth {
    /// The table as CSV: a header, `\n` line ends, two decimals, empty fields for null.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "sequence_or_image,split,frame_number,width,height,object_number,category,annotated_category,kind,\
             x,y,w,h,truncation,occlusion,colour,east_m,north_m,speed_mps,heading_deg\n",
        );
        for row in &self.rows {
            csv.push_str(&row.to_csv_line());
        }
        csv
    }
}

impl TruthRow {
    fn to_csv_line(&self) -> String {
        let mut line =
            format!("{},{},{},{},{}", self.recording, self.split, self.frame_number, self.width, self.height);
        let (category, annotated) = (self.category.name(), self.annotated_category.name());
        // Writing to a string cannot fail.
        let _ = write!(line, ",{},{category},{annotated},{}", self.object_number, self.kind.name());
        let _ = write!(line, ",{},{},{},{},{},{}", self.x, self.y, self.w, self.h, self.truncation, self.occlusion);
        match &self.state {
            Some(s) => {
                let _ = write!(line, ",{},{:.2},{:.2}", s.colour, s.east_m, s.north_m);
                let _ = writeln!(line, ",{:.2},{:.2}", s.speed_mps, s.heading_deg);
            }
            None => line.push_str(",,,,,\n"),
        }
        line
    }
}

/// Rows of a sequence, by track number and then frame.
pub(crate) fn sequence_rows(recording: &Recording) -> Vec<TruthRow> {
    let frames = 1..=recording.frame_count;
    let mut rows: Vec<TruthRow> = frames.flat_map(|frame| frame_rows(recording, frame)).collect();
    rows.sort_by_key(|row| (row.object_number, row.frame_number));
    rows
}

/// Rows of a still, numbered by position.
pub(crate) fn still_rows(recording: &Recording) -> Vec<TruthRow> {
    let mut rows = frame_rows(recording, 1);
    for (position, row) in rows.iter_mut().enumerate() {
        row.frame_number = 0;
        row.object_number = position as u32;
    }
    rows
}

/// Rows of one frame, by number.
fn frame_rows(recording: &Recording, frame: u32) -> Vec<TruthRow> {
    let camera = recording.camera(frame);
    let visible = visible_shares(recording, frame);
    let world = &recording.world;
    let regions = world.ignored.iter().filter_map(|area| region_row(recording, frame, area, &camera));
    let objects = world.actors.iter().zip(visible);
    let objects = objects.filter_map(|(actor, visible)| object_row(recording, frame, actor, visible));
    let mut rows: Vec<TruthRow> = regions.chain(objects).collect();
    rows.sort_by_key(|row| row.object_number);
    rows
}

fn object_row(recording: &Recording, frame: u32, actor: &Actor, visible: f64) -> Option<TruthRow> {
    let camera = recording.camera(frame);
    let seconds = recording.seconds(frame);
    let bounds = Bounds::of(&actor.silhouette(&camera, seconds))?;
    let (cut, outside) = cut_box(bounds, &camera)?;
    if outside > MOST_TRUNCATION || visible < LEAST_VISIBLE {
        return None;
    }
    let state = state_of(actor, seconds);
    let annotated_category = actor.annotated_category(frame);
    let flags = (u8::from(outside > 0.0), occlusion_code(visible));
    let row = empty_row(recording, frame, actor.number, cut);
    Some(TruthRow {
        category: actor.category,
        annotated_category,
        kind: actor.kind,
        truncation: flags.0,
        occlusion: flags.1,
        state: Some(state),
        ..row
    })
}

fn region_row(recording: &Recording, frame: u32, area: &IgnoredArea, camera: &Camera) -> Option<TruthRow> {
    let middle = camera.project(area.centre, 0.0);
    let half = (area.half_extent.0 * camera.pixels_per_metre, area.half_extent.1 * camera.pixels_per_metre);
    let bounds =
        Bounds { left: middle.x - half.0, top: middle.y - half.1, right: middle.x + half.0, bottom: middle.y + half.1 };
    let (cut, _) = cut_box(bounds, camera)?;
    (cut.2 >= LEAST_REGION && cut.3 >= LEAST_REGION).then(|| empty_row(recording, frame, area.number, cut))
}

/// A row of an ignored region, which the row of an object overwrites in part.
fn empty_row(recording: &Recording, frame: u32, number: u32, cut: (i64, i64, i64, i64)) -> TruthRow {
    TruthRow {
        recording: recording.name.clone(),
        split: recording.split.to_owned(),
        frame_number: frame,
        width: recording.camera.width,
        height: recording.camera.height,
        object_number: number,
        category: Category::IgnoredRegion,
        annotated_category: Category::IgnoredRegion,
        kind: Kind::IgnoredRegion,
        x: cut.0,
        y: cut.1,
        w: cut.2,
        h: cut.3,
        truncation: 0,
        occlusion: 0,
        state: None,
    }
}

/// Whole-pixel box (left, top, width, height) cut at the borders, and the share of the area that was cut away.
/// `None` when nothing is left.
fn cut_box(bounds: Bounds, camera: &Camera) -> Option<((i64, i64, i64, i64), f64)> {
    let (left, top) = (bounds.left.floor(), bounds.top.floor());
    let (right, bottom) = (bounds.right.ceil(), bounds.bottom.ceil());
    let (cut_left, cut_top) = (left.max(0.0), top.max(0.0));
    let (cut_right, cut_bottom) = (right.min(f64::from(camera.width)), bottom.min(f64::from(camera.height)));
    if cut_left >= cut_right || cut_top >= cut_bottom {
        return None;
    }
    let (width, height) = (cut_right - cut_left, cut_bottom - cut_top);
    let outside = 1.0 - width * height / ((right - left) * (bottom - top));
    Some(((cut_left as i64, cut_top as i64, width as i64, height as i64), outside))
}

fn occlusion_code(visible: f64) -> u8 {
    // A pixel or two at the rim of a neighbour is no occlusion that an annotator would see.
    match visible {
        v if v > 0.95 => 0,
        v if v >= 0.5 => 1,
        _ => 2,
    }
}

/// For each actor, the share of its pixels in the picture that nothing nearer covers; 0 for one outside.
fn visible_shares(recording: &Recording, frame: u32) -> Vec<f64> {
    let (camera, seconds) = (recording.camera(frame), recording.seconds(frame));
    let actors = &recording.world.actors;
    // Label 0 = scenery, i + 1 = actor at position i.
    let mut labels = vec![0usize; (camera.width * camera.height) as usize];
    let mut covered = vec![0u32; actors.len() + 1];
    for solid in recording.world.solids(&camera, seconds) {
        let label = match solid {
            Solid::Actor(actor) => actors.iter().position(|a| a.number == actor.number).map_or(0, |i| i + 1),
            _ => 0,
        };
        for_each_covered(&solid.silhouette(&camera, seconds), camera.width, camera.height, |index, coverage| {
            if coverage >= 0.5 {
                labels[index] = label;
                covered[label] += 1;
            }
        });
    }
    let mut seen = vec![0u32; actors.len() + 1];
    labels.iter().for_each(|&label| seen[label] += 1);
    let share =
        |(seen, covered): (&u32, &u32)| if *covered == 0 { 0.0 } else { f64::from(*seen) / f64::from(*covered) };
    seen.iter().zip(&covered).skip(1).map(share).collect()
}

fn state_of(actor: &Actor, seconds: f64) -> ObjectState {
    let position = actor.position(seconds);
    ObjectState {
        colour: actor.paint.name(),
        east_m: tidy(position.x),
        north_m: tidy(position.y),
        speed_mps: tidy(actor.speed),
        heading_deg: compass(actor.heading),
    }
}

/// Rounded to two decimals, without a negative zero.
fn tidy(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

fn compass(heading: Point) -> f64 {
    tidy(heading.x.atan2(heading.y).to_degrees().rem_euclid(360.0))
}
