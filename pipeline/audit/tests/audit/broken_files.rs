//! Files, manifest, card and videos.

use crate::release::{Tables, VIDEO, audit_with, codes, expect, picture, warnings};
use std::fs;
use std::process::Command;
use uavgen_audit::{AuditOptions, audit};
use uavgen_media::{EncodeSettings, Rgb, RgbImage, encode_jpeg};

const FRAMES: &str = "data/frames/train-00000-of-00001.parquet";
const QUESTIONS: &str = "data/qa/val-00000-of-00001.parquet";

#[test]
fn a_missing_file_is_told_once_and_what_it_hides_is_said() {
    let release = Tables::whole().write();
    fs::remove_file(release.path(FRAMES)).unwrap();
    let report = release.audit();
    assert_eq!(codes(&report), ["file_missing"]);
    assert!(report.not_checked.iter().any(|what| what.contains("frames")), "{:?}", report.not_checked);
}

#[test]
fn a_flipped_byte_is_found_wherever_it_is() {
    let release = Tables::whole().write();
    let path = release.path(QUESTIONS);
    let whole = fs::read(&path).unwrap();
    for position in (0..whole.len()).step_by(whole.len() / 16) {
        let mut content = whole.clone();
        content[position] ^= 1;
        fs::write(&path, content).unwrap();
        assert!(codes(&release.audit()).contains(&"file_digest"), "byte {position}");
    }
}

#[test]
fn a_cut_file_and_an_extra_file_are_found() {
    let release = Tables::whole().write();
    let content = fs::read(release.path(FRAMES)).unwrap();
    fs::write(release.path(FRAMES), &content[..content.len() / 2]).unwrap();
    fs::write(release.path("data/qa/train-old.parquet"), "x").unwrap();
    fs::write(release.path(".gitattributes"), "x").unwrap();
    let report = release.audit();
    assert_eq!(codes(&report), ["file_digest", "file_unlisted", "schema"]);
    assert_eq!(report.faults[1].first[0].file, "data/qa/train-old.parquet");
}

#[test]
fn a_file_of_another_table_is_found() {
    let release = Tables::whole().write();
    fs::copy(release.path("data/regions/train-00000-of-00001.parquet"), release.path(FRAMES)).unwrap();
    release.reseal(FRAMES);
    assert!(codes(&release.audit()).contains(&"schema"));
}

#[test]
fn counts_that_the_files_do_not_have_are_found() {
    let release = Tables::whole().write();
    release.edit_manifest(|manifest| manifest.configs[0].splits[0].row_count += 1);
    assert_eq!(codes(&release.audit()), ["row_count", "card_counts"]);
    let release = Tables::whole().write();
    release
        .edit_manifest(|manifest| manifest.files.iter_mut().flat_map(|f| &mut f.row_count).for_each(|rows| *rows -= 1));
    assert_eq!(codes(&release.audit()), ["row_count"]);
}

#[test]
fn a_decoded_size_of_nothing_is_found() {
    let release = Tables::whole().write();
    release.edit_manifest(|manifest| manifest.configs[0].splits[0].decoded_bytes = 0);
    assert_eq!(codes(&release.audit()), ["decoded_size", "card_counts"]);
}

#[test]
fn a_decoded_size_that_the_rows_do_not_have_is_found_in_every_table() {
    let tables = Tables::whole().write();
    let count = {
        let mut count = 0;
        tables.edit_manifest(|manifest| count = manifest.configs.len());
        count
    };
    for table in 0..count {
        for change in [|bytes: &mut i64| *bytes /= 2, |bytes: &mut i64| *bytes *= 2, |bytes: &mut i64| *bytes = -1] {
            let release = Tables::whole().write();
            release.edit_manifest(|manifest| change(&mut manifest.configs[table].splits[0].decoded_bytes));
            assert_eq!(codes(&release.audit()), ["decoded_size", "card_counts"], "table {table}");
        }
    }
}

#[test]
fn a_release_without_its_card_or_report_is_found() {
    for name in ["README.md", "report.html"] {
        let release = Tables::whole().write();
        fs::remove_file(release.path(name)).unwrap();
        assert_eq!(codes(&release.audit()), ["file_missing"], "{name}");
        release.edit_manifest(|manifest| manifest.files.retain(|file| file.path != name));
        assert_eq!(codes(&release.audit()), ["manifest"], "{name}");
    }
}

#[test]
fn what_is_no_plain_file_is_found_and_never_opened() {
    for name in [FRAMES, QUESTIONS, VIDEO, "README.md", "manifest.json"] {
        let release = Tables::whole().write();
        fs::remove_file(release.path(name)).unwrap();
        let made = Command::new("mkfifo").arg(release.path(name)).status().unwrap();
        assert!(made.success(), "mkfifo is part of every Unix");
        match audit(release.folder.path(), &AuditOptions::default()) {
            Ok(report) => assert_eq!(codes(&report), ["file_not_regular"], "{name}"),
            Err(error) => assert!(error.to_string().contains("no plain file") && name == "manifest.json", "{error}"),
        }
    }
    let release = Tables::whole().write();
    fs::remove_file(release.path(FRAMES)).unwrap();
    fs::create_dir(release.path(FRAMES)).unwrap();
    assert_eq!(codes(&release.audit()), ["file_not_regular"]);
}

#[test]
fn a_link_to_the_outside_is_a_warning() {
    let (release, outside) = (Tables::whole().write(), tempfile::tempdir().unwrap());
    let target = outside.path().join("blob");
    fs::rename(release.path(FRAMES), &target).unwrap();
    std::os::unix::fs::symlink(&target, release.path(FRAMES)).unwrap();
    let report = release.audit();
    assert_eq!((codes(&report), warnings(&report)), (vec![], vec!["file_linked"]));
}

