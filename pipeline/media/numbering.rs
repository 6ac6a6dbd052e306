//! Pictures of an H.264 stream, numbered as they follow each other, whatever streams their packets come from.
//!
//! Keyframes in a row need different numbers (`idr_pic_id`), and the frames behind a keyframe are counted from it
//! (`frame_num`; ITU-T H.264, 7.4.3). Here keyframes are 0, 1, 0, 1, … as libx264 numbers them, so that a stream does not
//! tell where it was joined. The coded pictures stay as they are, bit by bit.

use crate::bits::{BitWriter, Fault};
use crate::nal;
use crate::slice_header::{KeyframeHeader, SliceHeader, SliceSyntax};
use std::borrow::Cow;

const NAL_SLICE: u8 = 1;
const NAL_KEYFRAME_SLICE: u8 = 5;
/// Messages, delimiters and filler, in which no picture is numbered.
const OTHER_UNITS: [u8; 3] = [6, 9, 12];
/// Bytes that any header ends within.
const MAX_HEADER_BYTES: usize = 128;

/// Numbers of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    idr_pic_id: u32,
    frame_num: u32,
}

/// Numbers the pictures of one stream.
#[derive(Debug)]
pub(crate) struct Numbering {
    syntax: SliceSyntax,
    /// Numbers of the last picture; null before the first one.
    last: Option<Numbers>,
}

impl Numbering {
    pub(crate) fn new(syntax: SliceSyntax) -> Self {
        Self { syntax, last: None }
    }

    /// The packet of the next picture (units behind lengths of four bytes) with its numbers; null when it has them already.
    pub(crate) fn renumbered(&mut self, packet: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let units = nal::units(packet).ok_or("a packet has units of wrong lengths")?;
        let kinds = units.iter().map(|unit| unit.first().map_or(0, |header| header & 31));
        let mut slices = kinds.filter(|kind| !OTHER_UNITS.contains(kind));
        let first = slices.next().ok_or("a packet has no picture")?;
        if slices.any(|kind| kind != first) {
            return Err("a packet has units of several kinds");
        }
        let numbers = self.next(first)?;
        self.last = Some(numbers);
        let renumbered = |unit| self.syntax.renumbered(unit, numbers);
        let renumbered: Vec<Cow<[u8]>> = units.into_iter().map(renumbered).collect::<Result<_, _>>()?;
        let is_new = renumbered.iter().any(|unit| matches!(unit, Cow::Owned(_)));
        Ok(is_new.then(|| nal::with_lengths(renumbered.iter().map(|unit| &**unit))))
    }

    fn next(&self, kind: u8) -> Result<Numbers, Fault> {
        match (kind, self.last) {
            (NAL_KEYFRAME_SLICE, last) => {
                Ok(Numbers { idr_pic_id: last.map_or(0, |last| 1 - last.idr_pic_id), frame_num: 0 })
            }
            (NAL_SLICE, Some(last)) => Ok(Numbers { frame_num: last.frame_num.wrapping_add(1), ..last }),
            (NAL_SLICE, None) => Err("it does not begin with a keyframe"),
            _ => Err("a packet has units of an unknown kind"),
        }
    }
}

impl SliceSyntax {
    /// A unit with other numbers; borrowed when it has them already, or none.
    fn renumbered<'a>(&self, unit: &'a [u8], numbers: Numbers) -> Result<Cow<'a, [u8]>, Fault> {
        if unit.first().is_some_and(|header| OTHER_UNITS.contains(&(header & 31))) {
            return Ok(Cow::Borrowed(unit));
        }
        let (start, rest) = nal::unescaped(unit, MAX_HEADER_BYTES);
        // Frames that are no reference are not counted.
        if start[0] >> 5 & 3 == 0 {
            return Err("a frame is no reference of others");
        }
        let SliceHeader { frame_num, keyframe } = self.header(&start)?;
        let frame_num_due = numbers.frame_num & ((1 << self.frame_num_bits) - 1);
        let changed = match keyframe {
            Some(keyframe) if keyframe.idr_pic_id.value == numbers.idr_pic_id => return Ok(Cow::Borrowed(unit)),
            Some(keyframe) if self.has_cabac => nal::escaped(&keyframe.beside_bytes(&start, numbers.idr_pic_id)?, rest),
            Some(keyframe) => {
                let (whole, _) = nal::unescaped(unit, usize::MAX);
                nal::escaped(&keyframe.beside_bits(&whole, numbers.idr_pic_id)?, &[])
            }
            None if frame_num.value == frame_num_due => return Ok(Cow::Borrowed(unit)),
            None => {
                let mut writer = BitWriter::default();
                writer.copy(&start, 0..frame_num.place.start);
                writer.bits(frame_num_due, self.frame_num_bits);
                writer.copy(&start, frame_num.place.end..8 * start.len());
                nal::escaped(&writer.into_bytes(), rest)
            }
        };
        Ok(Cow::Owned(changed))
    }
}

