//! H.264 streams from which a frame is missing that others are predicted from.
//!
//! Frames that others are predicted from are counted, and each frame tells the count (`frame_num`; ITU-T H.264, 7.4.3). A jump
//! where the stream does not allow any is a frame that was lost; decoders put a copy of another one in its place and say
//! nothing.

use crate::avc_parameters::{Picture, PictureOrder, Sequence};
use crate::bits::{BitReader, Fault};
use crate::continuity::Verdict;
use crate::nal;
use std::collections::BTreeMap;

const NAL_SLICE: u8 = 1;
const NAL_KEYFRAME_SLICE: u8 = 5;
const NAL_SEQUENCE_PARAMETERS: u8 = 7;
const NAL_PICTURE_PARAMETERS: u8 = 8;
/// Bytes that headers end within, those of many references with weights too.
const MAX_HEADER_BYTES: usize = 2048;
/// Entries of a list in a header; more are no header.
const MAX_ENTRIES: u32 = 66;

/// Kinds of slices without the five that says "all of the picture": P, B, I, SP, SI.
const P: u32 = 0;
const B: u32 = 1;
const I: u32 = 2;
const SP: u32 = 3;

/// Follows the count through a stream.
#[derive(Debug, Default)]
pub(crate) struct FrameNumbers {
    sequences: BTreeMap<u32, Sequence>,
    pictures: BTreeMap<u32, Picture>,
    /// Whether there was a picture that decoders can start with.
    has_started: bool,
    /// Place in the order of showing, and the bits of places, of such a picture that is no keyframe: those before it that are
    /// decoded behind it are predicted from what was before. Null once one behind it was decoded.
    start: Option<(u32, u32)>,
    /// Count of the last frame that others are predicted from; null where it is not known.
    last: Option<u32>,
}

/// What the first slice of a picture tells.
struct Slice {
    is_keyframe: bool,
    is_reference: bool,
    frame_num: u32,
    /// Its place in the order of showing, in so many bits; null where slices do not tell.
    order: Option<(u32, u32)>,
    /// Whether counting starts anew behind it.
    restarts: bool,
}

impl FrameNumbers {
    /// Takes the units of the next packet, or of the file's header.
    pub(crate) fn take(&mut self, units: &[&[u8]]) -> Verdict {
        let mut verdict = None;
        for unit in units {
            match unit.first().map_or(0, |header| header & 31) {
                NAL_SEQUENCE_PARAMETERS => self.sequences.extend(Sequence::read(unit).ok().map(|set| (set.id, set))),
                NAL_PICTURE_PARAMETERS => self.pictures.extend(Picture::read(unit).ok().map(|set| (set.id, set))),
                // One slice tells enough.
                NAL_SLICE | NAL_KEYFRAME_SLICE if verdict.is_none() => verdict = Some(self.follow(unit)),
                _ => {}
            }
        }
        verdict.unwrap_or(Verdict::Shown)
    }

    fn follow(&mut self, unit: &[u8]) -> Verdict {
        let is_keyframe = unit[0] & 31 == NAL_KEYFRAME_SLICE;
        let is_start = !self.has_started && (is_keyframe || kind(unit).is_none_or(|kind| kind == I));
        self.has_started |= is_start;
        let Ok((slice, sequence)) = self.slice(unit) else {
            self.last = None;
            return if self.has_started { Verdict::Shown } else { Verdict::Blind };
        };
        let missing = self.count(&slice, &sequence);
        if is_start {
            self.start = slice.order.filter(|_| !is_keyframe);
        }
        match missing {
            _ if !self.has_started || self.is_before_start(&slice) => Verdict::Blind,
            Some(missing) => Verdict::Missing(missing),
            None => Verdict::Shown,
        }
    }

    fn is_before_start(&mut self, slice: &Slice) -> bool {
        let (Some((start, bits)), Some((order, _))) = (self.start, slice.order) else { return false };
        let distance = order.wrapping_sub(start) & (u32::MAX >> (32 - bits));
        let is_before = !slice.is_keyframe && distance >> (bits - 1) == 1;
        if !is_before && distance > 0 {
            self.start = None;
        }
        is_before
    }

    /// Counts a picture; says what is missing before it.
    fn count(&mut self, slice: &Slice, sequence: &Sequence) -> Option<String> {
        let modulus = 1 << sequence.frame_num_bits;
        let last = self.last.filter(|_| !slice.is_keyframe && !sequence.may_have_gaps);
        let lost = last.map_or(0, |last| (slice.frame_num + modulus - last % modulus) % modulus).saturating_sub(1);
        if slice.is_reference {
            self.last = Some(if slice.restarts { 0 } else { slice.frame_num });
        }
        (lost > 0).then(|| {
            let last = last.unwrap_or_default();
            format!("a frame was lost that it is predicted from: frame_num goes from {last} to {}", slice.frame_num)
        })
    }

