//! The checked setup, and the engine's verbs on it.

use crate::digest_cache::{self, DigestCache};
use crate::discovery::{Discoveries, discover};
use crate::graph::Graph;
use crate::look::{StageState, look};
use crate::{Control, EngineError, Plan, Selection, Setup, estimate};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use uavgen_core::store::layout::CACHE;
use uavgen_core::{ConfigError, ConfiguredStage, Grain, Stage, StageInfo, Store, config};
use uavgen_schemas::{Record as _, Reject, canonical};

/// A stage with its config for one split, and what never changes during a call.
pub(crate) struct Variant {
    pub(crate) configured: Box<dyn ConfiguredStage>,
    /// Canonical text of its config, which every task's fingerprint hashes.
    pub(crate) config_text: String,
    pub(crate) externals: BTreeMap<String, String>,
}

/// A stage with its config.
pub(crate) struct StageSetup {
    pub(crate) info: &'static StageInfo,
    /// Version of each table read or written.
    pub(crate) records: BTreeMap<String, u32>,
    base: Variant,
    overlays: BTreeMap<String, Variant>,
}

impl StageSetup {
    /// The stage as configured for a split.
    pub(crate) fn variant(&self, split: Option<&str>) -> &Variant {
        split.and_then(|split| self.overlays.get(split)).unwrap_or(&self.base)
    }
}

/// A workspace whose config has been read and whose graph is sound.
pub struct Workspace {
    pub(crate) setup: Setup,
    pub(crate) graph: Graph,
    pub(crate) stages: Vec<StageSetup>,
    pub(crate) store: Store,
}

/// What one call has found out so far.
pub(crate) struct Walk<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) digests: DigestCache<'a>,
    pub(crate) discoveries: Discoveries,
    /// Stages to go through, upstream first.
    pub(crate) order: Vec<usize>,
    /// Stages that were asked for by name (or all).
    pub(crate) selected: BTreeSet<usize>,
    /// Stages that have been gone through, by position in the registry.
    pub(crate) states: BTreeMap<usize, StageState>,
}

impl Workspace {
    /// Checks config and registry. Touches nothing but the folder of the store, which is created.
    ///
    /// # Errors
    /// The first unusable config value, or a registry that contradicts itself.
    pub fn open(setup: Setup) -> Result<Self, EngineError> {
        let graph = Graph::new(setup.registry)?;
        let names = || setup.registry.iter().map(|stage| stage.info().name);
        if let Some(key) = setup.config.keys().find(|key| names().all(|name| name != key.as_str())) {
            return Err(EngineError::UnknownSection { source: config::unknown_key(key, names()) });
        }
        let stages = setup.registry.iter().map(|stage| configure(*stage, &setup.config, &graph));
        let stages = stages.collect::<Result<_, _>>()?;
        let store = Store::open(&setup.roots.store)?;
        Ok(Self { setup, graph, stages, store })
    }

    /// Where its results lie.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Looks at every selected task and everything upstream of it; runs and changes nothing.
    ///
    /// # Errors
    /// An unusable selection or source, an unreadable store, or an interruption.
    pub fn plan(&self, selection: &Selection, control: Control<'_>) -> Result<Plan, EngineError> {
        let walk = self.look_at_all(selection, control)?;
        Ok(estimate::plan(&walk))
    }