impl KeyframeHeader {
    /// The start of a unit with another number, where CABAC keeps the data behind the header in whole bytes (7.3.4: ones
    /// fill the header up).
    fn beside_bytes(&self, start: &[u8], idr_pic_id: u32) -> Result<Vec<u8>, Fault> {
        let data = self.end.next_multiple_of(8);
        let is_one = |bit: usize| start[bit / 8] >> (7 - bit % 8) & 1 == 1;
        if !(self.end..data).all(is_one) {
            return Err("the header of a keyframe has an unknown end");
        }
        let mut writer = self.with_number(start, idr_pic_id, self.end);
        writer.align(true);
        writer.copy(start, data..8 * start.len());
        Ok(writer.into_bytes())
    }

    /// A unit with another number, where the data follow the header bit by bit: all of them move, up to the one that ends
    /// the unit.
    fn beside_bits(&self, unit: &[u8], idr_pic_id: u32) -> Result<Vec<u8>, Fault> {
        let last = unit.last().filter(|&&byte| byte != 0).ok_or("a slice has an unknown end")?;
        let end = 8 * unit.len() - last.trailing_zeros() as usize;
        Ok(self.with_number(unit, idr_pic_id, end).into_bytes())
    }

    fn with_number(&self, unit: &[u8], idr_pic_id: u32, end: usize) -> BitWriter {
        let mut writer = BitWriter::default();
        writer.copy(unit, 0..self.idr_pic_id.place.start);
        writer.unsigned(idr_pic_id);
        writer.copy(unit, self.idr_pic_id.place.end..end);
        writer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A unit of a header and bits, which zeros fill up; what stands between the bits is for the eye.
    fn bytes(header: &[u8], text: &str) -> Vec<u8> {
        let mut bits: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').map(|byte| byte - b'0').collect();
        bits.resize(bits.len().next_multiple_of(8), 0);
        let packed = bits.chunks(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit));
        header.iter().copied().chain(packed).collect()
    }

    /// Written by hand from 7.3.2.1.1 and 7.3.2.2: 4 bits of `frame_num`, order of type 2, one reference, 320x240.
    fn syntax(has_cabac: bool) -> SliceSyntax {
        let sequence = bytes(&[0x67, 66, 0, 13], "1 1 011 010 0 000010100 0001111 1 1 0 0 1");
        let picture = format!("1 1 {} 0 1 1 1 0 00 1 1 1 1 0 0 1", u8::from(has_cabac));
        let syntax = SliceSyntax::of(&[sequence, bytes(&[0x68], &picture)]).unwrap();
        assert_eq!((syntax.reference_frames, syntax.frame_num_bits, syntax.has_cabac), (1, 4, has_cabac));
        syntax
    }

    fn packet(units: &[&[u8]]) -> Vec<u8> {
        nal::with_lengths(units.iter().copied())
    }

    /// First macroblock 0, kind 7, parameters 0, `frame_num` 0, the number, what becomes of others, quantizer -1, filter 0 with
    /// offsets 0 and 0.
    fn keyframe(number: &str, data: &str) -> Vec<u8> {
        bytes(&[0x65], &format!("1 0001000 1 0000 {number} 00 011 1 1 1 {data}"))
    }

    #[test]
    fn whole_bytes_of_data_stay_where_they_are() {
        let mut numbering = Numbering::new(syntax(true));
        // The header has 22 bits with the number 0, and 24 with the number 1: ones fill it up.
        let data = "00000000 00000000 00000001 10101010";
        let (zero, one) = (keyframe("1", &format!("11 {data}")), keyframe("010", data));
        let (zero, one) = (nal::escaped(&zero, &[]), nal::escaped(&one, &[]));
        let (zero, one) = (packet(&[&zero]), packet(&[&one]));
        assert_eq!(numbering.renumbered(&zero), Ok(None));
        assert_eq!(numbering.renumbered(&zero), Ok(Some(one.clone())));
        assert_eq!(numbering.renumbered(&one), Ok(Some(zero)));
        assert_eq!(numbering.renumbered(&one), Ok(None));
        let unfilled = packet(&[&keyframe("1", "01 10101010")]);
        _ = numbering.renumbered(&one);
        assert_eq!(numbering.renumbered(&unfilled), Err("the header of a keyframe has an unknown end"));
    }

    #[test]
    fn bits_of_data_move_in_every_slice() {
        let mut numbering = Numbering::new(syntax(false));
        // Two slices behind a delimiter; the last one bit ends a slice.
        let zero = [keyframe("1", "010101 1 000"), keyframe("1", "0101 0101 10")];
        let one = [keyframe("010", "010101 1 0"), keyframe("010", "0101 0101")];
        let one = [one[0].clone(), [&one[1][..], &[0b1000_0000]].concat()];
        let [zero, one] = [zero, one].map(|slices| packet(&[&[0x09, 0x10], &slices[0], &slices[1]]));
        assert_eq!(numbering.renumbered(&zero), Ok(None));
        assert_eq!(numbering.renumbered(&zero), Ok(Some(one.clone())));
        assert_eq!(numbering.renumbered(&one), Ok(Some(zero)));
    }

