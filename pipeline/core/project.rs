//! What the whole project shares: sources, splits, seed, licence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One folder of input data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    /// Name of the source: first part of every id made from it. Letters, digits, `-` and `_`.
    pub name: String,
    /// Format: `visdrone-vid`, `visdrone-mot`, `visdrone-det`, `video` (MP4, MOV, MKV and AVI files), `frames` (folders
    /// of numbered images without annotations), `posed-mesh` (images with poses, masks and the mesh of the place), `opensfm`
    /// (reconstructions of OpenSfM and OpenDroneMap) or `uavscenes` (runs of UAVScenes).
    pub kind: String,
    /// Folder of the data, or one video file; absolute or relative to the config file.
    pub path: PathBuf,
    /// Split of everything in this source; without it, the folder names tell (`…-train`, `…-val`, `…-test-dev`).
    #[serde(default)]
    pub split: Option<String>,
    /// True capture rate in frames per second, where you know it. VisDrone does not say; videos say it themselves.
    #[serde(default)]
    pub fps: Option<f64>,
    /// Licence or terms of the data, copied into every row.
    #[serde(default = "unstated")]
    pub licence: String,
    /// Whether boxes were drawn on the picture as displayed (EXIF rotation applied) or as stored.
    #[serde(default)]
    pub boxes_in: BoxesIn,
    /// Which videos share a leak group, and so a split.
    #[serde(default)]
    pub group_by: GroupBy,
    /// Number of hash buckets for stills; fixed when the source is first added, so that one more image dirties one.
    #[serde(default = "default_buckets")]
    pub buckets: u32,
}

impl SourceConfig {
    /// The folder that the paths of the source's files start at: where `path` is one file, the folder that it is in.
    pub fn root(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if self.path.is_file() => folder,
            _ => &self.path,
        }
    }
}

/// Which videos of a source share a leak group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Those of one folder: cameras cut one flight into several files.
    #[default]
    Folder,
    /// None: each is known to show a place of its own.
    File,
}

/// Orientation that boxes refer to in images with an EXIF rotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoxesIn {
    /// The upright picture, as browsers and most labelling tools show it.
    #[default]
    Displayed,
    /// The stored pixels, as tools that ignore EXIF see them.
    Stored,
}

fn unstated() -> String {
    "unstated".into()
}

fn default_buckets() -> u32 {
    16
}

/// Where the split of a recording comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitMode {
    /// The source's own folders.
    #[default]
    Source,
    /// A salted hash of the leak group, by `ratios`.
    Regroup,
    /// A file that names the split of each leak group or recording.
    List,
}

/// What happens to a leak group that the source's own folders put into two splits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitConflict {
    /// Stop and list them.
    #[default]
    Error,
    /// Keep the recordings of the split held out furthest (test over val over train); the others are rejects.
    Drop,
}

/// How recordings are divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SplitConfig {
    /// Source, regroup or list.
    pub mode: SplitMode,
    /// Share of each split in mode `regroup`.
    pub ratios: BTreeMap<String, f64>,
    /// Changes the draw of mode `regroup`.
    pub salt: String,
    /// File of mode `list`: lines `group_or_recording,split`, relative to the config file.
    pub list: Option<PathBuf>,
    /// What to do with a group that the source itself puts into two splits.
    pub on_conflict: SplitConflict,
    /// Leak groups that are one place under two names: `alias = "group"`.
    pub aliases: BTreeMap<String, String>,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self {
            mode: SplitMode::Source,
            ratios: BTreeMap::from([("test".into(), 0.1), ("train".into(), 0.8), ("val".into(), 0.1)]),
            salt: String::new(),
            list: None,
            on_conflict: SplitConflict::Error,
            aliases: BTreeMap::new(),
        }
    }
}

/// The project as stages see it when they look for work.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// Name of the data set; the release card's title.
    pub name: String,
    /// Seed of every draw.
    pub seed: u64,
    /// Sources, in the order of the config, with absolute paths.
    pub sources: Vec<SourceConfig>,
    /// How recordings are divided.
    pub split: SplitConfig,
    /// Lines of the split list file: group or recording to split. Empty in the other modes.
    pub split_list: BTreeMap<String, String>,
    /// Folders that builds write to: nothing in them is a source's, also where they lie in its folder.
    pub own_folders: Vec<PathBuf>,
}
