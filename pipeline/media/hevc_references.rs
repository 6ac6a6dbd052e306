//! HEVC streams from which a picture is missing that others are predicted from.
//!
//! Each picture names all that it or a later one may be predicted from (ITU-T H.265, 8.3.2), by their places in the order of
//! showing. One that was not there is a picture that was lost; decoders put grey or another one in its place.

use crate::bits::{BitReader, Fault};
use crate::continuity::Verdict;
use crate::hevc_parameters::{Picture, ReferenceSet, Sequence, reference_set};
use crate::nal;
use std::collections::{BTreeMap, BTreeSet};

const NAL_SEQUENCE_PARAMETERS: u8 = 33;
const NAL_PICTURE_PARAMETERS: u8 = 34;
const NAL_END_OF_SEQUENCE: u8 = 36;
const NAL_END_OF_STREAM: u8 = 37;
/// Kinds of pictures (table 7-1).
const LAST_PICTURE: u8 = 31;
const LEADING: std::ops::RangeInclusive<u8> = 6..=9;
const SKIPPED_LEADING: std::ops::RangeInclusive<u8> = 8..=9;
const RANDOM_ACCESS: std::ops::RangeInclusive<u8> = 16..=23;
const KEYFRAME: std::ops::RangeInclusive<u8> = 19..=20;
const CLEAN_RANDOM_ACCESS: u8 = 21;
/// Kinds up to here, if even, are of pictures that no other one of their layer is predicted from.
const LAST_SUB_LAYER: u8 = 14;
/// Bytes that the read part of a header ends within.
const MAX_HEADER_BYTES: usize = 512;

/// Follows the pictures of a stream.
#[derive(Debug, Default)]
pub(crate) struct References {
    sequences: BTreeMap<u32, Sequence>,
    pictures: BTreeMap<u32, Picture>,
    /// Places of the pictures that a decoder holds; null before the first one that it can start with.
    held: Option<BTreeSet<i64>>,
    /// Place that those of later pictures are counted from.
    anchor: i64,
    /// Whether the next picture starts anew, as behind the end of a sequence.
    starts_anew: bool,
    /// Place of the last such picture, if what came before it was not there or is not used: leading pictures that are predicted
    /// from that are skipped.
    start: Option<i64>,
    /// Whether a header could not be read, so that nothing can be judged from there on.
    is_lost: bool,
}

/// What the first slice of a picture tells.
struct Slice {
    /// Bits of the place of a picture.
    order_bits: u32,
    is_shown: bool,
    /// The low bits of its place.
    place: i64,
    references: ReferenceSet,
}

impl References {
    /// Takes the units of the next packet, or of the file's header.
    pub(crate) fn take(&mut self, units: &[&[u8]]) -> Verdict {
        let mut verdict = None;
        for unit in units {
            let Some((kind, layer)) =
                unit.get(..2).map(|header| (header[0] >> 1 & 63, (header[0] & 1) << 5 | header[1] >> 3))
            else {
                continue;
            };
            match kind {
                _ if layer > 0 => {}
                NAL_SEQUENCE_PARAMETERS => self.sequences.extend(Sequence::read(unit).ok().map(|set| (set.id, set))),
                NAL_PICTURE_PARAMETERS => self.pictures.extend(Picture::read(unit).ok().map(|set| (set.id, set))),
                NAL_END_OF_SEQUENCE | NAL_END_OF_STREAM => self.starts_anew = true,
                0..=LAST_PICTURE if verdict.is_none() => verdict = Some(self.follow(unit, kind)),
                _ => {}
            }
        }
        verdict.unwrap_or(Verdict::Shown)
    }

