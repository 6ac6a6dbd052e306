//! The shell of a folder with a `cameras.json`: what that names is looked at, not decoded.

use super::super::pure::posed::{self, CAMERA, CAMERAS, FoundPosed, MASK, MESH, POSED_FRAME};
use super::super::pure::{Origin, ProbedImage, Scene};
use super::super::sources::posed_mesh::{CAMERAS_FILE, CamerasFault, CamerasFile};
use super::options::TaskOptions;
use super::{is_image, probe};
use std::collections::BTreeMap;
use uavgen_core::{Context, SourceFile, TaskError};

/// Reads the recording of a task.
pub(super) fn scene(
    context: &mut Context<'_>,
    origin: &Origin,
    name: &str,
    options: &TaskOptions,
) -> Result<Scene, TaskError> {
    let files: Vec<SourceFile> = context.source_files().to_vec();
    // A recording that is kept in another split has no file here.
    let Some(file) = files.iter().find(|file| is_cameras_file(&file.file)) else { return Ok(Scene::default()) };
    let (mut images, mut others) = (BTreeMap::new(), BTreeMap::new());
    for one in &files {
        context.check_cancelled()?;
        if is_image(&one.file) {
            let probed = probe(context, &origin.source, one)?;
            let (file, digest, byte_count) = (one.file.clone(), one.digest.clone(), one.stamp.size);
            images.insert(one.file.clone(), ProbedImage { file, digest, byte_count, probed });
        } else {
            let stored = one.unreadable.clone().map_or_else(|| Ok((one.digest.clone(), one.stamp.size)), Err);
            others.insert(one.file.clone(), stored);
        }
    }
    let cameras = match &file.unreadable {
        Some(problem) => Err(CamerasFault::Json { problem: problem.clone() }),
        None => CamerasFile::parse(&context.read_source(&origin.source, &file.file, &file.digest)?),
    };
    count(context, &cameras);
    let group_id = options.group_of(name);
    let found = FoundPosed { name, group_id: &group_id, file: &file.file, cameras, images, others };
    Ok(posed::scene(origin, &found))
}

fn is_cameras_file(file: &str) -> bool {
    file == CAMERAS_FILE || file.ends_with(&format!("/{CAMERAS_FILE}"))
}

fn count(context: &mut Context<'_>, cameras: &Result<CamerasFile, CamerasFault>) {
    context.count_read(CAMERAS, 1);
    let Ok(cameras) = cameras else { return };
    let masks = cameras.frames.iter().filter(|frame| frame.mask.is_some()).count();
    context.count_read(CAMERA, cameras.cameras.len() as u64);
    context.count_read(POSED_FRAME, cameras.frames.len() as u64);
    context.count_read(MASK, masks as u64);
    context.count_read(MESH, u64::from(cameras.mesh.is_some()));
}