    /// 7.3.3.
    fn slice(&self, unit: &[u8]) -> Result<(Slice, Sequence), Fault> {
        let head = nal::unescaped(&unit[..unit.len().min(MAX_HEADER_BYTES)], MAX_HEADER_BYTES).0;
        let mut reader = BitReader::new(&head);
        let header = reader.bits(8)?;
        // Where in the picture it begins.
        reader.unsigned()?;
        let kind = reader.unsigned()? % 5;
        let unknown = "a slice has unknown parameter sets";
        let picture = *self.pictures.get(&reader.unsigned()?).ok_or(unknown)?;
        let sequence = *self.sequences.get(&picture.sequence).ok_or(unknown)?;
        if sequence.has_separate_planes {
            reader.bits(2)?;
        }
        let frame_num = reader.bits(sequence.frame_num_bits)?;
        let is_keyframe = header & 31 == u32::from(NAL_KEYFRAME_SLICE);
        let is_reference = header >> 5 & 3 != 0;
        let is_field = !sequence.has_only_frames && reader.flag()?;
        if is_field {
            reader.flag()?;
        }
        if is_keyframe {
            // Tells keyframes in a row apart.
            reader.unsigned()?;
        }
        let order = order(&mut reader, &sequence, &picture, is_field)?;
        let restarts = is_reference && !is_keyframe && {
            skip_references(&mut reader, kind, &sequence, &picture)?;
            restarts_counting(&mut reader)?
        };
        Ok((Slice { is_keyframe, is_reference, frame_num, order, restarts }, sequence))
    }
}

/// The kind of a slice; null when it is cut off.
fn kind(unit: &[u8]) -> Option<u32> {
    let mut reader = BitReader::new(unit);
    reader.bits(8).and_then(|_| reader.skip_codes(1)).and_then(|()| reader.unsigned()).ok().map(|kind| kind % 5)
}

/// The place in the order of showing and its bits, where slices tell it, and what follows up to the references.
fn order(
    reader: &mut BitReader<'_>,
    sequence: &Sequence,
    picture: &Picture,
    is_field: bool,
) -> Result<Option<(u32, u32)>, Fault> {
    let has_bottom = usize::from(picture.has_bottom_order && !is_field);
    let mut order = None;
    match sequence.order {
        PictureOrder::Numbers(bits) => {
            order = Some((reader.bits(bits)?, bits));
            reader.skip_codes(has_bottom)?;
        }
        PictureOrder::Pattern(false) => reader.skip_codes(1 + has_bottom)?,
        PictureOrder::Pattern(true) | PictureOrder::Decoding => {}
    }
    reader.skip_codes(usize::from(picture.has_redundant_count))?;
    Ok(order)
}

/// The numbers, the order and the weights of references (7.3.3.1, 7.3.3.2).
fn skip_references(reader: &mut BitReader<'_>, kind: u32, sequence: &Sequence, picture: &Picture) -> Result<(), Fault> {
    let lists = match kind {
        P | SP => 1,
        B => 2,
        _ => return Ok(()),
    };
    if kind == B {
        reader.flag()?;
    }
    let mut references = picture.references;
    if reader.flag()? {
        for count in references.iter_mut().take(lists) {
            *count = reader.unsigned()?.saturating_add(1);
        }
    }
    for _ in 0..lists {
        if reader.flag()? {
            operations(reader, 3, |reader, _| reader.skip_codes(1))?;
        }
    }
    let is_weighted = if kind == B { picture.has_bipredictive_weights } else { picture.has_weights };
    if !is_weighted {
        return Ok(());
    }
    reader.skip_codes(1 + usize::from(sequence.has_chroma))?;
    for _ in 0..references.iter().take(lists).map(|count| (*count).min(MAX_ENTRIES)).sum() {
        if reader.flag()? {
            reader.skip_codes(2)?;
        }
        if sequence.has_chroma && reader.flag()? {
            reader.skip_codes(4)?;
        }
    }
    Ok(())
}

/// Whether what becomes of the frames before (7.3.3.3) is that they are all forgotten.
fn restarts_counting(reader: &mut BitReader<'_>) -> Result<bool, Fault> {
    let mut restarts = false;
    if reader.flag()? {
        operations(reader, 0, |reader, operation| {
            restarts |= operation == 5;
            reader.skip_codes(match operation {
                3 => 2,
                5 => 0,
                _ => 1,
            })
        })?;
    }
    Ok(restarts)
}

