//! Broken files: each fault with its reason, and no damage that passes as a picture.

use crate::support::{BlockJpeg, jpeg, numbered_frame, png, segment};
use image::{DynamicImage, RgbImage};
use proptest::prelude::*;
use uavgen_media::{ImageFault, decode_upright, deliver, probe, probe_ends};

fn reasons(bytes: &[u8]) -> (Option<&'static str>, Option<&'static str>) {
    (probe(bytes).err().map(|fault| fault.reason()), decode_upright(bytes).err().map(|fault| fault.reason()))
}

fn sample_jpeg() -> Vec<u8> {
    jpeg(&numbered_frame(320, 240, 5), 90)
}

fn sample_png() -> Vec<u8> {
    png(&DynamicImage::ImageRgb8(numbered_frame(320, 240, 5)))
}

/// Offset of the first entropy-coded byte.
fn scan_start(jpeg: &[u8]) -> usize {
    jpeg.windows(2).position(|pair| pair == [0xFF, 0xDA]).unwrap() + 14
}

#[test]
fn what_is_no_image_is_named() {
    assert_eq!(probe(b""), Err(ImageFault::EmptyFile));
    assert_eq!(probe(b"").unwrap_err().reason(), "empty_file");
    let cases: &[(&[u8], &str)] = &[
        (b"<!DOCTYPE html><html><title>404", "HTML"),
        (b"GIF89a\x01\0\x01\0", "GIF"),
        (b"RIFF\0\0\0\0WEBPVP8L", "WebP"),
        (b"MM\0*\0\0\0\x08", "TIFF"),
        (b"\0\0\0\x20ftypisom", "MP4 or QuickTime video"),
        (b"PK\x03\x04", "ZIP archive"),
        (b"frame,x,y\n", "plain text"),
    ];
    for (bytes, expected) in cases {
        let fault = probe(bytes).unwrap_err();
        assert_eq!(fault, ImageFault::NotAnImage { looks_like: expected });
        assert_eq!(fault.reason(), "not_an_image");
        assert!(fault.to_string().contains(expected), "{fault}");
    }
}

#[test]
fn every_cut_is_found_by_the_header_check() {
    for (bytes, name) in [(sample_jpeg(), "jpeg"), (sample_png(), "png")] {
        assert_eq!(reasons(&bytes), (None, None), "{name}");
        let cuts = (1..64).chain((64..bytes.len() - 1).step_by(97)).chain([bytes.len() - 1]);
        for cut in cuts {
            assert_eq!(reasons(&bytes[..cut]), (Some("truncated"), Some("truncated")), "{name} cut at {cut}");
        }
    }
}

#[test]
fn the_ends_of_a_file_tell_what_the_whole_file_does() {
    let ends = |bytes: &[u8], length: usize| {
        probe_ends(&bytes[..bytes.len().min(length)], &bytes[bytes.len().saturating_sub(length)..])
    };
    let whole = sample_jpeg();
    let padded = [whole.as_slice(), &[0; 700]].concat();
    for bytes in
        [&whole[..], &padded, &whole[..whole.len() - 1], &whole[..300], &whole[..1], &sample_png(), b"", b"GIF89a"]
    {
        for length in [16, 64, 800, 1 << 20] {
            if let Some(verdict) = ends(bytes, length) {
                assert_eq!(verdict, probe(bytes), "{} bytes, looking at {length}", bytes.len());
            }
        }
    }
    assert!(ends(&whole, 800).is_some(), "the usual file is judged without reading it");
    assert_eq!(ends(&padded, 600), None, "padding hides the end");
    assert_eq!(ends(&sample_png(), 1 << 20), None);
}

#[test]
fn a_cut_scan_with_an_end_marker_is_still_truncated() {
    let bytes = sample_jpeg();
    let start = scan_start(&bytes);
    for share in [1, 10, 50, 90, 99] {
        let mut cut = bytes[..start + (bytes.len() - start) * share / 100].to_vec();
        if cut.last() == Some(&0xFF) {
            cut.pop();
        }
        cut.extend([0xFF, 0xD9]);
        assert_eq!(reasons(&cut), (None, Some("truncated")), "{share} %");
        assert_eq!(deliver(&cut).unwrap_err().reason(), "truncated", "{share} %");
    }
}

#[test]
fn a_zeroed_or_overwritten_middle_is_found() {
    let bytes = sample_jpeg();
    let middle = (scan_start(&bytes) + bytes.len()) / 2;
    for fill in [0x00, 0x55, 0xAA] {
        let mut damaged = bytes.clone();
        damaged[middle..middle + 600].fill(fill);
        let (header, pixels) = reasons(&damaged);
        assert_eq!(header, None);
        assert!(matches!(pixels, Some("undecodable" | "truncated")), "{fill:02X}: {pixels:?}");
    }
    let mut png = sample_png();
    let middle = png.len() / 2;
    png[middle] ^= 1;
    assert_eq!(reasons(&png), (None, Some("undecodable")), "a PNG has checksums");
}

/// Pseudo-random bytes, the same on every run.
fn noise(mut state: u32, length: usize) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// How many of the altered files are refused, in percent.
fn found_percent(files: impl Iterator<Item = Vec<u8>>) -> usize {
    let found: Vec<bool> = files.map(|bytes| decode_upright(&bytes).is_err()).collect();
    found.iter().filter(|&&found| found).count() * 100 / found.len()
}

#[test]
fn overwritten_blocks_are_found() {
    let bytes = sample_jpeg();
    let offsets = (scan_start(&bytes)..bytes.len() - 600).step_by(151);
    let overwritten = |length: usize| {
        let bytes = &bytes;
        offsets.clone().map(move |offset| {
            let mut damaged = bytes.clone();
            damaged[offset..offset + length].copy_from_slice(&noise(offset as u32, length));
            damaged
        })
    };
    assert_eq!(found_percent(overwritten(512)), 100, "a lost disk sector");
    assert!(found_percent(overwritten(16)) >= 80, "{} %", found_percent(overwritten(16)));
}

