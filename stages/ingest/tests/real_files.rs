//! Real files, against what is known of them (SOURCES.md, and counts made by hand with awk).

use super::harness::{ingest, shared, source};
use crate::ingest::sources::SourceKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use uavgen_schemas::RegionKind;

#[test]
fn the_lines_of_visdrone_vid() {
    let Some(data) = shared("the_lines_of_visdrone_vid") else { return };
    let text = fs::read(data.join("visdrone_vid/annotations/uav0000086_00000_v.txt")).unwrap();
    let found = SourceKind::Vid.parse(&text);
    assert_eq!((found.rows.len(), found.bad.len()), (23_877, 0));
    let frames: BTreeSet<i64> = found.rows.iter().map(|row| row.frame).collect();
    assert_eq!((frames.len(), frames.first(), frames.last()), (464, Some(&1), Some(&464)));
    let regions = found.rows.iter().filter(|row| row.category == 0);
    assert_eq!(
        (regions.clone().count(), regions.filter(|row| row.ignored && row.target.is_some()).count()),
        (780, 780)
    );
    let mut categories: BTreeMap<i64, BTreeSet<u8>> = BTreeMap::new();
    for row in &found.rows {
        categories.entry(row.target.unwrap()).or_default().insert(row.category);
    }
    assert_eq!(categories.len(), 85);
    let flips: Vec<i64> = categories.iter().filter(|(_, all)| all.len() > 1).map(|(target, _)| *target).collect();
    assert_eq!(flips, [33, 35, 38, 39, 40, 45, 52]);
}

#[test]
fn the_eight_frames_of_visdrone_vid() {
    let Some(data) = shared("the_eight_frames_of_visdrone_vid") else { return };
    let written = ingest(source("visdrone-vid", &data.join("visdrone_vid")));
    let recording = &written.recordings[0];
    assert_eq!(recording.group_id, "visdrone:0000086");
    assert_eq!((recording.frame_count, recording.labelled_frame_count, recording.annotated_without_image), (8, 8, 456));
    assert!(written.frames.iter().all(|frame| (frame.width, frame.height) == (1344, 756) && frame.format == "jpeg"));
    // awk -F, '$1<=8' | sort -t, -k8 | uniq: 192 pedestrians, 80 people, 16 motors.
    let count = |name: &str| written.boxes.iter().filter(|object| object.category == name).count();
    assert_eq!((count("pedestrian"), count("people"), count("motor"), written.boxes.len()), (192, 80, 16, 288));
    assert_eq!((written.tracks.len(), written.rejects.len(), recording.source_fps), (36, 0, None));
    assert!(written.boxes.iter().all(|object| !object.clipped));
}

#[test]
fn the_stills_of_visdrone_det() {
    let Some(data) = shared("the_stills_of_visdrone_det") else { return };
    // Folder, images, rows of categories 1 to 10, 0 and 11.
    let cases = [("visdrone_sample", 14, 721, 10, 0), ("trainset", 3, 224, 14, 4), ("valset", 4, 329, 6, 0)];
    for (folder, images, objects, ignored, others) in cases {
        let path = data.join("visdrone_det").join(folder);
        let written = ingest(source("visdrone-det", &path));
        let of = |kind| written.regions.iter().filter(|region| region.kind == kind).count();
        assert_eq!(written.frames.len(), images, "{folder}");
        assert_eq!(
            (written.boxes.len(), of(RegionKind::Ignored), of(RegionKind::Others)),
            (objects, ignored, others),
            "{folder}"
        );
        assert!(written.frames.iter().all(|frame| frame.labelled) && written.rejects.is_empty(), "{folder}");
        assert_eq!(written.recordings.iter().filter(|one| one.frame_count == 1).count(), images, "{folder}");
    }
}

#[test]
fn the_one_real_box_of_no_height() {
    let Some(data) = shared("the_one_real_box_of_no_height") else { return };
    let annotations = data.join("visdrone_det/annotation_only/VisDrone2019-DET-train/annotations");
    let folder = super::harness::Folder::new();
    let text = fs::read(annotations.join("9999985_00000_d_0000020.txt")).unwrap();
    folder.write("images/9999985_00000_d_0000020.jpg", super::harness::jpeg(1400, 788));
    folder.write("annotations/9999985_00000_d_0000020.txt", text);
    let written = ingest(source("visdrone-det", folder.path()));
    let flat: Vec<_> = written.boxes.iter().filter(|object| object.y1 == object.y2).collect();
    assert_eq!((flat.len(), written.note("zero_size_boxes")), (1, 1));
    let flat = flat[0];
    assert!(flat.box_id.ends_with("#r12"));
    assert_eq!((flat.x1, flat.y1, flat.x2, flat.category.as_str()), (611.0, 158.0, 615.0, "car"));
}

#[test]
fn folders_of_annotations_or_coco_are_refused() {
    let Some(data) = shared("folders_of_annotations_or_coco_are_refused") else { return };
    let error = |path: &Path| {
        super::harness::discover(&super::harness::project(vec![source("visdrone-det", path)])).unwrap_err()
    };
    assert!(error(&data.join("visdrone_det/annotation_only")).message.starts_with("there is no image in"));
    assert!(error(&data.join("visdrone_det/coco")).message.contains("looks like a COCO data set"));
    assert!(error(&data.join("visdrone_vid")).message.contains("looks like visdrone-vid"));
}
