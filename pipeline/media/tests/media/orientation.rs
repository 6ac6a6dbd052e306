//! The eight EXIF orientations, against corner colours written down by hand.

use crate::support::{exif, jpeg, png, with_exif};
use image::codecs::png::PngEncoder;
use image::{ImageEncoder, Rgb, RgbImage};
use uavgen_media::{RgbImage as Image, decode_upright, deliver, probe};

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const WHITE: [u8; 3] = [255, 255, 255];

/// For each orientation the displayed corners (top left, top right, bottom left, bottom right) of a file that stores
/// red, green (above) and blue, white (below). The EXIF standard says where row 0 and column 0 of the stored image
/// stand in the displayed one, e.g. 6: row 0 is the right side, column 0 the top.
const DISPLAYED: [[[u8; 3]; 4]; 8] = [
    [RED, GREEN, BLUE, WHITE],
    [GREEN, RED, WHITE, BLUE],
    [WHITE, BLUE, GREEN, RED],
    [BLUE, WHITE, RED, GREEN],
    [RED, BLUE, GREEN, WHITE],
    [BLUE, RED, WHITE, GREEN],
    [WHITE, GREEN, BLUE, RED],
    [GREEN, WHITE, RED, BLUE],
];

/// 48 x 32 pixels in four quarters.
fn stored() -> RgbImage {
    RgbImage::from_fn(48, 32, |x, y| {
        Rgb(match (x < 24, y < 16) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => WHITE,
        })
    })
}

fn assert_corners(image: &Image, expected: [[u8; 3]; 4], context: &str) {
    let (right, bottom) = (image.width() - 1, image.height() - 1);
    for ((x, y), expected) in [(0, 0), (right, 0), (0, bottom), (right, bottom)].into_iter().zip(expected) {
        let found = image.get_pixel(x, y).0;
        let near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 40);
        assert!(near, "{context}: ({x}, {y}) is {found:?}, not {expected:?}");
    }
}

fn png_with_exif(orientation: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = PngEncoder::new(&mut bytes);
    encoder.set_exif_metadata(exif(orientation)).unwrap();
    encoder.write_image(stored().as_raw(), 48, 32, image::ExtendedColorType::Rgb8).unwrap();
    bytes
}

/// A TIFF structure with one directory: tag, type, count and the four bytes of the value of each entry.
fn tiff(big: bool, entries: &[(u16, u16, u32, [u8; 4])]) -> Vec<u8> {
    let short = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let long = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let mut bytes = if big { b"MM".to_vec() } else { b"II".to_vec() };
    bytes.extend([&short(42)[..], &long(8), &short(entries.len() as u16)].concat());
    for (tag, kind, count, value) in entries {
        bytes.extend([&short(*tag)[..], &short(*kind), &long(*count), value].concat());
    }
    [&bytes[..], &[0; 4]].concat()
}

const TAG: u16 = 0x0112;
const XMP: &str = "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:Description tiff:Orientation=\"6\"/></x:xmpmeta>";

/// A JPEG with APP1 segments before all else.
fn with_segments(segments: &[Vec<u8>]) -> Vec<u8> {
    let plain = jpeg(&stored(), 95);
    let segment = |payload: &Vec<u8>| [&[0xFF, 0xE1][..], &(payload.len() as u16 + 2).to_be_bytes(), payload].concat();
    [&plain[..2], &segments.iter().flat_map(segment).collect::<Vec<u8>>(), &plain[2..]].concat()
}

/// A PNG with a chunk behind its header; nobody checks the checksum of text.
fn with_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let plain = png(&image::DynamicImage::ImageRgb8(stored()));
    let chunk =
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &crc(&[&kind[..], data].concat()).to_be_bytes()].concat();
    [&plain[..33], &chunk, &plain[33..]].concat()
}

/// CRC-32 as PNG has it, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