    #[test]
    fn frames_are_counted_from_the_keyframe() {
        let mut numbering = Numbering::new(syntax(true));
        let frame = |number: &str| {
            let unit = bytes(&[0x41], &format!("1 00110 1 {number} 11111 00000000 00000000 00000001"));
            packet(&[&nal::escaped(&unit, &[])])
        };
        assert_eq!(numbering.renumbered(&frame("0001")), Err("it does not begin with a keyframe"));
        assert_eq!(numbering.renumbered(&packet(&[&keyframe("1", "11 10000000")])), Ok(None));
        assert_eq!(numbering.renumbered(&frame("0001")), Ok(None));
        assert_eq!(numbering.renumbered(&frame("0101")), Ok(Some(frame("0010"))));
        for _ in 3..16 {
            numbering.renumbered(&frame("0000")).unwrap();
        }
        assert_eq!(numbering.renumbered(&frame("0000")), Ok(None), "they go on at 0");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let refused = |units: &[&[u8]]| Numbering::new(syntax(true)).renumbered(&packet(units)).unwrap_err();
        let good = keyframe("1", "11 10000000");
        assert_eq!(refused(&[]), "a packet has no picture");
        assert_eq!(refused(&[&[0x67, 1, 2, 3]]), "a packet has units of an unknown kind");
        assert_eq!(refused(&[&good, &[0x41, 0x9A]]), "a packet has units of several kinds");
        assert_eq!(refused(&[&good[..2]]), "a header of its stream is cut off");
        assert_eq!(refused(&[&[&[0x05], &good[1..]].concat()]), "a frame is no reference of others");
        let other_parameters = bytes(&[0x65], "1 0001000 010 0000 1 00 011 1 1 1 10000000 0000000");
        assert_eq!(refused(&[&other_parameters]), "a slice has unknown parameter sets");
        let predicted = bytes(&[0x65], "1 00110 1 0000 1 00 011 1 1 1 1111 10000000 0");
        assert_eq!(refused(&[&predicted]), "a keyframe is predicted from other frames or counted");
        assert!(Numbering::new(syntax(true)).renumbered(&[0, 0, 0, 9, 0x65]).is_err());
    }

    #[test]
    fn other_parameter_sets_are_refused() {
        let picture = bytes(&[0x68], "1 1 1 0 1 1 1 0 00 1 1 1 1 0 0 1");
        let refused =
            |sequence: &str| SliceSyntax::of(&[bytes(&[0x67, 66, 0, 13], sequence), picture.clone()]).unwrap_err();
        let order = refused("1 1 1 00110 010 0 000010100 0001111 1 1 0 0 1");
        assert_eq!(order, "its frames may be shown in another order than they are decoded in");
        assert_eq!(refused("1 1 011 010 0 000010100 0001111 0 1 1 0 0 1"), "its frames may be interlaced");
        assert_eq!(refused("1 1 011 010"), "a header of its stream is cut off");
        assert_eq!(SliceSyntax::of(&[picture]).unwrap_err(), "its stream has several parameter sets");
    }

    proptest! {
        #[test]
        fn any_data_come_back_and_nothing_but_the_number_changes(
            data in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), any::<u8>()], 0..400),
            quantizer in 0..100_u32,
            has_cabac: bool,
        ) {
            let syntax = syntax(has_cabac);
            let mut writer = BitWriter::default();
            writer.copy(&[0x65, 0b1000_1000, 0b1000_0100], 0..22);
            writer.bits(0, 2);
            writer.unsigned(quantizer);
            writer.bits(0b111, 3);
            if has_cabac {
                writer.align(true);
            }
            writer.copy(&data, 0..8 * data.len());
            writer.bits(1, 1);
            let zero = nal::escaped(&writer.into_bytes(), &[]);
            let numbers = |idr_pic_id| Numbers { idr_pic_id, frame_num: 0 };
            let one = syntax.renumbered(&zero, numbers(1)).unwrap().into_owned();
            prop_assert_eq!(&*syntax.renumbered(&one, numbers(0)).unwrap(), &zero[..]);
            prop_assert!(matches!(syntax.renumbered(&one, numbers(1)), Ok(Cow::Borrowed(_))));
            let [before, after] = [&zero, &one].map(|unit| syntax.header(&nal::unescaped(unit, usize::MAX).0).unwrap());
            prop_assert_eq!(before.frame_num, after.frame_num);
            let [before, after] = [before.keyframe, after.keyframe].map(Option::unwrap);
            prop_assert_eq!((before.idr_pic_id.value, after.idr_pic_id.value, after.end), (0, 1, before.end + 2));
            prop_assert!(!one.windows(3).any(|window| window[..2] == [0, 0] && window[2] < 3));
        }
    }
}