    /// Goes through all selected stages without running anything.
    pub(crate) fn look_at_all<'a>(
        &'a self,
        selection: &Selection,
        control: Control<'a>,
    ) -> Result<Walk<'a>, EngineError> {
        let mut walk = self.begin(selection, control)?;
        for stage in walk.order.clone() {
            let state = look(&walk, stage)?;
            walk.states.insert(stage, state);
        }
        Ok(walk)
    }

    /// Finds the work of the root stages of a selection.
    pub(crate) fn begin<'a>(&'a self, selection: &Selection, control: Control<'a>) -> Result<Walk<'a>, EngineError> {
        let (selected, order) = self.resolve(selection)?;
        let roots: Vec<usize> = order.iter().copied().filter(|&stage| self.graph.is_root(stage)).collect();
        let table = self.store.root().join(CACHE).join(digest_cache::FILE);
        let digests = DigestCache::load(table, self.setup.clock, control.cancelled);
        let discoveries = discover(self, &roots, selection.split.as_deref(), &digests, control)?;
        Ok(Walk { workspace: self, digests, discoveries, order, selected, states: BTreeMap::new() })
    }

    /// The stages that were asked for, and those to go through, upstream first.
    pub(crate) fn resolve(&self, selection: &Selection) -> Result<(BTreeSet<usize>, Vec<usize>), EngineError> {
        let mut selected = self.selected(selection)?;
        if let Some(split) = &selection.split {
            // A stage over the whole data set, and whatever stands on one, would see only a part of it.
            let is_whole = |stage: &usize| self.stages[*stage].info.grain == Grain::Dataset;
            let sees_whole = |stage: &usize| is_whole(stage) || self.graph.all[*stage].iter().any(is_whole);
            if let Some(stage) = selected.iter().copied().find(sees_whole).filter(|_| selection.stages.is_some()) {
                let stage = self.stages[stage].info.name.into();
                return Err(EngineError::WholeDataSet { stage, split: split.clone() });
            }
            selected.retain(|stage| !sees_whole(stage));
        }
        let wanted = self.graph.with_upstream(selected.iter().copied());
        let order = self.graph.order.iter().copied().filter(|stage| wanted.contains(stage)).collect();
        Ok((selected, order))
    }

    fn selected(&self, selection: &Selection) -> Result<BTreeSet<usize>, EngineError> {
        match &selection.stages {
            None => Ok((0..self.stages.len()).collect()),
            Some(names) => names.iter().map(|name| self.stage_index(name)).collect(),
        }
    }

    /// Position of a stage in the registry.
    pub(crate) fn stage_index(&self, name: &str) -> Result<usize, EngineError> {
        self.stages.iter().position(|stage| stage.info.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.stages.iter().map(|stage| stage.info.name).collect();
            let nearest = config::nearest(name, &names).map(str::to_owned);
            EngineError::UnknownStage { name: name.into(), nearest }
        })
    }

    /// Root folder of each source.
    pub(crate) fn source_roots(&self) -> BTreeMap<String, PathBuf> {
        self.setup.project.sources.iter().map(|source| (source.name.clone(), source.root().to_owned())).collect()
    }

    /// Notes about config overlays for splits that do not exist: likely typing errors.
    pub(crate) fn unused_overlays(&self, splits: &BTreeSet<String>) -> Vec<String> {
        let overlays = self.stages.iter().flat_map(|stage| stage.overlays.keys().map(|split| (stage.info.name, split)));
        let unused = overlays.filter(|(_, split)| !splits.contains(*split));
        unused
            .map(|(stage, split)| format!("[{stage}.split.{split}] has no effect: there is no split {split}"))
            .collect()
    }

    /// Path relative to the store, for messages.
    pub(crate) fn in_store(&self, path: &Path) -> String {
        self.store.relative(path).unwrap_or_else(|| path.display().to_string())
    }
}

fn configure(stage: &dyn Stage, sections: &BTreeMap<String, Value>, graph: &Graph) -> Result<StageSetup, EngineError> {
    let info = stage.info();
    let empty = Value::Object(serde_json::Map::new());
    let section = sections.get(info.name).unwrap_or(&empty);
    let variant = |split: Option<&str>| -> Result<Variant, EngineError> {
        let configured = stage.configure(&config::for_split(section, split)).map_err(|source| {
            let source = split.map_or(source.clone(), |split| source.under(split).under("split"));
            EngineError::Config { stage: info.name.into(), source }
        })?;
        let config_text = canonical::to_string(configured.config());
        Ok(Variant { externals: configured.externals(), config_text, configured })
    };
    let base = variant(None)?;
    if info.grain == Grain::Dataset
        && let Some((split, _)) = section["split"].as_object().into_iter().flatten().next()
    {
        let source = ConfigError::new(&["split", split], "has no effect: the stage covers the whole data set");
        let source = source.with_hint(format!("move its keys to [{}]", info.name));
        return Err(EngineError::Config { stage: info.name.into(), source });
    }
    let splits = section["split"].as_object().into_iter().flatten().map(|(split, _)| split);
    let overlays =
        splits.map(|split| Ok((split.clone(), variant(Some(split))?))).collect::<Result<_, EngineError>>()?;
    let reads = info.reads.iter().map(|read| read.table).filter(|table| graph.writers.contains_key(table.name));
    let tables = reads.chain(info.writes.iter().copied()).map(|table| (table.name.to_owned(), table.version));
    let records = tables.chain([(Reject::TABLE.to_owned(), Reject::VERSION)]).collect();
    Ok(StageSetup { info, records, base, overlays })
}
