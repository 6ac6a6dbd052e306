//! The published folder.

use super::super::pure::facts::Facts;
use super::super::pure::manifest::{FORMAT_VERSION, complete};
use super::gather::DeliveredShards;
use uavgen_core::{Context, Digests, InputPart, TaskError};
use uavgen_schemas::{Clip, Record, ReleaseFile, ReleaseManifest, ReleaseTable, StitchedClip, Video};

/// Publishes every video, and every clip that is a file of its own.
pub(super) fn videos(context: &mut Context) -> Result<Vec<ReleaseFile>, TaskError> {
    let mut files = Vec::new();
    for part in context.parts::<Video>().to_vec() {
        for video in context.read_part::<Video>(&part)? {
            files.push(publish_media(context, &part, &video.path, &video.recording_id)?);
        }
    }
    clips::<Clip>(context, &mut files)?;
    clips::<StitchedClip>(context, &mut files)?;
    Ok(files)
}

fn clips<R: Record + Into<Clip>>(context: &mut Context, files: &mut Vec<ReleaseFile>) -> Result<(), TaskError> {
    for part in context.parts::<R>().to_vec() {
        for clip in context.read_part::<R>(&part)?.into_iter().map(Into::into).filter(Clip::has_own_file) {
            files.push(publish_media(context, &part, &clip.path, &clip.recording_ids.join(", "))?);
        }
    }
    Ok(())
}

fn publish_media(
    context: &mut Context,
    part: &InputPart,
    path: &str,
    recordings: &str,
) -> Result<ReleaseFile, TaskError> {
    context.check_cancelled()?;
    if !part.blobs.contains_key(path) {
        return Err(TaskError::failed(format!("{path} of {recordings} has no file in the store")));
    }
    let Digests { bytes, sha256, .. } = context.publish_input(path, part, path)?;
    Ok(ReleaseFile { path: path.to_owned(), byte_count: bytes as i64, sha256, row_count: None })
}

/// Publishes the shards, the card and the report, and the manifest that lists them all.
pub(super) fn everything(
    context: &mut Context,
    facts: &Facts,
    configs: Vec<ReleaseTable>,
    delivered: &DeliveredShards,
    mut files: Vec<ReleaseFile>,
) -> Result<(), TaskError> {
    for (part, paths) in delivered.parts() {
        for path in paths {
            context.publish_input(path, part, path)?;
        }
    }
    files.extend(delivered.shards.iter().map(|shard| ReleaseFile {
        path: shard.path.clone(),
        byte_count: shard.byte_count,
        sha256: shard.sha256.clone(),
        row_count: Some(shard.row_count),
    }));
    for name in ["README.md", "report.html"] {
        let Digests { bytes, sha256, .. } = context.publish_blob(name, name)?;
        files.push(ReleaseFile { path: name.into(), byte_count: bytes as i64, sha256, row_count: None });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let manifest = ReleaseManifest {
        format_version: FORMAT_VERSION,
        name: facts.name.clone(),
        id: String::new(),
        uavgen_version: env!("CARGO_PKG_VERSION").into(),
        split_mode: facts.split_mode.clone(),
        configs,
        files,
    };
    let (manifest, text) = complete(manifest).map_err(|error| TaskError::failed(error.to_string()))?;
    context.write_blob("manifest.json", text.as_bytes())?;
    context.publish_blob("manifest.json", "manifest.json")?;
    context.publish_as(&manifest.id);
    Ok(())
}
