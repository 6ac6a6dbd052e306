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
