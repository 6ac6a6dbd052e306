//! Every pixel layout, checked against written-down colours.

use crate::support::{BlockJpeg, jpeg, png, segment};
use image::{DynamicImage, ImageBuffer, Luma, LumaA, Rgb, RgbImage, Rgba};
use uavgen_media::{ImageFormat, PixelLayout, decode_upright, deliver, probe};

fn layout_of(bytes: &[u8]) -> PixelLayout {
    probe(bytes).unwrap().pixel_layout
}

fn pixels(bytes: &[u8]) -> Vec<[u8; 3]> {
    decode_upright(bytes).unwrap().pixels().map(|pixel| pixel.0).collect()
}

fn close(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

#[test]
fn png_layouts_give_the_written_pixels() {
    let rgba = ImageBuffer::from_vec(2, 1, vec![200, 100, 0, 255, 200, 100, 0, 128]).unwrap();
    let rgba = png(&DynamicImage::ImageRgba8(rgba));
    assert_eq!(layout_of(&rgba), PixelLayout::Rgba);
    assert_eq!(pixels(&rgba), [[200, 100, 0], [100, 50, 0]], "alpha lies on black");

    let grey_alpha = png(&DynamicImage::ImageLumaA8(ImageBuffer::from_pixel(1, 1, LumaA([90, 0]))));
    assert_eq!(layout_of(&grey_alpha), PixelLayout::GreyAlpha);
    assert_eq!(pixels(&grey_alpha), [[0, 0, 0]]);

    let grey = png(&DynamicImage::ImageLuma8(ImageBuffer::from_vec(2, 1, vec![7, 250]).unwrap()));
    assert_eq!(layout_of(&grey), PixelLayout::Grey);
    assert_eq!(pixels(&grey), [[7; 3], [250; 3]]);

    // 16 bits scale by 255/65535, so 257 is one step; they are not cut to their high byte.
    let deep: ImageBuffer<Luma<u16>, _> = ImageBuffer::from_vec(5, 1, vec![0_u16, 255, 257, 0x80FF, 0xFFFF]).unwrap();
    let deep = png(&DynamicImage::ImageLuma16(deep));
    assert_eq!(layout_of(&deep), PixelLayout::Grey16);
    assert_eq!(pixels(&deep), [[0; 3], [1; 3], [1; 3], [128; 3], [255; 3]]);

    let deep_rgb = png(&DynamicImage::ImageRgb16(ImageBuffer::from_pixel(1, 1, Rgb([0xFFFF, 0x0100, 514]))));
    assert_eq!(layout_of(&deep_rgb), PixelLayout::Rgb16);
    assert_eq!(pixels(&deep_rgb), [[255, 1, 2]]);

    let deep_rgba = png(&DynamicImage::ImageRgba16(ImageBuffer::from_pixel(1, 1, Rgba([0xFFFF, 0, 0xFFFF, 0x8000]))));
    assert_eq!(layout_of(&deep_rgba), PixelLayout::Rgba16);
    assert_eq!(pixels(&deep_rgba), [[128, 0, 128]]);

    let deep_grey_alpha = png(&DynamicImage::ImageLumaA16(ImageBuffer::from_pixel(1, 1, LumaA([0xFFFF, 0xFFFF]))));
    assert_eq!(layout_of(&deep_grey_alpha), PixelLayout::GreyAlpha16);
    assert_eq!(pixels(&deep_grey_alpha), [[255; 3]]);
}

/// PNG chunk with its checksum.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for &byte in kind.iter().chain(data) {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    [&(data.len() as u32).to_be_bytes()[..], kind, data, &(!crc).to_be_bytes()].concat()
}

/// A PNG of one row whose pixel data are the given bytes, with extra chunks before them.
fn hand_made_png(width: u32, bits: u8, color_type: u8, extra: &[Vec<u8>], row: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &[0, 0, 0, 1, bits, color_type, 0, 0, 0]].concat();
    let raw = [&[0], row].concat();
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in &raw {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let length = raw.len() as u16;
    let stored =
        [&[0x78, 0x01, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &raw, &(b << 16 | a).to_be_bytes()];
    let chunks = [chunk(b"IHDR", &header), extra.concat(), chunk(b"IDAT", &stored.concat()), chunk(b"IEND", &[])];
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat()].concat()
}

