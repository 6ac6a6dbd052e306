//! The shell: mesh, depth files and poses in, depth files and their table out.

mod backend;

use super::config::DepthConfig;
use super::pure::{self, Statistics};
use backend::{Backend, Outcome};
use std::collections::BTreeMap;
use std::fs::File;
use uavgen_core::{Context, Digests, StoreError, TaskError};
use uavgen_geometry::{Geodetic, Intrinsics, Transform, World};
use uavgen_media::{encode_grey16, write_floats};
use uavgen_render::{Dropped, Lens, Place, RenderError, Rendered, Renderer};
use uavgen_schemas::{
    Camera, DepthMap, DepthSource, Frame, Mesh, Pose, Record, RecordedDepth, Recording, Reject, WorldAxes,
};

/// Kind of input: a mesh.
const MESH: &str = "mesh";
/// Kind of input: a frame with a pose.
const POSED_FRAME: &str = "posed frame";
/// Kind of input: a depth file.
const RECORDED: &str = "depth file";

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
    let recorded: Vec<RecordedDepth> = if config.enabled { context.read()? } else { Vec::new() };
    // Most recordings have none: their other tables are not read.
    let is_idle = meshes.is_empty() && recorded.is_empty();
    let rows = if is_idle { Vec::new() } else { all(config, context, &meshes, &recorded)? };
    context.write(rows)
}

