//! What an audit says, for programs and for people.

use crate::findings::{Finding, Place};
use serde::Serialize;
use std::fmt::Write as _;

/// Longest problem that the text form shows, in characters; the JSON form has all of it.
const MAX_PROBLEM_CHARS: usize = 300;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditReport {
    /// Name of the release; empty when its manifest cannot be read.
    pub release: String,
    /// Whether there is no fault.
    pub passed: bool,
    /// Faults by code.
    pub faults: Vec<Findings>,
    /// Warnings by code; they do not fail the audit.
    pub warnings: Vec<Findings>,
    /// What was looked at.
    pub checked: Checked,
    /// What could not be looked at since a fault stands before it, sorted.
    pub not_checked: Vec<String>,
}

/// All findings of one code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Code, see [`crate::FaultCode`] and [`crate::WarningCode`].
    pub code: &'static str,
    /// Number of findings.
    pub count: u64,
    /// What to do about them.
    pub next_step: &'static str,
    /// The first findings, sorted by file and row.
    pub first: Vec<Finding>,
}

/// Counts of what was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Files whose SHA-256 was computed.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Rows that were read, over all tables.
    pub rows: u64,
    /// Questions among them.
    pub questions: u64,
    /// Programs that were executed again.
    pub programs: u64,
    /// Distinct images that were decoded.
    pub images: u64,
    /// Videos of which every frame was decoded.
    pub videos: u64,
    /// Frames of those videos.
    pub video_frames: u64,
    /// Those of them that were compared with a delivered image.
    pub compared_frames: u64,
}

impl Findings {
    pub(crate) fn new(code: &'static str, next_step: &'static str) -> Self {
        Self { code, count: 0, next_step, first: Vec::new() }
    }

    /// Counts a finding, and keeps it when it is among the `listed` first by file and row.
    pub(crate) fn add(&mut self, place: Place, problem: String, listed: usize) {
        self.count += 1;
        let finding = Finding { file: place.file.to_owned(), row: place.row.map(str::to_owned), problem };
        let position = self.first.partition_point(|other| *other <= finding);
        if position < listed {
            self.first.insert(position, finding);
            self.first.truncate(listed);
        }
    }
}

impl AuditReport {
    /// Number of faults.
    pub fn fault_count(&self) -> u64 {
        self.faults.iter().map(|findings| findings.count).sum()
    }

    /// The report as lines for people: faults, warnings, what was checked, verdict. No line end at the end.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (kind, groups) in [("fault", &self.faults), ("warning", &self.warnings)] {
            groups.iter().for_each(|findings| render_findings(&mut text, kind, findings));
        }
        for what in &self.not_checked {
            _ = writeln!(text, "not checked: {what}");
        }
        _ = writeln!(text, "checked: {}", self.checked.render());
        text.push_str(&self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let warnings: u64 = self.warnings.iter().map(|findings| findings.count).sum();
        let name = if self.release.is_empty() { "the release" } else { &self.release };
        let warned = if warnings == 0 { String::new() } else { format!(", {}", counted(warnings, "warning")) };
        match self.fault_count() {
            0 => format!("{name}: no faults{warned}"),
            faults => {
                format!("{name}: {} of {}{warned}", counted(faults, "fault"), counted(self.faults.len() as u64, "kind"))
            }
        }
    }
}

impl Checked {
    fn render(&self) -> String {
        format!(
            "{} ({:.1} MB), {}, {}, {} executed, {} and {} ({}, {} compared with images) decoded",
            counted(self.files, "file"),
            self.bytes as f64 / 1e6,
            counted(self.rows, "row"),
            counted(self.questions, "question"),
            counted(self.programs, "program"),
            counted(self.images, "image"),
            counted(self.videos, "video"),
            counted(self.video_frames, "frame"),
            self.compared_frames,
        )
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn render_findings(text: &mut String, kind: &str, findings: &Findings) {
    _ = writeln!(text, "{kind} {}: {}", findings.code, findings.count);
    for Finding { file, row, problem } in &findings.first {
        let row = row.as_ref().map_or_else(String::new, |row| format!(", row {row}"));
        _ = writeln!(text, "  {file}{row}: {}", shortened(problem));
    }
    let listed = findings.first.len() as u64;
    if listed < findings.count {
        _ = writeln!(text, "  … and {} more", findings.count - listed);
    }
    _ = writeln!(text, "  next: {}", findings.next_step);
}

fn shortened(problem: &str) -> String {
    let one_line = problem.replace(['\n', '\r'], " ");
    match one_line.char_indices().nth(MAX_PROBLEM_CHARS) {
        Some((end, _)) => format!("{}…", &one_line[..end]),
        None => one_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{FaultCode, Log};

    #[test]
    fn people_see_the_place_the_problem_the_total_and_the_next_step() {
        let mut log = Log::new(1);
        log.checked.questions = 1;
        log.fault(FaultCode::ProgramAnswer, Place::row("data/qa/a.parquet", "f0"), "computed 3, stored 4");
        log.fault(FaultCode::ProgramAnswer, Place::row("data/qa/a.parquet", "f1"), "computed 3,\nstored 5");
        let text = log.into_report("town-1").render();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "fault program_answer: 2");
        assert_eq!(lines[1], "  data/qa/a.parquet, row f0: computed 3, stored 4");
        assert_eq!(lines[2], "  … and 1 more");
        assert!(lines[3].starts_with("  next: "), "{text}");
        assert!(lines[4].contains("1 question,"), "{text}");
        assert_eq!(lines[5], "town-1: 2 faults of 1 kind");
    }
}
