//! Reads what is in the store under the current config.

use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::workspace::Opened;
use std::collections::BTreeMap;
use std::sync::Arc;
use uavgen_core::{InputPart, Manifest, Partition, Stage, Store};
use uavgen_engine::{Control, Selection, Silent};
use uavgen_schemas::Record;

/// The results that hold under the current config.
pub(crate) struct Results {
    store: Store,
    by_stage: BTreeMap<&'static str, Vec<Arc<Manifest>>>,
}

impl Results {
    /// Looks at every selected stage and upstream of it. Only reads, so signals end it as they end any program.
    ///
    /// # Errors
    /// When the sources or the store cannot be read.
    pub(crate) fn look(opened: &Opened, selection: &Selection) -> anyhow::Result<Self> {
        let interrupt = Interrupt::unwatched();
        let control = Control { observer: &Silent, cancelled: interrupt.cancelled() };
        let by_stage = opened.workspace.results(selection, control);
        let by_stage = by_stage.map_err(|error| opened.failure(&interrupt, error))?;
        Ok(Self { store: opened.workspace.store().clone(), by_stage })
    }

    /// The results of a stage, by partition. Tasks that are not fresh have none.
    pub(crate) fn of_stage(&self, stage: &str) -> &[Arc<Manifest>] {
        self.by_stage.get(stage).map_or(&[], Vec::as_slice)
    }

    /// A table as the stage that writes it made it for one partition.
    ///
    /// # Errors
    /// When there is no current result, or it cannot be read.
    pub(crate) fn rows_of<R: Record>(&self, partition: &Partition) -> anyhow::Result<Vec<R>> {
        let stage = writer_of(R::TABLE).ok_or_else(|| Failure::usage(format!("no stage writes {}", R::TABLE)))?;
        let manifest = self.of_stage(stage).iter().find(|manifest| manifest.partition() == partition);
        let manifest = manifest.ok_or_else(|| {
            Failure::usage(format!("{stage} has no current result for {partition}"))
                .with_hint("run `uavgen build` first")
        })?;
        self.rows(manifest)
    }

    /// A table of a result.
    ///
    /// # Errors
    /// When it is missing, was damaged, or cannot be read.
    pub(crate) fn rows<R: Record>(&self, manifest: &Manifest) -> anyhow::Result<Vec<R>> {
        Ok(self.part::<R>(manifest)?.reader::<R>()?.rows()?)
    }

    /// A table of a result with the files beside it.
    ///
    /// # Errors
    /// When the result has no such table.
    pub(crate) fn part<R: Record>(&self, manifest: &Manifest) -> anyhow::Result<InputPart> {
        let part = InputPart::of(&self.store, manifest, R::TABLE);
        part.ok_or_else(|| anyhow::anyhow!("{} wrote no {}", manifest.inputs.stage, R::TABLE))
    }
}

/// The stage that writes a table.
pub(crate) fn writer_of(table: &str) -> Option<&'static str> {
    let stages = uavgen_stages::STAGES.iter().map(|stage: &&dyn Stage| stage.info());
    stages.into_iter().find(|info| info.writes.iter().any(|written| written.name == table)).map(|info| info.name)
}
