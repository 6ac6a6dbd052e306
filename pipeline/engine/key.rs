//! What a task is made of: the inputs of its fingerprint, and what it may read when it runs.

use crate::discovery::RootTask;
use crate::reason::{COUNTS, SOURCE_FILES};
use crate::workspace::{StageSetup, Workspace};
use std::collections::BTreeMap;
use std::sync::Arc;
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
        externals.insert(SOURCE_FILES.into(), root.files_digest.clone());
        let options = root.options.iter().map(|(name, value)| (format!("option {name}"), canonical::to_string(value)));
        externals.extend(options.map(|(name, text)| match text.len() {
            0..=CLEAR_OPTION_BYTES => (name, text),
            _ => (name, fingerprint::digest(text.as_bytes())),
        }));
    }
    FingerprintInputs {
        stage: setup.info.name.into(),
        stage_version: setup.info.version,
        partition: partition.clone(),
        records: setup.records.clone(),
        config: variant.configured.config().clone(),
        inputs: input_digests(workspace, setup, upstream),
        externals,
        seed: workspace.setup.project.seed,
    }
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
    Inputs {
        tables,
        counts: if setup.info.reads_counts { counts(workspace, upstream) } else { BTreeMap::new() },
        files: root.map(|root| root.files.clone()).unwrap_or_default(),
        options: root.map(|root| root.options.clone()).unwrap_or_default(),
    }
}

fn input_table(workspace: &Workspace, table: &str, parts: &[Arc<Manifest>]) -> InputTable {
    let part = |manifest: &Arc<Manifest>| {
        let artifact = manifest.artifacts.get(table)?;
        let attempt_folder = workspace.store.attempt_folder(manifest);
        Some(InputPart {
            partition: manifest.partition().clone(),
            path: attempt_folder.join(&artifact.file),
            rows: artifact.rows,
            attempt_folder,
            blobs: manifest.blobs.clone(),
        })
    };
    parts.iter().filter_map(part).collect()
}
