//! The screen at the end of a build.

use crate::output::{Align, Columns, Style, counted, grouped};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use uavgen_engine::{BadInput, BuildReport, Outcome, StageReport};
use uavgen_stages::release::WITHOUT_QUESTION;

/// Reasons shown per stage.
const SHOWN_REASONS: usize = 5;
/// Quarantined records shown.
const SHOWN_QUARANTINED: usize = 8;

/// What a build came to. It is summed from manifests, so that a resumed build shows the same as one in one go.
pub(super) fn render(report: &BuildReport) -> String {
    let mut text = match report.ran() {
        0 if report.outcome == Outcome::Done => nothing_done(report),
        _ => what_was_done(report),
    };
    releases(&mut text, report);
    text.trim_end().to_owned()
}

fn nothing_done(report: &BuildReport) -> String {
    match report.stages.iter().map(|stage| stage.fresh).sum::<usize>() {
        0 => "no work was found in the sources\n".to_owned(),
        fresh => format!("nothing to do: {} fresh\n", counted(fresh as u64, "task")),
    }
}

fn what_was_done(report: &BuildReport) -> String {
    let style = Style::stdout();
    let mut text = stage_table(report, style);
    text.push('\n');
    let rejects = reject_table(report);
    if !rejects.is_empty() {
        let _ = write!(text, "\n{}\n{}\n", style.bold("not taken further, by reason"), rejects.render("  "));
    }
    broken_input(&mut text, report, style);
    text
}

fn stage_table(report: &BuildReport, style: Style) -> String {
    use Align::{Left, Right};
    let mut columns = Columns::new(&[Left, Right, Right, Right, Right, Right, Right]);
    let headings = ["stage", "fresh", "done", "failed", "blocked", "rows", "rejects"];
    columns.row(headings.map(|heading| style.dim(heading)));
    for StageReport { stage, fresh, done, failed, blocked, counts, .. } in &report.stages {
        let faults = |count: usize| if count == 0 { "-".to_owned() } else { style.red(count) };
        columns.row([
            style.bold(stage),
            fresh.to_string(),
            done.to_string(),
            faults(failed.len()),
            faults(blocked.len()),
            grouped(counts.written.values().sum()),
            grouped(counts.rejects()),
        ]);
    }
    columns.render("")
}

/// Per stage and kind the most frequent reasons.
fn reject_table(report: &BuildReport) -> Columns {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    for stage in &report.stages {
        let quarantined = stage.counts.quarantined();
        let kinds =
            [("by rule", &stage.counts.rule), ("refused", &stage.counts.refusal), ("quarantined", &quarantined)];
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

fn broken_input(text: &mut String, report: &BuildReport, style: Style) {
    let count: u64 = report.stages.iter().flat_map(|stage| stage.counts.quarantined().into_values()).sum();
    let listed = report.stages.iter().flat_map(|stage| stage.quarantined.iter().map(|one| (stage.stage, one)));
    let listed: Vec<_> = listed.take(SHOWN_QUARANTINED).collect();
    let Some((stage, (partition, _))) = listed.last() else { return };
    let _ = writeln!(text, "\n{} ({})", style.bold("broken input that was left out"), grouped(count));
    for (_, (_, reject)) in &listed {
        let _ = writeln!(text, "  {}: {} {}", reject.record_id, reject.reason, reject.detail);
    }
    let more = count.saturating_sub(listed.len() as u64);
    if more > 0 {
        let _ = writeln!(
            text,
            "  and {} more: `uavgen explain {stage} {partition}` lists those of one task",
            grouped(more)
        );
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
    let without_question =
        |stage: &StageReport| stage.counts.notes.get(WITHOUT_QUESTION).is_some_and(|count| *count > 0);
    if !report.published.is_empty() && report.stages.iter().any(without_question) {
        text.push_str(
            "warning  the release has no question: `uavgen explain qa PARTITION` tells what was refused, and why\n",
        );
    }
}

/// The error when too much of one kind of input is broken.
pub(super) fn too_much_bad(bad: &BadInput) -> String {
    let share = 100.0 * bad.bad as f64 / bad.read.max(1) as f64;
    let mut text = format!(
        "{} of {} that {} read are broken: {share:.1} %, and the limit is {:.1} %",
        grouped(bad.bad),
        counted(bad.read, &bad.kind),
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
    use uavgen_core::{Counts, InputCounts, Partition};
    use uavgen_engine::Published;
    use uavgen_schemas::{Reject, RejectKind};

    fn report(stage: StageReport) -> BuildReport {
        let published = Published { id: "x".into(), folder: "/r/x".into(), changed: false };
        BuildReport {
            run: "r".into(),
            log: "/runs/r".into(),
            stages: vec![stage],
            published: vec![published],
            outcome: Outcome::Done,
            notes: vec![],
        }
    }

    fn stage(done: usize) -> StageReport {
        StageReport { stage: "toy", fresh: 2, done, ..StageReport::default() }
    }

    #[test]
    fn nothing_done_says_where_the_release_is() {
        let text = render(&report(stage(0)));
        assert_eq!(text, "nothing to do: 2 tasks fresh\n\nrelease  /r/x (unchanged)\nnext     uavgen check latest");
    }

    #[test]
    fn the_screen_shows_counts_reasons_and_broken_files() {
        let mut counts = Counts::default();
        counts.written.insert("frames".into(), 1200);
        counts.rule.extend((1..=7).map(|n| (format!("rule_{n}"), n)));
        let broken = BTreeMap::from([("truncated".into(), 4)]);
        counts.inputs.insert("image".into(), InputCounts { read: 90, quarantined: broken });
        let reject = Reject {
            record_id: "a/1.jpg".into(),
            kind: RejectKind::Quarantine,
            reason: "truncated".into(),
            value: None,
            limit: None,
            detail: "ends at byte 7".into(),
        };
        let partition = Partition::Split { split: "val".into() };
        let text = render(&report(StageReport { counts, quarantined: vec![(partition, reject)], ..stage(1) }));
        assert!(text.contains("toy        2     1       -        -  1 200       32"), "{text}");
        assert!(text.contains("rule_7 7, rule_6 6, rule_5 5, rule_4 4, rule_3 3, 2 more"), "{text}");
        assert!(text.contains("  a/1.jpg: truncated ends at byte 7\n  and 3 more: "), "{text}");
        assert!(text.contains("`uavgen explain toy split val`"), "{text}");
    }

    #[test]
    fn a_release_without_a_question_is_no_quiet_success() {
        let with_note = |count| {
            let mut stage = stage(0);
            stage.counts.notes.insert(WITHOUT_QUESTION.into(), count);
            render(&report(stage)).contains("warning  the release has no question")
        };
        assert_eq!([0, 1].map(with_note), [false, true]);
    }

    #[test]
    fn too_much_that_is_bad_is_listed() {
        let bad = BadInput {
            stage: "toy",
            kind: "image".into(),
            bad: 3,
            read: 12,
            max_bad_share: 0.1,
            first: vec!["a: x".into(), "b: y".into()],
        };
        let text = too_much_bad(&bad);
        assert_eq!(
            text,
            "3 of 12 images that toy read are broken: 25.0 %, and the limit is 10.0 %\n  a: x\n  b: y\n  and 1 more"
        );
    }
}
