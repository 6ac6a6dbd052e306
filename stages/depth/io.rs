//! The shell: mesh and poses in, depth files and their table out.

use super::config::DepthConfig;
use super::pure::{self, Statistics};
use std::collections::BTreeMap;
use std::fs::File;
use uavgen_core::{Context, Digests, StoreError, TaskError};
use uavgen_geometry::{Intrinsics, Transform, World};
use uavgen_media::{encode_grey16, write_floats};
use uavgen_render::{Dropped, Layers, Lens, Place, RenderError, Rendered, Renderer};
use uavgen_schemas::{Camera, DepthMap, DepthSource, Frame, Mesh, Pose, Record, Recording, Reject, WorldAxes};

/// Kind of input: a mesh.
const MESH: &str = "mesh";
/// Kind of input: a frame with a pose.
const POSED_FRAME: &str = "posed frame";

/// A frame to be rendered.
struct View<'a> {
    frame_id: &'a str,
    /// Number in its source, which names its files.
    number: i64,
    lens: &'a Lens,
    world_from_camera: Transform<World, uavgen_geometry::Camera>,
}

/// Does one task.
pub(super) fn run(config: &DepthConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let meshes: Vec<Mesh> = if config.enabled { context.read()? } else { Vec::new() };
    // Most recordings have none: their other tables are not read.
    let rows = if meshes.is_empty() { Vec::new() } else { render_all(config, context, &meshes)? };
    context.write(rows)
}

fn render_all(config: &DepthConfig, context: &mut Context<'_>, meshes: &[Mesh]) -> Result<Vec<DepthMap>, TaskError> {
    let recordings: Vec<Recording> = context.read()?;
    let frames: Vec<Frame> = context.read()?;
    let numbers: BTreeMap<&str, i64> = frames.iter().map(|one| (one.id(), one.source_number)).collect();
    let (cameras, poses): (Vec<Camera>, Vec<Pose>) = (context.read()?, context.read()?);
    let mut rows = Vec::new();
    for mesh in meshes {
        let Some(recording) = recordings.iter().find(|one| one.recording_id == mesh.recording_id) else { continue };
        let lenses = lenses(&cameras, &mesh.recording_id)?;
        let views = views(&poses, &lenses, &numbers, &mesh.recording_id)?;
        rows.extend(render(context, config, recording, mesh, &views)?);
    }
    Ok(rows)
}

fn lenses(cameras: &[Camera], recording_id: &str) -> Result<BTreeMap<String, Lens>, TaskError> {
    let own = cameras.iter().filter(|camera| camera.recording_id == recording_id);
    own.map(|camera| Ok((camera.camera_id.clone(), Lens::new(&Intrinsics::try_from(camera).map_err(inconsistent)?))))
        .collect()
}

/// The frames of a recording in their order.
fn views<'a>(
    poses: &'a [Pose],
    lenses: &'a BTreeMap<String, Lens>,
    numbers: &BTreeMap<&str, i64>,
    recording_id: &str,
) -> Result<Vec<View<'a>>, TaskError> {
    let mut views = Vec::new();
    for pose in poses.iter().filter(|pose| pose.recording_id == recording_id) {
        let (Some(lens), Some(&number)) = (lenses.get(&pose.camera_id), numbers.get(pose.frame_id.as_str())) else {
            return Err(TaskError::failed(format!("the pose of {} names no camera or frame there is", pose.frame_id)));
        };
        let world_from_camera = Transform::try_from(pose).map_err(inconsistent)?;
        views.push(View { frame_id: &pose.frame_id, number, lens, world_from_camera });
    }
    views.sort_by_key(|view| view.number);
    Ok(views)
}

/// Ingest has checked it; only damage gets here.
fn inconsistent(error: uavgen_geometry::GeometryError) -> TaskError {
    TaskError::failed(format!("use the calibration of a frame: {error}"))
}

