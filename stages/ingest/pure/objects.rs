//! The annotation rows of one frame become boxes and regions.

use super::super::config::IngestConfig;
use super::super::sources::visdrone_text::Row;
use super::super::sources::{IGNORED_REGION, OTHERS, category_name};
use super::place::{Canvas, Placed};
use super::{ANNOTATION_LINE, Scene};
use uavgen_geometry::Box2;
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Reject};

/// A frame that takes annotations.
pub(crate) struct Target<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) canvas: Canvas,
    /// Annotation file, for rejects.
    pub(crate) annotation_file: &'a str,
    pub(crate) config: &'a IngestConfig,
}

impl Target<'_> {
    /// Adds the rows of the frame, which are ordered by target (rows without one last), then line.
    pub(crate) fn add_rows(&self, rows: &[Row], scene: &mut Scene) {
        for (position, row) in rows.iter().enumerate() {
            let earlier = &rows[..position];
            match row.category {
                IGNORED_REGION => self.add_region(row, RegionKind::Ignored, earlier, scene),
                OTHERS => self.add_region(row, RegionKind::Others, earlier, scene),
                _ if self.is_repeated(row, earlier, &rows[position + 1..], scene) => {}
                _ => self.add_box(row, scene),
            }
        }
    }

    /// Adds what a line that could not be used still tells: one object is there, which may be anything.
    pub(crate) fn add_unknown_object(&self, line: u32, edges: [f64; 4], track: Option<String>, scene: &mut Scene) {
        if let Placed::Inside { area, .. } | Placed::MostlyOutside { visible: area, .. } =
            self.canvas.place(edges, self.config)
        {
            // An ignored region may have the same target; the line is unique.
            scene.regions.push(self.region(row_suffix(line), RegionKind::UnknownObject, track, area));
            scene.note("unknown_objects", 1);
        }
    }

    /// Whether other rows are about the same object, so that this one adds no box. Rows of one target that contradict
    /// each other tell neither which of them is right nor whose the others are: what each of them marks is unknown.
    fn is_repeated(&self, row: &Row, earlier: &[Row], later: &[Row], scene: &mut Scene) -> bool {
        let before = || of_same_target(row, earlier.iter().rev()).filter(|other| is_object(other));
        let after = of_same_target(row, later.iter()).filter(|other| is_object(other));
        let contradicting = row.target.and_then(|_| before().chain(after).find(|other| !says_the_same(other, row)));
        if let Some(other) = contradicting {
            let detail = format!("contradicts line {}; what is visible of it counts as unknown", other.line);
            scene.quarantine(ANNOTATION_LINE, self.line(row), "duplicate_row", detail);
            self.add_unknown_object(row.line, edges(row), None, scene);
            return true;
        }
        let first = before().filter(|other| says_the_same(other, row)).last();
        if let Some(first) = first {
            scene.quarantine(ANNOTATION_LINE, self.line(row), "duplicate_row", format!("repeats line {}", first.line));
        }
        first.is_some()
    }

    fn add_box(&self, row: &Row, scene: &mut Scene) {
        match self.canvas.place(edges(row), self.config) {
            Placed::Inside { area, clipped } => {
                scene.note("zero_size_boxes", u64::from(area.is_empty()));
                scene.note("clipped_boxes", u64::from(clipped));
                scene.note("boxes_ignored_by_source", u64::from(row.ignored));
                scene.boxes.push(self.object(row, area, clipped));
            }
            Placed::MostlyOutside { outside_share, .. } => {
                let detail = "what is visible of it counts as unknown";
                let reject = Reject::rule(self.line(row), "mostly_outside", detail);
                scene.rejects.push(reject.measured(outside_share, self.config.max_outside_share));
                self.add_unknown_object(row.line, edges(row), self.track_id(row), scene);
            }
            Placed::Outside => self.reject_outside(row, scene),
        }
    }

    /// Adds an area. No area is lost to a repeated target: what it covers must stay unknown.
    fn add_region(&self, row: &Row, kind: RegionKind, earlier: &[Row], scene: &mut Scene) {
        let before = || of_same_target(row, earlier.iter().rev()).filter(|other| !is_object(other));
        if let Some(first) = before().filter(|other| says_the_same(other, row)).last() {
            scene.quarantine(ANNOTATION_LINE, self.line(row), "duplicate_row", format!("repeats line {}", first.line));
            return;
        }
        let suffix = if before().next().is_some() { row_suffix(row.line) } else { suffix(row) };
        match self.canvas.place(edges(row), self.config) {
            Placed::Inside { area, .. } | Placed::MostlyOutside { visible: area, .. } => {
                scene.regions.push(self.region(suffix, kind, self.track_id(row), area));
            }
            Placed::Outside => self.reject_outside(row, scene),
        }
    }

    fn reject_outside(&self, row: &Row, scene: &mut Scene) {
        let [x1, y1, x2, y2] = edges(row);
        let (width, height) = (self.frame.width, self.frame.height);
        let detail = format!(
            "box from {x1},{y1} to {x2},{y2} in an image of {width}x{height}; do the annotations belong to images of this size?"
        );
        scene.quarantine(ANNOTATION_LINE, self.line(row), "outside_image", detail);
    }

    fn line(&self, row: &Row) -> String {
        format!("{}:{}", self.annotation_file, row.line)
    }

    fn track_id(&self, row: &Row) -> Option<String> {
        row.target.map(|target| format!("{}#{target}", self.frame.recording_id))
    }

    fn object(&self, row: &Row, area: Box2, clipped: bool) -> Box2d {
        let category = category_name(row.category).to_owned();
        Box2d {
            box_id: format!("{}{}", self.frame.frame_id, suffix(row)),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            track_id: self.track_id(row),
            annotated_category: category.clone(),
            category,
            x1: area.x1(),
            y1: area.y1(),
            x2: area.x2(),
            y2: area.y2(),
            clipped,
            ignored: row.ignored,
            truncation: row.truncation,
            occlusion: row.occlusion,
        }
    }

    fn region(&self, suffix: String, kind: RegionKind, track_id: Option<String>, area: Box2) -> Region {
        Region {
            region_id: format!("{}{suffix}", self.frame.frame_id),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            kind,
            track_id,
            x1: area.x1(),
            y1: area.y1(),
            x2: area.x2(),
            y2: area.y2(),
        }
    }
}

/// Edges as annotated.
fn edges(row: &Row) -> [f64; 4] {
    [row.left, row.top, row.left + row.width, row.top + row.height]
}

fn is_object(row: &Row) -> bool {
    !matches!(row.category, IGNORED_REGION | OTHERS)
}

/// The rows of the same target, or without one, at the start of `rows`: rows are ordered by target.
fn of_same_target<'a>(row: &Row, rows: impl Iterator<Item = &'a Row>) -> impl Iterator<Item = &'a Row> {
    let target = row.target;
    rows.take_while(move |other| other.target == target)
}

fn says_the_same(a: &Row, b: &Row) -> bool {
    edges(a) == edges(b) && (a.category, a.ignored) == (b.category, b.ignored)
}

/// The end of an id: the target, or the line where there is none.
fn suffix(row: &Row) -> String {
    row.target.map_or_else(|| row_suffix(row.line), |target| format!("#{target}"))
}

fn row_suffix(line: u32) -> String {
    format!("#r{line}")
}
