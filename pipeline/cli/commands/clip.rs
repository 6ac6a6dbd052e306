//! Clips for people: what one shows, as a strip of frames and as a line of text.

use crate::output::counted;
use crate::results::{Results, writer_of};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use uavgen_core::Manifest;
use uavgen_media::{PALETTE, Rgb, RgbImage, draw_label, for_each_frame, thumbnail};
use uavgen_schemas::{
    Clip, ClipFrame, ClipKind, ClipSegment, Record, StitchedClip, StitchedFrame, StitchedSegment, Video,
};

/// Width of one frame of a strip, in pixels.
const FRAME_SIDE: u32 = 256;
/// Gap between segments of a strip, in pixels.
const GAP: u32 = 8;
/// Characters of a line that stands for a whole clip.
const LINE: i64 = 64;

/// A clip with its plan and its file.
pub(super) struct ShownClip {
    pub(super) clip: Clip,
    pub(super) segments: Vec<ClipSegment>,
    /// Source frames, in the order of the clip.
    pub(super) frame_ids: Vec<String>,
    /// Their numbers.
    pub(super) source_numbers: Vec<i64>,
    pub(super) file: PathBuf,
}

/// The tables that a stage writes its clips to.
pub(super) trait ClipTables {
    type Clip: Record + Into<Clip>;
    type Segment: Record + Into<ClipSegment>;
    type Frame: Record + Into<ClipFrame>;
}

/// Those of clips that were cut out of a video.
pub(super) struct Cut;

impl ClipTables for Cut {
    type Clip = Clip;
    type Segment = ClipSegment;
    type Frame = ClipFrame;
}

/// Those of clips that were joined from others.
pub(super) struct Stitched;

impl ClipTables for Stitched {
    type Clip = StitchedClip;
    type Segment = StitchedSegment;
    type Frame = StitchedFrame;
}

/// The clips of a result.
///
/// # Errors
/// When a table or file of it, or of the videos, is missing, damaged, or cannot be read.
pub(super) fn of_result<T: ClipTables>(
    results: &Results,
    manifest: &Manifest,
    wanted: impl Fn(&Clip) -> bool,
) -> anyhow::Result<Vec<ShownClip>> {
    let mut clips: Vec<Clip> = results.rows::<T::Clip>(manifest)?.into_iter().map(Into::into).collect();
    clips.retain(wanted);
    if clips.is_empty() {
        return Ok(Vec::new());
    }
    let mut segments: BTreeMap<String, Vec<ClipSegment>> = BTreeMap::new();
    for segment in results.rows::<T::Segment>(manifest)?.into_iter().map(Into::<ClipSegment>::into) {
        segments.entry(segment.clip_id.clone()).or_default().push(segment);
    }
    let mut frames: BTreeMap<String, Vec<ClipFrame>> = BTreeMap::new();
    for frame in results.rows::<T::Frame>(manifest)?.into_iter().map(Into::<ClipFrame>::into) {
        frames.entry(frame.clip_id.clone()).or_default().push(frame);
    }
    let load = |clip: Clip| {
        let segments = segments.remove(&clip.clip_id).unwrap_or_default();
        let frames = frames.remove(&clip.clip_id).unwrap_or_default();
        let file = file_of::<T>(results, manifest, &clip)?;
        Ok(ShownClip::new(clip, segments, frames, file))
    };
    clips.into_iter().map(load).collect()
}

fn file_of<T: ClipTables>(results: &Results, manifest: &Manifest, clip: &Clip) -> anyhow::Result<PathBuf> {
    if clip.has_own_file() {
        return Ok(results.part::<T::Clip>(manifest)?.blob_file(&clip.path)?.0);
    }
    let videos = results.of_stage(writer_of(Video::TABLE).unwrap_or_default());
    let video = videos.iter().find(|other| other.partition() == manifest.partition());
    let video =
        video.ok_or_else(|| anyhow::anyhow!("the video of {} has no current result", clip.recording_ids.join(", ")))?;
    Ok(results.part::<Video>(video)?.blob_file(&clip.path)?.0)
}

impl ShownClip {
    /// A clip from its rows, which come in any order.
    pub(super) fn new(clip: Clip, mut segments: Vec<ClipSegment>, mut frames: Vec<ClipFrame>, file: PathBuf) -> Self {
        segments.sort_by_key(|segment| segment.position);
        frames.sort_by_key(|frame| frame.clip_frame);
        let source_numbers = frames.iter().map(|frame| frame.source_number).collect();
        let frame_ids = frames.into_iter().map(|frame| frame.frame_id).collect();
        Self { clip, segments, frame_ids, source_numbers, file }
    }

