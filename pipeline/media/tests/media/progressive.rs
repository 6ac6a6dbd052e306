//! Progressive JPEGs: several scans over the same blocks, the later ones adding bits to the earlier ones.

use uavgen_media::{ImageFault, decode_upright, deliver, probe};

/// Written by libjpeg (quality 85, colour not subsampled, its usual ten scans): 24 x 16 pixels whose colour at (x, y)
/// is (10 x, 15 y, 255 - 10 x).
const PROGRESSIVE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043000503040404030504040405050506070c08070707070f0b0b090c110f12\
    12110f111113161c1713141a1511111821181a1d1d1f1f1f13172224221e241c1e1f1effdb0043010505050706070e08080e1e141114\
    1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1effc20011\
    080010001803011100021101031101ffc4001500010100000000000000000000000000000406ffc40016010101010000000000000000\
    0000000000060705ffda000c030100021003100000018da2e6b0a256154b42d61ac28956552fffc40016100003000000000000000000\
    0000000000000204ffda0008010100010502594594594594594594ffc4001511010100000000000000000000000000000400ffda0008\
    010301013f012ae2ae2ae2ae2ae2aeffc4001511010100000000000000000000000000000400ffda0008010201013f01626626626626\
    626626ffc4001510010100000000000000000000000000000031ffda0008010100063f02888888ffc400141001000000000000000000\
    00000000000020ffda0008010100013f21524927ffda000c03010002000300000010dea57fffc4001611000300000000000000000000\
    00000000002131ffda0008010301013f109b26c9b26c9b26cfffc400161100030000000000000000000000000000002131ffda000801\
    0201013f10a328ca328ca328cfffc4001610000300000000000000000000000000000031c1ffda0008010100013f10540a81502a0540\
    a83fffd9";

fn progressive() -> Vec<u8> {
    let digits: Vec<u8> = PROGRESSIVE.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks_exact(2).map(byte).collect()
}

/// Offsets of the start-of-scan markers.
fn scans(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len() - 1).filter(|&offset| bytes[offset..offset + 2] == [0xFF, 0xDA]).collect()
}

#[test]
fn all_scans_are_used() {
    let bytes = progressive();
    assert!(scans(&bytes).len() >= 6, "the sample has refining scans");
    let info = probe(&bytes).unwrap();
    assert_eq!((info.width, info.height, info.pixel_layout.as_str()), (24, 16, "rgb"));
    for (x, y, pixel) in decode_upright(&bytes).unwrap().enumerate_pixels() {
        let expected = [x * 10, y * 15, 255 - x * 10];
        let near = pixel.0.iter().zip(expected).all(|(&found, expected)| u32::from(found).abs_diff(expected) <= 12);
        assert!(near, "({x}, {y}): {pixel:?} for {expected:?}");
    }
    assert!(deliver(&bytes).unwrap().original);
}

#[test]
fn a_cut_within_any_scan_is_found() {
    let bytes = progressive();
    let starts = scans(&bytes);
    for (number, &start) in starts.iter().enumerate() {
        // The header of a scan takes at least 8 bytes; one byte of data remains.
        let header = 4 + usize::from(bytes[start + 3]) - 2;
        let cut = [&bytes[..start + header], &[0xFF, 0xD9]].concat();
        let fault = decode_upright(&cut).unwrap_err();
        assert!(matches!(fault.reason(), "truncated" | "undecodable"), "scan {number}: {fault}");
    }
}

#[test]
fn a_missing_first_scan_is_found() {
    let bytes = progressive();
    let starts = scans(&bytes);
    let without = [&bytes[..starts[0]], &bytes[starts[1]..]].concat();
    assert!(matches!(decode_upright(&without), Err(ImageFault::Truncated { .. } | ImageFault::Undecodable { .. })));
}
