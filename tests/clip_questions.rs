//! Questions about the joined clip of the sample: released, checked, explained and seen.

use crate::harness::{Project, files};
use std::fs;
use uavgen_core::store::TableReader;
use uavgen_schemas::{Clip, QaRow, Record};

fn rows<R: Record>(project: &Project) -> Vec<R> {
    let folder = project.release().join("data").join(R::TABLE);
    files(&folder).iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

#[test]
fn questions_about_clips_are_released_checked_explained_and_seen() {
    let project = Project::sample();
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    let clips: Vec<Clip> = rows(&project);
    let items: Vec<QaRow> = rows::<QaRow>(&project).into_iter().filter(|row| row.clip_id.is_some()).collect();
    assert!(!items.is_empty());
    for row in &items {
        let clip = clips.iter().find(|clip| Some(&clip.clip_id) == row.clip_id.as_ref()).unwrap();
        assert_eq!(row.video.as_ref(), Some(&clip.path));
        assert!(row.images.is_empty() && row.frame_ids.is_empty() && row.boxes.is_empty());
        assert_eq!(row.group_id, clip.group_ids.join("+"));
        assert!(project.release().join(&clip.path).is_file());
    }
    let id = items[0].id.as_str();
    for place in [&["--release", "latest"][..], &[]] {
        let run = project.run(&[&["explain", id, "--image", "strip.png"], place].concat()).expect_code(0);
        assert!(run.stdout.contains("the same answer") && run.stdout.contains("second clip: frames"), "{}", run.stdout);
        let strip = uavgen_media::decode_upright(&fs::read(project.path().join("strip.png")).unwrap()).unwrap();
        assert!(strip.width() > 2 * strip.height());
    }
    project.run(&["preview", "clip_qa"]).expect_code(0);
    assert!(project.path().join("previews/clip_qa.jpg").is_file());
    let report = fs::read_to_string(project.release().join("report.html")).unwrap();
    for card in report.split("class=\"card sample\"").skip(1) {
        assert!(card.contains("data:image/jpeg;base64,"), "a sample without a picture");
    }
}
