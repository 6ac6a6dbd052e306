//! Where the depth of a frame comes from: the mesh, a file of the source, or a file aligned to the mesh.

use super::super::config::{DepthConfig, Preferred};
use super::super::pure::Statistics;
use super::super::pure::align::{LEAST_ANCHORS, NotAligned, align};
use super::{POSED_FRAME, RECORDED, View};
use std::borrow::Cow;
use std::collections::BTreeMap;
use uavgen_core::{Context, TaskError};
use uavgen_media::{decode_grey16, decode_npy};
use uavgen_render::{Layers, Rendered, Renderer};
use uavgen_schemas::{DepthScale, DepthSource, RecordedDepth, Recording, Reject};

/// How many times as far as the farthest anchor aligned depth may reach.
const REACH: f64 = 2.0;

/// What a recording has.
pub(super) struct Backend<'a> {
    pub(super) config: &'a DepthConfig,
    pub(super) recording: &'a Recording,
    /// The mesh, where it can be read.
    pub(super) renderer: Option<Renderer>,
    /// Depth files by frame.
    pub(super) recorded: BTreeMap<&'a str, &'a RecordedDepth>,
}

/// What came out for a frame.
#[derive(Default)]
pub(super) struct Outcome<'r> {
    /// Depths in metres, 0 = none, not all 0, and where they come from; null where there are none.
    pub(super) depth: Option<(Cow<'r, [f32]>, Statistics, DepthSource)>,
    /// Whether the mesh was drawn, and whether it is in view; null where it was not drawn.
    pub(super) sees_mesh: Option<bool>,
    /// What could not be used, each with its kind of input.
    pub(super) rejects: Vec<(&'static str, Reject)>,
}

impl Outcome<'_> {
    fn refuse(&mut self, frame: &View<'_>, reason: &str, detail: String) {
        self.rejects.push((RECORDED, Reject::quarantine(frame.frame_id, reason, detail)));
    }
}

