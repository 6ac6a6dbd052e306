//! Parameter sets of HEVC (ITU-T H.265, 7.3.2), as far as the references of slices depend on them.

use crate::bits::{BitReader, Fault};
use crate::nal;

/// Bits of a profile with its flags (7.3.3), and of a level.
const PROFILE_BITS: u32 = 88;
const LEVEL_BITS: u32 = 8;
const FULL_CHROMA: u32 = 3;
/// Most pictures that a picture names, and sets of them that a stream has (7.4.3.2.1, 7.4.8); more are no header.
const MAX_REFERENCES: u32 = 16;
const MAX_SETS: u32 = 64;

const TOO_LONG: Fault = "a list in a header of its stream is too long";

/// A picture that another one names: it, or one decoded after it, may be predicted from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Its place in the order of showing, from that of the picture that names it.
    pub(crate) distance: i64,
    /// Whether the picture itself may be predicted from it.
    pub(crate) is_used: bool,
}

/// All pictures that a picture names (7.4.8): those shown before it, from the nearest on, then those behind it.
pub(crate) type ReferenceSet = Vec<Reference>;

/// A sequence parameter set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) id: u32,
    pub(crate) has_separate_planes: bool,
    /// Bits of the place of a picture in the order of showing.
    pub(crate) order_bits: u32,
    pub(crate) reference_sets: Vec<ReferenceSet>,
    /// Whether pictures may name others from long ago, in another way.
    pub(crate) has_long_terms: bool,
}

/// A picture parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) id: u32,
    /// Number of its sequence parameter set.
    pub(crate) sequence: u32,
    /// Whether slices tell that their picture is not shown.
    pub(crate) has_output_flag: bool,
    /// Bits of slice headers that mean nothing.
    pub(crate) extra_bits: u32,
}

impl Sequence {
    /// Reads one from its unit (7.3.2.2).
    pub(crate) fn read(unit: &[u8]) -> Result<Self, Fault> {
        let bytes = nal::unescaped(unit, usize::MAX).0;
        let mut reader = BitReader::new(&bytes);
        // The header, and the set that it belongs to.
        reader.bits(16 + 4)?;
        let sub_layers = reader.bits(3)?;
        reader.flag()?;
        skip_profile(&mut reader, sub_layers)?;
        let id = reader.unsigned()?;
        let has_separate_planes = reader.unsigned()? == FULL_CHROMA && reader.flag()?;
        // The size and its window.
        reader.skip_codes(2)?;
        if reader.flag()? {
            reader.skip_codes(4)?;
        }
        // Depths of luma and chroma.
        reader.skip_codes(2)?;
        let order_bits = reader.unsigned()?.saturating_add(4);
        if order_bits > 16 {
            return Err("a number in a header of its stream is too long");
        }
        let tells_each_layer = reader.flag()?;
        reader.skip_codes(3 * if tells_each_layer { sub_layers as usize + 1 } else { 1 })?;
        // Sizes of blocks.
        reader.skip_codes(6)?;
        if reader.flag()? && reader.flag()? {
            skip_scaling_lists(&mut reader)?;
        }
        reader.bits(2)?;
        if reader.flag()? {
            // Samples that are not coded: their depths, sizes and filter.
            reader.bits(8)?;
            reader.skip_codes(2)?;
            reader.flag()?;
        }
        let count = reader.unsigned()?;
        if count > MAX_SETS {
            return Err(TOO_LONG);
        }
        let mut reference_sets = Vec::new();
        for _ in 0..count {
            reference_sets.push(reference_set(&mut reader, &reference_sets, false)?);
        }
        Ok(Self { id, has_separate_planes, order_bits, reference_sets, has_long_terms: reader.flag()? })
    }
}

/// 7.3.3.
fn skip_profile(reader: &mut BitReader<'_>, sub_layers: u32) -> Result<(), Fault> {
    skip_bits(reader, PROFILE_BITS + LEVEL_BITS)?;
    let mut bits = if sub_layers > 0 { 2 * (8 - sub_layers) } else { 0 };
    for _ in 0..sub_layers {
        bits += if reader.flag()? { PROFILE_BITS } else { 0 };
        bits += if reader.flag()? { LEVEL_BITS } else { 0 };
    }
    skip_bits(reader, bits)
}

fn skip_bits(reader: &mut BitReader<'_>, count: u32) -> Result<(), Fault> {
    (0..count).try_for_each(|_| reader.flag().map(|_| ()))
}