fn all(
    config: &DepthConfig,
    context: &mut Context<'_>,
    meshes: &[Mesh],
    recorded: &[RecordedDepth],
) -> Result<Vec<DepthMap>, TaskError> {
    let recordings: Vec<Recording> = context.read()?;
    let frames: Vec<Frame> = context.read()?;
    let numbers: BTreeMap<&str, i64> = frames.iter().map(|one| (one.id(), one.source_number)).collect();
    let (cameras, poses): (Vec<Camera>, Vec<Pose>) = (context.read()?, context.read()?);
    let mut rows = Vec::new();
    for recording in &recordings {
        let id = &recording.recording_id;
        let mesh = meshes.iter().find(|mesh| mesh.recording_id == *id);
        let own = recorded.iter().filter(|row| row.recording_id == *id);
        let own: BTreeMap<&str, &RecordedDepth> = own.map(|row| (row.frame_id.as_str(), row)).collect();
        if mesh.is_none() && own.is_empty() {
            continue;
        }
        let lenses = lenses(&cameras, id)?;
        let views = views(&poses, &lenses, &numbers, id)?;
        let renderer = mesh.map(|mesh| renderer(context, recording, mesh)).transpose()?.flatten();
        let backend = Backend { config, recording, renderer, recorded: own };
        rows.extend(of_recording(context, &backend, mesh, &views)?);
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

/// The mesh, ready to be drawn; null, with a reject, where it cannot be read.
fn renderer(context: &mut Context<'_>, recording: &Recording, mesh: &Mesh) -> Result<Option<Renderer>, TaskError> {
    context.count_read(MESH, 1);
    match read_mesh(context, recording, mesh)? {
        Ok((renderer, dropped)) => {
            note_dropped(context, &dropped);
            Ok(Some(renderer))
        }
        Err(error) => {
            let detail = format!("{}: {error}; no frame of the recording has a depth from it", mesh.file);
            context.quarantine(MESH, Reject::quarantine(&mesh.recording_id, "bad_mesh", detail));
            Ok(None)
        }
    }
}

/// The depth of all frames of a recording: once for the step that reaches its farthest surface, and once to store them.
fn of_recording(
    context: &mut Context<'_>,
    backend: &Backend<'_>,
    mesh: Option<&Mesh>,
    views: &[View<'_>],
) -> Result<Vec<DepthMap>, TaskError> {
    if backend.renderer.is_none() && backend.recorded.is_empty() {
        return Ok(Vec::new());
    }
    context.count_read(POSED_FRAME, views.len() as u64);
    context.count_read(RECORDED, backend.recorded.len() as u64);
    let mut room = Rendered::default();
    let (mut farthest, mut drawn, mut seen) = (0.0_f64, 0, 0);
    for view in views {
        context.check_cancelled()?;
        let outcome = backend.depth(context, view, &mut room)?;
        farthest = outcome.depth.map_or(farthest, |(_, statistics, _)| farthest.max(statistics.max_m));
        drawn += u64::from(outcome.sees_mesh.is_some());
        seen += u64::from(outcome.sees_mesh == Some(true));
    }
    let is_never_seen = drawn > 0 && seen == 0;
    if let (true, Some(mesh), Some(renderer)) = (is_never_seen, mesh, &backend.renderer) {
        context.quarantine(MESH, not_seen(mesh, renderer, views));
    }
    let step_m = pure::step(backend.config.finest_step_m, farthest);
    let mut rows = Vec::new();
    for view in views {
        context.check_cancelled()?;
        let Outcome { depth, mut rejects, .. } = backend.depth(context, view, &mut room)?;
        // That of the mesh tells it of all frames.
        rejects.retain(|(kind, _)| !(is_never_seen && *kind == POSED_FRAME));
        if depth.is_none() {
            context.note("frames_without_depth", 1);
        }
        rejects.into_iter().for_each(|(kind, reject)| context.quarantine(kind, reject));
        if let Some((depth, statistics, source)) = depth {
            rows.push(store(context, backend.recording, view, (&depth, source), step_m, statistics)?);
        }
    }
    Ok(rows)
}

fn read_mesh(
    context: &Context<'_>,
    recording: &Recording,
    mesh: &Mesh,
) -> Result<Result<(Renderer, Dropped), RenderError>, TaskError> {
    let origin = origin(mesh)?;
    context.with_source(&recording.source, &mesh.file, &mesh.digest, |path| {
        let file = File::open(path).map_err(|source| RenderError::Read { place: Place::Byte(0), source })?;
        let (read, dropped) = uavgen_render::Mesh::read(file)?;
        let read = match (mesh.axes, &origin) {
            (_, Some(origin)) => read.moved(&origin.world_from_ecef()),
            (WorldAxes::Ned, None) => read.turned_from_ned(),
            (WorldAxes::Enu | WorldAxes::Ecef, None) => read,
        };
        Ok((Renderer::new(read), dropped))
    })
}

/// The origin of the world, where the mesh has earth-centred coordinates.
fn origin(mesh: &Mesh) -> Result<Option<Geodetic>, TaskError> {
    let numbers = (mesh.origin_latitude_deg, mesh.origin_longitude_deg, mesh.origin_ellipsoid_m);
    match (mesh.axes, numbers) {
        (WorldAxes::Ecef, (Some(latitude), Some(longitude), Some(height))) => {
            Geodetic::new(latitude, longitude, height).map(Some).map_err(inconsistent)
        }
        (WorldAxes::Ecef, _) => Err(TaskError::failed(format!("the mesh of {} has no origin", mesh.recording_id))),
        (WorldAxes::Enu | WorldAxes::Ned, _) => Ok(None),
    }
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
    (depth, source): (&[f32], DepthSource),
    step_m: f64,
    statistics: Statistics,
) -> Result<DepthMap, TaskError> {
    let stem = format!("{}/{:06}", pure::folder(&recording.recording_id), view.number);
    let (image, floats) = (format!("{stem}.png"), format!("{stem}.npy.zst"));
    let size = view.lens.intrinsics().size();
    let (width, height) = (size.width_px() as usize, size.height_px() as usize);
    let floats_path = context.blob(&floats)?;
    let encode = || {
        let values = pure::quantised(depth, step_m);
        encode_grey16(width as u32, height as u32, &values).map_err(|error| TaskError::failed(error.to_string()))
    };
    let write_floats = || {
        let written = write_floats(&floats_path, width, height, depth);
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
        source,
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
