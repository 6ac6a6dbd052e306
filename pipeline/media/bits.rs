//! Bit strings of H.264 headers (ITU-T H.264, 7.2 and 9.1): fixed lengths and Exp-Golomb codes.

use std::ops::Range;

/// What is wrong with a stream, in words that follow its name.
pub(crate) type Fault = &'static str;

const CUT_OFF: Fault = "a header of its stream is cut off";

/// Reads bits from the first one on. It is an error when they end.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Number of bits that were read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// `u(n)`, n at most 32.
    pub(crate) fn bits(&mut self, count: u32) -> Result<u32, Fault> {
        let mut value = 0_u64;
        for _ in 0..count {
            let byte = self.bytes.get(self.position / 8).ok_or(CUT_OFF)?;
            value = value << 1 | u64::from(byte >> (7 - self.position % 8) & 1);
            self.position += 1;
        }
        Ok(value as u32)
    }

    /// `u(1)`.
    pub(crate) fn flag(&mut self) -> Result<bool, Fault> {
        self.bits(1).map(|bit| bit == 1)
    }

    /// `ue(v)`, below 2^32 - 1.
    pub(crate) fn unsigned(&mut self) -> Result<u32, Fault> {
        let mut zeros = 0;
        while !self.flag()? {
            zeros += 1;
            if zeros == 32 {
                return Err("a number in a header of its stream is too long");
            }
        }
        Ok((1 << zeros) - 1 + self.bits(zeros)?)
    }

    /// `se(v)`.
    pub(crate) fn signed(&mut self) -> Result<i64, Fault> {
        let code = i64::from(self.unsigned()?);
        Ok(if code % 2 == 0 { -code / 2 } else { (code + 1) / 2 })
    }

    /// Passes over so many of `ue(v)` and `se(v)`, which are equally long.
    pub(crate) fn skip_codes(&mut self, count: usize) -> Result<(), Fault> {
        (0..count).try_for_each(|_| self.unsigned().map(|_| ()))
    }
}

/// Puts bits behind each other.
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken, 1 to 8; 0 before the first one.
    taken: u32,
}

impl BitWriter {
    /// `u(n)`, n at most 32.
    pub(crate) fn bits(&mut self, value: u32, count: u32) {
        let mut left = count;
        while left > 0 {
            if self.taken.is_multiple_of(8) {
                self.bytes.push(0);
                self.taken = 0;
            }
            let step = left.min(8 - self.taken);
            left -= step;
            self.taken += step;
            let chunk = (value >> left & ((1 << step) - 1)) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= chunk << (8 - self.taken);
            }
        }
    }

    /// `ue(v)`, below 2^32 - 1.
    pub(crate) fn unsigned(&mut self, value: u32) {
        let length = 32 - (value + 1).leading_zeros();
        self.bits(0, length - 1);
        self.bits(value + 1, length);
    }

    /// Some of the bits of `bytes`, which must have so many.
    pub(crate) fn copy(&mut self, bytes: &[u8], range: Range<usize>) {
        let mut position = range.start;
        while position < range.end {
            let offset = position % 8;
            let count = (range.end - position).min(8 - offset);
            self.bits(u32::from(bytes[position / 8]) >> (8 - offset - count), count as u32);
            position += count;
        }
    }

    /// Fills the last byte up.
    pub(crate) fn align(&mut self, bit: bool) {
        let free = (8 - self.taken % 8) % 8;
        self.bits(if bit { u32::MAX } else { 0 }, free);
    }

    /// The bytes, the last one filled up with zeros.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        // Table 9-2: 1, 010, 011, 00100, 00111, 0001000.
        let codes = [(0, "1"), (1, "010"), (2, "011"), (3, "00100"), (6, "00111"), (7, "0001000")];
        let text: String = codes.iter().map(|(_, code)| *code).collect();
        let expected: Vec<u8> = format!("{text:0<24}")
            .as_bytes()
            .chunks(8)
            .map(|byte| byte.iter().fold(0, |value, &bit| value << 1 | (bit - b'0')))
            .collect();
        let mut writer = BitWriter::default();
        codes.iter().for_each(|&(value, _)| writer.unsigned(value));
        assert_eq!(writer.into_bytes(), expected);
        let mut reader = BitReader::new(&expected);
        codes.iter().for_each(|&(value, _)| assert_eq!(reader.unsigned(), Ok(value)));
        assert_eq!(reader.position(), text.len());
        // Table 9-3.
        let mut reader = BitReader::new(&expected);
        let signed: Vec<_> = codes.iter().map(|_| reader.signed()).collect();
        assert_eq!(signed, [Ok(0), Ok(1), Ok(-1), Ok(2), Ok(-3), Ok(4)]);
        let mut reader = BitReader::new(&expected);
        reader.skip_codes(codes.len() - 1).unwrap();
        assert_eq!(reader.unsigned(), Ok(7));
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_nothing() {
        assert!(BitReader::new(&[0b0001_0000]).bits(9).is_err());
        assert_eq!(BitReader::new(&[0b0001_0000]).unsigned(), Ok(7));
        assert!(BitReader::new(&[0b0000_1000]).unsigned().is_err());
        assert!(BitReader::new(&[0; 9]).unsigned().is_err());
        assert!(BitReader::new(&[]).flag().is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(values in prop::collection::vec((0..u32::MAX - 1, 1..=32_u32), 1..50)) {
            let mut writer = BitWriter::default();
            for &(value, count) in &values {
                writer.bits(value, count);
                writer.unsigned(value);
            }
            writer.align(true);
            let bytes = writer.into_bytes();
            let mut reader = BitReader::new(&bytes);
            for &(value, count) in &values {
                prop_assert_eq!(reader.bits(count), Ok((u64::from(value) & ((1 << count) - 1)) as u32));
                prop_assert_eq!(reader.unsigned(), Ok(value));
            }
        }

        #[test]
        fn bits_are_copied_from_anywhere(bytes in prop::collection::vec(any::<u8>(), 1..20), cuts in any::<[prop::sample::Index; 2]>()) {
            let mut ends = cuts.map(|cut| cut.index(8 * bytes.len() + 1));
            ends.sort_unstable();
            let mut writer = BitWriter::default();
            [0..ends[0], ends[0]..ends[1], ends[1]..8 * bytes.len()].into_iter().for_each(|range| writer.copy(&bytes, range));
            prop_assert_eq!(writer.into_bytes(), bytes);
        }
    }
}
