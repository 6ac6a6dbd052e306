//! What holds over all stages: the table of ARCHITECTURE.md, and the meanings of reject reasons.

use crate::STAGES;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Read;
use uavgen_media::{ImageFault, VideoFault};
use uavgen_programs::Reason;
use uavgen_schemas::TABLES;

const ARCHITECTURE: &str = include_str!("../ARCHITECTURE.md");
const READMES: [&str; 14] = [
    include_str!("ingest/README.md"),
    include_str!("depth/README.md"),
    include_str!("lift/README.md"),
    include_str!("generation/README.md"),
    include_str!("video/README.md"),
    include_str!("clips/README.md"),
    include_str!("stitch_plan/README.md"),
    include_str!("stitch/README.md"),
    include_str!("filter/README.md"),
    include_str!("qa/README.md"),
    include_str!("clip_qa/README.md"),
    include_str!("space_qa/README.md"),
    include_str!("shards/README.md"),
    include_str!("release/README.md"),
];

/// Cells of a row of a Markdown table.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The tables that a text names, in its order; `?` marks what may be missing.
fn tables_in(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '?'));
    words.filter(|word| TABLES.iter().any(|table| table.name == word.trim_end_matches('?'))).collect()
}

#[test]
fn the_table_of_the_architecture_says_what_stages_read_and_write() {
    let start = ARCHITECTURE.find("| stage | grain | reads | writes |").unwrap();
    let rows: Vec<Vec<&str>> =
        ARCHITECTURE[start..].lines().skip(2).take_while(|line| line.starts_with('|')).map(cells).collect();
    let stages: Vec<&str> = STAGES.iter().map(|stage| stage.info().name).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), stages);
    for (row, stage) in rows.iter().zip(STAGES) {
        let info = stage.info();
        let read = |read: &Read| format!("{}{}", read.table.name, if read.optional { "?" } else { "" });
        assert_eq!(row[1], format!("{:?}", info.grain).to_lowercase(), "grain of {}", info.name);
        assert_eq!(tables_in(row[2]), info.reads.iter().map(read).collect::<Vec<_>>(), "reads of {}", info.name);
        let writes: Vec<&str> = info.writes.iter().map(|table| table.name).collect();
        assert_eq!(tables_in(row[3]), writes, "writes of {}", info.name);
    }
}

/// The words between backticks.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The reasons that READMEs list: in the column `reason` of their tables, or in a paragraph on rejects of some kind.
fn documented_reasons() -> BTreeSet<&'static str> {
    let mut reasons = BTreeSet::new();
    for readme in READMES {
        let mut column = None;
        for line in readme.lines() {
            if !line.starts_with('|') {
                column = None;
            } else if column.is_none() {
                column = cells(line).iter().position(|cell| *cell == "reason");
                column = column.or(Some(usize::MAX));
            } else if let Some(cell) = column.and_then(|column| cells(line).get(column).copied()) {
                reasons.extend(codes(cell));
            }
        }
        let paragraphs =
            readme.split("\n\n").filter(|text| text.starts_with("Rejects of kind") && !text.ends_with(':'));
        reasons.extend(paragraphs.flat_map(codes).filter(|code| !["rule", "quarantine", "refusal"].contains(code)));
    }
    reasons
}

#[test]
fn every_reason_has_a_meaning_and_is_in_a_readme() {
    let meanings: BTreeMap<&str, String> =
        serde_json::from_str(include_str!("release/templates/reasons.json")).unwrap();
    assert!(meanings.values().all(|meaning| !meaning.is_empty()));
    let detail = || String::from("x");
    let faults = [
        ImageFault::EmptyFile,
        ImageFault::Unreadable { problem: detail() },
        ImageFault::NotAnImage { looks_like: "x" },
        ImageFault::BadHeader { detail: detail() },
        ImageFault::Truncated { detail: detail() },
        ImageFault::ZeroSize { width: 0, height: 0 },
        ImageFault::TooLarge { width: 1, height: 1, limit: 0 },
        ImageFault::Undecodable { detail: detail() },
    ];
    let video_faults = [
        VideoFault::EmptyFile,
        VideoFault::Unreadable { problem: detail() },
        VideoFault::NotAVideo { looks_like: "x" },
        VideoFault::Truncated { detail: detail() },
        VideoFault::NoVideoStream,
        VideoFault::Undecodable { detail: detail() },
        VideoFault::TooLarge { width: 1, height: 1, limit: 0 },
        VideoFault::NonSquarePixels { num: 2, den: 1 },
        VideoFault::Interlaced { number: 0 },
        VideoFault::UnsupportedPixels { format: detail() },
        VideoFault::UnsupportedColour { detail: detail() },
        VideoFault::UnsupportedRotation,
    ];
    let mut reasons = documented_reasons();
    for reason in faults.iter().map(ImageFault::reason).chain(video_faults.iter().map(VideoFault::reason)) {
        assert!(reasons.contains(reason), "{reason} is in no README");
    }
    reasons.extend(Reason::ALL.map(Reason::code));
    assert_eq!(meanings.into_keys().collect::<BTreeSet<_>>(), reasons);
}
