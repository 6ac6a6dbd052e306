//! Everything known about one task.

use crate::look::newest_result;
use crate::reason::differences;
use crate::workspace::Walk;
use crate::{Control, EngineError, Reason, Selection, Status, Workspace};
use serde::Serialize;
use std::path::PathBuf;
use uavgen_core::{FingerprintInputs, InputPart, Manifest, Partition, StoreError, config};
use uavgen_schemas::{Record, Reject};

/// What there is to know about one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Stage.
    pub stage: &'static str,
    /// Partition.
    pub partition: Partition,
    /// Where it stands, with the difference to the newest other result.
    pub status: Status,
    /// Its key; null while something upstream must run first.
    pub fingerprint: Option<String>,
    /// What the key hashes; null while something upstream must run first.
    pub inputs: Option<FingerprintInputs>,
    /// Its result; null when it must run.
    pub result: Option<Manifest>,
    /// Folder of its result.
    pub folder: Option<PathBuf>,
    /// Where it has a result and an older one: how they differ.
    pub since_previous: Vec<Reason>,
    /// Records that it did not take further, all of them.
    pub rejects: Vec<Reject>,
}

impl Workspace {
    /// Explains one task. The partition is given as printed (`source/sequence`, `split val`, `dataset`), as its path in
    /// the store, or as its last part alone where that is unique.
    ///
    /// # Errors
    /// An unknown stage or partition, with the nearest one; an unusable source; an unreadable store.
    pub fn explain(&self, stage: &str, partition: &str, control: Control<'_>) -> Result<Explanation, EngineError> {
        let index = self.stage_index(stage)?;
        let walk = self.look_at_all(&Selection::stages([stage]), control)?;
        let partition = find(&walk, index, partition)?;
        Ok(self.explain_task(&walk, index, &partition)?)
    }

    fn explain_task(&self, walk: &Walk<'_>, index: usize, partition: &Partition) -> Result<Explanation, StoreError> {
        let stage = self.stages[index].info.name;
        let task = walk.states.get(&index).and_then(|state| state.task(partition));
        let result = task.and_then(|task| task.manifest.as_deref()).cloned();
        let folder = result.as_ref().map(|manifest| self.store.attempt_folder(manifest));
        let rejects = result.as_ref().and_then(|result| InputPart::of(&self.store, result, Reject::TABLE));
        let rejects = rejects.map_or(Ok(Vec::new()), |rejects| rejects.reader::<Reject>()?.rows())?;
        let since_previous = match &result {
            Some(result) => newest_result(self, stage, partition, Some(&result.fingerprint))?
                .map(|before| differences(&before.inputs, &result.inputs))
                .unwrap_or_default(),
            None => Vec::new(),
        };
        let of_result = || result.as_ref().map(|manifest| manifest.inputs.clone());
        Ok(Explanation {
            stage,
            partition: partition.clone(),
            status: task.map_or(Status::Blocked { on: Vec::new() }, |task| task.status.clone()),
            fingerprint: task.and_then(|task| task.fingerprint.as_ref()).map(ToString::to_string),
            inputs: task.and_then(|task| task.inputs.as_deref().cloned()).or_else(of_result),
            folder,
            since_previous,
            rejects,
            result,
        })
    }
}

fn find(walk: &Walk<'_>, stage: usize, name: &str) -> Result<Partition, EngineError> {
    let tasks = walk.states.get(&stage).map_or(&[][..], |state| &state.tasks);
    let names = |partition: &Partition| {
        let path = partition.path().display().to_string();
        let last = partition.path().file_name().map(|last| last.to_string_lossy().into_owned()).unwrap_or_default();
        [partition.to_string(), path, last]
    };
    let matching: Vec<&Partition> = tasks
        .iter()
        .map(|task| &task.partition)
        .filter(|partition| names(partition).iter().any(|one| one == name))
        .collect();
    let stage_name = || walk.workspace.stages[stage].info.name.into();
    match matching[..] {
        [] => {}
        [one] => return Ok(one.clone()),
        // Paths tell apart what looks alike.
        _ => {
            let candidates = matching.iter().map(|partition| partition.path().display().to_string()).collect();
            return Err(EngineError::AmbiguousPartition { stage: stage_name(), name: name.into(), candidates });
        }
    }
    let all: Vec<String> = tasks.iter().map(|task| task.partition.to_string()).collect();
    let nearest = config::nearest(name, &all.iter().map(String::as_str).collect::<Vec<_>>()).map(str::to_owned);
    Err(EngineError::UnknownPartition { stage: stage_name(), name: name.into(), nearest })
}