#[test]
fn palettes_and_declared_transparency_are_resolved() {
    let colors = chunk(b"PLTE", &[10, 20, 30, 200, 150, 100, 0, 0, 0, 255, 255, 255]);
    let palette = hand_made_png(4, 2, 3, std::slice::from_ref(&colors), &[0b11_01_00_10]);
    assert_eq!(layout_of(&palette), PixelLayout::Palette);
    assert_eq!(pixels(&palette), [[255; 3], [200, 150, 100], [10, 20, 30], [0; 3]]);

    let translucent = hand_made_png(4, 2, 3, &[colors, chunk(b"tRNS", &[255, 51])], &[0b11_01_00_10]);
    assert_eq!(pixels(&translucent), [[255; 3], [40, 30, 20], [10, 20, 30], [0; 3]]);

    let bilevel = hand_made_png(3, 1, 0, &[], &[0b1010_0000]);
    assert_eq!((layout_of(&bilevel), probe(&bilevel).unwrap().bits_per_sample), (PixelLayout::Grey, 1));
    assert_eq!(pixels(&bilevel), [[255; 3], [0; 3], [255; 3]]);
    assert!(!deliver(&bilevel).unwrap().original, "1 bit per sample is not the delivered form");

    let keyed = hand_made_png(2, 8, 2, &[chunk(b"tRNS", &[0, 9, 0, 9, 0, 9])], &[9, 9, 9, 1, 2, 3]);
    assert_eq!(layout_of(&keyed), PixelLayout::Rgba);
    assert_eq!(pixels(&keyed), [[0; 3], [1, 2, 3]]);
}

#[test]
fn jpeg_colour_codings_give_the_written_colours() {
    let grey = BlockJpeg { components: &[&[0, 77, 255, 128]], columns: 2, adobe: None, restart: None }.encode();
    assert_eq!(layout_of(&grey), PixelLayout::Grey);
    let image = decode_upright(&grey).unwrap();
    assert_eq!([(0, 0), (8, 0), (0, 8), (15, 15)].map(|(x, y)| image.get_pixel(x, y).0[0]), [0, 77, 255, 128]);

    // Y = 76, Cb = 85, Cr = 255 is pure red in JFIF.
    let ycbcr = BlockJpeg { components: &[&[76], &[85], &[255]], columns: 1, adobe: None, restart: None }.encode();
    assert_eq!(layout_of(&ycbcr), PixelLayout::Rgb);
    assert!(close(pixels(&ycbcr)[0], [254, 0, 0], 2), "{:?}", pixels(&ycbcr)[0]);

    let rgb = BlockJpeg { components: &[&[10], &[200], &[30]], columns: 1, adobe: Some(0), restart: None }.encode();
    assert_eq!(pixels(&rgb)[0], [10, 200, 30], "Adobe transform 0 with three components is RGB as stored");
}

#[test]
fn components_named_rgb_are_rgb() {
    let mut bytes = BlockJpeg { components: &[&[10], &[200], &[30]], columns: 1, adobe: None, restart: None }.encode();
    let frame = bytes.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    let scan = bytes.windows(2).position(|pair| pair == [0xFF, 0xDA]).unwrap();
    for (component, name) in b"RGB".iter().enumerate() {
        bytes[frame + 10 + 3 * component] = *name;
        bytes[scan + 5 + 2 * component] = *name;
    }
    assert_eq!(pixels(&bytes)[0], [10, 200, 30]);
}