#[test]
fn tags_are_found_wherever_viewers_find_them() {
    let exif = |tiff: Vec<u8>| [b"Exif\0\0".to_vec(), tiff].concat();
    let cases = [
        ("a long", with_segments(&[exif(tiff(false, &[(TAG, 4, 1, [6, 0, 0, 0])]))])),
        ("a long, big-endian", with_segments(&[exif(tiff(true, &[(TAG, 4, 1, [0, 0, 0, 6])]))])),
        ("a byte", with_segments(&[exif(tiff(false, &[(TAG, 1, 1, [6, 0, 0, 0])]))])),
        ("two shorts", with_segments(&[exif(tiff(false, &[(TAG, 3, 2, [6, 0, 1, 0])]))])),
        (
            "the last of two",
            with_segments(&[exif(tiff(false, &[(TAG, 3, 1, [3, 0, 0, 0]), (TAG, 3, 1, [6, 0, 0, 0])]))]),
        ),
        ("XMP alone", with_segments(&[XMP.into()])),
        (
            "XMP with EXIF that says nothing",
            with_segments(&[exif(tiff(false, &[(0x010F, 2, 4, *b"abc\0")])), XMP.into()]),
        ),
        (
            "EXIF before XMP",
            with_segments(&[XMP.replace('6', "3").into(), exif(tiff(true, &[(TAG, 3, 1, [0, 6, 0, 0])]))]),
        ),
        ("PNG text", with_chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0".as_slice(), XMP.as_bytes()].concat())),
        ("PNG profile", with_chunk(b"tEXt", &profile(&tiff(false, &[(TAG, 3, 1, [6, 0, 0, 0])])))),
    ];
    for (context, bytes) in cases {
        let info = probe(&bytes).unwrap();
        assert_eq!((info.exif_orientation, info.width, info.height), (6, 32, 48), "{context}");
        assert_corners(&decode_upright(&bytes).unwrap(), DISPLAYED[5], context);
        let delivered = deliver(&bytes).unwrap();
        assert!(!delivered.original && probe(&delivered.bytes).unwrap().exif_orientation == 1, "{context}");
        let holds_tag = |words: &[u8]| delivered.bytes.windows(words.len()).any(|window| window == words);
        assert!(!holds_tag(b"Orientation") && !holds_tag(b"Exif"), "{context}");
    }
}

/// A profile as ImageMagick writes it.
fn profile(tiff: &[u8]) -> Vec<u8> {
    let hex: String = [b"Exif\0\0", tiff].concat().iter().map(|byte| format!("{byte:02x}")).collect();
    let lines: Vec<&str> = hex.as_bytes().chunks(72).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("Raw profile type exif\0\nexif\n      {}\n{}\n", 6 + tiff.len(), lines.join("\n")).into_bytes()
}

#[test]
fn a_tag_that_is_no_orientation_turns_nothing() {
    let exif = |tiff: Vec<u8>| with_segments(&[[b"Exif\0\0".to_vec(), tiff].concat()]);
    let six = tiff(false, &[(TAG, 3, 1, [6, 0, 0, 0])]);
    let cut: Vec<Vec<u8>> = (0..six.len() - 6).map(|length| exif(six[..length].to_vec())).collect();
    let others =
        [tiff(false, &[(TAG, 3, 1, [9, 0, 0, 0])]), tiff(false, &[(TAG, 2, 4, *b"6\0\0\0")]), tiff(false, &[])];
    for bytes in cut.into_iter().chain(others.map(exif)) {
        assert_eq!(probe(&bytes).unwrap().exif_orientation, 1);
        assert!(deliver(&bytes).unwrap().original);
    }
}

#[test]
fn every_orientation_is_applied_to_size_and_pixels() {
    for (orientation, corners) in (1_u8..).zip(DISPLAYED) {
        let jpeg = with_exif(&jpeg(&stored(), 95), orientation.into());
        let png = png_with_exif(orientation.into());
        for (bytes, name) in [(jpeg, "jpeg"), (png, "png")] {
            let context = format!("{name} with orientation {orientation}");
            let info = probe(&bytes).unwrap();
            let size = if orientation >= 5 { (32, 48) } else { (48, 32) };
            assert_eq!((info.exif_orientation, info.width, info.height), (orientation, size.0, size.1), "{context}");
            assert_eq!((info.stored_width, info.stored_height), (48, 32), "{context}");
            let image = decode_upright(&bytes).unwrap();
            assert_eq!(image.dimensions(), size, "{context}");
            assert_corners(&image, corners, &context);

            let delivered = deliver(&bytes).unwrap();
            assert_eq!(delivered.original, orientation == 1, "{context}");
            let again = probe(&delivered.bytes).unwrap();
            assert_eq!((again.exif_orientation, again.width, again.height), (1, size.0, size.1), "{context}");
            assert_corners(&decode_upright(&delivered.bytes).unwrap(), corners, &context);
        }
    }
}

#[test]
fn senseless_orientations_count_as_upright() {
    for orientation in [0, 9, 700] {
        let bytes = with_exif(&jpeg(&stored(), 95), orientation);
        assert_eq!(probe(&bytes).unwrap().exif_orientation, 1, "{orientation}");
        assert!(deliver(&bytes).unwrap().original);
    }
    let no_exif = png(&image::DynamicImage::ImageRgb8(stored()));
    assert_eq!(probe(&no_exif).unwrap().exif_orientation, 1);
}
