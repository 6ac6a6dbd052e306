//! One task: where it stands, what it was made from, what it dropped.

use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{Style, bytes, counted, grouped, print};
use crate::workspace::Opened;
use std::fmt::Write as _;
use uavgen_core::{FingerprintInputs, Manifest};
use uavgen_engine::{Control, Explanation, Silent, Status};
use uavgen_schemas::Reject;

/// Rejects shown.
const SHOWN_REJECTS: usize = 20;

pub(super) fn explain(opened: &Opened, stage: &str, partition: &str, json: bool) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::unwatched();
    let control = Control { observer: &Silent, cancelled: interrupt.cancelled() };
    let explained = opened.workspace.explain(stage, partition, control);
    let explanation = explained.map_err(|error| opened.failure(&interrupt, error))?;
    match json {
        true => print(serde_json::to_string_pretty(&explanation)?)?,
        false => print(render(&explanation, Style::stdout()))?,
    }
    Ok(Exit::Done)
}

fn render(explanation: &Explanation, style: Style) -> String {
    let Explanation { stage, partition, status, .. } = explanation;
    let mut text = format!("{} {partition}: {}\n", style.bold(stage), status.word());
    match status {
        Status::Dirty { reasons } => reasons.iter().for_each(|reason| _ = writeln!(text, "  because {reason}")),
        Status::Blocked { on } => on.iter().for_each(|on| _ = writeln!(text, "  needs {on}")),
        Status::Maybe => text.push_str("  a stage before it runs first\n"),
        Status::Fresh => {}
    }
    if !explanation.since_previous.is_empty() {
        text.push_str("  since the result before:\n");
        explanation.since_previous.iter().for_each(|reason| _ = writeln!(text, "    {reason}"));
    }
    if let Some(inputs) = &explanation.inputs {
        made_from(&mut text, inputs, explanation.fingerprint.as_deref(), style);
    }
    if let Some(manifest) = &explanation.result {
        result(&mut text, manifest, style);
    }
    if let Some(folder) = &explanation.folder {
        let _ = writeln!(text, "  folder {}", folder.display());
    }
    rejects(&mut text, &explanation.rejects, style);
    text.trim_end().to_owned()
}

fn made_from(text: &mut String, inputs: &FingerprintInputs, fingerprint: Option<&str>, style: Style) {
    let _ = writeln!(text, "\n{}", style.bold("made from"));
    let seed = inputs.seed.map_or_else(|| "no seed".to_owned(), |seed| format!("seed {seed}"));
    let _ = writeln!(text, "  version {} of the stage, {seed}", inputs.stage_version);
    if let Some(fingerprint) = fingerprint {
        let _ = writeln!(text, "  fingerprint {fingerprint}");
    }
    for (name, digest) in inputs.inputs.iter().chain(&inputs.externals) {
        // Versions stay whole; of digests, the start tells them apart.
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let _ = writeln!(text, "  {name} {}", if is_digest { &digest[..16] } else { digest });
    }
    let config = format!("{:#}", inputs.config);
    let _ = writeln!(text, "  config {}", config.replace('\n', "\n  "));
}

fn result(text: &mut String, manifest: &Manifest, style: Style) {
    let _ = writeln!(text, "\n{}", style.bold("result"));
    for (kind, input) in &manifest.counts.inputs {
        let broken = input.quarantined.values().sum::<u64>();
        let broken = if broken > 0 { format!(", {} broken", grouped(broken)) } else { String::new() };
        let _ = writeln!(text, "  looked at {}{broken}", counted(input.read, kind));
    }
    for (table, artifact) in &manifest.artifacts {
        let _ = writeln!(text, "  {table}: {}, {}", counted(artifact.rows, "row"), bytes(artifact.bytes));
    }
    if !manifest.blobs.is_empty() {
        let size = manifest.blobs.values().map(|blob| blob.bytes).sum();
        let _ = writeln!(text, "  {}, {}", counted(manifest.blobs.len() as u64, "file"), bytes(size));
    }
    for (name, count) in &manifest.counts.notes {
        let _ = writeln!(text, "  {name}: {}", grouped(*count));
    }
    let run = &manifest.run;
    let _ = writeln!(text, "  made in {} ms on {} by uavgen {}", run.duration_ms, run.host, run.uavgen_version);
}

fn rejects(text: &mut String, rejects: &[Reject], style: Style) {
    if rejects.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{} ({})", style.bold("not taken further"), grouped(rejects.len() as u64));
    for reject in rejects.iter().take(SHOWN_REJECTS) {
        let measured = match (reject.value, reject.limit) {
            (Some(value), Some(limit)) => format!(" ({value} against {limit})"),
            (Some(value), None) => format!(" ({value})"),
            _ => String::new(),
        };
        let line = format!("  {}: {}{measured} {}", reject.record_id, reject.reason, reject.detail);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if rejects.len() > SHOWN_REJECTS {
        let _ = writeln!(text, "  and {} more: --json shows all", grouped((rejects.len() - SHOWN_REJECTS) as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use uavgen_core::Partition;
    use uavgen_engine::Reason;
    use uavgen_schemas::RejectKind;

    #[test]
    fn a_task_shows_reasons_inputs_and_rejects() {
        let partition = Partition::Split { split: "val".into() };
        let reject = Reject {
            record_id: "a#1".into(),
            kind: RejectKind::Rule,
            reason: "too_small".into(),
            value: Some(30.0),
            limit: Some(64.0),
            detail: String::new(),
        };
        let explanation = Explanation {
            stage: "toy",
            partition: partition.clone(),
            status: Status::Dirty { reasons: vec![Reason::Seed] },
            fingerprint: Some("ab".into()),
            inputs: Some(FingerprintInputs {
                stage: "toy".into(),
                stage_version: 2,
                partition,
                records: BTreeMap::new(),
                encoding: 1,
                config: serde_json::json!({"limit": 3}),
                inputs: BTreeMap::from([("frames".into(), "0123456789abcdef".repeat(4))]),
                externals: BTreeMap::from([("media".into(), "media-1 avcodec-59".into())]),
                seed: Some(7),
            }),
            result: None,
            folder: None,
            since_previous: Vec::new(),
            rejects: vec![reject; 22],
        };
        let text = render(&explanation, Style::plain());
        for part in [
            "toy split val: dirty\n  because seed changed\n",
            "  frames 0123456789abcdef\n  media media-1 avcodec-59\n",
            "  config {\n    \"limit\": 3\n  }\n",
            "not taken further (22)\n  a#1: too_small (30 against 64)\n",
            "and 2 more: --json shows all",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
    }
}