    fn follow(&mut self, unit: &[u8], kind: u8) -> Verdict {
        let is_start = RANDOM_ACCESS.contains(&kind);
        if self.is_lost {
            return Verdict::Shown;
        }
        if self.held.is_none() && !is_start {
            return Verdict::Unusable;
        }
        let restarts = is_start && (self.held.is_none() || self.starts_anew || kind < CLEAN_RANDOM_ACCESS);
        let Ok(slice) = self.slice(unit, kind) else {
            self.is_lost = true;
            return Verdict::Shown;
        };
        let place = place(slice.place, if restarts { None } else { Some(self.anchor) }, slice.order_bits);
        if is_start {
            self.start = restarts.then_some(place);
            self.starts_anew = false;
        }
        match self.start {
            // One that comes behind the start belongs to a later one.
            Some(start) if SKIPPED_LEADING.contains(&kind) && place > start => {
                return Verdict::Missing(format!("the frame is lost that number {place} in its sequence leads to"));
            }
            Some(_) if SKIPPED_LEADING.contains(&kind) => return Verdict::Hidden,
            _ => {}
        }
        let held = self.held.take().filter(|_| !restarts).unwrap_or_default();
        let named: BTreeSet<i64> = slice.references.iter().map(|reference| place + reference.distance).collect();
        let mut used = slice.references.iter().filter(|one| one.is_used).map(|one| place + one.distance);
        let missing = used.find(|place| !is_start && !held.contains(place));
        self.held = Some(held.intersection(&named).copied().chain([place]).collect());
        let is_base = unit[1] & 7 == 1;
        if is_base && !LEADING.contains(&kind) && !(kind <= LAST_SUB_LAYER && kind.is_multiple_of(2)) {
            self.anchor = place;
        }
        match missing {
            Some(missing) => Verdict::Missing(format!(
                "a frame was lost that it is predicted from: it is number {place} in its sequence and needs {missing}"
            )),
            None if slice.is_shown => Verdict::Shown,
            None => Verdict::Hidden,
        }
    }

    /// 7.3.6.1.
    fn slice(&self, unit: &[u8], kind: u8) -> Result<Slice, Fault> {
        let head = nal::unescaped(&unit[..unit.len().min(MAX_HEADER_BYTES)], MAX_HEADER_BYTES).0;
        let mut reader = BitReader::new(&head);
        reader.bits(16)?;
        let unknown = "a slice has unknown parameter sets";
        if !reader.flag()? {
            return Err("a picture does not begin with its first slice");
        }
        if RANDOM_ACCESS.contains(&kind) {
            reader.flag()?;
        }
        let picture = self.pictures.get(&reader.unsigned()?).ok_or(unknown)?;
        let sequence = self.sequences.get(&picture.sequence).ok_or(unknown)?;
        if sequence.has_long_terms {
            return Err("its pictures name others in two ways");
        }
        let order_bits = sequence.order_bits;
        reader.bits(picture.extra_bits)?;
        // The kind of slice.
        reader.unsigned()?;
        let is_shown = !picture.has_output_flag || reader.flag()?;
        if sequence.has_separate_planes {
            reader.bits(2)?;
        }
        if KEYFRAME.contains(&kind) {
            return Ok(Slice { order_bits, is_shown, place: 0, references: ReferenceSet::new() });
        }
        let place = i64::from(reader.bits(order_bits)?);
        let sets = &sequence.reference_sets;
        let references = if reader.flag()? {
            let bits = sets.len().next_power_of_two().trailing_zeros();
            let index = reader.bits(bits)? as usize;
            sets.get(index).ok_or("a slice names an unknown set of references")?.clone()
        } else {
            reference_set(&mut reader, sets, true)?
        };
        Ok(Slice { order_bits, is_shown, place, references })
    }
}

/// The place of a picture by its low bits: the one nearest to the anchor (8.3.1).
fn place(low: i64, anchor: Option<i64>, bits: u32) -> i64 {
    let Some(anchor) = anchor else { return low };
    let modulus = 1 << bits;
    let anchor_low = anchor.rem_euclid(modulus);
    let high = anchor - anchor_low;
    if low < anchor_low && anchor_low - low >= modulus / 2 {
        high + modulus + low
    } else if low > anchor_low && low - anchor_low > modulus / 2 {
        high - modulus + low
    } else {
        high + low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_on_beyond_their_bits() {
        assert_eq!(place(3, None, 4), 3);
        assert_eq!(place(3, Some(1), 4), 3);
        assert_eq!(place(1, Some(15), 4), 17);
        assert_eq!(place(15, Some(17), 4), 15);
        assert_eq!(place(7, Some(16), 4), 23);
        assert_eq!(place(8, Some(31), 4), 24);
        assert_eq!(place(7, Some(31), 4), 39);
    }
}
