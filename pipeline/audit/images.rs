//! Every image that items show: there, complete, upright, of the right size, and the picture of its frame.
//!
//! Images are told apart by their BLAKE3; each is decoded once for the whole release, several at a time.

use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::index::{FrameFacts, Index};
use crate::pictures::DeliveredCells;
use crate::release::Release;
use crate::tables::{DecodedSizes, Key, check_sizes, key};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use uavgen_core::fingerprint;
use uavgen_core::parallel;
use uavgen_core::store::TableReader;
use uavgen_media::{GreyCells, ImageFormat, decode_upright, probe};
use uavgen_schemas::{ImageBytes, QaRow, Record};

/// Rows that are read at once: rows hold megabytes.
const BATCH_ROWS: usize = 16;
/// Most bytes of images in a row group.
const ROW_GROUP_BYTES: usize = 100_000_000;
/// Images that wait to be decoded, per thread.
const WAITING_PER_THREAD: usize = 4;
/// Bytes of images that wait to be decoded.
const WAITING_BYTES: usize = 64 << 20;

/// Checks the images of all items; gives back what those of recordings with a video show.
pub(crate) fn check(release: &Release, index: &Index, threads: NonZeroUsize, log: &mut Log) -> DeliveredCells {
    let mut pass = ImagePass {
        index,
        threads,
        known: HashMap::new(),
        of_frame: HashMap::new(),
        waiting: Vec::new(),
        last: None,
        filmed: index.videos.iter().map(|video| video.recording_id.as_str()).collect(),
        delivered: DeliveredCells::new(),
    };
    let (mut sizes, mut complete) = (DecodedSizes::new(), true);
    for file in release.table_files(QaRow::TABLE) {
        // What cannot be opened or read was told before.
        let Ok(mut reader) = TableReader::<QaRow>::with_batch_rows(&file.disk, BATCH_ROWS) else {
            complete = false;
            continue;
        };
        let mut groups = RowGroups::new(reader.row_groups());
        for rows in reader.by_ref() {
            let Ok(rows) = rows else {
                complete = false;
                break;
            };
            for row in &rows {
                groups.add(row.heavy_bytes());
                pass.check_row(row, &file.path, log);
            }
        }
        *sizes.entry(file.split).or_default() += reader.decoded_bytes();
        for problem in groups.too_large() {
            log.fault(FaultCode::RowGroupSize, Place::file(&file.path), problem);
        }
    }
    pass.decode_waiting(log);
    if complete {
        check_sizes(release, QaRow::TABLE, &sizes, log);
    }
    pass.delivered
}

/// Bytes of images in each row group of a file, an image counted once per row that holds it: a reader needs them all at
/// once.
struct RowGroups {
    /// Rows and bytes.
    groups: Vec<(u64, usize)>,
    at: usize,
    /// Rows of the group that were counted.
    counted: u64,
}

impl RowGroups {
    fn new(rows: &[u64]) -> Self {
        Self { groups: rows.iter().map(|&rows| (rows, 0)).collect(), at: 0, counted: 0 }
    }

    fn add(&mut self, bytes: usize) {
        while self.groups.get(self.at).is_some_and(|(rows, _)| self.counted == *rows) {
            (self.at, self.counted) = (self.at + 1, 0);
        }
        if let Some((_, sum)) = self.groups.get_mut(self.at) {
            *sum += bytes;
            self.counted += 1;
        }
    }

    /// What is wrong with groups beyond the limit. A row that is larger than the limit stands alone.
    fn too_large(&self) -> Vec<String> {
        let large = self.groups.iter().enumerate().filter(|(_, (rows, bytes))| *rows > 1 && *bytes > ROW_GROUP_BYTES);
        large
            .map(|(at, (rows, bytes))| format!("row group {at} holds {bytes} bytes of images in {rows} rows"))
            .collect()
    }
}

struct ImagePass<'a> {
    index: &'a Index,
    threads: NonZeroUsize,
    /// Every image so far, by its digest, with what the first row that shows it says of it.
    known: HashMap<Key, Shown>,
    /// Digest of the image of each frame.
    of_frame: HashMap<Key, Key>,
    waiting: Vec<Waiting>,
    /// The last image with its digest: rows of one frame stand together.
    last: Option<(Vec<u8>, String)>,
    /// Recordings that have a video.
    filmed: HashSet<&'a str>,
    /// Images of theirs, by frame.
    delivered: DeliveredCells,
}

struct Shown {
    frame: Key,
    frame_id: Box<str>,
    split: Box<str>,
}

struct Waiting {
    bytes: Vec<u8>,
    name: String,
    frame_id: String,
    file: String,
    row: String,
}

