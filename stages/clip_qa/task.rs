//! The tasks about clips.

use crate::asking::templates::TemplateTask;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// How many … are in view when the k-th clip begins? Only the order of the clips tells which count it is.
    ClipOrder,
    /// In which clip is there a …?
    ClipPresence,
    /// How many different … does the k-th clip show?
    ClipCounting,
    /// In which order do these kinds first appear?
    FirstAppearances,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 4] = [Self::ClipOrder, Self::ClipPresence, Self::ClipCounting, Self::FirstAppearances];

    /// Name in config, ids and the column `task`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClipOrder => "clip_order",
            Self::ClipPresence => "clip_presence",
            Self::ClipCounting => "clip_counting",
            Self::FirstAppearances => "first_appearances",
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
            Self::ClipOrder => include_str!("templates/clip_order.json"),
            Self::ClipPresence => include_str!("templates/clip_presence.json"),
            Self::ClipCounting => include_str!("templates/clip_counting.json"),
            Self::FirstAppearances => include_str!("templates/first_appearances.json"),
        }
    }
}