#[test]
fn lost_bytes_are_found() {
    let bytes = sample_jpeg();
    let offsets = (scan_start(&bytes)..bytes.len() - 600).step_by(151);
    let shortened = offsets.map(|offset| [&bytes[..offset], &bytes[offset + 512..]].concat());
    assert_eq!(found_percent(shortened), 100);
}

#[test]
fn single_bit_flips_are_found_only_in_part() {
    let bytes = sample_jpeg();
    let offsets = (scan_start(&bytes)..bytes.len() - 2).step_by(13);
    let percent = found_percent(offsets.map(|offset| {
        let mut damaged = bytes.clone();
        damaged[offset] ^= 1 << (offset % 8);
        damaged
    }));
    // A flipped bit of a coefficient's value gives another valid image: no decoder can tell.
    assert!((20..90).contains(&percent), "{percent} %");
}

#[test]
fn restart_markers_are_checked() {
    let values: Vec<u8> = (0..24).map(|n| n * 10).collect();
    let bytes = BlockJpeg { components: &[&values], columns: 6, adobe: None, restart: Some(6) }.encode();
    assert_eq!(reasons(&bytes), (None, None));
    let first = bytes.windows(2).position(|pair| pair == [0xFF, 0xD0]).unwrap();
    let second = bytes.windows(2).position(|pair| pair == [0xFF, 0xD1]).unwrap();
    let lost_interval = [&bytes[..first], &bytes[second..]].concat();
    assert_eq!(reasons(&lost_interval), (None, Some("undecodable")));
}

#[test]
fn bytes_after_the_end_are_tolerated() {
    let bytes = sample_jpeg();
    let preview = jpeg(&RgbImage::new(8, 8), 50);
    for tail in [vec![0; 3], vec![0; 4096], b"\r\n".to_vec(), b"maker block \xFF\x01".to_vec(), preview] {
        let padded = [bytes.clone(), tail].concat();
        assert_eq!(reasons(&padded), (None, None));
        assert_eq!(decode_upright(&padded), decode_upright(&bytes));
    }
    let png = [sample_png(), vec![0; 100]].concat();
    assert_eq!(reasons(&png), (None, None));
}

#[test]
fn headers_that_cannot_be_are_refused() {
    let block = BlockJpeg { components: &[&[128]], columns: 1, adobe: None, restart: None }.encode();
    let frame = block.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    let with = |offset: usize, value: u8| {
        let mut bytes = block.clone();
        bytes[frame + offset] = value;
        probe(&bytes).unwrap_err().reason()
    };
    assert_eq!(with(8, 0), "zero_size", "width 0");
    assert_eq!(with(6, 0), "zero_size", "height 0");
    assert_eq!(with(1, 0xC3), "undecodable", "lossless");
    assert_eq!(with(1, 0xC9), "undecodable", "arithmetic coding");
    assert_eq!(with(4, 12), "undecodable", "12 bits");
    assert_eq!(with(9, 2), "bad_header", "two components announced, one described");
    let mut huge = block.clone();
    huge[frame + 5..frame + 9].fill(0xFF);
    assert_eq!(probe(&huge).unwrap_err().reason(), "too_large");
    // Pillow's own limit, above which it warns, is 89 478 485 pixels.
    for (height, width, taken) in [(9459_u16, 9459_u16, true), (9460, 9460, false), (13_400, 13_400, false)] {
        let sides = [height.to_be_bytes(), width.to_be_bytes()].concat();
        huge[frame + 5..frame + 9].copy_from_slice(&sides);
        assert_eq!(probe(&huge).is_ok(), taken, "{width} x {height}");
    }
    assert!(probe(&huge).unwrap_err().to_string().contains("the most that Pillow loads"));
    let no_frame = [&[0xFF, 0xD8][..], &segment(0xDA, &[1, 1, 0, 0, 63, 0]), &[0xFF, 0xD9]].concat();
    assert_eq!(probe(&no_frame).unwrap_err().reason(), "bad_header");
    let garbage = [&[0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2][..], b"no marker here"].concat();
    assert_eq!(probe(&garbage).unwrap_err().reason(), "bad_header");

    let png = sample_png();
    let mut zero = png.clone();
    zero[16..20].fill(0);
    assert_eq!(probe(&zero).unwrap_err().reason(), "zero_size");
    let mut huge = png.clone();
    huge[16..24].fill(0x7F);
    assert_eq!(probe(&huge).unwrap_err().reason(), "too_large");
    let mut depth = png.clone();
    depth[24] = 3;
    assert_eq!(probe(&depth).unwrap_err().reason(), "bad_header");
    let mut first = png;
    first[12..16].copy_from_slice(b"gAMA");
    assert_eq!(probe(&first).unwrap_err().reason(), "bad_header");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever happens to the bytes, the answer is a picture of the stated size or a fault.
    #[test]
    fn altered_bytes_never_panic(
        is_png in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let image = numbered_frame(192, 96, 3);
        let mut bytes = if is_png { png(&DynamicImage::ImageRgb8(image)) } else { jpeg(&image, 80) };
        for (position, value) in edits {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        // A damaged header may state a huge size; decoding that is slow, not wrong.
        if let Ok(info) = probe(&bytes)
            && u64::from(info.width) * u64::from(info.height) < 4_000_000
            && let Ok(image) = decode_upright(&bytes)
        {
            prop_assert_eq!(image.dimensions(), (info.width, info.height));
        }
    }
}
