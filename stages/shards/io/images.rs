//! The images of the rows that are being written.

use super::super::pure::image_name;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, Partition, TaskError};
use uavgen_media::ImageFault;
use uavgen_schemas::{Frame, ImageBytes, QaItem, Reject, ShardImage};

/// Kind of input: an image that is decoded, counted once per split.
const IMAGE: &str = "image";

/// What is known of an image that was needed before.
enum Known {
    Sound(ShardImage),
    Broken,
}

/// Holds the images of one run of items, and remembers of every image whether it is sound.
pub(super) struct ImageShelf {
    split: String,
    held: BTreeMap<String, ImageBytes>,
    known: BTreeMap<String, Known>,
}

/// One image between source and shelf.
struct Loaded<'a> {
    frame: &'a Frame,
    image: Result<ImageBytes, ImageFault>,
    original: bool,
}

impl ImageShelf {
    pub(super) fn new(split: &str) -> Self {
        Self { split: split.to_owned(), held: BTreeMap::new(), known: BTreeMap::new() }
    }

    /// Holds exactly the images that `items` show; those of the last run that are shown again stay.
    pub(super) fn fill(
        &mut self,
        context: &mut Context,
        partition: &Partition,
        items: &[QaItem],
        frames: &BTreeMap<String, Frame>,
    ) -> Result<(), TaskError> {
        self.hold(context, partition, frames_shown(items, frames)?)
    }

    /// Holds exactly the images of these frames, by id; broken ones are left out.
    pub(super) fn hold(
        &mut self,
        context: &mut Context,
        partition: &Partition,
        needed: BTreeMap<&str, &Frame>,
    ) -> Result<(), TaskError> {
        self.held.retain(|id, _| needed.contains_key(id.as_str()));
        let source = partition.source().unwrap_or_default();
        let mut files = Vec::new();
        for (id, frame) in needed {
            if self.held.contains_key(id) || matches!(self.known.get(id), Some(Known::Broken)) {
                continue;
            }
            files.push((frame, context.read_source(source, &frame.file, &frame.digest)?));
        }
        let loaded: Vec<Loaded> = files.into_par_iter().map(|(frame, file)| self.load(frame, file)).collect();
        loaded.into_iter().for_each(|image| self.put(context, image));
        Ok(())
    }

    /// Brings a file into delivered form; decodes it unless it was proven sound before.
    fn load<'a>(&self, frame: &'a Frame, file: Vec<u8>) -> Loaded<'a> {
        let named = |bytes: Vec<u8>, extension| ImageBytes { bytes, path: image_name(&frame.frame_id, extension) };
        if let Some(Known::Sound(image)) = self.known.get(&frame.frame_id)
            && image.original_bytes
        {
            let extension = if frame.format == "png" { "png" } else { "jpg" };
            return Loaded { frame, image: Ok(named(file, extension)), original: true };
        }
        match uavgen_media::deliver(&file) {
            Ok(delivered) => {
                let (original, extension) = (delivered.original, delivered.format.extension());
                Loaded { frame, image: Ok(named(delivered.bytes.into_owned(), extension)), original }
            }
            Err(fault) => Loaded { frame, image: Err(fault), original: false },
        }
    }

    fn put(&mut self, context: &mut Context, loaded: Loaded) {
        let Loaded { frame, image, original } = loaded;
        let id = frame.frame_id.clone();
        if !self.known.contains_key(&id) {
            context.count_read(IMAGE, 1);
        }
        match image {
            Ok(image) => {
                self.known.entry(id.clone()).or_insert_with(|| {
                    Known::Sound(ShardImage {
                        frame_id: id.clone(),
                        split: self.split.clone(),
                        sha256: hexadecimal(&Sha256::digest(&image.bytes)),
                        original_bytes: original,
                        item_count: 0,
                    })
                });
                self.held.insert(id, image);
            }
            Err(fault) => {
                let detail = format!("{}: {fault}; replace the file or remove it, and run the build again", frame.file);
                context.quarantine(IMAGE, Reject::quarantine(&id, fault.reason(), detail));
                self.known.insert(id, Known::Broken);
            }
        }
    }

    /// Copies of the images of an item of the run, counted as delivered; or the first frame whose image is broken.
    pub(super) fn take_for(&mut self, item: &QaItem) -> Result<Vec<ImageBytes>, String> {
        let images: Result<Vec<ImageBytes>, String> =
            item.frame_ids.iter().map(|id| self.held.get(id).cloned().ok_or_else(|| id.clone())).collect();
        let images = images?;
        for id in item.frame_ids.iter().collect::<BTreeSet<_>>() {
            if let Some(Known::Sound(image)) = self.known.get_mut(id) {
                image.item_count += 1;
            }
        }
        Ok(images)
    }

    /// A copy of an image that is held.
    pub(super) fn held(&self, frame_id: &str) -> Option<ImageBytes> {
        self.held.get(frame_id).cloned()
    }

    /// One row per image that items show, sorted by frame.
    pub(super) fn into_rows(self) -> impl Iterator<Item = ShardImage> {
        self.known.into_values().filter_map(|known| match known {
            Known::Sound(image) if image.item_count > 0 => Some(image),
            _ => None,
        })
    }
}

/// The frames that items show, by id.
fn frames_shown<'a>(
    items: &'a [QaItem],
    frames: &'a BTreeMap<String, Frame>,
) -> Result<BTreeMap<&'a str, &'a Frame>, TaskError> {
    let mut shown = BTreeMap::new();
    for item in items {
        for id in &item.frame_ids {
            let frame = frames.get(id).ok_or_else(|| {
                TaskError::failed(format!("item {} shows frame {id}, which table frames does not have", item.id))
            })?;
            shown.insert(id.as_str(), frame);
        }
    }
    Ok(shown)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
