//! Broken, odd and missing files.

use super::harness::{Folder, Written, ingest, ingest_without, jpeg, source};
use std::collections::BTreeMap;
use uavgen_media::{Rgb, RgbImage};

fn vid(folder: &Folder) -> Written {
    ingest(source("visdrone-vid", folder.path()))
}

fn det(folder: &Folder) -> Written {
    ingest(source("visdrone-det", folder.path()))
}

#[test]
fn broken_images_are_quarantined_by_reason_and_the_rest_goes_on() {
    let whole = jpeg(100, 50);
    let cases: [(&[u8], &str); 4] = [
        (b"", "empty_file"),
        (b"GIF89a and so on", "not_an_image"),
        (&whole[..whole.len() - 2], "truncated"),
        (&whole[..40], "truncated"),
    ];
    for (content, reason) in cases {
        let folder = Folder::new();
        folder.sequence("sequences/a", 3).write("sequences/a/0000002.jpg", content);
        folder.write("annotations/a.txt", "1,1,0,0,5,5,1,4,0,0\n2,1,0,0,5,5,1,4,0,0\n3,1,0,0,5,5,1,4,0,0\n");
        let written = vid(&folder);
        assert_eq!(written.reasons(), [("sequences/a/0000002.jpg", reason)]);
        let images = &written.counts.inputs["image"];
        assert_eq!((images.read, &images.quarantined), (3, &BTreeMap::from([(reason.to_owned(), 1)])));
        let places: Vec<_> = written.frames.iter().map(|frame| (frame.index, frame.source_number)).collect();
        assert_eq!(places, [(0, 1), (1, 3)], "{reason}");
        assert_eq!((written.boxes.len(), written.recordings[0].frame_count), (2, 2));
        assert_eq!(written.recordings[0].annotated_without_image, 0, "the file is there, if broken");
    }
}

#[test]
fn a_cut_still_that_is_longer_than_what_is_looked_at_first_is_found() {
    let noise = RgbImage::from_fn(400, 300, |x, y| Rgb([(x * y % 251) as u8, (x * 7 + y * 13) as u8, (x ^ y) as u8]));
    let whole = uavgen_media::encode_jpeg(&noise, 95).unwrap();
    assert!(whole.len() > 40_000);
    let folder = Folder::new();
    folder.write("images/cut.jpg", &whole[..whole.len() - 1000]).write("images/whole.jpg", &whole);
    let padded = [whole.as_slice(), &[0; 20_000]].concat();
    folder.write("images/padded.jpg", padded);
    let written = det(&folder);
    assert_eq!(written.reasons(), [("images/cut.jpg", "truncated")]);
    assert_eq!(written.frames.len(), 2);
}

#[test]
fn an_image_is_what_its_bytes_say() {
    let folder = Folder::new();
    let picture = RgbImage::from_pixel(20, 10, Rgb([1, 2, 3]));
    folder.write("images/a.jpg", uavgen_media::encode_png(&picture).unwrap());
    folder.write("images/b.PNG", jpeg(20, 10)).write("images/c.JPEG", jpeg(20, 10));
    let written = det(&folder);
    let formats: Vec<_> = ["src/a", "src/b", "src/c"].map(|id| written.frame(id).format.as_str()).into();
    assert_eq!((formats, written.rejects.len()), (vec!["png", "jpeg", "jpeg"], 0));
}

#[test]
fn a_missing_annotation_file_is_unknown_and_an_empty_one_is_empty() {
    let folder = Folder::new();
    folder.sequence("sequences/missing", 2).sequence("sequences/empty", 2).write("annotations/empty.txt", "");
    let written = vid(&folder);
    let labelled = |name: &str| written.frame(&format!("src/{name}/1")).labelled;
    assert_eq!((labelled("missing"), labelled("empty")), (false, true));
    assert_eq!(written.note("sequences_without_annotation_file"), 1);
    assert!(written.rejects.is_empty());

    let folder = Folder::new();
    folder
        .write("images/missing.jpg", jpeg(9, 9))
        .write("images/empty.jpg", jpeg(9, 9))
        .write("annotations/empty.txt", "\r\n");
    let written = det(&folder);
    assert_eq!((written.frame("src/missing").labelled, written.frame("src/empty").labelled), (false, true));
}

