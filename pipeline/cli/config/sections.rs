//! The sections of the config file that belong to no stage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `[project]`: what the whole data set shares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectSection {
    /// Title of the data set: heads the release card, and names the release folder.
    pub(crate) name: String,
    /// Seed of every random draw. The same seed and inputs give the same bytes.
    #[serde(default = "default_seed")]
    pub(crate) seed: u64,
    /// Licence or terms of sources that do not state their own, copied into every row.
    #[serde(default = "unstated")]
    pub(crate) licence: String,
}

fn default_seed() -> u64 {
    1
}

fn unstated() -> String {
    "unstated".into()
}

/// `[runtime]`: how the work is done. Nothing here changes a result, so nothing here enters a fingerprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RuntimeSection {
    /// Tasks that run at the same time; 0 = one per processor. `-j` overrules it.
    pub(crate) jobs: usize,
    /// Share of broken input, 0 to 1, above which the build fails and lists it; below, it is quarantined and the build
    /// goes on. Images, annotation files, annotation lines and so on are counted apart, over all tasks of a stage.
    pub(crate) max_bad_share: f64,
    /// Days that `uavgen gc` keeps a result that nothing needs any more, from the last build that used it.
    pub(crate) keep_days: u64,
    /// Folder of results, relative to this file. Safe to share between machines that see the same disk.
    pub(crate) store: PathBuf,
    /// Folder of releases, relative to this file; on the store's disk, so that files are linked and not copied.
    pub(crate) releases: PathBuf,
    /// Folder of the event log of each run, relative to this file.
    pub(crate) runs: PathBuf,
}

impl Default for RuntimeSection {
    fn default() -> Self {
        let uavgen_engine::Runtime { max_bad_share, keep_days, .. } = uavgen_engine::Runtime::default();
        Self {
            jobs: 0,
            max_bad_share,
            keep_days,
            store: "store".into(),
            releases: "releases".into(),
            runs: "runs".into(),
        }
    }
}
