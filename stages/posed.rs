//! What stages that work on posed frames read alike: calibrations, depth maps, and rows by what they belong to.

use std::collections::BTreeMap;
use uavgen_core::{Context, InputPart, TaskError};
use uavgen_geometry::Intrinsics;
use uavgen_schemas::{Camera, DepthMap, Frame, Record};

/// The frames of the task, by recording and in the order of their times.
pub(crate) fn frames_in_order(context: &Context<'_>) -> Result<Vec<Frame>, TaskError> {
    let mut frames: Vec<Frame> = context.read()?;
    frames.sort_by(|a, b| (&a.recording_id, a.index).cmp(&(&b.recording_id, b.index)));
    Ok(frames)
}

/// The calibrations of the task's cameras. Ingest has checked them; only damage makes one fail.
pub(crate) fn calibrations(context: &Context<'_>) -> Result<BTreeMap<String, Intrinsics>, TaskError> {
    let cameras: Vec<Camera> = context.read()?;
    let calibrated = |row: Camera| match Intrinsics::try_from(&row) {
        Ok(intrinsics) => Ok((row.camera_id, intrinsics)),
        Err(error) => Err(TaskError::failed(format!("use the calibration of {}: {error}", row.camera_id))),
    };
    cameras.into_iter().map(calibrated).collect()
}

/// Depth maps by frame, each with the part whose files they are.
pub(crate) fn depth_maps<'a>(
    context: &Context<'_>,
    parts: impl IntoIterator<Item = &'a InputPart>,
) -> Result<BTreeMap<String, (InputPart, DepthMap)>, TaskError> {
    let mut maps = BTreeMap::new();
    for part in parts {
        for row in context.read_part::<DepthMap>(part)? {
            maps.insert(row.frame_id.clone(), (part.clone(), row));
        }
    }
    Ok(maps)
}

/// Rows by their ids.
pub(crate) fn by_id<R: Record>(rows: Vec<R>) -> BTreeMap<String, R> {
    rows.into_iter().map(|row| (row.id().to_owned(), row)).collect()
}

/// Rows by what they belong to, each group in the order in which it was.
pub(crate) fn grouped<R>(rows: Vec<R>, key: impl Fn(&R) -> &String) -> BTreeMap<String, Vec<R>> {
    let mut grouped: BTreeMap<String, Vec<R>> = BTreeMap::new();
    for row in rows {
        grouped.entry(key(&row).clone()).or_default().push(row);
    }
    grouped
}