#[test]
fn annotations_without_an_image_are_counted_and_are_no_rejects() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 2);
    folder.write(
        "annotations/a.txt",
        "1,1,0,0,5,5,1,4,0,0\n7,1,0,0,5,5,1,4,0,0\n7,2,0,0,5,5,1,4,0,0\n9,1,0,0,5,5,1,4,0,0\n",
    );
    let written = vid(&folder);
    assert_eq!((written.recordings[0].annotated_without_image, written.note("annotated_without_image")), (2, 2));
    assert_eq!((written.boxes.len(), written.rejects.len()), (1, 0));

    let folder = Folder::new();
    folder.write("images/a.jpg", jpeg(9, 9)).write("annotations/b.txt", "1,1,1,1,1,4,0,0\n");
    let written = det(&folder);
    assert_eq!((written.note("annotated_without_image"), written.rejects.len(), written.frames.len()), (1, 0, 1));
}

#[test]
fn gaps_and_a_late_start_are_fine() {
    let folder = Folder::new();
    for number in [12, 13, 20] {
        folder.write(&format!("sequences/a/{number:07}.jpg"), jpeg(100, 50));
    }
    folder.write("annotations/a.txt", "13,1,0,0,5,5,1,4,0,0\n20,1,0,0,5,5,1,4,0,0\n");
    let written = vid(&folder);
    let places: Vec<_> = written.frames.iter().map(|frame| (frame.index, frame.source_number)).collect();
    assert_eq!(places, [(0, 12), (1, 13), (2, 20)]);
    assert_eq!(written.boxes[1].frame_id, "src/a/20");
    assert_eq!((written.note("missing_frame_numbers"), written.tracks[0].gap_count), (6, 0));
}

#[test]
fn annotations_that_do_not_number_frames_as_the_images_do_are_not_used() {
    let row = |frame: u32| format!("{frame},1,0,0,5,5,1,4,0,0\n");
    let cases: [(&[u32], &[u32], &str); 10] = [
        (&[1, 2, 3], &[0, 1, 2], "frames_count_from_zero"),
        (&[1, 2, 3], &[0, 1], "frames_count_from_zero"),
        (&[1, 2, 3], &[0], "frames_count_from_zero"),
        (&[1, 2, 3], &[0, 1, 2, 3, 4, 5], "frames_count_from_zero"),
        // A single row astray is on a frame that nobody knows.
        (&[1, 2, 3], &[0, 1, 3], "frames_count_from_zero"),
        (&[0, 1, 2], &[1, 2, 3], "frames_count_from_one"),
        // The last frame is empty, or the last frames are.
        (&[0, 1, 2], &[1, 2], "frames_count_from_one"),
        (&[0, 1, 2, 3], &[1, 2], "frames_count_from_one"),
        (&[0, 1, 2], &[2], "frames_count_from_one"),
        (&[101, 102, 103], &[1, 2, 3], "frames_match_no_image"),
    ];
    for (images, rows, reason) in cases {
        let folder = Folder::new();
        for number in images {
            folder.write(&format!("sequences/a/{number:07}.jpg"), jpeg(100, 50));
        }
        folder.write("annotations/a.txt", rows.iter().map(|&frame| row(frame)).collect::<String>());
        let written = vid(&folder);
        assert_eq!(written.reasons(), [("annotations/a.txt", reason)], "{images:?} {rows:?}");
        assert!(written.boxes.is_empty() && written.frames.iter().all(|frame| !frame.labelled), "{images:?} {rows:?}");
        let numbers = format!("annotated frames are {} to {}, ", rows[0], rows[rows.len() - 1]);
        assert!(written.rejects[0].detail.starts_with(&numbers), "{}", written.rejects[0].detail);
    }
}

#[test]
fn bad_lines_are_listed_in_the_order_of_the_file() {
    let folder = Folder::new();
    let rows: String = (1..=12).map(|_| "1,2,3\n").collect();
    folder.sequence("sequences/a", 1).write("annotations/a.txt", rows);
    let written = vid(&folder);
    let lines: Vec<&str> = written.rejects.iter().map(|reject| reject.record_id.rsplit(':').next().unwrap()).collect();
    assert_eq!(lines, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]);
}

