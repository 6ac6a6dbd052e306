//! The question types: a data file, `taxonomy.json`. Published benchmarks name four groups and 22 types and list none of them, so
//! ours are a choice, and a file that can be exchanged.
//!
//! A type has variants, each a program with holes, wordings, and a setting: one frame, two frames, or two frames whose answer is a
//! compass direction that only a north cue tells. In a program, `{"slot": …}` stands for what is drawn, `{"margin": …}` for a margin
//! of the config, and `"as"` gives an op a name, under which wordings have its phrase.

use crate::asking::templates::{Form, Template};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::Measure;
use uavgen_schemas::AnswerType;

const TEXT: &str = include_str!("taxonomy.json");

/// Fewest wordings of a variant.
pub const MIN_WORDINGS: usize = 6;

/// All question types.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taxonomy {
    /// The types.
    pub types: Vec<QuestionType>,
}

/// A question type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionType {
    /// Name: the column `task`.
    pub name: String,
    /// Group: the column `capability`.
    pub group: String,
    /// Type of its answers.
    pub answer: AnswerType,
    /// Ways to ask it, by name.
    pub variants: BTreeMap<String, Variant>,
}

/// One way to ask a question type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// How many frames it shows.
    pub setting: Setting,
    /// Which views it can be asked about.
    #[serde(default)]
    pub view: ViewNeed,
    /// What is drawn, by name.
    #[serde(default)]
    pub slots: BTreeMap<String, Slot>,
    /// The program, with holes.
    pub program: Json,
    /// Texts with `{name}` in them; their position is the wording ordinal, so new ones go last.
    pub wordings: Vec<String>,
}

/// What a question shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Setting {
    /// One frame.
    #[serde(rename = "VQA-1F")]
    OneFrame,
    /// Two frames of one recording.
    #[serde(rename = "VQA-2F")]
    TwoFrames,
    /// Two frames, and the compass direction of a motion is asked for.
    #[serde(rename = "VQA-2F-ihead")]
    TwoFramesHeading,
}

impl Setting {
    /// Name, as items have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneFrame => "VQA-1F",
            Self::TwoFrames => "VQA-2F",
            Self::TwoFramesHeading => "VQA-2F-ihead",
        }
    }
}

/// Which views a question can be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewNeed {
    /// All.
    #[default]
    Any,
    /// The image plane is nearly level.
    NearNadir,
    /// It is not.
    Oblique,
}

/// What is drawn to fill a hole.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Slot {
    /// An object that can be named without doubt; no two slots have the same one.
    Object {
        /// Position of its frame.
        #[serde(default)]
        frame: u32,
        /// Whether it must be one that moves (true), or one that stands (false).
        #[serde(default)]
        moving: Option<bool>,
        /// Position of another frame that must show it as well.
        #[serde(default)]
        also_in: Option<u32>,
        /// Whether its height must be known.
        #[serde(default)]
        with_height: bool,
        /// Whether its heading must be known.
        #[serde(default)]
        with_heading: bool,
        /// Whether the ground that it stands on must be known.
        #[serde(default)]
        with_surface: bool,
        /// Whether it must be elsewhere on the other frame.
        #[serde(default)]
        moved: bool,
    },
    /// A class of objects.
    Class {
        /// Position of the frame that shows objects of it.
        #[serde(default)]
        frame: u32,
        /// Whether it must be one that moves (true), or one that stands (false).
        #[serde(default)]
        moving: Option<bool>,
        /// Whether heights of its objects are known.
        #[serde(default)]
        with_height: bool,
        /// Position of another frame that must show another number of them.
        #[serde(default)]
        changes_in: Option<u32>,
    },
    /// All classes of objects that the recording's masks have, but for those that something unknown on a frame may be of.
    Classes {},
    /// The same, as terms to choose among.
    Terms {},
    /// All classes of ground, as terms to choose among.
    Surfaces {},
    /// A part of the image.
    Place {},
    /// Greater or less.
    Relation {},
    /// A number.
    Number {
        /// The numbers that it is drawn from.
        values: Vec<f64>,
        /// Only those that part the objects of the slot `class` by this measure.
        #[serde(default)]
        parts: Option<Measure>,
    },
}

impl Taxonomy {
    /// The types that are compiled in.
    ///
    /// # Panics
    /// When the file cannot be read: a test reads it.
    pub fn embedded() -> Self {
        serde_json::from_str(TEXT).unwrap_or_else(|error| panic!("the embedded taxonomy must be readable: {error}"))
    }

    /// The wordings of each type, in the order of the types.
    pub fn templates(&self) -> Vec<Template> {
        self.types.iter().map(QuestionType::template).collect()
    }
}

impl QuestionType {
    fn template(&self) -> Template {
        let form = |variant: &Variant| Form { slots: variant.placeholders(), wordings: variant.wordings.clone() };
        Template {
            task: self.name.clone(),
            capability: self.group.clone(),
            answer_type: self.answer,
            forms: self.variants.iter().map(|(name, variant)| (variant.form_name(name), form(variant))).collect(),
        }
    }
}

impl Variant {
    /// Names in braces in any of its wordings.
    pub fn placeholders(&self) -> Vec<String> {
        let names = self.wordings.iter().flat_map(|wording| wording.split('{').skip(1));
        let names = names.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned());
        names.collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// Name of its form of the template, which items have in `provenance`: setting and name.
    pub fn form_name(&self, name: &str) -> String {
        format!("{}/{name}", self.setting.name())
    }

    /// Number of frames that it shows.
    pub fn frame_count(&self) -> usize {
        if self.setting == Setting::OneFrame { 1 } else { 2 }
    }
}

/// BLAKE3 of the file, for the fingerprint.
pub fn digest() -> String {
    blake3::hash(TEXT.as_bytes()).to_hex().to_string()
}
