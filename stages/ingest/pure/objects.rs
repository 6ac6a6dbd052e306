//! The annotation rows of one frame become boxes and regions.

use super::super::config::IngestConfig;
use super::super::sources::visdrone_text::{BadRow, Row};
use super::super::sources::{IGNORED_REGION, OTHERS, category_name};
use super::Scene;
use super::place::{Canvas, Placed};
use uavgen_geometry::Box2;
use uavgen_schemas::{Box2d, Frame, Region, RegionKind};

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
                _ => self.add_box(row, earlier, scene),
            }
        }
    }

    /// Adds what a line that could not be used still tells: something of no known category is there.
    pub(crate) fn add_unknown(&self, bad: &BadRow, scene: &mut Scene) {
        let Some(edges) = bad.place else { return };
        if let Placed::Inside { area, .. } | Placed::MostlyOutside { visible: area, .. } =
            self.canvas.place(edges, self.config)
        {
            scene.regions.push(self.region(row_suffix(bad.line), RegionKind::Others, None, area));
            scene.note("unknown_areas_from_bad_rows", 1);
        }
    }

    fn add_box(&self, row: &Row, earlier: &[Row], scene: &mut Scene) {
        let is_object = |other: &&Row| !matches!(other.category, IGNORED_REGION | OTHERS);
        if let Some(first) = earlier_twin(row, earlier.iter().filter(is_object)) {
            let how = if same_place(first, row) && first.category == row.category { "repeats" } else { "contradicts" };
            scene.quarantine(self.line(row), "duplicate_row", format!("{how} line {}, which is kept", first.line));
            return;
        }
        let suffix = suffix(row);
        match self.canvas.place(edges(row), self.config) {
            Placed::Inside { area, clipped } => {
                scene.note("zero_size_boxes", u64::from(area.is_empty()));
                scene.note("clipped_boxes", u64::from(clipped));
                scene.note("boxes_ignored_by_source", u64::from(row.ignored));
                scene.boxes.push(self.object(row, &suffix, area, clipped));
            }
            Placed::MostlyOutside { visible, outside_share } => {
                let record_id = format!("{}{suffix}", self.frame.frame_id);
                let detail = format!("{}; what is visible counts as unknown", self.line(row));
                let measured = Some((outside_share, self.config.max_outside_share));
                scene.drop_by_rule(record_id, "mostly_outside", measured, detail);
                let track = row.target.map(|target| target.to_string());
                // An ignored region may have the same target; the line is unique.
                scene.regions.push(self.region(row_suffix(row.line), RegionKind::Others, track, visible));
            }
            Placed::Outside => self.reject_outside(row, scene),
        }
    }

    /// Adds an area. No area is lost to a repeated target: what it covers must stay unknown.
    fn add_region(&self, row: &Row, kind: RegionKind, earlier: &[Row], scene: &mut Scene) {
        let is_area = |other: &&Row| matches!(other.category, IGNORED_REGION | OTHERS);
        let twin = earlier_twin(row, earlier.iter().filter(is_area));
        if let Some(first) = twin.filter(|first| same_place(first, row)) {
            scene.quarantine(self.line(row), "duplicate_row", format!("repeats line {}, which is kept", first.line));
            return;
        }
        let suffix = if twin.is_some() { row_suffix(row.line) } else { suffix(row) };
        match self.canvas.place(edges(row), self.config) {
            Placed::Inside { area, .. } | Placed::MostlyOutside { visible: area, .. } => {
                let track = row.target.map(|target| target.to_string());
                scene.regions.push(self.region(suffix, kind, track, area));
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
        scene.quarantine(self.line(row), "outside_image", detail);
    }

    fn line(&self, row: &Row) -> String {
        format!("{}:{}", self.annotation_file, row.line)
    }

    fn object(&self, row: &Row, suffix: &str, area: Box2, clipped: bool) -> Box2d {
        let category = category_name(row.category).to_owned();
        Box2d {
            box_id: format!("{}{suffix}", self.frame.frame_id),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            track_id: row.target.map(|target| format!("{}#{target}", self.frame.recording_id)),
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

fn same_place(a: &Row, b: &Row) -> bool {
    edges(a) == edges(b)
}

/// An earlier row that says the same thing: of the same target, or, without targets, the very same box and category.
fn earlier_twin<'a>(row: &Row, mut earlier: impl DoubleEndedIterator<Item = &'a Row>) -> Option<&'a Row> {
    match row.target {
        // Rows are ordered by target, so the rows of one target stand together.
        Some(_) => earlier.rev().take_while(|other| other.target == row.target).last(),
        None => earlier.find(|other| {
            other.target.is_none()
                && same_place(other, row)
                && (other.category, other.ignored) == (row.category, row.ignored)
        }),
    }
}

/// The end of an id: the target, or the line where there is none.
fn suffix(row: &Row) -> String {
    row.target.map_or_else(|| row_suffix(row.line), |target| format!("#{target}"))
}

fn row_suffix(line: u32) -> String {
    format!("#r{line}")
}
