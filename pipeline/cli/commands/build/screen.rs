//! The screen at the end of a build.

use crate::output::{Align, Columns, Style, counted, grouped};
use crate::workspace::Opened;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use uavgen_core::Counts;
use uavgen_engine::report::BadRecords;
use uavgen_engine::{BuildReport, Selection, StageReport, StageSummary, Summary};
use uavgen_schemas::{Reject, RejectKind};

/// Reasons shown per stage.
const SHOWN_REASONS: usize = 5;
/// Quarantined records shown.
const SHOWN_QUARANTINED: usize = 8;

/// Broken input that was left out.
#[derive(Debug, Default)]
pub(super) struct Quarantined {
    /// The first ones, with their stage.
    shown: Vec<(String, Reject)>,
    /// How many there are.
    count: u64,
}

impl Quarantined {
    /// Reads the rejects of the results that have any.
    pub(super) fn list(opened: &Opened, selection: &Selection) -> anyhow::Result<Self> {
        let results = crate::results::Results::look(opened, selection)?;
        let mut list = Self::default();
        for stage in uavgen_stages::STAGES.iter().map(|stage| stage.info().name) {
            for manifest in results.of_stage(stage)?.iter().filter(|manifest| !manifest.counts.quarantine.is_empty()) {
                list.count += manifest.counts.quarantine.values().sum::<u64>();
                if list.shown.len() < SHOWN_QUARANTINED {
                    let rejects = results.rows::<Reject>(manifest)?;
                    let broken = rejects.into_iter().filter(|reject| reject.kind == RejectKind::Quarantine);
                    list.shown.extend(broken.map(|reject| (stage.to_owned(), reject)));
                }
            }
        }
        list.shown.truncate(SHOWN_QUARANTINED);
        Ok(list)
    }
}

/// Where nothing ran.
pub(super) fn nothing_done(report: &BuildReport) -> String {
    let fresh: usize = report.stages.iter().map(|stage| stage.fresh).sum();
    let blocked: usize = report.stages.iter().map(|stage| stage.blocked.len()).sum();
    let mut text = match (fresh, blocked) {
        (0, 0) => "no work was found in the sources\n".to_owned(),
        (fresh, 0) => format!("nothing to do: {} fresh\n", counted(fresh as u64, "task")),
        (fresh, blocked) => format!("nothing to do: {} fresh, {blocked} blocked\n", counted(fresh as u64, "task")),
    };
    releases(&mut text, report);
    text.trim_end().to_owned()
}

/// Everything about a build that did something.
pub(super) fn render(report: &BuildReport, summary: &Summary, quarantined: &Quarantined) -> String {
    let style = Style::stdout();
    let mut text = stage_table(report, summary, style);
    text.push('\n');
    let rejects = reject_table(summary);
    if !rejects.is_empty() {
        let _ = write!(text, "\n{}\n{}\n", style.bold("not taken further, by reason"), rejects.render("  "));
    }
    if quarantined.count > 0 {
        quarantined_list(&mut text, quarantined, style);
    }
    releases(&mut text, report);
    text.trim_end().to_owned()
}

fn stage_table(report: &BuildReport, summary: &Summary, style: Style) -> String {
    use Align::{Left, Right};
    let mut columns = Columns::new(&[Left, Right, Right, Right, Right, Right, Right]);
    let headings = ["stage", "fresh", "done", "failed", "blocked", "rows", "rejects"];
    columns.row(headings.map(|heading| style.dim(heading)));
    for StageReport { stage, fresh, done, failed, blocked, .. } in &report.stages {
        let counts = summary.stages.iter().find(|one| one.stage == *stage).map(|one: &StageSummary| &one.counts);
        let rows = counts.map_or(0, |counts| counts.written.values().sum());
        let rejects = counts.map_or(0, reject_count);
        let faults = |count: usize| if count == 0 { "-".to_owned() } else { style.red(count) };
        columns.row([
            style.bold(stage),
            fresh.to_string(),
            done.to_string(),
            faults(failed.len()),
            faults(blocked.len()),
            grouped(rows),
            grouped(rejects),
        ]);
    }
    columns.render("")
}

fn reject_count(counts: &Counts) -> u64 {
    [&counts.rule, &counts.quarantine, &counts.refusal].into_iter().flat_map(BTreeMap::values).sum()
}

/// Per stage and kind the most frequent reasons.
fn reject_table(summary: &Summary) -> Columns {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    for stage in &summary.stages {
        let kinds = [
            ("by rule", &stage.counts.rule),
            ("refused", &stage.counts.refusal),
            ("quarantined", &stage.counts.quarantine),
        ];
        for (kind, reasons) in kinds.into_iter().filter(|(_, reasons)| !reasons.is_empty()) {
            columns.row([stage.stage.into(), kind.into(), frequent(reasons)]);
        }
    }
    columns
}

