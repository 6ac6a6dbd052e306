//! Whatever is wrong with annotations, no question is answered as if they were whole: damage done to files of which the
//! answers are known, through ingest, filter and the answer language.

use super::harness::{Folder, Written, ingest, jpeg, source};
use crate::filter::config::SuiteRules;
use crate::filter::pure::{Annotations, select};
use uavgen_programs::{Expr, Program, Scene, SceneFrame, execute};

const REFUSED: &str = "touches_unknown";

/// Two cars and a bus stand on each of three frames of 100x50 px; sorted by track, as distributed.
fn street() -> Vec<String> {
    let places = [(1, "10,10", 4), (2, "40,10", 4), (3, "70,30", 9)];
    let rows = places.into_iter().flat_map(|(target, place, category)| {
        (1..=3).map(move |frame| format!("{frame},{target},{place},20,10,1,{category},0,0\n"))
    });
    rows.collect()
}

/// The street with other lines in place of those of the bus on these frames.
fn with_bus(change: impl Fn(u32, &str) -> Option<String>) -> String {
    let rows = street().into_iter().enumerate().map(|(position, row)| match position {
        6.. => change(position as u32 - 5, row.trim_end()).unwrap_or(row),
        _ => row,
    });
    rows.collect()
}

fn sequence(annotations: impl AsRef<[u8]>) -> Written {
    let folder = Folder::new();
    folder.sequence("sequences/uav1_v", 3).write("annotations/uav1_v.txt", annotations);
    ingest(source("visdrone-vid", folder.path()))
}

/// The scene of some frames, as a question sees them.
fn scene(written: &Written, frame_ids: &[&str]) -> Scene {
    let annotations = Annotations::new(&written.boxes, &written.regions);
    let frames = frame_ids.iter().map(|id| {
        let frame = written.frame(id);
        let (selection, _) = select("suite", &SuiteRules::default(), frame, &annotations);
        let boxes: Vec<_> = written.boxes.iter().filter(|object| object.frame_id == **id).cloned().collect();
        let regions: Vec<_> = written.regions.iter().filter(|region| region.frame_id == **id).cloned().collect();
        SceneFrame::new(frame, &boxes, &regions, &selection).unwrap()
    });
    Scene::new(frames.collect()).unwrap()
}

/// The answer, or the code of the refusal.
fn ask(written: &Written, frame_ids: &[&str], expr: Expr) -> String {
    match execute(&Program::new(expr).unwrap(), &scene(written, frame_ids)) {
        Ok(answer) => answer.value.text(),
        Err(refused) => refused.reason.code().to_owned(),
    }
}

const FRAMES: [&str; 3] = ["src/uav1_v/1", "src/uav1_v/2", "src/uav1_v/3"];

/// How many there are of a category, on each frame.
fn counts(written: &Written, category: &str) -> [String; 3] {
    FRAMES.map(|frame| ask(written, &[frame], Expr::objects(0).where_category([category]).count()))
}

/// Whether there is a truck, which there is not, on each frame.
fn trucks(written: &Written) -> [String; 3] {
    FRAMES.map(|frame| ask(written, &[frame], Expr::objects(0).where_category(["truck"]).exists()))
}

#[test]
fn whole_annotations_are_answered() {
    for text in [street().concat(), format!("{}\n{}", HEADER, street().concat())] {
        let written = sequence(text);
        assert_eq!(counts(&written, "car"), ["2", "2", "2"]);
        assert_eq!(counts(&written, "bus"), ["1", "1", "1"]);
        assert_eq!(trucks(&written), ["no", "no", "no"]);
        assert_eq!(written.counts.quarantined().values().sum::<u64>(), 0);
    }
}

const HEADER: &str = "frame,target,left,top,width,height,score,category,truncation,occlusion";

