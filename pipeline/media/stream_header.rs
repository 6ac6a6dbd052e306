//! What MP4 and Matroska files tell of an H.264 or HEVC stream before its packets: parameter sets, and how units stand in
//! packets.

/// A decoder configuration record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamHeader<'a> {
    /// Bytes of the length before each unit of a packet.
    pub(crate) length_bytes: usize,
    /// The parameter sets, in order.
    pub(crate) units: Vec<&'a [u8]>,
}

impl<'a> StreamHeader<'a> {
    /// Of H.264 (ISO/IEC 14496-15, `AVCDecoderConfigurationRecord`); null when it is cut off.
    pub(crate) fn of_avc(record: &'a [u8]) -> Option<Self> {
        let (version, mut rest) = (record.first()?, record.get(5..)?);
        let mut units = Vec::new();
        for mask in [31, 255] {
            let (count, behind) = rest.split_first()?;
            rest = take_units(behind, usize::from(count & mask), &mut units)?;
        }
        (version == &1).then_some(Self { length_bytes: usize::from(record[4] & 3) + 1, units })
    }

    /// Of HEVC (ISO/IEC 14496-15, `HEVCDecoderConfigurationRecord`); null when it is cut off.
    pub(crate) fn of_hevc(record: &'a [u8]) -> Option<Self> {
        let (count, mut rest) = record.get(22..)?.split_first()?;
        let mut units = Vec::new();
        for _ in 0..*count {
            // The kind of the units that follow, and their number.
            let ([_, high, low], behind) = rest.split_first_chunk::<3>()?;
            rest = take_units(behind, usize::from(u16::from_be_bytes([*high, *low])), &mut units)?;
        }
        Some(Self { length_bytes: usize::from(record[21] & 3) + 1, units })
    }
}

/// Takes units behind lengths of two bytes; gives what follows.
fn take_units<'a>(mut rest: &'a [u8], count: usize, units: &mut Vec<&'a [u8]>) -> Option<&'a [u8]> {
    for _ in 0..count {
        let (length, behind) = rest.split_first_chunk::<2>()?;
        let (unit, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        units.push(unit);
        rest = behind;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_hevc_stand_in_arrays() {
        let arrays = [2, 0xA0, 0, 1, 0, 2, 0x40, 1, 0xA1, 0, 2, 0, 1, 0x42, 0, 2, 0x42, 1];
        let record = [&[0; 21][..], &[0xFF], &arrays].concat();
        let header = StreamHeader::of_hevc(&record).unwrap();
        assert_eq!((header.length_bytes, header.units), (4, vec![&[0x40, 1][..], &[0x42], &[0x42, 1]]));
        assert!((0..record.len()).all(|length| StreamHeader::of_hevc(&record[..length]).is_none()));
    }
}