impl ImagePass<'_> {
    fn check_row(&mut self, row: &QaRow, file: &str, log: &mut Log) {
        let place = Place::row(file, &row.id);
        let (images, frames) = (row.images.len(), row.frame_ids.len());
        if images != frames {
            log.fault(FaultCode::ImageCount, place, format!("{images} images for {frames} frames"));
        }
        for (image, frame_id) in row.images.iter().zip(&row.frame_ids) {
            self.check_image(row, image, frame_id, place, log);
        }
    }

    fn check_image(&mut self, row: &QaRow, image: &ImageBytes, frame_id: &str, place: Place, log: &mut Log) {
        let digest = self.digest(&image.bytes);
        let (image_key, frame_key) = (key(&digest), key(frame_id));
        let repeated = *self.of_frame.entry(frame_key).or_insert(image_key) == image_key;
        let frame = self.index.frames.get(&frame_key).filter(|frame| frame.delivered_digest.is_some());
        let source = frame.and_then(|frame| frame.delivered_digest.as_deref());
        if let Some(frame) = frame
            && source == Some(&digest)
            && usize::try_from(frame.byte_count) != Ok(image.bytes.len())
        {
            let problem = format!("frame {frame_id} has {} bytes, its picture {}", frame.byte_count, image.bytes.len());
            log.fault(FaultCode::ImageMismatch, place, problem);
        } else if source.is_some_and(|source| source != digest) {
            let problem =
                format!("frame {frame_id} has a picture with BLAKE3 {}, this one has {digest}", source.unwrap_or(""));
            log.fault(FaultCode::ImageMismatch, place, problem);
        } else if !repeated {
            log.fault(FaultCode::ImageMismatch, place, format!("frame {frame_id} has another picture in a row before"));
        }
        let Some(before) = self.known.get(&image_key) else {
            let shown = Shown { frame: frame_key, frame_id: frame_id.into(), split: row.split.as_str().into() };
            self.known.insert(image_key, shown);
            return self.enqueue(row, image, frame_id, place, log);
        };
        if before.frame != frame_key {
            // Once per pair of frames would need their list; the first row of a frame is enough.
            let problem = format!("frames {} and {frame_id} are the same picture", before.frame_id);
            let code =
                if *before.split == *row.split { WarningCode::ImageRepeated } else { WarningCode::ImageInTwoSplits };
            log.warn(code, place, problem);
        }
    }

    /// BLAKE3 of an image; comparing with the one before is faster than hashing it again.
    fn digest(&mut self, bytes: &[u8]) -> String {
        if let Some((last, digest)) = &self.last
            && last == bytes
        {
            return digest.clone();
        }
        let digest = fingerprint::digest(bytes);
        self.last = Some((bytes.to_vec(), digest.clone()));
        digest
    }

    fn enqueue(&mut self, row: &QaRow, image: &ImageBytes, frame_id: &str, place: Place, log: &mut Log) {
        self.waiting.push(Waiting {
            bytes: image.bytes.clone(),
            name: image.path.clone(),
            frame_id: frame_id.to_owned(),
            file: place.file.to_owned(),
            row: row.id.clone(),
        });
        let bytes: usize = self.waiting.iter().map(|image| image.bytes.len()).sum();
        if self.waiting.len() >= WAITING_PER_THREAD * self.threads.get() || bytes >= WAITING_BYTES {
            self.decode_waiting(log);
        }
    }

    fn decode_waiting(&mut self, log: &mut Log) {
        let waiting = std::mem::take(&mut self.waiting);
        let decoded = parallel::map(self.threads.get(), &waiting, |image| {
            let is_filmed = |frame: &FrameFacts| self.filmed.contains(&*frame.recording);
            let cells = self.index.frames.get(&key(&image.frame_id)).is_some_and(is_filmed);
            let decoded = decode_upright(&image.bytes);
            decoded.map(|picture| (picture.dimensions(), cells.then(|| GreyCells::of_image(&picture))))
        });
        for (image, outcome) in waiting.iter().zip(decoded) {
            let place = Place::row(&image.file, &image.row);
            log.checked.images += 1;
            match outcome {
                Ok((size, cells)) => {
                    self.check_decoded(image, size, place, log);
                    self.delivered.extend(cells.map(|cells| (key(&image.frame_id), cells)));
                }
                Err(fault) => {
                    let problem = format!("image {} of frame {}: {fault}", image.name, image.frame_id);
                    log.fault(FaultCode::ImageUndecodable, place, problem);
                }
            }
        }
    }

    fn check_decoded(&self, image: &Waiting, (width, height): (u32, u32), place: Place, log: &mut Log) {
        if let Some(frame) = self.index.frames.get(&key(&image.frame_id))
            && (frame.width, frame.height) != (i64::from(width), i64::from(height))
        {
            let (id, expected) = (&image.frame_id, (frame.width, frame.height));
            let problem = format!("{width}x{height}, frame {id} is {}x{}", expected.0, expected.1);
            log.fault(FaultCode::ImageSize, place, problem);
        }
        if let Ok(info) = probe(&image.bytes) {
            if !info.is_deliverable() {
                let layout = info.pixel_layout.as_str();
                let problem =
                    format!("image {} is {layout} with EXIF orientation {}", image.name, info.exif_orientation);
                log.fault(FaultCode::ImageForm, place, problem);
            }
            if !is_named_after(&image.name, info.format) {
                let problem = format!("image {} is a {} by its bytes", image.name, info.format.as_str());
                log.fault(FaultCode::ImageForm, place, problem);
            }
        }
    }
}

fn is_named_after(name: &str, format: ImageFormat) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    match format {
        ImageFormat::Jpeg => extension == "jpg" || extension == "jpeg",
        ImageFormat::Png => extension == "png",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_groups_are_bounded_by_what_a_reader_must_hold() {
        let problems = |rows: &[u64], bytes: &[usize]| {
            let mut groups = RowGroups::new(rows);
            bytes.iter().for_each(|&bytes| groups.add(bytes));
            groups.too_large()
        };
        let third = ROW_GROUP_BYTES / 3;
        assert!(problems(&[3, 3], &[third; 6]).is_empty());
        let found = problems(&[2, 4, 0, 1], &[third, third, third, third, third, third, 2 * ROW_GROUP_BYTES]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("row group 1 holds 133333332 bytes of images in 4 rows"), "{found:?}");
    }
}