    /// Numbers of the frames of a strip: the first and the last one of every segment.
    fn strip_frames(&self) -> Vec<i64> {
        let ends = |segment: &ClipSegment| [segment.first_frame, segment.first_frame + segment.frame_count - 1];
        self.segments.iter().flat_map(ends).collect()
    }

    /// First and last frame of every segment side by side, each with its number in the source; what stands together is of
    /// one segment and has one colour: that of its place in the recording.
    ///
    /// # Errors
    /// When the file cannot be decoded.
    pub(super) fn strip(&self) -> anyhow::Result<RgbImage> {
        let wanted = self.strip_frames();
        let mut pictures: BTreeMap<i64, RgbImage> = BTreeMap::new();
        let last = wanted.iter().max().copied().unwrap_or(0);
        let decoded = for_each_frame(&self.file, |frame| {
            let number = frame.index as i64;
            if wanted.contains(&number) {
                pictures.insert(number, thumbnail(&frame.image, FRAME_SIDE));
            }
            if number >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        decoded.map_err(|error| anyhow::anyhow!("failed to {error}"))?;
        let owners = self.segments.iter().flat_map(|segment| [segment, segment]);
        let cells: Vec<RgbImage> = wanted
            .iter()
            .zip(owners)
            .filter_map(|(number, segment)| Some(self.labelled(pictures.get(number)?.clone(), *number, segment)))
            .collect();
        Ok(side_by_side(&cells))
    }

    fn labelled(&self, mut picture: RgbImage, number: i64, segment: &ClipSegment) -> RgbImage {
        let color = PALETTE[segment.source_position.unsigned_abs() as usize % PALETTE.len()];
        let source = usize::try_from(number).ok().and_then(|number| self.source_numbers.get(number));
        let text = source.map_or_else(|| "?".to_owned(), |source| format!("{source}"));
        let bottom = f64::from(picture.height());
        draw_label(&mut picture, (0.0, bottom), &text, color);
        let bar = picture.height().min(6);
        (0..bar).for_each(|y| (0..picture.width()).for_each(|x| picture.put_pixel(x, y, color)));
        picture
    }

    /// What it is, in a line.
    pub(super) fn caption(&self) -> String {
        let Clip { clip_id, kind, strategy, frame_count, .. } = &self.clip;
        let mut recordings: Vec<&str> = self.segments.iter().map(|segment| segment.recording_id.as_str()).collect();
        recordings.dedup();
        let strategy = strategy.map(|strategy| format!(" {}", strategy.as_str())).unwrap_or_default();
        format!("{}  {}{strategy}  {frame_count} frames  {}", &clip_id[..12], kind.as_str(), recordings.join(", "))
    }

    /// Its segments in the order that it shows them in, and in that of the recording, where it shows but one: a letter for each,
    /// as often as it is long.
    pub(super) fn lines(&self) -> String {
        let line = |segments: &[&ClipSegment]| {
            let total: i64 = segments.iter().map(|segment| segment.frame_count).sum();
            let letters = segments.iter().map(|segment| {
                letter(segment).to_string().repeat((LINE * segment.frame_count / total.max(1)).max(1) as usize)
            });
            letters.collect::<Vec<_>>().join("|")
        };
        let shown: Vec<&ClipSegment> = self.segments.iter().collect();
        let mut taken = shown.clone();
        taken.sort_by_key(|segment| segment.source_position);
        match self.clip.kind {
            ClipKind::Concatenated => format!("  shown  {}\n", line(&shown)),
            _ => format!("  taken  {}\n  shown  {}\n", line(&taken), line(&shown)),
        }
    }

    /// Its segments one by one.
    pub(super) fn table(&self) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            let ClipSegment { first_frame, frame_count, video_first_frame, .. } = segment;
            let letter = letter(segment);
            let number =
                |frame: i64| usize::try_from(frame).ok().and_then(|frame| self.source_numbers.get(frame)).copied();
            let (from, to) = (number(*first_frame), number(first_frame + frame_count - 1));
            let made = match segment.encoded_again {
                0 => "copied".to_owned(),
                again if again == *frame_count => "encoded again".to_owned(),
                again => format!("{} encoded again, the others copied", counted(again.unsigned_abs(), "frame")),
            };
            let owner = match &segment.member_clip_id {
                Some(member) => format!(" of {}, clip {}", segment.recording_id, &member[..member.len().min(12)]),
                None => String::new(),
            };
            let overlap = match segment.overlap_frames {
                0 => String::new(),
                frames => format!(", {frames} of them shared with the segment before"),
            };
            let _ = writeln!(
                text,
                "  {letter}  frames {first_frame} to {} of the clip: {video_first_frame} to {} of the video (source {} to {}){owner}{overlap}; {made}",
                first_frame + frame_count - 1,
                video_first_frame + frame_count - 1,
                from.unwrap_or(-1),
                to.unwrap_or(-1),
            );
        }
        text
    }
}