#[test]
fn an_image_of_frame_0_takes_the_rows_of_frame_0() {
    let folder = Folder::new();
    for number in 0..3 {
        folder.write(&format!("sequences/a/{number:07}.jpg"), jpeg(100, 50));
    }
    folder.write("annotations/a.txt", "0,1,0,0,5,5,1,4,0,0\n1,1,0,0,5,5,1,4,0,0\n");
    let written = vid(&folder);
    assert_eq!((written.boxes.len(), written.rejects.len()), (2, 0));
    assert!(written.frames.iter().all(|frame| frame.labelled));
    // Lines that cannot be used tell as well that frames are counted from 0.
    for first in ["0,1,0,0,five,5,1,4,0,0", "0,1,0,0,5,5,1,12,0,0"] {
        folder.write("annotations/a.txt", format!("{first}\n1,1,0,0,5,5,1,4,0,0\n"));
        let written = vid(&folder);
        assert_eq!((written.boxes.len(), written.rejects.len()), (1, 1), "{first}");
        assert_eq!(written.boxes[0].frame_id, "src/a/1", "{first}");
    }
}

#[test]
fn a_file_of_the_other_format_labels_nothing() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 2).write("annotations/a.txt", "1,2,3,4,1,4,0,0\n5,6,7,8,1,4,0,0\n");
    let written = vid(&folder);
    let reasons: Vec<&str> = written.rejects.iter().map(|reject| reject.reason.as_str()).collect();
    assert_eq!(reasons, ["short_row", "short_row"]);
    assert!(written.regions.is_empty() && written.frames.iter().all(|frame| !frame.labelled));
}

#[test]
fn frames_without_a_number_or_with_a_taken_one_are_named() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 2);
    for name in ["cover.jpg", "2.jpg", "0000002.png", "-1.jpg", "99999999999999999999.jpg"] {
        folder.write(&format!("sequences/a/{name}"), jpeg(100, 50));
    }
    let written = vid(&folder);
    let expected = [
        ("sequences/a/-1.jpg", "bad_frame_name"),
        ("sequences/a/0000002.png", "duplicate_frame_number"),
        ("sequences/a/2.jpg", "duplicate_frame_number"),
        ("sequences/a/99999999999999999999.jpg", "bad_frame_name"),
        ("sequences/a/cover.jpg", "bad_frame_name"),
    ];
    assert_eq!(written.reasons(), expected);
    assert_eq!(written.frames.len(), 2);
}

#[test]
fn stills_of_one_name_are_told_apart() {
    let folder = Folder::new();
    folder.write("images/a.JPG", jpeg(20, 10)).write("images/a.jpg", jpeg(30, 10)).write("images/A.jpg", jpeg(40, 10));
    folder.write("annotations/a.txt", "1,1,5,5,1,4,0,0\n");
    let written = det(&folder);
    assert_eq!(written.reasons(), [("images/a.jpg", "duplicate_name")]);
    assert_eq!((written.frame("src/A").width, written.frame("src/a").width), (40, 20));
    assert_eq!(written.boxes[0].frame_id, "src/a");
    assert!(!written.frame("src/A").labelled, "the annotations of another name are not its own");
}

#[test]
fn of_two_files_that_are_one_image_the_first_usable_one_is_kept() {
    let row = "1,1,0,0,5,5,1,4,0,0\n";
    let folder = Folder::new();
    folder.sequence("sequences/a", 2).write("sequences/a/0000001.JPG", "junk").write("annotations/a.txt", row);
    let written = vid(&folder);
    assert_eq!(written.reasons(), [("sequences/a/0000001.JPG", "not_an_image")]);
    assert_eq!(written.frame("src/a/1").file, "sequences/a/0000001.jpg");
    assert_eq!((written.frames.len(), written.boxes.len()), (2, 1));

    let folder = Folder::new();
    folder.write("images/a.JPG", "junk").write("images/a.jpg", jpeg(30, 10)).write("images/a.png", jpeg(30, 10));
    folder.write("annotations/a.txt", "1,1,5,5,1,4,0,0\n");
    let written = det(&folder);
    assert_eq!(written.reasons(), [("images/a.JPG", "not_an_image"), ("images/a.png", "duplicate_name")]);
    assert_eq!(written.frame("src/a").file, "images/a.jpg");
    assert_eq!((written.boxes.len(), written.note("annotated_without_image")), (1, 0));
}