/// Renders all frames of a recording: once for the step that reaches its farthest surface, and once to store them.
fn render(
    context: &mut Context<'_>,
    config: &DepthConfig,
    recording: &Recording,
    mesh: &Mesh,
    views: &[View<'_>],
) -> Result<Vec<DepthMap>, TaskError> {
    context.count_read(MESH, 1);
    let renderer = match read_mesh(context, recording, mesh)? {
        Ok((renderer, dropped)) => {
            note_dropped(context, &dropped);
            renderer
        }
        Err(error) => {
            let detail = format!("{}: {error}; no frame of the recording has a depth", mesh.file);
            context.quarantine(MESH, Reject::quarantine(&mesh.recording_id, "bad_mesh", detail));
            return Ok(Vec::new());
        }
    };
    context.count_read(POSED_FRAME, views.len() as u64);
    let mut rendered = Rendered::default();
    let mut farthest: Option<f64> = None;
    for view in views {
        context.check_cancelled()?;
        renderer.render_into(view.lens, &view.world_from_camera.inverse(), Layers::DEPTH, &mut rendered);
        let max = Statistics::of(rendered.depth()).map(|statistics| statistics.max_m);
        farthest = farthest.into_iter().chain(max).reduce(f64::max);
    }
    let Some(farthest) = farthest else {
        context.quarantine(MESH, not_seen(mesh, &renderer, views));
        return Ok(Vec::new());
    };
    let step_m = pure::step(config.finest_step_m, farthest);
    let mut rows = Vec::new();
    for view in views {
        context.check_cancelled()?;
        renderer.render_into(view.lens, &view.world_from_camera.inverse(), Layers::DEPTH, &mut rendered);
        match Statistics::of(rendered.depth()) {
            Some(statistics) => rows.push(store(context, recording, view, &rendered, step_m, statistics)?),
            None => {
                let detail = "the mesh is not in view: its pose looks past it, or is of another place";
                context.quarantine(POSED_FRAME, Reject::quarantine(view.frame_id, "sees_no_surface", detail));
            }
        }
    }
    Ok(rows)
}

fn read_mesh(
    context: &Context<'_>,
    recording: &Recording,
    mesh: &Mesh,
) -> Result<Result<(Renderer, Dropped), RenderError>, TaskError> {
    context.with_source(&recording.source, &mesh.file, &mesh.digest, |path| {
        let file = File::open(path).map_err(|source| RenderError::Read { place: Place::Byte(0), source })?;
        let (read, dropped) = uavgen_render::Mesh::read(file)?;
        Ok((Renderer::new(if mesh.axes == WorldAxes::Ned { read.turned_from_ned() } else { read }), dropped))
    })
}

fn note_dropped(context: &mut Context<'_>, dropped: &Dropped) {
    context.note("faces_of_too_few_corners", dropped.too_few_corners);
    context.note("faces_with_corners_that_are_not_there", dropped.index_out_of_range);
    context.note("faces_with_corners_that_are_not_finite", dropped.non_finite);
    context.note("faces_without_area", dropped.zero_area);
}

/// No frame shows the mesh: says how far off it is, for mostly its coordinates are those of another system.
fn not_seen(mesh: &Mesh, renderer: &Renderer, views: &[View<'_>]) -> Reject {
    let bounds = pure::bounding_box(renderer.bounds());
    let distance = |view: &View<'_>| bounds.distance_to(&view.world_from_camera.position());
    let nearest = views.iter().map(distance).fold(f64::INFINITY, f64::min);
    let advice = match nearest > 0.0 {
        true => {
            format!("nearest miss {}: mesh and poses may be in different coordinate systems", pure::length(nearest))
        }
        false => "the cameras are within its bounds and look away from it: the axes of the poses may be others".into(),
    };
    let detail = format!("{}: no frame sees the mesh; {advice}", mesh.file);
    Reject::quarantine(&mesh.recording_id, "mesh_not_seen", detail).measured(nearest, None)
}

/// Writes the two files of a frame.
fn store(
    context: &mut Context<'_>,
    recording: &Recording,
    view: &View<'_>,
    rendered: &Rendered,
    step_m: f64,
    statistics: Statistics,
) -> Result<DepthMap, TaskError> {
    let stem = format!("{}/{:06}", pure::folder(&recording.recording_id), view.number);
    let (image, floats) = (format!("{stem}.png"), format!("{stem}.npy.zst"));
    let (width, height) = (rendered.width(), rendered.height());
    let floats_path = context.blob(&floats)?;
    let encode = || {
        let values = pure::quantised(rendered.depth(), step_m);
        encode_grey16(width as u32, height as u32, &values).map_err(|error| TaskError::failed(error.to_string()))
    };
    let write_floats = || {
        let written = write_floats(&floats_path, width, height, rendered.depth());
        written.map_err(|error| TaskError::from(StoreError::io("write", &floats_path, error)))
    };
    let (encoded, written) = rayon::join(encode, write_floats);
    written?;
    context.write_blob(&image, &encoded?)?;
    let Digests { blake3: digest, bytes, .. } = context.blob_digests(&image)?;
    let floats_digest = context.blob_digests(&floats)?.blake3;
    let Statistics { min_m, max_m, mean_m, known_share } = statistics;
    Ok(DepthMap {
        frame_id: view.frame_id.to_owned(),
        recording_id: recording.recording_id.clone(),
        source: DepthSource::Mesh,
        path: image,
        digest,
        byte_count: i64::try_from(bytes).unwrap_or(i64::MAX),
        step_m,
        floats_path: floats,
        floats_digest,
        min_m,
        max_m,
        mean_m,
        known_share,
    })
}
