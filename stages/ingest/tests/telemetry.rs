//! What drones write beside their videos, in every way that is known, whole and broken.

use super::harness::{Folder, ingest, shared, source};
use crate::ingest::sources::dji_srt::{Reading, SrtFault, Subtitles};
use proptest::prelude::*;
use uavgen_media::{EncodeSettings, FrameRate, Rgb, RgbImage};

/// The block at so many seconds.
fn at(text: &str, seconds: f64) -> Option<Reading> {
    Subtitles::parse(text.as_bytes()).unwrap().at((seconds * 1e6).round() as i64).map(|block| block.reading)
}

fn block(text: &str) -> String {
    format!("1\n00:00:00,000 --> 00:00:01,000\n{text}\n\n")
}

#[test]
fn every_family_is_read() {
    let barometer = block(
        "HOME(149.0251,-20.2532) 2017.8.5 14:11:51\nGPS(149.0251,-20.2533,16) BAROMETER:1.9\nISO:100 Shutter:60 EV: 0 Fnum:F2.8",
    );
    let expected = Reading {
        latitude_deg: Some(-20.2533),
        longitude_deg: Some(149.0251),
        relative_altitude_m: Some(1.9),
        iso: Some(100.0),
        shutter_s: Some(1.0 / 60.0),
        f_number: Some(2.8),
        ..Reading::default()
    };
    assert_eq!(at(&barometer, 0.0), Some(expected));
    let reversed = block("GPS(22.5431,113.9586,50.0M) BAROMETER:30.1");
    let expected = Reading {
        latitude_deg: Some(22.5431),
        longitude_deg: Some(113.9586),
        relative_altitude_m: Some(30.1),
        ..Reading::default()
    };
    assert_eq!(at(&reversed, 0.5), Some(expected));
    let line = block(
        "F/5.6, SS 400, ISO 100, EV 0, GPS (-58.851745, -34.237922, 15), HOME (-58.847509, -34.232707, -57.98m), D 698.70m, H 85.80m, H.S 0.00m/s, V.S 0.00m/s, F.PRY (2.7°, -7.0°, 110.1°), G.PRY (-24.4°, 0.0°, 110.4°)",
    );
    let expected = Reading {
        latitude_deg: Some(-34.237922),
        longitude_deg: Some(-58.851745),
        relative_altitude_m: Some(85.8),
        gimbal_pitch_deg: Some(-24.4),
        gimbal_roll_deg: Some(0.0),
        gimbal_yaw_deg: Some(110.4),
        iso: Some(100.0),
        shutter_s: Some(0.0025),
        f_number: Some(5.6),
        ..Reading::default()
    };
    assert_eq!(at(&line, 0.999), Some(expected));
    let brackets = block(
        "<font size=\"28\">FrameCnt: 1, DiffTime: 33ms\n2023-07-14 12:00:01.123\n[iso: 110] [shutter: 1/2000.0] [fnum: 1.7] [ev: 0] [focal_len: 24.00] [latitude: 41.4] [longtitude: 2.2] [rel_alt: 1.300 abs_alt: 82.300] [gb_yaw: -12.5 gb_pitch: -90.0 gb_roll: 0.1] </font>",
    );
    let expected = Reading {
        latitude_deg: Some(41.4),
        longitude_deg: Some(2.2),
        relative_altitude_m: Some(1.3),
        absolute_altitude_m: Some(82.3),
        gimbal_yaw_deg: Some(-12.5),
        gimbal_pitch_deg: Some(-90.0),
        gimbal_roll_deg: Some(0.1),
        focal_length_mm: Some(24.0),
        iso: Some(110.0),
        shutter_s: Some(1.0 / 2000.0),
        f_number: Some(1.7),
    };
    assert_eq!(at(&brackets, 0.2), Some(expected));
}

