//! Posed frames above their depth.

use super::frames::load;
use super::{Cell, SIDE, Source, shares_with_rows, spread};
use crate::heat::{heat_map, heat_scale};
use crate::picture::below;
use anyhow::Context as _;
use std::collections::BTreeMap;
use uavgen_core::Partition;
use uavgen_geometry::{Camera, Direction, Transform, World};
use uavgen_media::{Color, Rgb, RgbImage, decode_grey16, draw_label, draw_line, thumbnail};
use uavgen_schemas::{DepthMap, Frame, Pose};

const NORTH: Color = Rgb([255, 80, 60]);
/// Half the length of the arrow.
const ARROW: f64 = 34.0;

/// The image of a frame, an arrow to the north on it, above its depth with a scale.
pub(super) fn maps(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for (manifest, count) in shares_with_rows::<DepthMap>(source) {
        let part = source.results.part::<DepthMap>(manifest)?;
        let partition = manifest.partition();
        let frames: Vec<Frame> = source.results.rows_of(partition)?;
        let frames: BTreeMap<&str, &Frame> = frames.iter().map(|frame| (frame.frame_id.as_str(), frame)).collect();
        let poses: Vec<Pose> = source.results.rows_of(partition)?;
        for map in spread(part.reader::<DepthMap>()?.rows()?, count) {
            let (file, _) = part.blob_file(&map.path)?;
            let (width, height, values) = decode_grey16(&std::fs::read(&file)?)
                .with_context(|| format!("{} is no 16-bit image", file.display()))?;
            let frame = frames.get(map.frame_id.as_str()).context("a depth map without a frame")?;
            let pose = poses.iter().find(|pose| pose.frame_id == map.frame_id).context("a depth map without a pose")?;
            let shown = |value: u16| (value > 0).then(|| f64::from(value) * map.step_m);
            let depths: Vec<Option<f64>> = values.into_iter().map(shown).collect();
            let picture = heat_map(width, height, &depths, (map.min_m, map.max_m));
            cells.push(cell(source, partition, frame, pose, &map, &picture)?);
        }
    }
    Ok(cells)
}

fn cell(
    source: &Source<'_>,
    partition: &Partition,
    frame: &Frame,
    pose: &Pose,
    map: &DepthMap,
    picture: &RgbImage,
) -> anyhow::Result<Cell> {
    let mut image = thumbnail(&load(source, partition, frame)?, SIDE);
    draw_north(&mut image, &Transform::try_from(pose)?);
    let depth = thumbnail(picture, SIDE);
    let scale = heat_scale(depth.width(), (map.min_m, map.max_m), "m");
    let known = 100.0 * map.known_share;
    Ok((below(&below(&image, &depth), &scale), format!("{}  {known:.0} % known", map.frame_id)))
}

/// An arrow at the top left that leads where the image shows north; none where the camera looks along it.
pub(super) fn draw_north(image: &mut RgbImage, world_from_camera: &Transform<World, Camera>) {
    let north = world_from_camera.inverse() * Direction::<World>::new(0.0, 1.0, 0.0);
    let length = north.x().hypot(north.y());
    if length < 0.05 {
        return;
    }
    let (dx, dy) = (north.x() / length, north.y() / length);
    let centre = (ARROW + 14.0, ARROW + 14.0);
    let at = |along: f64, aside: f64| (centre.0 + along * dx - aside * dy, centre.1 + along * dy + aside * dx);
    draw_line(image, at(-ARROW, 0.0), at(ARROW, 0.0), NORTH);
    for side in [-1.0, 1.0] {
        draw_line(image, at(ARROW, 0.0), at(ARROW - 12.0, side * 9.0), NORTH);
    }
    let (x, y) = at(ARROW - 22.0, 16.0);
    draw_label(image, (x - 6.0, y + 8.0), "N", NORTH);
}