#[test]
fn a_card_of_another_release_is_found() {
    let cases = [
        ("num_examples: ", "num_examples: 9"),
        ("dataset_size: ", "dataset_size: 9"),
        ("path:\n    - data/", "path:\n    - dat/"),
        ("config_name: qa", "config_name: other"),
        ("---\npretty", "pretty"),
        ("pretty_name: tiny", "pretty_name: other"),
        // A column of a box that is gone, one of another type, images as strings, and no columns at all.
        ("    - name: x1\n      dtype: float64\n", ""),
        ("- name: x1\n    dtype: float64", "- name: x1\n    dtype: string"),
        ("list: image", "list: string"),
        ("features:", "other:"),
    ];
    for (from, to) in cases {
        let release = Tables::whole().write();
        let card = fs::read_to_string(release.path("README.md")).unwrap();
        assert!(card.contains(from));
        fs::write(release.path("README.md"), card.replacen(from, to, 1)).unwrap();
        release.reseal("README.md");
        assert_eq!(codes(&release.audit()), ["card_counts"], "{from}");
    }
}

#[test]
fn a_manifest_that_contradicts_itself_is_found() {
    let release = Tables::whole().write();
    release.edit_manifest(|manifest| manifest.files[0].path = "../outside".into());
    assert!(codes(&release.audit()).contains(&"manifest"));
    let release = Tables::whole().write();
    let text = fs::read_to_string(release.path("manifest.json")).unwrap();
    fs::write(release.path("manifest.json"), text.replace("\"source\"", "\"list\"")).unwrap();
    assert_eq!(codes(&release.audit()), ["manifest_id"]);
}

#[test]
fn a_cut_video_is_found() {
    expect(&["video_undecodable"], |tables| {
        let length = tables.video.len();
        tables.video.truncate(length / 3);
    });
}

#[test]
fn a_video_that_its_row_does_not_describe_is_found() {
    expect(&["video_mismatch", "frame_map"], |tables| tables.videos[0].1.width += 2);
    expect(&["video_mismatch"], |tables| tables.videos[0].1.byte_count += 1);
    expect(&["video_mismatch"], |tables| tables.videos[0].1.source_fps = Some(30.0));
    expect(&["video_mismatch"], |tables| tables.videos[0].1.digest = "0".repeat(64));
    expect(&["video_mismatch"], |tables| tables.videos[0].1.gop_frames = 2);
    expect(&["video_mismatch", "frame_map"], |tables| tables.videos[0].1.frame_count = 4);
    expect(&["video_mismatch", "frame_map"], |tables| tables.videos[0].1.fps_num = 30);
    expect(&["dangling_reference"], |tables| {
        tables.videos.clear();
        tables.frame_map.clear();
    });
}

#[test]
fn a_video_of_other_pictures_is_found() {
    let film = |images: Vec<Vec<u8>>| move |tables: &mut Tables| tables.film(&images, &EncodeSettings::default());
    let changed = |change: fn(u32, u32) -> Rgb<u8>| {
        let image = encode_jpeg(&RgbImage::from_fn(64, 48, change), 90).unwrap();
        film(vec![image; 3])
    };
    let report = expect(&["video_picture"], film([3, 2, 1].map(picture).into()));
    let problem = &report.faults[0].first[0].problem;
    // A step of the pictures is 40 levels of blue, and grey is blue to 0.114: two steps are about 9 levels.
    assert!(
        problem.contains("by 8.7 levels of 255, frame 2 by 0.") && problem.contains("2 of the 3 frames"),
        "{problem}"
    );
    // Shifted by one: 4.6 levels from its own image, and nothing from the one before.
    let report = expect(&["video_picture"], film([1, 1, 2].map(picture).into()));
    assert!(report.faults[0].first[0].problem.contains("by 4.7 levels of 255, frame 2 by 0."), "{}", report.render());
    expect(&["video_picture"], changed(|_, _| Rgb([0; 3])));
    // Mirrored.
    expect(&["video_picture"], changed(|x, y| Rgb([(63 - x) as u8 * 3, y as u8 * 5, 80])));
}

#[test]
fn a_video_of_the_strongest_compression_shows_its_frames() {
    let settings = EncodeSettings { crf: 51, ..EncodeSettings::default() };
    let report = audit_with(|tables| tables.film(&[1, 2, 3].map(picture), &settings));
    assert!(report.passed, "{}", report.render());
}

#[test]
fn a_frame_map_that_does_not_fit_is_found() {
    expect(&["frame_map"], |tables| tables.frame_map[1].1.pts += 1);
    expect(&["frame_map"], |tables| tables.frame_map[1].1.source_number = 7);
    expect(&["frame_map"], |tables| tables.frame_map[1].1.file = "vid/a/0000001.jpg".into());
    expect(&["frame_map"], |tables| _ = tables.frame_map.pop());
    expect(&["video_picture", "frame_map"], |tables| {
        let swapped = tables.frame_map[0].1.frame_id.clone();
        tables.frame_map[0].1.frame_id = std::mem::replace(&mut tables.frame_map[1].1.frame_id, swapped);
        tables.frame_map[0].1.source_number = 2;
        tables.frame_map[1].1.source_number = 1;
    });
    // A frame of another recording, in another split.
    expect(&["frame_map"], |tables| {
        tables.frame_map[0].1.frame_id = "det/b".into();
        tables.frame_map[0].1.source_number = 0;
    });
}