#[test]
fn what_cannot_be_trusted_is_null() {
    let reading = |text: &str| at(&block(text), 0.0).unwrap();
    let place = |text: &str| (reading(text).latitude_deg, reading(text).longitude_deg);
    assert_eq!(place("[latitude: 0.000000] [longitude: 0.000000] [iso: 100]"), (None, None), "before the first fix");
    assert_eq!(place("[latitude: 91.0] [longitude: 2.0] [iso: 100]"), (None, None));
    assert_eq!(place("[latitude: 41.0] [iso: 100]"), (None, None), "half a place");
    assert_eq!(place("GPS(n/a,n/a,0) ISO:100"), (None, None));
    let reading = reading("[fnum : 280] [focal_len : 240] [altitude: 117.0] [shutter : 1/0] [iso : 0]");
    assert_eq!((reading.f_number, reading.focal_length_mm), (Some(2.8), None));
    assert_eq!((reading.relative_altitude_m, reading.absolute_altitude_m), (None, None));
    assert_eq!((reading.shutter_s, reading.iso), (None, None));
}

#[test]
fn frames_are_found_by_time() {
    let text = "1\n00:00:00,000 --> 00:00:00,033\n[iso: 1]\n\n2\n00:00:00,033 --> 00:00:00,067\n[iso: 2]\n\n\
                3\n00:00:00,067 --> 00:00:00,100\n[iso: 3]\n\n9\n00:00:05.000 --> 00:00:06.000\n[iso: 9]\n";
    let iso = |seconds| at(text, seconds).map(|reading| reading.iso.unwrap());
    assert_eq!((iso(0.0), iso(1.0 / 29.97), iso(2.0 / 29.97)), (Some(1.0), Some(2.0), Some(3.0)));
    assert_eq!((iso(0.1), iso(4.9), iso(5.0), iso(5.9), iso(6.0)), (None, None, Some(9.0), Some(9.0), None));
    assert_eq!(at("1\n01:02:03,004 --> 01:02:04,000\n[iso: 1]\n", 3723.004).unwrap().iso, Some(1.0));
    let blocks = Subtitles::parse(text.as_bytes()).unwrap();
    assert_eq!(blocks.at(5_000_000).unwrap().number, 4, "places in the file, not what drones count");
}

#[test]
fn broken_files_and_blocks_are_named() {
    let fault = |bytes: &[u8]| Subtitles::parse(bytes).unwrap_err();
    assert_eq!(fault(b""), SrtFault::EmptyFile);
    assert_eq!(fault(b"\xEF\xBB\xBF\n"), SrtFault::EmptyFile);
    assert_eq!(fault(b"\xFF\xFE1\0"), SrtFault::NotUtf8);
    assert_eq!(
        fault(b"1\n2017.08.05 14:11:51\n[latitude : -20.2] [longtitude : 149.0] [iso : 100]\n"),
        SrtFault::NoTimecode
    );
    assert_eq!(fault(b"1\n00:00:01,000 --> 00:00:02,000\nHello, how are you?\n"), SrtFault::NoTelemetry);
    let text = "\u{feff}1\r\n00:00:01,000 --> 00:00:02,000\r\nISO:100\r\n\r\n2\r\n00:00:02,000 --> later\r\nISO:100\r\n\r\n\
                3\r\n00:00:00,500 --> 00:00:00,900\r\nISO:100\r\n\r\n4\r\n00:00:04,000 --> 00:00:05,000\r\nHOME(1.0,2.0)\r\n";
    let subtitles = Subtitles::parse(text.as_bytes()).unwrap();
    let bad: Vec<_> = subtitles.bad.iter().map(|bad| (bad.line, bad.fault.reason())).collect();
    assert_eq!(bad, [(6, "bad_timecode"), (10, "bad_timecode"), (14, "empty_block")]);
    assert_eq!((subtitles.block_count(), subtitles.at(1_200_000).is_some()), (4, true));
}

