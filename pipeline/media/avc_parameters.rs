//! Parameter sets of H.264 (ITU-T H.264, 7.3.2), as far as slice headers depend on them.

use crate::bits::{BitReader, Fault};
use crate::nal;

/// Profiles whose sequence parameters tell of the format of chroma (7.3.2.1.1).
const CHROMA_PROFILES: [u32; 13] = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244];
/// The format of chroma of streams that do not tell: 4:2:0.
const USUAL_CHROMA: u32 = 1;
const FULL_CHROMA: u32 = 3;
const TOO_LONG: Fault = "a number in a header of its stream is too long";

/// How a stream tells the order in which its pictures are shown (8.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureOrder {
    /// By numbers of so many bits.
    Numbers(u32),
    /// By differences from a fixed pattern, that slices have or, where this is true, never have.
    Pattern(bool),
    /// It is the order of decoding.
    Decoding,
}

/// A sequence parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) id: u32,
    /// Whether pictures have chroma beside their luma, in the same slices.
    pub(crate) has_chroma: bool,
    /// Whether each of three planes has slices of its own.
    pub(crate) has_separate_planes: bool,
    pub(crate) order: PictureOrder,
    /// Bits of `frame_num`, 4 to 16.
    pub(crate) frame_num_bits: u32,
    /// Number of frames before it that a frame may be predicted from.
    pub(crate) reference_frames: u32,
    /// Whether frames may be left out on purpose.
    pub(crate) may_have_gaps: bool,
    /// Whether no picture is a field.
    pub(crate) has_only_frames: bool,
}

/// A picture parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) id: u32,
    /// Number of its sequence parameter set.
    pub(crate) sequence: u32,
    /// Whether the data of a slice are coded with CABAC, and begin with a whole byte.
    pub(crate) has_cabac: bool,
    /// Whether frames tell the order of their bottom fields.
    pub(crate) has_bottom_order: bool,
    /// References of the two lists, where a slice does not tell their number.
    pub(crate) references: [u32; 2],
    /// Whether slices of kind P have weights.
    pub(crate) has_weights: bool,
    /// Whether slices of kind B have weights.
    pub(crate) has_bipredictive_weights: bool,
    pub(crate) has_deblocking: bool,
    pub(crate) has_redundant_count: bool,
}

impl Sequence {
    /// Reads one from its unit (7.3.2.1.1).
    pub(crate) fn read(unit: &[u8]) -> Result<Self, Fault> {
        let bytes = nal::unescaped(unit, usize::MAX).0;
        let mut reader = BitReader::new(&bytes);
        reader.bits(8)?;
        let profile = reader.bits(8)?;
        reader.bits(16)?;
        let id = reader.unsigned()?;
        let (mut chroma, mut has_separate_planes) = (USUAL_CHROMA, false);
        if CHROMA_PROFILES.contains(&profile) {
            chroma = reader.unsigned()?;
            has_separate_planes = chroma == FULL_CHROMA && reader.flag()?;
            // Depths of luma and chroma, and whether there is a lossless mode.
            reader.skip_codes(2)?;
            reader.flag()?;
            if reader.flag()? {
                skip_scaling_lists(&mut reader, if chroma == FULL_CHROMA { 12 } else { 8 })?;
            }
        }
        let frame_num_bits = reader.unsigned()?.saturating_add(4);
        if frame_num_bits > 16 {
            return Err(TOO_LONG);
        }
        let order = picture_order(&mut reader)?;
        let reference_frames = reader.unsigned()?;
        let may_have_gaps = reader.flag()?;
        // The size.
        reader.skip_codes(2)?;
        let has_only_frames = reader.flag()?;
        let has_chroma = chroma != 0 && !has_separate_planes;
        Ok(Self {
            id,
            has_chroma,
            has_separate_planes,
            order,
            frame_num_bits,
            reference_frames,
            may_have_gaps,
            has_only_frames,
        })
    }
}

fn picture_order(reader: &mut BitReader<'_>) -> Result<PictureOrder, Fault> {
    match reader.unsigned()? {
        0 => match reader.unsigned()?.saturating_add(4) {
            bits @ ..=16 => Ok(PictureOrder::Numbers(bits)),
            _ => Err(TOO_LONG),
        },
        1 => {
            let never_differs = reader.flag()?;
            reader.skip_codes(2)?;
            let length = reader.unsigned()?;
            reader.skip_codes(length.min(255) as usize)?;
            Ok(PictureOrder::Pattern(never_differs))
        }
        _ => Ok(PictureOrder::Decoding),
    }
}

/// 7.3.2.1.1.1.
fn skip_scaling_lists(reader: &mut BitReader<'_>, count: usize) -> Result<(), Fault> {
    for list in 0..count {
        if !reader.flag()? {
            continue;
        }
        let (mut last, mut next) = (8, 8);
        for _ in 0..if list < 6 { 16 } else { 64 } {
            if next != 0 {
                next = (last + reader.signed()?).rem_euclid(256);
            }
            last = if next == 0 { last } else { next };
        }
    }
    Ok(())
}

impl Picture {
    /// Reads one from its unit (7.3.2.2).
    pub(crate) fn read(unit: &[u8]) -> Result<Self, Fault> {
        let bytes = nal::unescaped(unit, usize::MAX).0;
        let mut reader = BitReader::new(&bytes);
        reader.bits(8)?;
        let (id, sequence) = (reader.unsigned()?, reader.unsigned()?);
        let (has_cabac, has_bottom_order) = (reader.flag()?, reader.flag()?);
        if reader.unsigned()? != 0 {
            return Err("its stream has groups of slices");
        }
        let references = [reader.unsigned()?.saturating_add(1), reader.unsigned()?.saturating_add(1)];
        let (has_weights, bipredictive) = (reader.flag()?, reader.bits(2)?);
        // Quantizers.
        reader.skip_codes(3)?;
        let has_deblocking = reader.flag()?;
        // Concerns what intra prediction may use.
        reader.flag()?;
        Ok(Self {
            id,
            sequence,
            has_cabac,
            has_bottom_order,
            references,
            has_weights,
            // 2 stands for weights that follow from the order of pictures.
            has_bipredictive_weights: bipredictive == 1,
            has_deblocking,
            has_redundant_count: reader.flag()?,
        })
    }
}
