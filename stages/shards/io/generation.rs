//! The frames of the generation track with their pictures, and the samples that refer to them.

use super::super::ShardsConfig;
use super::super::pure::{frame_runs, image_name};
use super::images::ImageShelf;
use super::shard_set::ShardSet;
use super::{RUN_PIXELS, picture_set, table_set};
use crate::posed::depth_maps;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use uavgen_core::{Context, InputPart, TaskError, fingerprint};
use uavgen_schemas::{
    DepthMap, Frame, GenerationFrame, GenerationSample, GenerationTriple, ImageBytes, Reject, Shard, TripleImages,
};

/// Writes both configs: frames whose image cannot be delivered are left out, and so are their samples.
pub(super) fn write(
    config: &ShardsConfig,
    context: &mut Context,
    split: &str,
    images: &mut ImageShelf,
) -> Result<Vec<Shard>, TaskError> {
    let (mut rows, mut broken) = (picture_set::<GenerationFrame>(config, split), BTreeSet::new());
    for part in context.parts::<GenerationTriple>().to_vec() {
        write_part(context, &part, images, &mut rows, &mut broken)?;
    }
    let mut shards = rows.finish(context)?;
    let mut samples = table_set::<GenerationSample>(config, split);
    for part in context.parts::<GenerationSample>().to_vec() {
        context.check_cancelled()?;
        for sample in context.read_part::<GenerationSample>(&part)? {
            if broken.contains(&sample.frame_id) {
                context.reject(Reject::refusal(sample.sample_id, "image_undecodable", sample.frame_id));
            } else {
                samples.push(context, sample)?;
            }
        }
    }
    shards.extend(samples.finish(context)?);
    Ok(shards)
}

/// The rows of one partition; ids of frames whose image is broken go to `broken`.
fn write_part(
    context: &mut Context,
    part: &InputPart,
    images: &mut ImageShelf,
    rows: &mut ShardSet<GenerationFrame>,
    broken: &mut BTreeSet<String>,
) -> Result<(), TaskError> {
    let triples = context.read_part::<GenerationTriple>(part)?;
    if triples.is_empty() {
        return Ok(());
    }
    let frames = context.read_partition::<Frame>(&part.partition)?;
    let frames: BTreeMap<&str, &Frame> = frames.iter().map(|frame| (frame.frame_id.as_str(), frame)).collect();
    let own = context.parts::<DepthMap>().iter().filter(|other| other.partition == part.partition);
    let depths = depth_maps(context, own)?;
    for run in frame_runs(&triples, RUN_PIXELS) {
        context.check_cancelled()?;
        let run = &triples[run];
        let mut needed = BTreeMap::new();
        for triple in run {
            let frame = frames.get(triple.frame_id.as_str());
            let frame = frame.ok_or_else(|| missing(triple, "row in `frames`"))?;
            needed.insert(triple.frame_id.as_str(), *frame);
        }
        images.hold(context, &part.partition, needed)?;
        for triple in run {
            match images.held(&triple.frame_id) {
                Some(image) => rows.push(context, row(part, &depths, triple, image)?)?,
                None => _ = broken.insert(triple.frame_id.clone()),
            }
        }
    }
    Ok(())
}

/// A triple with its pictures.
fn row(
    part: &InputPart,
    depths: &BTreeMap<String, (InputPart, DepthMap)>,
    triple: &GenerationTriple,
    image: ImageBytes,
) -> Result<GenerationFrame, TaskError> {
    let (of_depth, depth) = depths.get(&triple.frame_id).ok_or_else(|| missing(triple, "row in `depth_maps`"))?;
    let picture = |part: &InputPart, path: &str, digest: &str, name: &str| {
        let (file, digests) = part.blob_file(path)?;
        if digests.blake3 != digest {
            return Err(missing(triple, &format!("{name} of BLAKE3 {digest}")));
        }
        let bytes = fs::read(&file).map_err(|error| TaskError::failed(format!("read {path}: {error}")))?;
        Ok(ImageBytes { bytes, path: image_name(&format!("{}/{name}", triple.frame_id), "png") })
    };
    let images = TripleImages {
        image_digest: fingerprint::digest(&image.bytes),
        image,
        depth: picture(of_depth, &depth.path, &triple.depth_digest, "depth")?,
        depth_view: picture(part, &triple.depth_view_path, &triple.depth_view_digest, "depth_view")?,
        segmentation: picture(part, &triple.segmentation_path, &triple.segmentation_digest, "segmentation")?,
    };
    Ok(triple.clone().with_images(images))
}

/// Results of several tasks that do not belong together.
fn missing(triple: &GenerationTriple, what: &str) -> TaskError {
    TaskError::failed(format!("frame {} of `generation_triples` has no {what}", triple.frame_id))
}