#[test]
fn frames_get_a_row_where_a_block_covers_them() {
    let folder = Folder::new();
    let film = folder.path().join("DJI_0001.mp4");
    let picture = uavgen_media::encode_jpeg(&RgbImage::from_pixel(64, 48, Rgb([90; 3])), 95).unwrap();
    let settings = EncodeSettings { fps: FrameRate::new(10, 1).unwrap(), ..EncodeSettings::default() };
    uavgen_media::encode_video((0..25).map(|_| Ok(&picture)), &settings, &film).unwrap();
    folder.write("DJI_0001.SRT", "1\n00:00:01,000 --> 00:00:02,000\n[iso: 100] [latitude: 1.5] [longitude: 2.5]\n");
    let written = ingest(source("video", folder.path()));
    let rows: Vec<&str> = written.telemetry.iter().map(|row| row.frame_id.as_str()).collect();
    assert_eq!(rows, (10..20).map(|number| format!("src/DJI_0001/{number}")).collect::<Vec<_>>());
    let row = &written.telemetry[3];
    assert_eq!((row.block, row.latitude_deg, row.longitude_deg, row.iso), (1, Some(1.5), Some(2.5), Some(100.0)));
    assert_eq!((row.recording_id.as_str(), written.note("frames_without_telemetry")), ("src/DJI_0001", 15));
    folder.write("dji_0001.srt", "");
    let written = ingest(source("video", folder.path()));
    let reason = "duplicate_telemetry_file";
    assert_eq!(written.reasons(), [("DJI_0001.SRT", reason), ("dji_0001.srt", reason)]);
    assert!(written.telemetry.is_empty() && written.frames.len() == 25);
    assert_eq!(written.counts.quarantined().values().sum::<u64>(), 0, "nothing of it stops a build");
}

#[test]
fn real_files_are_read() {
    let Some(data) = shared("real_files_are_read") else { return };
    let parse = |name: &str| Subtitles::parse(&std::fs::read(data.join("dji_srt/samples").join(name)).unwrap());
    let whole =
        [("air2s.srt", 17), ("mavic_air.SRT", 2), ("mavic_mini.SRT", 117), ("old_format.SRT", 468), ("p4_rtk.SRT", 55)];
    for (name, count) in whole {
        let subtitles = parse(name).unwrap();
        assert_eq!((subtitles.block_count(), subtitles.bad.len()), (count, 0), "{name}");
    }
    let air = parse("air2s.srt").unwrap().at(40_000).unwrap().reading;
    assert_eq!((air.latitude_deg, air.longitude_deg, air.f_number), (Some(41.424725), Some(2.234147), Some(2.8)));
    let mini = parse("mavic_mini.SRT").unwrap().at(6_500_000).unwrap().reading;
    assert_eq!((mini.latitude_deg, mini.relative_altitude_m), (Some(48.0771), Some(200.8)));
    let old = parse("old_format.SRT").unwrap();
    assert_eq!(old.at(900_000), None, "it starts at one second");
    assert_eq!(old.at(3_000_000).unwrap().reading.relative_altitude_m, Some(2.0));
    assert_eq!(parse("broken_empty.SRT"), Err(SrtFault::EmptyFile));
    assert_eq!(parse("mavic_2_style.SRT"), Err(SrtFault::NoTimecode));
    let broken = parse("broken_incomplete.SRT").unwrap();
    let bad: Vec<_> = broken.bad.iter().map(|bad| bad.fault.reason()).collect();
    assert_eq!((broken.block_count(), bad), (20, vec!["empty_block"]));
}

proptest! {
    #[test]
    fn no_text_makes_it_stumble(text in "[0-9:,. >\\-\\[\\]a-zA-Z/()\n]{0,400}") {
        drop(Subtitles::parse(text.as_bytes()));
    }
}

#[test]
fn a_number_that_was_cut_off_is_no_number() {
    let cut = |text: &str| at(&format!("1\n00:00:00,000 --> 00:00:01,000\n[iso : 100] {text}"), 0.0).unwrap();
    assert_eq!(cut("[latitude: 41.4] [longitude: 12").longitude_deg, None);
    assert_eq!(cut("GPS (-121.7458, 4").latitude_deg, None);
    assert_eq!(cut("H 2").relative_altitude_m, None);
    assert_eq!(cut("[rel_alt: 1.3 abs_alt: 82.3]").relative_altitude_m, Some(1.3));
    assert_eq!(cut("[rel_alt: 1.3 abs_alt: 82.3]\n").absolute_altitude_m, Some(82.3));
}
