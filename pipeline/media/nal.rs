//! H.264 streams as libx264 writes them (annex B: NAL units behind start codes) and as MP4 files have them.
//!
//! libx264 opens each stream with a message that names its own settings, among them the number of threads. It tells a
//! player nothing and makes equal videos differ in their bytes, so it is taken out, and read once to learn which x264
//! is linked.

const NAL_SEI: u8 = 6;
const NAL_SEQUENCE_PARAMETERS: u8 = 7;
const NAL_PICTURE_PARAMETERS: u8 = 8;
const SEI_USER_DATA_UNREGISTERED: u8 = 5;
/// Stands between two zero bytes and a third byte of 0 to 3.
const ESCAPE: u8 = 3;
/// NAL types 1 to 5 carry the picture.
const LAST_PICTURE_NAL: u8 = 5;

/// Start and end of one NAL unit in the stream, start code included, and the offset of its first byte.
struct NalUnit {
    start: usize,
    header: usize,
    end: usize,
}

/// The packet without leading user-data messages; `None` when it has none, so that it can be used as it is.
pub(crate) fn without_user_data(packet: &[u8]) -> Option<Vec<u8>> {
    let messages = leading_user_data(packet);
    let (first, last) = (messages.first()?.start, messages.last()?.end);
    let mut kept = packet[..first].to_vec();
    // Other units may stand between the messages.
    for pair in messages.windows(2) {
        kept.extend_from_slice(&packet[pair[0].end..pair[1].start]);
    }
    kept.extend_from_slice(&packet[last..]);
    Some(kept)
}

/// The text of the first user-data message, e.g. `x264 - core 164 ...`.
pub(crate) fn user_data_text(packet: &[u8]) -> Option<String> {
    let messages = leading_user_data(packet);
    let message = messages.first()?;
    // NAL header, payload type, payload size (in steps of 255), identifier of 16 bytes, text.
    let size_bytes = 1 + packet[message.header + 2..message.end].iter().take_while(|&&byte| byte == 255).count();
    let text = packet.get(message.header + 2 + size_bytes + 16..message.end)?;
    Some(String::from_utf8_lossy(text.split(|&byte| byte == 0).next()?).into_owned())
}

/// A packet as an MP4 file has it: units behind their lengths, parameter sets apart. User data is left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LengthPrefixed {
    /// Units behind lengths of four bytes.
    pub(crate) data: Vec<u8>,
    /// Sequence and picture parameter sets, in order.
    pub(crate) parameter_sets: Vec<Vec<u8>>,
}

/// A byte stream of libx264 as MP4 files have it.
pub(crate) fn length_prefixed(packet: &[u8]) -> LengthPrefixed {
    let mut result = LengthPrefixed { data: Vec::with_capacity(packet.len() + 16), parameter_sets: Vec::new() };
    for unit in units_behind_start_codes(packet) {
        match unit.first().map(|byte| byte & 31) {
            None | Some(NAL_SEI) => {}
            Some(NAL_SEQUENCE_PARAMETERS | NAL_PICTURE_PARAMETERS) => result.parameter_sets.push(unit.to_vec()),
            Some(_) => {
                result.data.extend((unit.len() as u32).to_be_bytes());
                result.data.extend(unit);
            }
        }
    }
    result
}

/// The units of a packet of an MP4 file, without their lengths of four bytes; null when the lengths do not add up.
pub(crate) fn units(packet: &[u8]) -> Option<Vec<&[u8]>> {
    units_behind_lengths(packet, 4)
}

/// As [`units`], with lengths of one to four bytes.
pub(crate) fn units_behind_lengths(packet: &[u8], length_bytes: usize) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut rest = packet;
    while !rest.is_empty() {
        let (length, behind) = rest.split_at_checked(length_bytes)?;
        let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let (unit, behind) = behind.split_at_checked(length)?;
        found.push(unit);
        rest = behind;
    }
    Some(found)
}

/// The units of a byte stream.
pub(crate) fn units_behind_start_codes(packet: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut next = start_code(packet, 0);
    while let Some((_, header)) = next {
        next = start_code(packet, header);
        found.push(&packet[header..next.map_or(packet.len(), |(start, _)| start)]);
    }
    found
}

/// Units behind lengths of four bytes.
pub(crate) fn with_lengths<'a>(units: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut packet = Vec::new();
    for unit in units {
        packet.extend((unit.len() as u32).to_be_bytes());
        packet.extend(unit);
    }
    packet
}

/// The first bytes of a unit without the escapes that keep start codes out of it (ITU-T H.264, 7.4.1), and what follows with
/// its escapes. The first part has so many bytes at least, and ends with a byte that is not zero where the unit goes on:
/// what follows is then the same whatever comes before.
pub(crate) fn unescaped(unit: &[u8], least: usize) -> (Vec<u8>, &[u8]) {
    let mut raw = Vec::with_capacity(least.min(unit.len()));
    let mut zeros = 0;
    for (position, &byte) in unit.iter().enumerate() {
        if zeros >= 2 && byte == ESCAPE {
            zeros = 0;
            continue;
        }
        raw.push(byte);
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        if zeros == 0 && raw.len() >= least {
            return (raw, &unit[position + 1..]);
        }
    }
    (raw, &[])
}

/// A unit of two parts as [`unescaped`] gives them.
pub(crate) fn escaped(raw: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut unit = Vec::with_capacity(raw.len() + rest.len() + 16);
    let mut zeros = 0;
    for &byte in raw {
        if zeros >= 2 && byte <= ESCAPE {
            unit.push(ESCAPE);
            zeros = 0;
        }
        unit.push(byte);
        zeros = if byte == 0 { zeros + 1 } else { 0 };
    }
    if zeros > 0 {
        unit.push(ESCAPE);
    }
    unit.extend(rest);
    unit
}

