//! How much is asked, and how sure an answer must be.

use super::task::Task;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uavgen_core::ConfigError;
use uavgen_programs::{CountMargin, ExtremeMargin, InsideRule};

/// Most questions of one task about one frame: more than a frame has to tell, and each is looked for.
const MOST_PER_FRAME: u32 = 100;

/// `[qa]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QaConfig {
    /// Suite that asks; the filter must have rules for it.
    pub suite: String,
    /// Of a sequence, one frame in so many source numbers is asked about: the first that is there. Stills always are.
    pub frame_stride: u32,
    /// Most questions about one frame, and about one group of frames that are asked about together.
    pub max_per_frame: u32,
    /// Most questions about one recording.
    pub max_per_recording: u32,
    /// Most candidates that are executed for one question that is wanted.
    pub tries: u32,
    /// Frames of questions about several frames.
    pub temporal: TemporalConfig,
    /// Settings by task: `[qa.tasks.<task>]`.
    pub tasks: TaskTable,
}

/// `[qa.temporal]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TemporalConfig {
    /// Distance between the frames of one question, in source frame numbers.
    pub step: u32,
    /// Fewest frames of a question; at least 2.
    pub min_frames: u32,
    /// Most frames of a question; at most 6.
    pub max_frames: u32,
}

/// `[qa.tasks]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskTable {
    /// Is there a …?
    pub scene_presence: TaskConfig,
    /// Which of these are there?
    pub multi_target_presence: TaskConfig,
    /// How many … in the image?
    pub scene_counting: TaskConfig,
    /// How many … in this area?
    pub regional_counting: TaskConfig,
    /// Which is the most (least) numerous?
    pub number_comparison: TaskConfig,
    /// What is in this box?
    pub regional_classification: TaskConfig,
    /// Where is …?
    pub object_grounding: TaskConfig,
    /// How many … over these frames?
    pub temporal_counting: TaskConfig,
}

/// `[qa.tasks.<task>]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskConfig {
    /// Chances of the task's questions where a frame has more than `max_per_frame`, relative to other tasks; 0 = off.
    pub weight: u32,
    /// Most questions of the task about one frame (or one group of frames).
    pub per_frame: u32,
    /// How sure an answer must be. Each task uses those that its programs have.
    pub margins: Margins,
}

/// `[qa.tasks.<task>.margins]`: written into every program, so that a release says what held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Margins {
    /// Smallest difference between counts that are compared.
    pub count_absolute: u32,
    /// Smallest difference between counts that are compared, as a share of the larger.
    pub count_relative: f64,
    /// Smallest share of a box inside an area that counts as inside.
    pub inside_share: f64,
    /// From this share on …
    pub inside_refuse_from: f64,
    /// … to this one an object is neither inside nor outside, and the question is refused.
    pub inside_refuse_to: f64,
    /// Lead of the leftmost (…) object over the next one, as a share of the image side.
    pub side_share: f64,
    /// Lead of the largest (smallest) object over the next one, as a share of the larger area.
    pub area_share: f64,
}

impl Default for QaConfig {
    fn default() -> Self {
        Self {
            suite: "aerial2d".into(),
            frame_stride: 15,
            max_per_frame: 8,
            max_per_recording: 200,
            tries: 4,
            temporal: TemporalConfig::default(),
            tasks: TaskTable::default(),
        }
    }
}

impl Default for TemporalConfig {
    fn default() -> Self {
        Self { step: 5, min_frames: 2, max_frames: 6 }
    }
}

impl Default for TaskConfig {
    fn default() -> Self {
        Self { weight: 1, per_frame: 2, margins: Margins::default() }
    }
}

impl Default for Margins {
    fn default() -> Self {
        let (count, inside, extreme) = (CountMargin::default(), InsideRule::default(), ExtremeMargin::default());
        Self {
            count_absolute: count.absolute,
            count_relative: count.relative,
            inside_share: inside.share,
            inside_refuse_from: inside.refuse_from,
            inside_refuse_to: inside.refuse_to,
            side_share: extreme.side_share,
            area_share: extreme.area_share,
        }
    }
}

impl Margins {
    /// The margin of comparisons, as programs carry it.
    pub fn count(&self) -> CountMargin {
        CountMargin { absolute: self.count_absolute, relative: self.count_relative }
    }

    /// The rule of areas, as programs carry it.
    pub fn inside(&self) -> InsideRule {
        InsideRule { share: self.inside_share, refuse_from: self.inside_refuse_from, refuse_to: self.inside_refuse_to }
    }

    /// The margin of superlatives, as programs carry it.
    pub fn extreme(&self) -> ExtremeMargin {
        ExtremeMargin { side_share: self.side_share, area_share: self.area_share }
    }