fn frequent(reasons: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<(&String, &u64)> = reasons.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let shown: Vec<String> =
        sorted.iter().take(SHOWN_REASONS).map(|(reason, count)| format!("{reason} {}", grouped(**count))).collect();
    let more =
        if sorted.len() > SHOWN_REASONS { format!(", {} more", sorted.len() - SHOWN_REASONS) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn quarantined_list(text: &mut String, quarantined: &Quarantined, style: Style) {
    let _ = writeln!(text, "\n{} ({})", style.bold("broken input that was left out"), grouped(quarantined.count));
    for (_, reject) in &quarantined.shown {
        let _ = writeln!(text, "  {}: {} {}", reject.record_id, reject.reason, reject.detail);
    }
    let more = quarantined.count.saturating_sub(quarantined.shown.len() as u64);
    if more > 0 {
        let stage = quarantined.shown.first().map_or("STAGE", |(stage, _)| stage);
        let _ = writeln!(text, "  and {} more: `uavgen explain {stage} PARTITION` lists them", grouped(more));
    }
    let _ = writeln!(text, "  next: mend or replace these files and build again; only what they touch is built again");
}

fn releases(text: &mut String, report: &BuildReport) {
    for release in &report.published {
        let state = if release.changed { "" } else { " (unchanged)" };
        let _ = write!(text, "\nrelease  {}{state}\n", release.folder.display());
        let page = release.folder.join("report.html");
        if page.is_file() {
            let _ = writeln!(text, "report   {}", page.display());
        }
        text.push_str("next     uavgen check latest\n");
    }
}

/// The error when too much of the input is broken.
pub(super) fn too_many_bad(bad: &BadRecords) -> String {
    let share = 100.0 * bad.bad as f64 / bad.read.max(1) as f64;
    let mut text = format!(
        "{} of {} records that {} read are broken: {share:.1} %, and the limit is {:.1} %",
        grouped(bad.bad),
        grouped(bad.read),
        bad.stage,
        100.0 * bad.max_bad_share
    );
    for line in &bad.first {
        let _ = write!(text, "\n  {line}");
    }
    let more = bad.bad.saturating_sub(bad.first.len() as u64);
    if more > 0 {
        let _ = write!(text, "\n  and {} more", grouped(more));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_core::Grain;
    use uavgen_engine::{Outcome, Published};

    fn report(ran: usize) -> BuildReport {
        let stage = StageReport { stage: "toy", fresh: 2, done: ran, ..StageReport::default() };
        let published = Published { id: "x".into(), folder: "/r/x".into(), changed: false };
        BuildReport {
            run: "r".into(),
            stages: vec![stage],
            published: vec![published],
            outcome: Outcome::Done,
            notes: vec![],
        }
    }

    #[test]
    fn nothing_done_says_where_the_release_is() {
        let text = nothing_done(&report(0));
        assert_eq!(text, "nothing to do: 2 tasks fresh\n\nrelease  /r/x (unchanged)\nnext     uavgen check latest");
    }

    #[test]
    fn the_screen_shows_counts_reasons_and_broken_files() {
        let mut counts = Counts::default();
        counts.written.insert("frames".into(), 1200);
        counts.rule.extend((1..=7).map(|n| (format!("rule_{n}"), n)));
        counts.quarantine.insert("truncated".into(), 1);
        let stage =
            StageSummary { stage: "toy", grain: Grain::Sequence, tasks: 3, fresh: 3, counts, bytes: 9, seconds: 1.0 };
        let summary = Summary { stages: vec![stage], ..Summary::default() };
        let reject = Reject {
            record_id: "a/1.jpg".into(),
            kind: RejectKind::Quarantine,
            reason: "truncated".into(),
            value: None,
            limit: None,
            detail: "ends at byte 7".into(),
        };
        let text = render(&report(1), &summary, &Quarantined { shown: vec![("toy".into(), reject)], count: 4 });
        assert!(text.contains("toy        2     1       -        -  1 200       29"), "{text}");
        assert!(text.contains("rule_7 7, rule_6 6, rule_5 5, rule_4 4, rule_3 3, 2 more"), "{text}");
        assert!(
            text.contains("  a/1.jpg: truncated ends at byte 7\n  and 3 more: `uavgen explain toy PARTITION`"),
            "{text}"
        );
    }

    #[test]
    fn too_many_bad_lists_them() {
        let bad = BadRecords {
            stage: "toy",
            bad: 3,
            read: 12,
            max_bad_share: 0.1,
            first: vec!["a: x".into(), "b: y".into()],
        };
        let text = too_many_bad(&bad);
        assert_eq!(
            text,
            "3 of 12 records that toy read are broken: 25.0 %, and the limit is 10.0 %\n  a: x\n  b: y\n  and 1 more"
        );
    }
}