fn leading_user_data(packet: &[u8]) -> Vec<NalUnit> {
    let mut found = Vec::new();
    let mut next = start_code(packet, 0);
    while let Some((start, header)) = next {
        let kind = packet.get(header).map_or(0, |byte| byte & 31);
        if (1..=LAST_PICTURE_NAL).contains(&kind) {
            break;
        }
        next = start_code(packet, header);
        let end = next.map_or(packet.len(), |(start, _)| start);
        if kind == NAL_SEI && packet.get(header + 1) == Some(&SEI_USER_DATA_UNREGISTERED) {
            found.push(NalUnit { start, header, end });
        }
    }
    found
}

/// First start code (3 or 4 bytes) at or after `from`: its offset and the offset after it.
fn start_code(packet: &[u8], from: usize) -> Option<(usize, usize)> {
    let position = from + packet.get(from..)?.windows(3).position(|window| window == [0, 0, 1])?;
    let start = if position > from && packet[position - 1] == 0 { position - 1 } else { position };
    Some((start, position + 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPS: [u8; 6] = [0, 0, 0, 1, 0x67, 0x64];
    const SLICE: [u8; 8] = [0, 0, 1, 0x65, 0x88, 0x06, 0x05, 0x00];
    const OTHER_SEI: [u8; 6] = [0, 0, 1, 0x06, 0x06, 0x01];

    fn message(text: &str) -> Vec<u8> {
        let mut unit = vec![0, 0, 0, 1, 0x06, 0x05, 16 + text.len() as u8];
        unit.extend([0xAB; 16]);
        unit.extend(text.bytes());
        unit.push(0x80);
        unit
    }

    #[test]
    fn only_user_data_goes() {
        let packet = [&SPS[..], &message("x264 - core 1"), &OTHER_SEI, &message("more"), &SLICE].concat();
        let kept = [&SPS[..], &OTHER_SEI, &SLICE].concat();
        assert_eq!(without_user_data(&packet), Some(kept.clone()));
        assert_eq!(without_user_data(&kept), None);
        assert_eq!(without_user_data(&SLICE), None, "what looks like a message inside a picture stays");
    }

    #[test]
    fn lengths_take_the_place_of_start_codes() {
        // A unit never ends with a zero byte.
        let picture = [0, 0, 1, 0x65, 0x88, 0x06, 0x80];
        let packet = [&SPS[..], &[0, 0, 1, 0x68, 0xEE], &message("x264 - core 1"), &picture, &picture].concat();
        let slice = [&[0, 0, 0, 4][..], &picture[3..]].concat();
        let expected = LengthPrefixed {
            data: [&slice[..], &slice[..]].concat(),
            parameter_sets: vec![vec![0x67, 0x64], vec![0x68, 0xEE]],
        };
        assert_eq!(length_prefixed(&packet), expected);
        assert!(length_prefixed(&[]).data.is_empty());
    }

    #[test]
    fn units_are_found_by_their_lengths() {
        let packet = [0, 0, 0, 1, 0x09, 0, 0, 0, 3, 0x65, 0, 7];
        assert_eq!(units(&packet), Some(vec![&[0x09][..], &[0x65, 0, 7]]));
        assert_eq!(with_lengths([&[0x09][..], &[0x65, 0, 7]]), packet);
        assert!((1..packet.len()).filter(|&length| length != 5).all(|length| units(&packet[..length]).is_none()));
    }

    #[test]
    fn escapes_stand_where_the_standard_wants_them() {
        let cases: [(&[u8], &[u8]); 6] = [
            (&[0x65, 0, 0, 1], &[0x65, 0, 0, 3, 1]),
            (&[0x65, 0, 0, 3, 3], &[0x65, 0, 0, 3, 3, 3]),
            (&[0x65, 0, 0, 4], &[0x65, 0, 0, 4]),
            (&[0x65, 0, 0, 0, 0, 0, 1], &[0x65, 0, 0, 3, 0, 0, 3, 0, 1]),
            (&[0x65, 0x80, 0, 0, 0, 0], &[0x65, 0x80, 0, 0, 3, 0, 0, 3]),
            (&[0x65, 0, 3, 0, 1], &[0x65, 0, 3, 0, 1]),
        ];
        for (raw, unit) in cases {
            assert_eq!(escaped(raw, &[]), unit);
            assert_eq!(unescaped(unit, usize::MAX), (raw.to_vec(), &[][..]));
        }
        // A first part goes on to a byte that is not zero, and takes the escape before it along.
        assert_eq!(unescaped(&[0x65, 0, 0, 3, 1, 0, 0, 3, 2], 2), (vec![0x65, 0, 0, 1], &[0, 0, 3, 2][..]));
    }

    proptest! {
        #[test]
        fn what_is_escaped_in_two_parts_is_whole(
            data in prop::collection::vec(0..5_u8, 0..60),
            zero_words in 0..3_usize,
            least in 0..70_usize,
        ) {
            // A slice ends with a one bit, and then at most with pairs of zero bytes.
            let bytes = [&data[..], &[0x80], &vec![0; 2 * zero_words]].concat();
            let unit = escaped(&bytes, &[]);
            prop_assert!(!unit.windows(3).any(|window| window[..2] == [0, 0] && window[2] < 3));
            let (raw, rest) = unescaped(&unit, least);
            prop_assert!(raw.len() >= least.min(bytes.len()) && bytes.starts_with(&raw));
            prop_assert_eq!(escaped(&raw, rest), unit);
        }
    }

    #[test]
    fn the_text_is_read() {
        assert!(user_data_text(&message("x264 - core 1")).is_some_and(|text| text.starts_with("x264 - core 1")));
        assert_eq!(user_data_text(&SLICE), None);
    }
}