impl Backend<'_> {
    /// The depth of a frame. `rendered` is room for what the mesh shows.
    pub(super) fn depth<'r>(
        &self,
        context: &Context<'_>,
        view: &View<'_>,
        rendered: &'r mut Rendered,
    ) -> Result<Outcome<'r>, TaskError> {
        let mut outcome = Outcome::default();
        let recorded = self.recorded.get(view.frame_id).copied();
        let prefers_mesh = self.config.prefer == Preferred::Mesh;
        let mut statistics = None;
        if prefers_mesh || recorded.is_none_or(|recorded| recorded.scale != DepthScale::Metric) {
            statistics = self.draw(view, rendered, &mut outcome);
        }
        let mut own = None;
        if let Some(recorded) = recorded.filter(|_| !(prefers_mesh && statistics.is_some())) {
            own = self.recorded(context, view, recorded, statistics.map(|_| rendered.depth()), &mut outcome)?;
            if own.is_none() && outcome.sees_mesh.is_none() {
                statistics = self.draw(view, rendered, &mut outcome);
            }
        }
        let rendered: &'r Rendered = rendered;
        let of_mesh = || statistics.map(|told| (Cow::Borrowed(rendered.depth()), told, DepthSource::Mesh));
        let of_file = own.map(|(depth, told, source)| (Cow::Owned(depth), told, source));
        outcome.depth = of_file.or_else(of_mesh);
        if outcome.depth.is_none() && outcome.sees_mesh == Some(false) {
            let detail = "the mesh is not in view: its pose looks past it, or is of another place";
            outcome.rejects.push((POSED_FRAME, Reject::quarantine(view.frame_id, "sees_no_surface", detail)));
        }
        Ok(outcome)
    }

    fn draw(&self, view: &View<'_>, rendered: &mut Rendered, outcome: &mut Outcome<'_>) -> Option<Statistics> {
        let renderer = self.renderer.as_ref()?;
        renderer.render_into(view.lens, &view.world_from_camera.inverse(), Layers::DEPTH, rendered);
        let statistics = Statistics::of(rendered.depth());
        outcome.sees_mesh = Some(statistics.is_some());
        statistics
    }

    /// The depth that a file tells, by itself or aligned to what the mesh shows.
    fn recorded(
        &self,
        context: &Context<'_>,
        view: &View<'_>,
        recorded: &RecordedDepth,
        anchors: Option<&[f32]>,
        outcome: &mut Outcome<'_>,
    ) -> Result<Option<(Vec<f32>, Statistics, DepthSource)>, TaskError> {
        let bytes = context.read_source(&self.recording.source, &recorded.file, &recorded.digest)?;
        let size = view.lens.intrinsics().size();
        let values = match values(recorded, &bytes, (size.width_px() as usize, size.height_px() as usize)) {
            Ok(values) => values,
            Err((reason, problem)) => {
                outcome.refuse(view, reason, format!("{}: {problem}", recorded.file));
                return Ok(None);
            }
        };
        let (depth, source) = match (recorded.metres_per_unit, recorded.scale) {
            (Some(unit), DepthScale::Metric) => (metric(&values, unit), DepthSource::Recorded),
            _ => match self.aligned(view, recorded, &values, anchors, outcome) {
                Some(depth) => (depth, DepthSource::Aligned),
                None => return Ok(None),
            },
        };
        let Some(statistics) = Statistics::of(&depth) else {
            outcome.refuse(view, "depth_all_unknown", format!("{}: no pixel has a depth", recorded.file));
            return Ok(None);
        };
        Ok(Some((depth, statistics, source)))
    }

    fn aligned(
        &self,
        view: &View<'_>,
        recorded: &RecordedDepth,
        values: &[f32],
        anchors: Option<&[f32]>,
        outcome: &mut Outcome<'_>,
    ) -> Option<Vec<f32>> {
        let file = &recorded.file;
        let Some(anchors) = anchors else {
            let detail =
                format!("{file}: its factor and offset are unknown, and no mesh is in view that would tell them");
            outcome.refuse(view, "no_metric_anchor", detail);
            return None;
        };
        let limit = self.config.max_alignment_error;
        match align(values, anchors, recorded.scale) {
            Ok(alignment) if alignment.error <= limit => {
                let farthest = f64::from(anchors.iter().copied().fold(0.0, f32::max));
                return Some(alignment.applied(values, REACH * farthest));
            }
            Ok(alignment) => {
                let error = alignment.error;
                let detail = format!("{file}: half of its pixels are {:.1} % or more off the mesh", 100.0 * error);
                let reject = Reject::quarantine(view.frame_id, "poor_alignment", detail);
                outcome.rejects.push((RECORDED, reject.measured(error, Some(limit))));
            }
            Err(NotAligned::TooFewAnchors(count)) => {
                let detail =
                    format!("{file}: {count} of its pixels have a depth from the mesh, {LEAST_ANCHORS} are needed");
                outcome.refuse(view, "no_metric_anchor", detail);
            }
            Err(NotAligned::NoSlope) => {
                let detail =
                    format!("{file}: its values do not go with the depth of the mesh; `depth_scale` may be another");
                outcome.refuse(view, "poor_alignment", detail);
            }
        }
        None
    }
}

/// Metres where a value tells a depth, else 0.
fn metric(values: &[f32], metres_per_unit: f64) -> Vec<f32> {
    let metres = |&value: &f32| (f64::from(value) * metres_per_unit) as f32;
    values.iter().map(metres).map(|z| if z > 0.0 && z.is_finite() { z } else { 0.0 }).collect()
}

/// The values of a file, not finite where there is none, or the reason and what is wrong.
fn values(
    recorded: &RecordedDepth,
    bytes: &[u8],
    (width, height): (usize, usize),
) -> Result<Vec<f32>, (&'static str, String)> {
    let (own_width, own_height, values) = if recorded.format == "png" {
        let png = decode_grey16(bytes).ok_or_else(|| ("bad_depth_file", "it is no 16-bit grey PNG".to_owned()))?;
        let value = |value: u16| if value == 0 { f32::NAN } else { f32::from(value) };
        (png.0 as usize, png.1 as usize, png.2.into_iter().map(value).collect())
    } else {
        decode_npy(bytes).map_err(|problem| ("bad_depth_file", problem))?
    };
    if (own_width, own_height) != (width, height) {
        let detail = format!("it has {own_width} x {own_height} values, its camera {width} x {height} pixels");
        return Err(("other_size_than_camera", detail));
    }
    Ok(values)
}