#[test]
fn of_two_annotation_files_none_is_used() {
    let folder = Folder::new();
    folder
        .sequence("sequences/a", 2)
        .write("annotations/a.txt", "1,1,0,0,5,5,1,4,0,0\n")
        .write("annotations/a.TXT", "");
    folder.sequence("sequences/b", 2).write("annotations/b.txt", "1,1,0,0,5,5,1,4,0,0\n");
    let written = vid(&folder);
    let expected =
        [("annotations/a.TXT", "duplicate_annotation_file"), ("annotations/a.txt", "duplicate_annotation_file")];
    assert_eq!(written.reasons(), expected);
    assert_eq!(written.frames.iter().map(|frame| frame.labelled).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(written.note("sequences_without_annotation_file"), 0);

    let folder = Folder::new();
    folder.write("images/a.jpg", jpeg(30, 10)).write("annotations/a.txt", "1,1,5,5,1,4,0,0\n");
    folder.write("annotations/a.Txt", "1,1,5,5,1,4,0,0\n");
    let written = det(&folder);
    assert_eq!((written.rejects.len(), written.boxes.len(), written.frame("src/a").labelled), (2, 0, false));
}

#[test]
fn sequences_that_differ_by_case_are_two() {
    let folder = Folder::new();
    folder.sequence("sequences/Clip", 2).sequence("sequences/clip", 3);
    folder.write("annotations/clip.txt", "1,1,0,0,5,5,1,4,0,0\n");
    let written = vid(&folder);
    let counts: Vec<_> = written.recordings.iter().map(|one| (one.sequence.as_str(), one.frame_count)).collect();
    assert_eq!(counts, [("Clip", 2), ("clip", 3)]);
    assert_eq!(written.boxes[0].recording_id, "src/clip");
}

#[test]
fn paths_may_hold_blanks_quotes_and_any_script() {
    for name in ["a b", "it's \"so\"", "straße 飞行 №1", "a#b,c%d"] {
        let folder = Folder::new();
        folder.sequence(&format!("my \"data\"/Größe/sequences/{name}"), 2);
        folder.write(&format!("my \"data\"/Größe/annotations/{name}.TXT"), "1,1,0,0,5,5,1,4,0,0\n");
        let written = vid(&folder);
        assert_eq!((written.frames.len(), written.boxes.len(), written.tracks.len()), (2, 1, 1), "{name}");
        assert_eq!(written.tracks[0].track_id, format!("src/{name}#1"));
        assert_eq!(written.frames[0].file, format!("my \"data\"/Größe/sequences/{name}/0000001.jpg"));
    }
}

#[test]
fn one_sequence_may_mix_sizes() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 1).write("sequences/a/0000002.jpg", jpeg(31, 17));
    folder.write("annotations/a.txt", "1,1,90,0,10,5,1,4,0,0\n2,1,25,0,10,5,1,4,0,0\n");
    let written = vid(&folder);
    let edges: Vec<f64> = written.boxes.iter().map(|object| object.x2).collect();
    assert_eq!(edges, [100.0, 31.0], "each box is cut at its own image");
}

#[test]
fn files_that_the_system_does_not_give_are_quarantined_and_their_frames_stay_unknown() {
    let folder = Folder::new();
    folder.sequence("sequences/a", 3).write("annotations/a.txt", "1,1,0,0,5,5,1,4,0,0\n2,1,0,0,5,5,1,4,0,0\n");
    for (unreadable, frames, boxes, kind) in
        [("sequences/a/0000002.jpg", 2, 1, "image"), ("annotations/a.txt", 3, 0, "annotation file")]
    {
        let written = ingest_without(source("visdrone-vid", folder.path()), unreadable);
        assert_eq!(written.reasons(), [(unreadable, "unreadable_file")]);
        assert_eq!(written.counts.inputs[kind].quarantined["unreadable_file"], 1);
        assert_eq!((written.frames.len(), written.boxes.len()), (frames, boxes));
        assert!(written.frames.iter().all(|frame| frame.labelled == (kind == "image")));
        assert_eq!(written.recordings[0].annotated_without_image, 0, "the file is there, if out of reach");
    }
}
