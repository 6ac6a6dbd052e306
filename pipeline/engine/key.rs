//! What a task is made of: the inputs of its fingerprint, and what it may read when it runs.

use crate::discovery::RootTask;
use crate::reason::{COUNTS, FILES_OF_SOURCE};
use crate::workspace::{StageSetup, Workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use uavgen_core::store::ENCODING;
use uavgen_core::{Counts, FingerprintInputs, InputPart, InputTable, Inputs, Manifest, Partition, fingerprint};
use uavgen_schemas::canonical;

/// Results that a task stands on, per upstream stage, each sorted by partition.
pub(crate) type Upstream = BTreeMap<usize, Vec<Arc<Manifest>>>;

/// Longest option that is stored in clear in a manifest; longer ones are digested.
const CLEAR_OPTION_BYTES: usize = 64;

/// Everything that the task's fingerprint hashes.
pub(crate) fn fingerprint_inputs(
    workspace: &Workspace,
    stage: usize,
    partition: &Partition,
    upstream: &Upstream,
    root: Option<&RootTask>,
) -> FingerprintInputs {
    let setup = &workspace.stages[stage];
    let variant = setup.variant(partition.split());
    let mut externals = variant.externals.clone();
    if let Some(root) = root {
        externals.insert(FILES_OF_SOURCE.into(), root.files_digest.clone());
        externals.extend(root.options.iter().map(hashed_option));
    }
    if setup.info.reads_counts {
        externals.extend(project_options(workspace).iter().map(hashed_option));
    }
    FingerprintInputs {
        stage: setup.info.name.into(),
        stage_version: setup.info.version,
        partition: partition.clone(),
        records: setup.records.clone(),
        encoding: ENCODING,
        config: variant.configured.config().clone(),
        inputs: input_digests(workspace, setup, upstream),
        externals,
        seed: setup.info.uses_seed.then_some(workspace.setup.project.seed),
    }
}

/// An option as it stands in a fingerprint: in clear when it is short.
fn hashed_option((name, value): (&String, &Value)) -> (String, String) {
    let text = canonical::to_string(value);
    let shown = if text.len() <= CLEAR_OPTION_BYTES { text } else { fingerprint::digest(text.as_bytes()) };
    (format!("option {name}"), shown)
}

/// What a stage that reports on the whole may say about the project.
fn project_options(workspace: &Workspace) -> BTreeMap<String, Value> {
    let project = &workspace.setup.project;
    // A mode is one of three words: it always has a JSON form.
    let mode = serde_json::to_value(project.split.mode).unwrap_or_default();
    BTreeMap::from([("project".into(), project.name.as_str().into()), ("split_mode".into(), mode)])
}

/// One digest per table over all parts, and one over the counts where the stage reports on them.
fn input_digests(workspace: &Workspace, setup: &StageSetup, upstream: &Upstream) -> BTreeMap<String, String> {
    let mut digests = BTreeMap::new();
    for (table, parts) in input_manifests(workspace, setup, upstream) {
        let parts = parts.iter().filter_map(|part| Some((part_name(part.partition()), part.content_digest(table)?)));
        digests.insert(table.to_owned(), fingerprint::combine(parts));
    }
    if setup.info.reads_counts {
        // Counts are numbers by name: they always have a JSON form.
        let text = canonical::of(&counts(workspace, upstream)).unwrap_or_default();
        digests.insert(COUNTS.into(), fingerprint::digest(text.as_bytes()));
    }
    digests
}

/// Unique name of a part; its split belongs to it, since the reader sees the split.
fn part_name(partition: &Partition) -> String {
    format!("{}\n{}", partition.path().display(), partition.split().unwrap_or_default())
}

/// The results that hold each table the stage reads. An optional table without a writer has no entry.
fn input_manifests<'a>(
    workspace: &'a Workspace,
    setup: &'a StageSetup,
    upstream: &'a Upstream,
) -> impl Iterator<Item = (&'static str, &'a [Arc<Manifest>])> {
    setup.info.reads.iter().filter_map(move |read| {
        let writer = workspace.graph.writers.get(read.table.name)?;
        Some((read.table.name, upstream.get(writer).map_or(&[][..], Vec::as_slice)))
    })
}

/// Summed counts per upstream stage.
fn counts(workspace: &Workspace, upstream: &Upstream) -> BTreeMap<String, Counts> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (&stage, manifests) in upstream {
        let sum = counts.entry(workspace.stages[stage].info.name.into()).or_default();
        manifests.iter().for_each(|manifest| sum.add(&manifest.counts));
    }
    counts
}

/// Everything that the task may read.
pub(crate) fn context_inputs(
    workspace: &Workspace,
    stage: usize,
    upstream: &Upstream,
    root: Option<&RootTask>,
) -> Inputs {
    let setup = &workspace.stages[stage];
    let tables = input_manifests(workspace, setup, upstream)
        .map(|(table, parts)| (table.to_owned(), input_table(workspace, table, parts)))
        .collect();
    let mut inputs = Inputs { tables, ..Inputs::default() };
    if let Some(root) = root {
        (inputs.files, inputs.options) = (root.files.clone(), root.options.clone());
    }
    if setup.info.reads_counts {
        inputs.counts = counts(workspace, upstream);
        inputs.options.extend(project_options(workspace));
    }
    inputs
}

fn input_table(workspace: &Workspace, table: &str, parts: &[Arc<Manifest>]) -> InputTable {
    parts.iter().filter_map(|manifest| InputPart::of(&workspace.store, manifest, table)).collect()
}