/// 7.3.4.
fn skip_scaling_lists(reader: &mut BitReader<'_>) -> Result<(), Fault> {
    for (size, coefficients) in [16, 64, 64, 64].into_iter().enumerate() {
        for _ in 0..if size == 3 { 2 } else { 6 } {
            let codes = match reader.flag()? {
                false => 1,
                true => coefficients + usize::from(size > 1),
            };
            reader.skip_codes(codes)?;
        }
    }
    Ok(())
}

/// Reads the set behind those before it (7.3.7); in a slice it may be derived from any of them.
pub(crate) fn reference_set(
    reader: &mut BitReader<'_>,
    before: &[ReferenceSet],
    is_in_slice: bool,
) -> Result<ReferenceSet, Fault> {
    if !before.is_empty() && reader.flag()? {
        return derived_set(reader, before, is_in_slice);
    }
    let counts = [reader.unsigned()?, reader.unsigned()?];
    if counts.iter().any(|count| *count > MAX_REFERENCES) {
        return Err(TOO_LONG);
    }
    let mut set = ReferenceSet::new();
    for (count, sign) in counts.into_iter().zip([-1, 1]) {
        let mut distance = 0;
        for _ in 0..count {
            distance += sign * (i64::from(reader.unsigned()?) + 1);
            set.push(Reference { distance, is_used: reader.flag()? });
        }
    }
    Ok(set)
}

/// A set that is another one, moved, with the picture that has that one (7-61, 7-62).
fn derived_set(reader: &mut BitReader<'_>, before: &[ReferenceSet], is_in_slice: bool) -> Result<ReferenceSet, Fault> {
    let back = if is_in_slice { reader.unsigned()? as usize + 1 } else { 1 };
    let base = before.len().checked_sub(back).and_then(|at| before.get(at)).ok_or(TOO_LONG)?;
    let is_negative = reader.flag()?;
    let step = i64::from(reader.unsigned()?) + 1;
    let step = if is_negative { -step } else { step };
    let mut set = ReferenceSet::new();
    for distance in base.iter().map(|reference| reference.distance).chain([0]) {
        let is_used = reader.flag()?;
        let is_kept = is_used || reader.flag()?;
        if is_kept && distance + step != 0 {
            set.push(Reference { distance: distance + step, is_used });
        }
    }
    set.sort_by_key(|reference| (reference.distance > 0, reference.distance.abs()));
    Ok(set)
}

impl Picture {
    /// Reads one from its unit (7.3.2.3).
    pub(crate) fn read(unit: &[u8]) -> Result<Self, Fault> {
        let bytes = nal::unescaped(unit, usize::MAX).0;
        let mut reader = BitReader::new(&bytes);
        reader.bits(16)?;
        let (id, sequence) = (reader.unsigned()?, reader.unsigned()?);
        // Whether slices may go on with the header of the one before.
        reader.flag()?;
        Ok(Self { id, sequence, has_output_flag: reader.flag()?, extra_bits: reader.bits(3)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitWriter;

    fn set(references: &[(i64, bool)]) -> ReferenceSet {
        references.iter().map(|&(distance, is_used)| Reference { distance, is_used }).collect()
    }

    #[test]
    fn sets_are_read_and_derived() {
        let mut writer = BitWriter::default();
        // Two before: -1, -3; one behind: +2.
        [(2, None), (1, None), (0, Some(1)), (1, Some(0)), (1, Some(1))].into_iter().for_each(|(code, flag)| {
            writer.unsigned(code);
            flag.into_iter().for_each(|flag| writer.bits(flag, 1));
        });
        // The same one picture on, which is in it: each is one farther back, and the last picture is 1 back.
        writer.bits(1, 1);
        writer.bits(1, 1);
        writer.unsigned(0);
        // -1 is used; -3 is left out; +2 is kept only; the picture itself is used.
        [(1, 1), (0b00, 2), (0b01, 2), (1, 1)].into_iter().for_each(|(flags, count)| writer.bits(flags, count));
        let bytes = [writer.into_bytes(), vec![0]].concat();
        let mut reader = BitReader::new(&bytes);
        let first = reference_set(&mut reader, &[], false).unwrap();
        assert_eq!(first, set(&[(-1, true), (-3, false), (2, true)]));
        let second = reference_set(&mut reader, &[first], false).unwrap();
        assert_eq!(second, set(&[(-1, true), (-2, true), (1, false)]));
    }

    #[test]
    fn lists_without_an_end_are_refused() {
        let mut writer = BitWriter::default();
        writer.unsigned(17);
        writer.unsigned(0);
        assert_eq!(reference_set(&mut BitReader::new(&writer.into_bytes()), &[], false), Err(TOO_LONG));
    }
}
