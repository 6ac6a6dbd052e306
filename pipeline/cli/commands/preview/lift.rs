//! Posed frames with the boxes of their objects drawn in space.

use super::depth::draw_north;
use super::frames::load;
use super::{Cell, SIDE, Source, shares_with_rows, spread};
use crate::picture::Legend;
use anyhow::Context as _;
use std::collections::BTreeMap;
use uavgen_core::Manifest;
use uavgen_geometry::{Camera, GroundBox, Intrinsics, Pixel, Point, Rectangle, Transform, World};
use uavgen_media::{Color, RgbImage, draw_label, draw_line, thumbnail};
use uavgen_schemas::{Camera as CameraRow, Frame, Instance, Pose};

const LEGEND_WIDTH: u32 = 240;
/// Longest side of a picture: boxes are thin.
const PICTURE_SIDE: u32 = 2 * SIDE;

/// A frame that is drawn, with what is on it.
struct Drawn<'a> {
    manifest: &'a Manifest,
    frame: Frame,
    pose: Pose,
    camera: Intrinsics,
    instances: Vec<Instance>,
}

/// Frames with the edges of the boxes in the colour of their class, the way that objects head, and an arrow to the north.
pub(super) fn boxes(source: &Source<'_>) -> anyhow::Result<Vec<Cell>> {
    let mut drawn = Vec::new();
    for (manifest, count) in shares_with_rows::<Instance>(source) {
        let partition = manifest.partition();
        let mut by_frame: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
        for instance in source.results.rows::<Instance>(manifest)? {
            by_frame.entry(instance.frame_id.clone()).or_default().push(instance);
        }
        let poses: Vec<Pose> = source.results.rows_of(partition)?;
        let cameras: Vec<CameraRow> = source.results.rows_of(partition)?;
        let frames: Vec<Frame> = source.results.rows_of(partition)?;
        let shown = frames.into_iter().filter(|frame| by_frame.contains_key(&frame.frame_id)).collect();
        for frame in spread(shown, count) {
            let pose = poses.iter().find(|pose| pose.frame_id == frame.frame_id).context("instances without a pose")?;
            let camera =
                cameras.iter().find(|camera| camera.camera_id == pose.camera_id).context("a pose without a camera")?;
            let instances = by_frame.remove(&frame.frame_id).unwrap_or_default();
            drawn.push(Drawn { manifest, frame, pose: pose.clone(), camera: Intrinsics::try_from(camera)?, instances });
        }
    }
    let categories = drawn.iter().flat_map(|one| one.instances.iter().map(|instance| instance.category.as_str()));
    let legend = Legend::new(categories);
    let mut cells = drawn.iter().map(|one| cell(source, one, &legend)).collect::<anyhow::Result<Vec<Cell>>>()?;
    if !cells.is_empty() {
        cells.push(legend.cell(LEGEND_WIDTH));
    }
    Ok(cells)
}

fn cell(source: &Source<'_>, drawn: &Drawn<'_>, legend: &Legend) -> anyhow::Result<Cell> {
    let full = load(source, drawn.manifest.partition(), &drawn.frame)?;
    let scale = f64::from(PICTURE_SIDE) / f64::from(full.width().max(full.height()));
    let mut image = thumbnail(&full, PICTURE_SIDE);
    let world_from_camera = Transform::try_from(&drawn.pose)?;
    let view = View { camera: drawn.camera, camera_from_world: world_from_camera.inverse(), scale: scale.min(1.0) };
    for instance in &drawn.instances {
        view.draw(&mut image, instance, legend.color(&instance.category));
    }
    draw_north(&mut image, &world_from_camera);
    Ok((image, format!("{} objects  {}", drawn.instances.len(), drawn.frame.frame_id)))
}

/// How places of the world come into the picture.
struct View {
    camera: Intrinsics,
    camera_from_world: Transform<Camera, World>,
    /// Pixels of the picture per pixel of the image.
    scale: f64,
}

impl View {
    fn place(&self, point: Point<World>) -> Option<(f64, f64)> {
        let Pixel { x, y } = self.camera.project(self.camera_from_world * point)?;
        Some((x * self.scale, y * self.scale))
    }

    fn draw(&self, image: &mut RgbImage, instance: &Instance, colour: Color) {
        let upright = upright(instance);
        let corners = upright.corners().map(|corner| self.place(corner));
        let mut line = |from: Option<(f64, f64)>, to: Option<(f64, f64)>| {
            if let (Some(from), Some(to)) = (from, to) {
                draw_line(image, from, to, colour);
            }
        };
        for side in 0..4 {
            let next = (side + 1) % 4;
            line(corners[side], corners[next]);
            line(corners[4 + side], corners[4 + next]);
            line(corners[side], corners[4 + side]);
        }
        if let Some(heading) = instance.heading_rad {
            let ahead = 0.5 * instance.length_m + 2.0;
            let tip =
                Point::new(instance.x + ahead * heading.sin(), instance.y + ahead * heading.cos(), instance.base_z);
            line(self.place(Point::new(instance.x, instance.y, instance.base_z)), self.place(tip));
        }
        let number = instance.object_id.rsplit_once("#object").map_or("", |(_, number)| number);
        if let Some(top) = corners[4..].iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1)) {
            draw_label(image, *top, number, colour);
        }
    }
}

/// The box of an instance; flat where nobody knows its top.
fn upright(instance: &Instance) -> GroundBox {
    let footprint =
        Rectangle::new([instance.x, instance.y], instance.length_m, instance.width_m, instance.axis_yaw_rad);
    GroundBox::new(footprint, instance.base_z, instance.top_z.unwrap_or(instance.base_z))
}
