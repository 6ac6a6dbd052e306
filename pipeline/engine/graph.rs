//! Which stage depends on which: derived from the tables that stages read and write, written down nowhere.

use crate::EngineError;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Grain, Stage, StageInfo};

/// The stages in the order in which they run, and their edges. Stages are named by their position in the registry.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Stages, upstream first; where several could come next, in the order of the registry.
    pub(crate) order: Vec<usize>,
    /// Stages that write a table which the stage reads.
    pub(crate) direct: Vec<BTreeSet<usize>>,
    /// `direct`, and theirs, and so on.
    pub(crate) all: Vec<BTreeSet<usize>>,
    /// Writer of each table.
    pub(crate) writers: BTreeMap<&'static str, usize>,
}

impl Graph {
    /// Derives and checks the graph: names are unique, one writer per table, required tables are written, no cycle.
    pub(crate) fn new(registry: &[&dyn Stage]) -> Result<Self, EngineError> {
        let broken = |problem: String| EngineError::Registry { problem };
        let mut names = BTreeSet::new();
        if let Some(twice) = registry.iter().map(|stage| stage.info().name).find(|name| !names.insert(*name)) {
            return Err(broken(format!("two stages are called {twice}")));
        }
        let writers = writers(registry)?;
        let direct = registry.iter().map(|stage| edges(*stage, &writers)).collect::<Result<Vec<_>, _>>()?;
        let order = order(&direct);
        if let Some(stuck) = (0..registry.len()).find(|stage| !order.contains(stage)) {
            return Err(broken(format!("{} reads, over others, what it writes", registry[stuck].info().name)));
        }
        let all = closures(&order, &direct);
        let graph = Self { order, direct, all, writers };
        graph.check_grains(registry)?;
        Ok(graph)
    }

    /// Whether the stage looks for work itself.
    pub(crate) fn is_root(&self, stage: usize) -> bool {
        self.direct[stage].is_empty()
    }

    /// The given stages and everything upstream of them.
    pub(crate) fn with_upstream(&self, stages: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        stages.into_iter().flat_map(|stage| self.all[stage].iter().copied().chain([stage])).collect()
    }

    /// A stage on sequences takes its partitions from another one; so does one on buckets, from either.
    fn check_grains(&self, registry: &[&dyn Stage]) -> Result<(), EngineError> {
        let grain = |stage: usize| registry[stage].info().grain;
        let lost = (0..registry.len()).find(|&stage| {
            let from: &[Grain] = match grain(stage) {
                Grain::Sequence => &[Grain::Sequence],
                Grain::Bucket => &[Grain::Sequence, Grain::Bucket],
                Grain::Split | Grain::Dataset => return false,
            };
            !self.is_root(stage) && !self.direct[stage].iter().any(|&upstream| from.contains(&grain(upstream)))
        });
        lost.map_or(Ok(()), |stage| {
            let StageInfo { name, grain, .. } = registry[stage].info();
            let grain = if *grain == Grain::Bucket { "buckets" } else { "sequences" };
            Err(EngineError::Registry { problem: format!("{name} works on {grain}, but reads no table of sequences") })
        })
    }
}

fn writers(registry: &[&dyn Stage]) -> Result<BTreeMap<&'static str, usize>, EngineError> {
    let mut writers = BTreeMap::new();
    for (index, stage) in registry.iter().enumerate() {
        for table in stage.info().writes {
            if let Some(other) = writers.insert(table.name, index) {
                let (one, two) = (registry[other].info().name, stage.info().name);
                return Err(EngineError::Registry { problem: format!("{one} and {two} both write {}", table.name) });
            }
        }
    }
    Ok(writers)
}

fn edges(stage: &dyn Stage, writers: &BTreeMap<&'static str, usize>) -> Result<BTreeSet<usize>, EngineError> {
    let mut edges = BTreeSet::new();
    for read in stage.info().reads {
        match writers.get(read.table.name) {
            Some(writer) => _ = edges.insert(*writer),
            None if read.optional => {}
            None => {
                let problem = format!("{} reads {}, which no stage writes", stage.info().name, read.table.name);
                return Err(EngineError::Registry { problem });
            }
        }
    }
    Ok(edges)
}

