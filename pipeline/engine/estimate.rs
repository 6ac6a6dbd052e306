//! From what was looked at to a [`Plan`]: expected rows, chained from stage to stage, and expected bytes.

use crate::look::{TaskState, root_task};
use crate::plan::{Plan, StagePlan, TaskPlan};
use crate::workspace::Walk;
use std::collections::BTreeMap;
use uavgen_core::{Manifest, Partition};

/// Name under which a root stage is told its number of files.
const NUMBER_OF_FILES: &str = "source_files";

type Rows = BTreeMap<String, u64>;
/// Rows per table that each task has written or is expected to write.
type Expectations<'w> = BTreeMap<(usize, &'w Partition), Rows>;

/// The plan of a finished walk.
pub(crate) fn plan(walk: &Walk<'_>) -> Plan {
    let mut expectations = Expectations::new();
    let mut stages = Vec::new();
    for &stage in &walk.order {
        let Some(state) = walk.states.get(&stage) else { continue };
        let mut expected_rows = Rows::new();
        for task in &state.tasks {
            let rows = expected(walk, &expectations, stage, task);
            add(&mut expected_rows, &rows);
            expectations.insert((stage, &task.partition), rows);
        }
        stages.push(stage_plan(walk, stage, &state.tasks, expected_rows));
    }
    let found = &walk.discoveries;
    Plan { stages, notes: found.notes.clone(), source_files: found.files, source_bytes: found.bytes }
}

fn stage_plan(walk: &Walk<'_>, stage: usize, tasks: &[TaskState], expected_rows: Rows) -> StagePlan {
    let info = walk.workspace.stages[stage].info;
    let fresh = tasks.iter().filter_map(|task| task.manifest.as_deref());
    let (count, stored_bytes) = fresh.fold((0, 0), |(count, bytes), one| (count + 1, bytes + stored_bytes(one)));
    let missing = tasks.len() as u64 - count;
    let from_mean = |count| (u128::from(stored_bytes) * u128::from(missing) / u128::from(count)) as u64;
    StagePlan {
        stage: info.name,
        grain: info.grain,
        selected: walk.selected.contains(&stage),
        tasks: tasks.iter().map(task_plan).collect(),
        expected_rows,
        rows_are_exact: missing == 0,
        stored_bytes,
        needed_bytes: if missing == 0 { Some(0) } else { (count > 0).then(|| from_mean(count)) },
    }
}

fn task_plan(task: &TaskState) -> TaskPlan {
    TaskPlan {
        partition: task.partition.clone(),
        status: task.status.clone(),
        fingerprint: task.fingerprint.as_ref().map(ToString::to_string),
    }
}

/// Bytes of all files of a result.
pub(crate) fn stored_bytes(manifest: &Manifest) -> u64 {
    let tables = manifest.artifacts.values().map(|artifact| artifact.bytes);
    tables.chain(manifest.blobs.values().map(|blob| blob.bytes)).sum()
}

fn expected(walk: &Walk<'_>, expectations: &Expectations<'_>, stage: usize, task: &TaskState) -> Rows {
    let setup = &walk.workspace.stages[stage];
    if let Some(manifest) = &task.manifest {
        let written = |table: &str| Some((table.to_owned(), manifest.artifacts.get(table)?.rows));
        return setup.info.writes.iter().filter_map(|table| written(table.name)).collect();
    }
    let mut read = Rows::new();
    if let Some(root) = root_task(walk, stage, &task.partition) {
        read.clone_from(&root.numbers);
        read.insert(NUMBER_OF_FILES.into(), root.files.len() as u64);
    }
    for table in setup.info.reads.iter().map(|read| read.table.name) {
        let Some(&writer) = walk.workspace.graph.writers.get(table) else { continue };
        let Some(state) = walk.states.get(&writer) else { continue };
        let parts = state.covered_by(&task.partition).into_iter();
        let rows = parts.filter_map(|part| expectations.get(&(writer, &part.partition))?.get(table));
        read.insert(table.to_owned(), rows.sum());
    }
    setup.variant(task.partition.split()).configured.estimate(&read)
}

fn add(sum: &mut Rows, rows: &Rows) {
    for (table, count) in rows {
        *sum.entry(table.clone()).or_default() += count;
    }
}