/// Reads numbers and what belongs to them, to the one that stands for the end.
fn operations<'a>(
    reader: &mut BitReader<'a>,
    end: u32,
    mut operand: impl FnMut(&mut BitReader<'a>, u32) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for _ in 0..MAX_ENTRIES {
        match reader.unsigned()? {
            operation if operation == end => return Ok(()),
            operation => operand(reader, operation)?,
        }
    }
    Err("a list in a header of its stream is too long")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;

    /// A unit of codes (`ue(v)`) and bits.
    fn unit(header: u8, parts: &[Part]) -> Vec<u8> {
        let mut writer = BitWriter::default();
        writer.bits(u32::from(header), 8);
        for part in parts {
            match *part {
                Code(value) => writer.unsigned(value),
                Bits(value, count) => writer.bits(value, count),
            }
        }
        writer.bits(1, 1);
        writer.into_bytes()
    }

    enum Part {
        Code(u32),
        Bits(u32, u32),
    }
    use Part::{Bits, Code};

    /// A stream of frames only whose numbers have four bits, by the order of decoding.
    fn stream(may_have_gaps: bool) -> FrameNumbers {
        let gaps = Bits(u32::from(may_have_gaps), 1);
        let baseline = Bits(66 << 16 | 30, 24);
        let sequence = unit(0x67, &[baseline, Code(0), Code(0), Code(2), Code(1), gaps, Code(9), Code(9), Bits(1, 1)]);
        let quantizers = [Code(0), Code(0), Code(0), Bits(0, 3)];
        let mut picture = vec![Code(0), Code(0), Bits(0, 2), Code(0), Code(0), Code(0), Bits(0, 3)];
        picture.extend(quantizers);
        let mut numbers = FrameNumbers::default();
        assert_eq!(numbers.take(&[&sequence, &unit(0x68, &picture)]), Verdict::Shown);
        numbers
    }

    fn keyframe() -> Vec<u8> {
        unit(0x65, &[Code(0), Code(7), Code(0), Bits(0, 4), Code(0), Bits(0, 2)])
    }

    /// A frame that is predicted from others; null marks one that no other is predicted from.
    fn frame(frame_num: u32, forgets: Option<bool>) -> Vec<u8> {
        let mut parts = vec![Code(0), Code(5), Code(0), Bits(frame_num, 4), Bits(0, 2)];
        match forgets {
            None => {}
            Some(false) => parts.push(Bits(0, 1)),
            // Two operations before it, one of which has two numbers.
            Some(true) => {
                parts.extend([Bits(1, 1), Code(1), Code(4), Code(3), Code(2), Code(5), Code(5), Code(0)]);
            }
        }
        unit(if forgets.is_some() { 0x61 } else { 0x01 }, &parts)
    }

    fn is_missing(numbers: &mut FrameNumbers, unit: &[u8]) -> bool {
        match numbers.take(&[unit]) {
            Verdict::Missing(_) => true,
            Verdict::Shown => false,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_jump_is_a_lost_frame() {
        let mut numbers = stream(false);
        let reference = Some(false);
        let frames =
            [keyframe(), frame(1, None), frame(1, reference), frame(2, None), frame(2, None), frame(2, reference)];
        assert!(frames.iter().all(|unit| !is_missing(&mut numbers, unit)));
        assert!(is_missing(&mut numbers, &frame(4, reference)));
        assert!(!is_missing(&mut numbers, &frame(5, reference)));
        // Numbers go on behind the last one that four bits can tell.
        assert!((6..16).chain(0..3).all(|number| !is_missing(&mut numbers, &frame(number, reference))));
        assert!(!is_missing(&mut numbers, &keyframe()));
        assert!(is_missing(&mut numbers, &frame(2, None)));
    }

    #[test]
    fn a_jump_that_is_allowed_is_none() {
        let mut numbers = stream(true);
        assert!([keyframe(), frame(4, Some(false)), frame(9, None)].iter().all(|unit| !is_missing(&mut numbers, unit)));
    }

    #[test]
    fn counting_starts_anew_where_all_frames_are_forgotten() {
        let mut numbers = stream(false);
        let frames = [keyframe(), frame(1, Some(false)), frame(2, Some(true)), frame(1, Some(false))];
        assert!(frames.iter().all(|unit| !is_missing(&mut numbers, unit)));
        assert!(is_missing(&mut numbers, &frame(3, None)));
    }

    #[test]
    fn what_cannot_be_read_is_not_judged() {
        let mut numbers = stream(false);
        assert_eq!(numbers.take(&[&frame(7, None)]), Verdict::Blind);
        let frames = [keyframe(), frame(1, Some(false)), vec![0x61, 0x80], frame(5, Some(false))];
        assert!(frames.iter().all(|unit| !is_missing(&mut numbers, unit)));
    }
}
