//! The shell of a recording of posed images: what its file names is looked at, not decoded.

use super::super::pure::posed::{self, CAMERA, CAMERAS, DEPTH, FoundPosed, MASK, MESH, POSED_FRAME};
use super::super::pure::{Origin, ProbedImage, Scene};
use super::super::sources::flight::{Around, FileFault, Flight};
use super::options::TaskOptions;
use super::{is_image, probe};
use std::collections::{BTreeMap, BTreeSet};
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
    let name_of_file = options.kind.recording_file().unwrap_or_default();
    let is_its_file = |file: &&SourceFile| file.file.rsplit('/').next() == Some(name_of_file);
    let Some(file) = files.iter().find(is_its_file) else { return Ok(Scene::default()) };
    let paths: BTreeSet<String> = files.iter().map(|file| file.file.clone()).collect();
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
    let flight = match &file.unreadable {
        Some(problem) => Err(FileFault { reason: "unreadable_file", problem: problem.clone() }),
        None => {
            let bytes = context.read_source(&origin.source, &file.file, &file.digest)?;
            options.kind.read_flight(
                &bytes,
                &file.file,
                &Around { is_there: &|path| paths.contains(path), files: &paths },
            )
        }
    };
    count(context, &flight);
    let group_id = options.group_of(name);
    let found = FoundPosed { name, group_id: &group_id, file: &file.file, flight, images, others };
    Ok(posed::scene(origin, &found))
}

fn count(context: &mut Context<'_>, flight: &Result<Flight, FileFault>) {
    context.count_read(CAMERAS, 1);
    let Ok(flight) = flight else { return };
    let masks = flight.frames.iter().filter(|frame| frame.mask.is_some()).count();
    context.count_read(CAMERA, flight.cameras.len() as u64);
    context.count_read(POSED_FRAME, flight.frames.len() as u64);
    context.count_read(MASK, masks as u64);
    let depths = flight.frames.iter().filter(|frame| frame.depth.is_some()).count();
    context.count_read(DEPTH, depths as u64);
    context.count_read(MESH, u64::from(flight.mesh.is_some()));
}