/// Stages that can be ordered, upstream first; those on or behind a cycle are left out.
fn order(direct: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let ready = |order: &[usize], stage: usize| direct[stage].iter().all(|upstream| order.contains(upstream));
    while let Some(next) = (0..direct.len()).find(|&stage| !order.contains(&stage) && ready(&order, stage)) {
        order.push(next);
    }
    order
}

fn closures(order: &[usize], direct: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let mut all = vec![BTreeSet::new(); direct.len()];
    for &stage in order {
        let closure = direct[stage].iter().flat_map(|&upstream| all[upstream].iter().copied().chain([upstream]));
        all[stage] = closure.collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::Value;
    use uavgen_core::{ConfigError, ConfiguredStage, Read};
    use uavgen_schemas::TableInfo;

    /// A stage of which only the facts are looked at.
    struct Facts(StageInfo);

    impl Stage for Facts {
        fn info(&self) -> &'static StageInfo {
            let StageInfo { name, version, summary, grain, reads, writes, reads_counts, uses_seed } = self.0;
            Box::leak(Box::new(StageInfo { name, version, summary, grain, reads, writes, reads_counts, uses_seed }))
        }
        fn config_schema(&self) -> Value {
            Value::Null
        }
        fn default_config(&self) -> Value {
            Value::Null
        }
        fn configure(&self, _: &Value) -> Result<Box<dyn ConfiguredStage>, ConfigError> {
            Err(ConfigError::new(&[], "only facts"))
        }
    }

    fn table(name: &'static str) -> TableInfo {
        TableInfo { name, version: 1, json_schema: || Value::Null }
    }

    fn stage(name: &'static str, grain: Grain, reads: &[&'static str], writes: &[&'static str]) -> Facts {
        let read = |name: &&'static str| match name.strip_suffix('?') {
            Some(name) => Read::optional(table(name)),
            None => Read::required(table(name)),
        };
        Facts(StageInfo {
            name,
            version: 1,
            summary: "",
            grain,
            reads: reads.iter().map(read).collect::<Vec<_>>().leak(),
            writes: writes.iter().map(|name| table(name)).collect::<Vec<_>>().leak(),
            reads_counts: false,
            uses_seed: false,
        })
    }

    fn graph(stages: &[Facts]) -> Result<Graph, String> {
        let registry: Vec<&dyn Stage> = stages.iter().map(|stage| stage as &dyn Stage).collect();
        Graph::new(&registry).map_err(|error| error.to_string())
    }

    use Grain::{Bucket, Dataset, Sequence, Split};

    #[test]
    fn order_follows_tables_not_the_registry() {
        let stages = [
            stage("last", Dataset, &["c", "nobody?"], &[]),
            stage("middle", Split, &["a", "b?"], &["c"]),
            stage("first", Sequence, &[], &["a"]),
            stage("other", Sequence, &["a"], &["b"]),
        ];
        let graph = graph(&stages).unwrap();
        assert_eq!(graph.order, [2, 3, 1, 0]);
        assert_eq!(graph.all[0], BTreeSet::from([1, 2, 3]));
        assert_eq!(graph.direct[0], BTreeSet::from([1]));
        assert!(graph.is_root(2));
        assert_eq!(graph.with_upstream([1]), BTreeSet::from([1, 2, 3]));
    }

    #[test]
    fn contradictions_are_named() {
        let root = || stage("root", Sequence, &[], &["a"]);
        let cases = [
            (vec![root(), stage("twin", Sequence, &[], &["a"])], "order the stages: root and twin both write a"),
            (vec![root(), stage("root", Sequence, &[], &[])], "order the stages: two stages are called root"),
            (vec![stage("lost", Sequence, &["a"], &[])], "order the stages: lost reads a, which no stage writes"),
            (
                vec![stage("x", Sequence, &["b"], &["a"]), stage("y", Sequence, &["a"], &["b"])],
                "order the stages: x reads, over others, what it writes",
            ),
            (
                vec![root(), stage("s", Split, &["a"], &["b"]), stage("q", Sequence, &["b"], &[])],
                "order the stages: q works on sequences, but reads no table of sequences",
            ),
            (
                vec![root(), stage("s", Split, &["a"], &["b"]), stage("q", Bucket, &["b"], &[])],
                "order the stages: q works on buckets, but reads no table of sequences",
            ),
        ];
        for (stages, expected) in cases {
            assert_eq!(graph(&stages).unwrap_err(), expected);
        }
    }
}