#[test]
fn inks_become_light() {
    // Photoshop stores 255 - ink. Stored (55, 255, 255, 255) is 200 of cyan and no black: red drops to 55.
    let adobe = |transform, values: [u8; 4]| {
        let [c, m, y, k] = values.map(|value| [value]);
        BlockJpeg { components: &[&c, &m, &y, &k], columns: 1, adobe: transform, restart: None }.encode()
    };
    let cyan = adobe(Some(0), [55, 255, 255, 255]);
    assert_eq!(layout_of(&cyan), PixelLayout::Cmyk);
    assert!(close(pixels(&cyan)[0], [55, 255, 255], 1), "{:?}", pixels(&cyan)[0]);
    assert!(close(pixels(&adobe(Some(0), [255, 255, 255, 51]))[0], [51; 3], 1), "mostly black");

    // Without the Adobe segment the inks are stored as they are.
    let plain = adobe(None, [200, 0, 0, 0]);
    assert_eq!(layout_of(&plain), PixelLayout::Cmyk);
    assert_eq!(pixels(&plain)[0], [55, 255, 255]);
    assert_eq!(pixels(&adobe(None, [0, 0, 0, 204]))[0], [51; 3]);

    // YCCK: the YCbCr of the inks. Y = 200 is an ink of 200 in all three, so 55 of light remains.
    let ycck = adobe(Some(2), [200, 128, 128, 255]);
    assert_eq!(layout_of(&ycck), PixelLayout::Cmyk);
    assert!(close(pixels(&ycck)[0], [55; 3], 2), "{:?}", pixels(&ycck)[0]);
    assert!(close(pixels(&adobe(Some(2), [0, 128, 128, 128]))[0], [128; 3], 2));
}

#[test]
fn delivery_keeps_what_is_fit_and_encodes_the_rest() {
    let image = RgbImage::from_fn(40, 24, |x, y| Rgb([(x * 6) as u8, (y * 10) as u8, 60]));
    for original in [jpeg(&image, 90), png(&DynamicImage::ImageRgb8(image.clone()))] {
        let delivered = deliver(&original).unwrap();
        assert!(delivered.original);
        assert_eq!(delivered.bytes.as_ptr(), original.as_ptr(), "the original bytes are not even copied");
        assert_eq!((delivered.width, delivered.height), (40, 24));
    }
    let rgba = png(&DynamicImage::ImageRgba8(DynamicImage::ImageRgb8(image.clone()).into_rgba8()));
    let delivered = deliver(&rgba).unwrap();
    assert_eq!((delivered.original, delivered.format), (false, ImageFormat::Png));
    assert_eq!(layout_of(&delivered.bytes), PixelLayout::Rgb);
    assert_eq!(decode_upright(&delivered.bytes).unwrap(), image);
    assert_eq!(deliver(&rgba).unwrap(), delivered, "same bytes again");

    let deep_grey = png(&DynamicImage::ImageLuma16(ImageBuffer::from_pixel(3, 2, Luma([0x8080_u16]))));
    let delivered = deliver(&deep_grey).unwrap();
    assert_eq!((layout_of(&delivered.bytes), delivered.original), (PixelLayout::Grey, false));

    let cmyk = BlockJpeg { components: &[&[55], &[255], &[255], &[255]], columns: 1, adobe: Some(0), restart: None };
    let cmyk = cmyk.encode();
    let delivered = deliver(&cmyk).unwrap();
    assert_eq!((delivered.format, layout_of(&delivered.bytes)), (ImageFormat::Jpeg, PixelLayout::Rgb));
    assert!(close(pixels(&delivered.bytes)[0], [55, 255, 255], 3));
}

#[test]
fn formats_are_found_in_the_bytes_and_segments_may_repeat() {
    let image = jpeg(&RgbImage::from_pixel(9, 5, Rgb([1, 2, 3])), 90);
    let commented = [&image[..2], &segment(0xFE, b"a comment"), &[0xFF, 0xFF], &image[2..]].concat();
    let info = probe(&commented).unwrap();
    assert_eq!((info.format, info.width, info.height, info.bits_per_sample), (ImageFormat::Jpeg, 9, 5, 8));
    assert!(decode_upright(&commented).is_ok(), "comments and fill bytes are harmless");
}
