//! The headers of H.264 slices (ITU-T H.264, 7.3.3), as far as they hold numbers of pictures.
//!
//! What is not as libx264 writes it without B-frames is refused: a header that is misread would lead to a wrong stream.

use crate::avc_parameters::{Picture, PictureOrder, Sequence};
use crate::bits::{BitReader, Fault};
use std::ops::Range;

/// The kind of slice that is predicted from no other picture, without the five that says "all of the picture".
const INTRA: u32 = 2;
const NAL_KEYFRAME_SLICE: u32 = 5;

/// What the parameter sets of a stream say of its slice headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SliceSyntax {
    /// Number of frames before it that a frame may be predicted from.
    pub(crate) reference_frames: u32,
    /// Bits of `frame_num`.
    pub(crate) frame_num_bits: u32,
    /// Whether the data of a slice are coded with CABAC, and begin with a whole byte.
    pub(crate) has_cabac: bool,
    picture_parameters: u32,
    has_deblocking: bool,
    has_redundant_count: bool,
}

/// A number and the bits where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: u32,
    pub(crate) place: Range<usize>,
}

/// The numbers of a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SliceHeader {
    /// Counts frames from the keyframe.
    pub(crate) frame_num: Number,
    /// Null in slices of other frames than keyframes.
    pub(crate) keyframe: Option<KeyframeHeader>,
}

/// What slices of keyframes have besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyframeHeader {
    /// Tells keyframes in a row apart.
    pub(crate) idr_pic_id: Number,
    /// The bit behind the header.
    pub(crate) end: usize,
}

impl Number {
    fn read<'a>(
        reader: &mut BitReader<'a>,
        read: impl FnOnce(&mut BitReader<'a>) -> Result<u32, Fault>,
    ) -> Result<Self, Fault> {
        let start = reader.position();
        let value = read(reader)?;
        Ok(Self { value, place: start..reader.position() })
    }
}

impl SliceSyntax {
    /// Reads a sequence and a picture parameter set.
    pub(crate) fn of(parameter_sets: &[Vec<u8>]) -> Result<Self, Fault> {
        let [sequence, picture] = parameter_sets else {
            return Err("its stream has several parameter sets");
        };
        let (sequence, picture) = (Sequence::read(sequence)?, Picture::read(picture)?);
        if sequence.has_separate_planes {
            return Err("its stream has separate chroma");
        }
        if sequence.order != PictureOrder::Decoding {
            return Err("its frames may be shown in another order than they are decoded in");
        }
        if !sequence.has_only_frames {
            return Err("its frames may be interlaced");
        }
        if picture.sequence != sequence.id {
            return Err("its stream has unknown parameter sets");
        }
        Ok(Self {
            reference_frames: sequence.reference_frames,
            frame_num_bits: sequence.frame_num_bits,
            has_cabac: picture.has_cabac,
            picture_parameters: picture.id,
            has_deblocking: picture.has_deblocking,
            has_redundant_count: picture.has_redundant_count,
        })
    }

    /// Reads the header of a slice; `unit` has no escapes and may be cut off behind the header.
    pub(crate) fn header(&self, unit: &[u8]) -> Result<SliceHeader, Fault> {
        let mut reader = BitReader::new(unit);
        let is_keyframe = reader.bits(8)? & 31 == NAL_KEYFRAME_SLICE;
        // Where in the picture it begins.
        reader.unsigned()?;
        let kind = reader.unsigned()? % 5;
        if reader.unsigned()? != self.picture_parameters {
            return Err("a slice has unknown parameter sets");
        }
        let frame_num = Number::read(&mut reader, |reader| reader.bits(self.frame_num_bits))?;
        if !is_keyframe {
            return Ok(SliceHeader { frame_num, keyframe: None });
        }
        if kind != INTRA || frame_num.value != 0 {
            return Err("a keyframe is predicted from other frames or counted");
        }
        let idr_pic_id = Number::read(&mut reader, BitReader::unsigned)?;
        if self.has_redundant_count {
            reader.unsigned()?;
        }
        // What becomes of the frames before (7.3.3.3), and the quantizer.
        reader.bits(2)?;
        reader.skip_codes(1)?;
        if self.has_deblocking && reader.unsigned()? != 1 {
            reader.skip_codes(2)?;
        }
        Ok(SliceHeader { frame_num, keyframe: Some(KeyframeHeader { idr_pic_id, end: reader.position() }) })
    }
}
