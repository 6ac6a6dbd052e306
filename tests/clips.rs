//! Clips from a sequence that is long enough to be shuffled.

use crate::harness::{Project, files, sample_data};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use uavgen_core::store::TableReader;
use uavgen_schemas::{Clip, ClipKind, ClipSegment, Record, ShuffleStrategy};

/// Frames of the sequence: 16 s.
const FRAMES: usize = 240;

/// A project over one sequence: a sequence of the sample data back and forth, with its annotations.
fn project() -> Project {
    let project = Project::empty();
    let name = "uav9000001_00000_v";
    let sample = sample_data().join("VisDrone2019-VID-train");
    let images: Vec<PathBuf> = files(&sample.join("sequences").join(name));
    let lines = fs::read_to_string(sample.join("annotations").join(format!("{name}.txt"))).unwrap();
    let folder = project.path().join("data/VisDrone2019-VID-train");
    fs::create_dir_all(folder.join("annotations")).unwrap();
    fs::create_dir_all(folder.join("sequences").join(name)).unwrap();
    let mut text = String::new();
    for number in 0..FRAMES {
        let turn = 2 * images.len() - 2;
        let position = (number % turn).min(turn - number % turn);
        let file = folder.join("sequences").join(name).join(format!("{:07}.jpg", number + 1));
        fs::copy(&images[position], file).unwrap();
        let own = lines.lines().filter(|line| line.split(',').next() == Some(&(position + 1).to_string()));
        for line in own {
            let (_, rest) = line.split_once(',').unwrap();
            text += &format!("{},{rest}\n", number + 1);
        }
    }
    fs::write(folder.join("annotations").join(format!("{name}.txt")), text).unwrap();
    project.init(&["visdrone-vid=data"]);
    project
}

fn rows<R: Record>(project: &Project) -> Vec<R> {
    let folder = project.release().join("data").join(R::TABLE);
    files(&folder).iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

#[test]
fn clips_are_released_checked_explained_and_seen() {
    let project = project();
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    let clips: Vec<Clip> = rows(&project);
    let kinds: Vec<(ClipKind, Option<ShuffleStrategy>)> = clips.iter().map(|clip| (clip.kind, clip.strategy)).collect();
    let shuffled = |strategy| (ClipKind::Shuffled, Some(strategy));
    for kind in
        [(ClipKind::Single, None), shuffled(ShuffleStrategy::Spatial), shuffled(ShuffleStrategy::SpatioTemporal)]
    {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    assert_eq!(rows::<ClipSegment>(&project).len(), 9);
    for clip in &clips {
        let file = project.release().join(&clip.path);
        assert_eq!(file.metadata().unwrap().len() as i64, clip.byte_count);
        let run = project.run(&["explain", &clip.clip_id[..8], "--image", "strip.png"]).expect_code(0);
        assert!(run.stdout.contains(&clip.clip_id) && run.stdout.contains("taken"), "{}", run.stdout);
        let strip = uavgen_media::decode_upright(&fs::read(project.path().join("strip.png")).unwrap()).unwrap();
        assert!(strip.width() > strip.height() && strip.height() > 100);
    }
    project.run(&["preview", "clips"]).expect_code(0);
    assert!(project.path().join("previews/clips.jpg").is_file());
}

#[test]
fn another_seed_shuffles_anew_and_encodes_no_video() {
    let project = project();
    project.build();
    let before: Vec<Clip> = rows(&project);
    project.edit_config("#seed = 1", "seed = 8");
    let plan = project.run(&["plan", "-v"]).expect_code(0).stdout;
    let line =
        |stage: &str| plan.lines().find(|line| line.contains(&format!(" {stage} "))).unwrap_or_default().to_owned();
    assert!(line("video").contains("fresh") && line("clips").contains("dirty"), "{plan}");
    project.build();
    let orders = |clips: &[Clip]| -> Vec<String> {
        clips.iter().filter(|clip| clip.kind == ClipKind::Shuffled).map(|clip| clip.clip_id.clone()).collect()
    };
    assert_ne!(orders(&before), orders(&rows::<Clip>(&project)));
    project.run(&["check", "latest"]).expect_code(0);
}

#[test]
fn two_clips_that_changed_places_are_found() {
    let project = project();
    project.build();
    let clips: Vec<Clip> = rows(&project);
    let own: Vec<PathBuf> =
        clips.iter().filter(|clip| clip.has_own_file()).map(|clip| project.release().join(&clip.path)).collect();
    let [one, two] = &own[..] else { panic!("{own:?}") };
    let (first, second) = (fs::read(one).unwrap(), fs::read(two).unwrap());
    for (file, content) in [(one, second), (two, first)] {
        fs::remove_file(file).unwrap();
        fs::write(file, content).unwrap();
    }
    let run = project.run(&["check", "latest"]).expect_code(1);
    assert!(run.stdout.contains("video_mismatch"), "{}", run.stdout);
}

#[test]
fn the_sample_goes_through_all_kinds_and_unlike_clips_share_a_canvas() {
    let project = Project::sample();
    project.edit_config("[clips.single]", "[clips.single]\nsample_share = 0.0");
    project.edit_config("[clips.long]", "[clips.long]\nmin_seconds = 15");
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    let clips: Vec<Clip> = rows(&project);
    let kinds: BTreeSet<&str> = clips.iter().map(|clip| clip.kind.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["single", "long", "shuffled", "concatenated"]));
    let joined: Vec<&Clip> = clips.iter().filter(|clip| clip.kind == ClipKind::Concatenated).collect();
    let [joined] = joined[..] else { panic!("three recordings of train are one video: {joined:?}") };
    assert_eq!((joined.segment_count, joined.width, joined.height), (3, 640, 360));
    let segments: Vec<ClipSegment> = rows(&project);
    let of = |clip: &Clip| segments.iter().filter(|row| row.clip_id == clip.clip_id).cloned().collect::<Vec<_>>();
    assert_eq!(of(joined).iter().map(|row| row.frame_count).sum::<i64>(), 30 + 24 + 240);
    assert!(of(joined).iter().all(|row| row.encoded_again == row.frame_count && row.picture_x2 == 640));
    for place in [&["--release", "latest"][..], &[]] {
        let arguments = [&["explain", &joined.clip_id[..8], "--image", "strip.png"], place].concat();
        let run = project.run(&arguments).expect_code(0);
        assert!(run.stdout.contains("encoded again") && !run.stdout.contains("taken"), "{}", run.stdout);
    }
    project.run(&["preview", "stitch"]).expect_code(0);
    assert!(project.path().join("previews/stitch.jpg").is_file());
}

#[test]
fn a_new_recording_changes_only_the_videos_of_its_own_bucket() {
    let project = Project::sample();
    project.edit_config("[stitch_plan]", "[stitch_plan]\nbuckets = 64");
    project.edit_config("[clips.single]", "[clips.single]\nsample_share = 0.0");
    project.build();
    let train = project.path().join("data/VisDrone2019-VID-train/sequences");
    fs::create_dir(train.join("uav9000077_00000_v")).unwrap();
    for number in 1..=20 {
        let from = train.join(format!("uav9000001_00000_v/{number:07}.jpg"));
        fs::copy(from, train.join(format!("uav9000077_00000_v/{number:07}.jpg"))).unwrap();
    }
    let run = project.build();
    let line = |stage: &str| {
        let mut lines = run.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.find(|words| words.first() == Some(&stage)).unwrap()[2].to_owned()
    };
    assert_eq!((line("clips"), line("stitch_plan"), line("stitch")), ("1".into(), "1".into(), "1".into()));
}
