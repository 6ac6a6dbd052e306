//! What the store holds for the current config, summed from manifests.

use crate::look::StageState;
use crate::{Control, EngineError, Selection, Workspace, estimate};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use uavgen_core::{Counts, Grain, Manifest};

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageSummary {
    /// Stage.
    pub stage: &'static str,
    /// What one task covers.
    pub grain: Grain,
    /// Number of tasks.
    pub tasks: usize,
    /// Those whose result is there; the numbers below are theirs.
    pub fresh: usize,
    /// What went in, what came out, what was dropped and why.
    pub counts: Counts,
    /// Bytes of tables and blobs.
    pub bytes: u64,
    /// Wall time that the results took, in seconds, summed over tasks.
    pub seconds: f64,
}

/// All stages, and the releases of the current config.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Stages in the order in which they run.
    pub stages: Vec<StageSummary>,
    /// Names of the releases that the current results publish.
    pub releases: Vec<String>,
    /// What the root stages say about the sources, a line each.
    pub notes: Vec<String>,
}

impl Workspace {
    /// The results that hold under the current config, by stage, each sorted by partition. Tasks that are not fresh have
    /// none.
    ///
    /// # Errors
    /// As [`Workspace::plan`].
    pub fn results(
        &self,
        selection: &Selection,
        control: Control<'_>,
    ) -> Result<BTreeMap<&'static str, Vec<Arc<Manifest>>>, EngineError> {
        let walk = self.look_at_all(selection, control)?;
        let of = |state: &StageState| state.tasks.iter().filter_map(|task| task.manifest.clone()).collect();
        Ok(walk.states.iter().map(|(&stage, state)| (self.stages[stage].info.name, of(state))).collect())
    }

    /// Sums the manifests of everything that the current config reaches.
    ///
    /// # Errors
    /// As [`Workspace::plan`].
    pub fn summary(&self, selection: &Selection, control: Control<'_>) -> Result<Summary, EngineError> {
        let walk = self.look_at_all(selection, control)?;
        let mut summary = Summary { notes: walk.discoveries.notes.clone(), ..Summary::default() };
        for stage in &walk.order {
            let Some(state) = walk.states.get(stage) else { continue };
            let info = self.stages[*stage].info;
            let mut sum = StageSummary {
                stage: info.name,
                grain: info.grain,
                tasks: state.tasks.len(),
                fresh: 0,
                counts: Counts::default(),
                bytes: 0,
                seconds: 0.0,
            };
            let mut milliseconds = 0;
            for manifest in state.tasks.iter().filter_map(|task| task.manifest.as_ref()) {
                sum.fresh += 1;
                sum.counts.add(&manifest.counts);
                sum.bytes += estimate::stored_bytes(manifest);
                milliseconds += manifest.run.duration_ms;
                summary.releases.extend(manifest.publication.iter().map(|publication| publication.id.clone()));
            }
            sum.seconds = milliseconds as f64 / 1000.0;
            summary.stages.push(sum);
        }
        Ok(summary)
    }
}