/// A letter for the place of a segment in the recording.
fn letter(segment: &ClipSegment) -> char {
    (b'A' + segment.source_position.unsigned_abs().min(25) as u8) as char
}

/// Pictures in a row, with a gap after every second one.
fn side_by_side(pictures: &[RgbImage]) -> RgbImage {
    let height = pictures.iter().map(RgbImage::height).max().unwrap_or(1);
    let gaps = (pictures.len() as u32).div_ceil(2).saturating_sub(1) * GAP;
    let width = pictures.iter().map(RgbImage::width).sum::<u32>() + gaps;
    let mut row = RgbImage::from_pixel(width.max(1), height, Rgb([24, 24, 24]));
    let mut left = 0;
    for (position, picture) in pictures.iter().enumerate() {
        for (x, y, pixel) in picture.enumerate_pixels() {
            row.put_pixel(left + x, y, *pixel);
        }
        left += picture.width() + if position % 2 == 1 { GAP } else { 0 };
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_schemas::ShuffleStrategy;

    fn segment(
        position: i64,
        source_position: i64,
        first_frame: i64,
        frame_count: i64,
        video_first_frame: i64,
    ) -> ClipSegment {
        ClipSegment {
            segment_id: String::new(),
            clip_id: String::new(),
            position,
            source_position,
            first_frame,
            frame_count,
            member_clip_id: None,
            recording_id: "vid/a".into(),
            video_id: "v".into(),
            video_first_frame,
            overlap_frames: 0,
            encoded_again: position * 7,
            picture_x1: 0,
            picture_y1: 0,
            picture_x2: 4,
            picture_y2: 4,
        }
    }

    fn shown() -> ShownClip {
        let clip = Clip {
            clip_id: "0123456789abcdef".into(),
            kind: ClipKind::Shuffled,
            strategy: Some(ShuffleStrategy::Spatial),
            pool: None,
            repeat: 0,
            recording_ids: vec!["vid/a".into()],
            group_ids: vec![],
            split: "train".into(),
            path: String::new(),
            frame_count: 64,
            width: 4,
            height: 4,
            fps_num: 15,
            fps_den: 1,
            segment_count: 2,
            digest: String::new(),
            byte_count: 0,
        };
        let segments = vec![segment(0, 1, 0, 16, 48), segment(1, 0, 16, 48, 0)];
        let source_numbers = (48..64).chain(0..48).map(|frame| frame + 1).collect();
        ShownClip { clip, segments, frame_ids: Vec::new(), source_numbers, file: PathBuf::new() }
    }

    #[test]
    fn a_plan_reads_well() {
        let shown = shown();
        assert_eq!(shown.caption(), "0123456789ab  shuffled spatial  64 frames  vid/a");
        let (a, b) = ("A".repeat(48), "B".repeat(16));
        assert_eq!(shown.lines(), format!("  taken  {a}|{b}\n  shown  {b}|{a}\n"));
        let lines: Vec<String> = shown.table().lines().map(str::to_owned).collect();
        assert_eq!(lines[0], "  B  frames 0 to 15 of the clip: 48 to 63 of the video (source 49 to 64); copied");
        assert!(
            lines[1].ends_with("0 to 47 of the video (source 1 to 48); 7 frames encoded again, the others copied"),
            "{lines:?}"
        );
        assert_eq!(shown.strip_frames(), [0, 15, 16, 63]);
    }

    #[test]
    fn a_joined_clip_names_its_clips_and_has_one_order() {
        let mut shown = shown();
        (shown.clip.kind, shown.clip.strategy) = (ClipKind::Concatenated, None);
        for (segment, name) in shown.segments.iter_mut().zip(["a", "b"]) {
            segment.source_position = segment.position;
            segment.encoded_again = segment.frame_count;
            segment.recording_id = format!("vid/{name}");
            segment.member_clip_id = Some(format!("{name}123456789abcdef"));
        }
        assert_eq!(shown.lines(), format!("  shown  {}|{}\n", "A".repeat(16), "B".repeat(48)));
        let table = shown.table();
        assert!(table.contains(" of vid/a, clip a123456789ab; encoded again\n"), "{table}");
    }

    #[test]
    fn frames_of_a_segment_stand_together() {
        let row = side_by_side(&[RgbImage::new(10, 5), RgbImage::new(10, 7), RgbImage::new(10, 5)]);
        assert_eq!(row.dimensions(), (30 + GAP, 7));
    }
}
