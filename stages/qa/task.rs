//! The tasks of the suite.

use crate::asking::templates::TemplateTask;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Is there a …? Yes or no.
    ScenePresence,
    /// Which of these six are there? Several are right.
    MultiTargetPresence,
    /// How many … in the image?
    SceneCounting,
    /// How many … in this area?
    RegionalCounting,
    /// Which of these four is the most (least) numerous?
    NumberComparison,
    /// What is in this box?
    RegionalClassification,
    /// Where is …? Open-ended.
    ObjectGrounding,
    /// How many … over these frames?
    TemporalCounting,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 8] = [
        Self::ScenePresence,
        Self::MultiTargetPresence,
        Self::SceneCounting,
        Self::RegionalCounting,
        Self::NumberComparison,
        Self::RegionalClassification,
        Self::ObjectGrounding,
        Self::TemporalCounting,
    ];

    /// Name in config, ids and the column `task`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ScenePresence => "scene_presence",
            Self::MultiTargetPresence => "multi_target_presence",
            Self::SceneCounting => "scene_counting",
            Self::RegionalCounting => "regional_counting",
            Self::NumberComparison => "number_comparison",
            Self::RegionalClassification => "regional_classification",
            Self::ObjectGrounding => "object_grounding",
            Self::TemporalCounting => "temporal_counting",
        }
    }

    /// Beginnings of the names of the margins that the task's programs have.
    pub(super) fn margins(self) -> &'static [&'static str] {
        match self {
            Self::SceneCounting | Self::RegionalClassification => &[],
            Self::NumberComparison => &["count_", "inside_"],
            Self::ObjectGrounding => &["inside_", "side_", "area_"],
            Self::ScenePresence | Self::MultiTargetPresence | Self::RegionalCounting | Self::TemporalCounting => {
                &["inside_"]
            }
        }
    }
}

impl TemplateTask for Task {
    const TASKS: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        Task::name(self)
    }

    fn template_text(self) -> &'static str {
        match self {
            Self::ScenePresence => include_str!("templates/scene_presence.json"),
            Self::MultiTargetPresence => include_str!("templates/multi_target_presence.json"),
            Self::SceneCounting => include_str!("templates/scene_counting.json"),
            Self::RegionalCounting => include_str!("templates/regional_counting.json"),
            Self::NumberComparison => include_str!("templates/number_comparison.json"),
            Self::RegionalClassification => include_str!("templates/regional_classification.json"),
            Self::ObjectGrounding => include_str!("templates/object_grounding.json"),
            Self::TemporalCounting => include_str!("templates/temporal_counting.json"),
        }
    }
}