    /// The settings by name.
    fn named(&self) -> [(&'static str, f64); 7] {
        [
            ("count_absolute", f64::from(self.count_absolute)),
            ("count_relative", self.count_relative),
            ("inside_share", self.inside_share),
            ("inside_refuse_from", self.inside_refuse_from),
            ("inside_refuse_to", self.inside_refuse_to),
            ("side_share", self.side_share),
            ("area_share", self.area_share),
        ]
    }

    /// Refuses a setting that no program of the task would have: whoever sets it believes that it does something.
    fn refuse_idle(&self, task: Task) -> Result<(), ConfigError> {
        let used = task.margins();
        let set = self.named().into_iter().zip(Self::default().named()).filter(|(own, default)| own != default);
        let idle = set.map(|((name, _), _)| name).find(|name| !used.iter().any(|prefix| name.starts_with(prefix)));
        let Some(name) = idle else { return Ok(()) };
        let names = Self::default().named().into_iter().map(|(name, _)| name);
        let useful: Vec<&str> = names.filter(|name| used.iter().any(|prefix| name.starts_with(prefix))).collect();
        let hint = match &useful[..] {
            [] => "this task has no margins".to_owned(),
            names => format!("this task has {}", names.join(", ")),
        };
        Err(ConfigError::new(&[name], format!("has no effect on {}", task.name())).with_hint(hint))
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let share = |name: &'static str, value: f64| {
            let fits = (0.0..1.0).contains(&value);
            if fits { Ok(()) } else { Err(ConfigError::new(&[name], "must be at least 0 and below 1")) }
        };
        share("count_relative", self.count_relative)?;
        share("side_share", self.side_share)?;
        share("area_share", self.area_share)?;
        if self.count_absolute == 0 {
            let error = ConfigError::new(&["count_absolute"], "must be at least 1");
            return Err(error.with_hint("equal counts have no order"));
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

impl TaskTable {
    /// Settings of one task.
    pub fn of(&self, task: Task) -> &TaskConfig {
        match task {
            Task::ScenePresence => &self.scene_presence,
            Task::MultiTargetPresence => &self.multi_target_presence,
            Task::SceneCounting => &self.scene_counting,
            Task::RegionalCounting => &self.regional_counting,
            Task::NumberComparison => &self.number_comparison,
            Task::RegionalClassification => &self.regional_classification,
            Task::ObjectGrounding => &self.object_grounding,
            Task::TemporalCounting => &self.temporal_counting,
        }
    }
}

impl TaskConfig {
    /// Questions that are wanted about one frame or group of frames.
    pub fn wanted(&self) -> u32 {
        if self.weight == 0 { 0 } else { self.per_frame }
    }
}

impl QaConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// The first value outside its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.frame_stride == 0 {
            return Err(ConfigError::new(&["frame_stride"], "must be at least 1").with_hint("1 asks about every frame"));
        }
        let counts = [("max_per_frame", self.max_per_frame), ("max_per_recording", self.max_per_recording)];
        if let Some((name, _)) = counts.into_iter().chain([("tries", self.tries)]).find(|(_, count)| *count == 0) {
            return Err(ConfigError::new(&[name], "must be at least 1"));
        }
        let TemporalConfig { step, min_frames, max_frames } = self.temporal;
        if step == 0 {
            return Err(ConfigError::new(&["temporal", "step"], "must be at least 1"));
        }
        if min_frames < 2 || min_frames > max_frames || max_frames > 6 {
            return Err(ConfigError::new(&["temporal", "min_frames"], "2 <= min_frames <= max_frames <= 6 must hold"));
        }
        for task in Task::ALL {
            let settings = self.tasks.of(task);
            let margins = settings.margins.validate().and_then(|()| settings.margins.refuse_idle(task));
            margins.map_err(|error| error.under("margins").under(task.name()).under("tasks"))?;
            if !(1..=MOST_PER_FRAME).contains(&settings.per_frame) {
                let message = format!("must be 1 to {MOST_PER_FRAME}");
                let error = ConfigError::new(&["tasks", task.name(), "per_frame"], message);
                return Err(error.with_hint("`weight = 0` turns the task off"));
            }
            if settings.weight > 100 {
                return Err(ConfigError::new(&["tasks", task.name(), "weight"], "must be at most 100"));
            }
        }
        Ok(())
    }

    /// Questions about one frame at most, without those about several frames.
    pub fn per_frame_limit(&self) -> u64 {
        let single = Task::ALL.into_iter().filter(|&task| task != Task::TemporalCounting);
        let wanted: u64 = single.map(|task| u64::from(self.tasks.of(task).wanted())).sum();
        wanted.min(u64::from(self.max_per_frame))
    }

    /// Questions about a partition at most, from its numbers of recordings and frames.
    pub fn estimate(&self, recordings: u64, frames: u64) -> u64 {
        // Stills come one frame to a recording; of a sequence one frame in `frame_stride` is asked about.
        let (asked, temporal) = if frames <= recordings {
            (frames, 0)
        } else {
            let sampled = frames / u64::from(self.frame_stride) + recordings;
            (sampled, sampled * u64::from(self.tasks.temporal_counting.wanted().min(self.max_per_frame)))
        };
        let questions = asked.saturating_mul(self.per_frame_limit()).saturating_add(temporal);
        questions.min(recordings.saturating_mul(u64::from(self.max_per_recording)))
    }
}