/// Lines that may belong to any frame: nothing can be told of the whole sequence.
#[test]
fn a_line_that_does_not_tell_its_frame_blocks_every_frame() {
    let whole = street().concat();
    let cut = &whole[..whole.find("2,3,70").unwrap() + 8];
    let on_2 = |change: &dyn Fn(&str) -> String| with_bus(|frame, row| (frame == 2).then(|| change(row) + "\n"));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("cut within a line", cut.into()),
        ("cut, then NUL bytes", [cut.as_bytes(), &[0; 50]].concat()),
        ("cut between lines, then NUL bytes", [&whole.as_bytes()[..whole.find("2,3,70").unwrap()], &[0; 50]].concat()),
        ("NUL bytes in the last field", [&whole.as_bytes()[..whole.find("\n2,3,70").unwrap()], &[0; 50]].concat()),
        ("letter before the frame", on_2(&|row| format!("x{row}")).into()),
        ("negative frame", on_2(&|row| format!("-{row}")).into()),
        ("frame with a fraction", on_2(&|row| row.replacen("2,", "7.5,", 1)).into()),
        ("no frame", on_2(&|row| row.replacen('2', "", 1)).into()),
        ("no target", on_2(&|row| row.replacen("2,3,", "2,", 1)).into()),
        ("a column before the frame", on_2(&|row| format!("0,{row}")).into()),
        ("a column too many", on_2(&|row| format!("{row},0")).into()),
        ("another separator", on_2(&|row| row.replace(',', ";")).into()),
        ("garbage", [whole.as_bytes(), b"\xff\xfe\xe9garbage\n"].concat()),
        ("a giant line", [whole.as_bytes(), "9".repeat(100_000).as_bytes()].concat()),
        ("column names further down", format!("{whole}{HEADER}\n").into()),
        (
            "frames from 0",
            whole
                .lines()
                .map(|row| format!("{}{}\n", row[..1].parse::<u32>().unwrap() - 1, &row[1..]))
                .collect::<String>()
                .into(),
        ),
        ("frames from 100", whole.lines().map(|row| format!("10{row}\n")).collect::<String>().into()),
    ];
    for (damage, text) in cases {
        let written = sequence(text);
        for category in ["car", "bus"] {
            assert_eq!(counts(&written, category), [REFUSED; 3], "{damage}: {category}");
        }
        assert_eq!(trucks(&written), [REFUSED; 3], "{damage}");
        assert!(written.counts.quarantined().values().sum::<u64>() > 0, "{damage} is named");
        let tracks = Expr::count_tracks([0, 1, 2], Expr::frame_objects().where_category(["car"]));
        assert_eq!(ask(&written, &FRAMES, tracks), REFUSED, "{damage}");
    }
}

/// Lines of one frame: the others are answered.
#[test]
fn a_line_that_tells_its_frame_blocks_that_frame() {
    let cases: [(&str, &str); 8] = [
        ("unknown category", "2,3,70,30,20,10,1,12,0,0"),
        ("category is no number", "2,3,70,30,20,10,1,bus,0,0"),
        ("target is no number", "2,x,70,30,20,10,1,9,0,0"),
        ("negative size", "2,3,70,30,-20,10,1,9,0,0"),
        ("place is no number", "2,3,7O,30,20,10,1,9,0,0"),
        ("mostly outside", "2,3,95,30,20,10,1,9,0,0"),
        ("the target of a car", "2,1,70,30,20,10,1,9,0,0"),
        ("the target and the place of a car", "2,1,10,10,20,10,1,9,0,0"),
    ];
    for (damage, row) in cases {
        let written = sequence(with_bus(|frame, _| (frame == 2).then(|| format!("{row}\n"))));
        assert_eq!(counts(&written, "car"), ["2", REFUSED, "2"], "{damage}");
        assert_eq!(counts(&written, "bus"), ["1", REFUSED, "1"], "{damage}");
        assert_eq!(trucks(&written), ["no", REFUSED, "no"], "{damage}");
        assert_eq!(written.rejects.len(), if damage.starts_with("the target") { 2 } else { 1 }, "{damage}");
        let buses = Expr::count_tracks([0, 1, 2], Expr::frame_objects().where_category(["bus"]));
        // Of the bus that leaves the image it is known which one it is.
        let expected = if damage == "mostly outside" { "1" } else { REFUSED };
        assert_eq!(ask(&written, &FRAMES, buses), expected, "{damage}");
    }
}

#[test]
fn an_ignored_region_hides_more_than_the_track_that_it_is_given() {
    let written = sequence(format!("{}2,1,60,0,40,50,0,0,0,0\n", street().concat()));
    assert_eq!(written.regions[0].track_id.as_deref(), Some("src/uav1_v#1"));
    let cars = Expr::count_tracks([0, 1, 2], Expr::frame_objects().where_category(["car"]));
    assert_eq!(ask(&written, &FRAMES, cars), REFUSED);
}

#[test]
fn a_line_of_a_still_that_cannot_be_read_blocks_the_still() {
    let cases = [
        ("whole", "70,30,20,10,1,9,0,0\n", "2"),
        ("trailing comma", "70,30,20,10,1,9,0,0,\n", "2"),
        ("cut", "70,30,2", REFUSED),
        ("a column too many", "0,70,30,20,10,1,9,0,0\n", REFUSED),
        ("unknown category", "70,30,20,10,1,12,0,0\n", REFUSED),
        ("negative size", "70,30,20,-10,1,9,0,0\n", REFUSED),
        ("NUL bytes", "\0\0\0\0\0\0\0\0", REFUSED),
    ];
    for (damage, line, expected) in cases {
        let folder = Folder::new();
        folder.write("images/1_a.jpg", jpeg(100, 50));
        folder.write("annotations/1_a.txt", format!("10,10,20,10,1,4,0,0\n40,10,20,10,1,4,0,0\n{line}"));
        let written = ingest(source("visdrone-det", folder.path()));
        let cars = Expr::objects(0).where_category(["car"]).count();
        assert_eq!(ask(&written, &["src/1_a"], cars), expected, "{damage}");
        assert_eq!(written.rejects.len(), usize::from(expected == REFUSED), "{damage}");
    }
}
