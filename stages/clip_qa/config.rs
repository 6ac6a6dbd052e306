//! How much is asked about clips, and how sure an answer must be.

use super::task::Task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;
use uavgen_programs::{CountMargin, InsideRule, TimeMargin};

/// Most questions of one task about one clip.
const MOST_PER_CLIP: u32 = 100;

/// `[clip_qa]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClipQaConfig {
    /// Suite that asks; the filter must have rules for it.
    pub suite: String,
    /// Most questions about one clip.
    pub max_per_clip: u32,
    /// Most candidates that are executed for one question that is wanted.
    pub tries: u32,
    /// How sure an answer must be: `[clip_qa.margins]`. Each task uses those that its programs have.
    pub margins: ClipMargins,
    /// Settings by task: `[clip_qa.tasks.<task>]`.
    pub tasks: ClipTaskTable,
}

/// `[clip_qa.margins]`: written into every program, so that a release says what held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClipMargins {
    /// Smallest difference between the counts that tell clips apart.
    pub count_absolute: u32,
    /// Smallest difference between those counts, as a share of the larger.
    pub count_relative: f64,
    /// Smallest time between first appearances.
    #[schemars(extend("x-unit" = "s"))]
    pub seconds: f64,
    /// Smallest share of a box inside an area that counts as inside.
    pub inside_share: f64,
    /// From this share on …
    pub inside_refuse_from: f64,
    /// … to this one an object is neither inside nor outside, and the question is refused.
    pub inside_refuse_to: f64,
}

/// `[clip_qa.tasks]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClipTaskTable {
    /// How many … when the k-th clip begins?
    pub clip_order: ClipTaskConfig,
    /// In which clip is there a …?
    pub clip_presence: ClipTaskConfig,
    /// How many different … in the k-th clip?
    pub clip_counting: ClipTaskConfig,
    /// In which order do these kinds first appear?
    pub first_appearances: ClipTaskConfig,
}

/// `[clip_qa.tasks.<task>]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClipTaskConfig {
    /// Chances of the task's questions where a clip has more than `max_per_clip`, relative to other tasks; 0 = off.
    pub weight: u32,
    /// Most questions of the task about one clip.
    pub per_clip: u32,
}

impl Default for ClipQaConfig {
    fn default() -> Self {
        Self {
            suite: "aerial2d".into(),
            max_per_clip: 8,
            tries: 4,
            margins: ClipMargins::default(),
            tasks: ClipTaskTable::default(),
        }
    }
}

impl Default for ClipTaskConfig {
    fn default() -> Self {
        Self { weight: 1, per_clip: 2 }
    }
}

impl Default for ClipMargins {
    fn default() -> Self {
        let (count, inside) = (CountMargin::default(), InsideRule::default());
        Self {
            count_absolute: count.absolute,
            count_relative: count.relative,
            seconds: TimeMargin::default().seconds,
            inside_share: inside.share,
            inside_refuse_from: inside.refuse_from,
            inside_refuse_to: inside.refuse_to,
        }
    }
}

impl ClipMargins {
    /// The margin of counts, as programs carry it.
    pub fn count(&self) -> CountMargin {
        CountMargin { absolute: self.count_absolute, relative: self.count_relative }
    }

    /// The margin of first appearances, as programs carry it.
    pub fn time(&self) -> TimeMargin {
        TimeMargin { seconds: self.seconds }
    }

    /// The rule of areas, as programs carry it.
    pub fn inside(&self) -> InsideRule {
        InsideRule { share: self.inside_share, refuse_from: self.inside_refuse_from, refuse_to: self.inside_refuse_to }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        if self.count_absolute == 0 {
            let error = ConfigError::new(&["count_absolute"], "must be at least 1");
            return Err(error.with_hint("clips with equal counts cannot be told apart"));
        }
        if !(0.0..1.0).contains(&self.count_relative) {
            return Err(ConfigError::new(&["count_relative"], "must be at least 0 and below 1"));
        }
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            return Err(ConfigError::new(&["seconds"], "must be a number of at least 0"));
        }
        let ordered = 0.0 < self.inside_refuse_from
            && self.inside_refuse_from <= self.inside_share
            && self.inside_share <= self.inside_refuse_to
            && self.inside_refuse_to < 1.0;
        if !ordered {
            let message = "0 < inside_refuse_from <= inside_share <= inside_refuse_to < 1 must hold";
            return Err(ConfigError::new(&["inside_share"], message));
        }
        Ok(())
    }
}

impl ClipTaskTable {
    /// Settings of one task.
    pub fn of(&self, task: Task) -> &ClipTaskConfig {
        match task {
            Task::ClipOrder => &self.clip_order,
            Task::ClipPresence => &self.clip_presence,
            Task::ClipCounting => &self.clip_counting,
            Task::FirstAppearances => &self.first_appearances,
        }
    }
}

impl ClipTaskConfig {
    /// Questions that are wanted about one clip.
    pub fn wanted(&self) -> u32 {
        if self.weight == 0 { 0 } else { self.per_clip }
    }
}

impl ClipQaConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value outside its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let counts = [("max_per_clip", self.max_per_clip), ("tries", self.tries)];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(ConfigError::new(&[name], "must be at least 1"));
        }
        self.margins.validate().map_err(|error| error.under("margins"))?;
        for task in Task::ALL {
            let settings = self.tasks.of(task);
            if !(1..=MOST_PER_CLIP).contains(&settings.per_clip) {
                let error =
                    ConfigError::new(&["tasks", task.name(), "per_clip"], format!("must be 1 to {MOST_PER_CLIP}"));
                return Err(error.with_hint("`weight = 0` turns the task off"));
            }
            if settings.weight > 100 {
                return Err(ConfigError::new(&["tasks", task.name(), "weight"], "must be at most 100"));
            }
        }
        Ok(())
    }

    /// Questions at most about so many joined clips and so many others.
    pub fn estimate(&self, joined: u64, others: u64) -> u64 {
        let most = |tasks: &[Task]| {
            let wanted: u64 = tasks.iter().map(|&task| u64::from(self.tasks.of(task).wanted())).sum();
            wanted.min(u64::from(self.max_per_clip))
        };
        joined.saturating_mul(most(&Task::ALL)).saturating_add(others.saturating_mul(most(&[Task::FirstAppearances])))
    }
}
