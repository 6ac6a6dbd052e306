//! What an audit finds: codes, the findings under them, and the log that counts all and lists the first.

use crate::report::{AuditReport, Checked, Findings};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $code:literal, $next_step:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code as reports show it: lower snake case, stable.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                }
            }

            /// What to do about it.
            pub fn next_step(self) -> &'static str {
                match self {
                    $(Self::$variant => $next_step,)*
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.code())
            }
        }
    };
}

codes! {
    /// Something that must not be in a release. Any fault fails the audit.
    FaultCode {
        /// The manifest cannot be read, or contradicts itself.
        Manifest = "manifest", "build the release again; a manifest is never edited by hand";
        /// The release's name is not the hash of its content.
        ManifestId = "manifest_id", "the manifest was changed after the build: take the original, or build again";
        /// Something else than a file in the place of one; nothing is opened then.
        FileNotRegular = "file_not_regular", "copy or download the release again; it consists of plain files";
        /// A listed file is not there.
        FileMissing = "file_missing", "copy or download the file again";
        /// A file has other bytes than the manifest says.
        FileDigest = "file_digest", "copy or download the file again; never edit a release in place, build a new one";
        /// A file that the manifest does not list.
        FileUnlisted = "file_unlisted", "remove the file, or keep it outside the release";
        /// A file that is no Parquet file with the columns of its table.
        Schema = "schema", "build the release again; a table has exactly the columns of schemas/REFERENCE.md";
        /// A file whose rows cannot be read.
        FileUnreadable = "file_unreadable", "copy or download the file again";
        /// Files and manifest disagree on the number of rows.
        RowCount = "row_count", "build the release again; rows were added or lost after the manifest was written";
        /// The stated decoded size cannot be right.
        DecodedSize = "decoded_size", "build the release again; loaders use the size to plan memory";
        /// The card disagrees with the manifest.
        CardCounts = "card_counts", "build the release again; the card is that of another release, or was edited";
        /// Two rows of a table have one id.
        DuplicateId = "duplicate_id", "remove the source that is listed twice, or rename one, and build again";
        /// A reference to something that the release does not hold.
        DanglingReference = "dangling_reference", "build the release again; rows that others refer to are gone";
        /// A row stands in another split than its file or its recording.
        SplitMismatch = "split_mismatch", "build the release again; every row takes the split of its recording";
        /// A row has another leak group than its recording.
        GroupMismatch = "group_mismatch", "build the release again; every row takes the leak group of its recording";
        /// A leak group is in two splits.
        GroupInTwoSplits = "group_in_two_splits", "put the group into one split (`split.mode = \"list\"` or \"regroup\") and build again";
        /// The records of a frame contradict each other.
        SceneInvalid = "scene_invalid", "build the release again; a scene table was edited";
        /// A recording states other numbers of frames than there are.
        SceneCounts = "scene_counts", "build the release again; rows of `frames` were added or lost";
        /// Frames of a recording that are not numbered in order.
        FrameOrder = "frame_order", "build the release again; frames are numbered from 0 in the order of their source numbers, and their times increase";
        /// A track states other things than its boxes.
        TrackMismatch = "track_mismatch", "build the release again; rows of `boxes_2d` or `tracks` were changed";
        /// An annotated box or area that leaves its image.
        AnnotationOutOfBounds = "annotation_out_of_bounds", "build the release again; annotations are cut to their image as delivered";
        /// A camera, pose, class, object or piece of a mask with values that cannot be.
        GeometryInvalid = "geometry_invalid", "build the release again; a table of cameras, poses, masks or objects was edited";
        /// An object that is not one object.
        ObjectMismatch = "object_mismatch", "build the release again; an object is of one recording and category, and once on a frame";
        /// The suite may not ask about the frame.
        FrameUnusable = "frame_unusable", "build the release again; the frame's selection changed after the question was asked";
        /// A question that nobody can read: empty, or with a placeholder left in it.
        QuestionInvalid = "question_invalid", "mend the template and build again";
        /// An item whose id or slot is not the one that its content gives.
        ItemId = "item_id", "build the release again; ids and slots are hashes of the item, never chosen or edited";
        /// An item that contradicts its recordings or the other items of its task.
        ItemMismatch = "item_mismatch", "build the release again; capability and source of answers belong to a task, the licence to a recording";
        /// A question whose text asks something else than its program.
        QuestionProgram = "question_program", "mend the template (or the edited question) and build again: the text must say what the program asks";
        /// One question twice.
        DuplicateQuestion = "duplicate_question", "remove one of the two, or raise `frame_stride`, and build again";
        /// One question with two answers.
        ContradictingQuestion = "contradicting_question", "look at both with `uavgen explain`; at most one can be right";
        /// Options are missing.
        OptionsMissing = "options_missing", "build the release again; a task has options in every item or in none";
        /// Two options are the same.
        OptionsRepeated = "options_repeated", "mend the distractors of the task and build again";
        /// Options that cannot be answers, or are not those of the program.
        OptionsUnfit = "options_unfit", "build the release again; options are of the answer's type, and none is mixed up with another";
        /// Options as texts and typed options disagree.
        OptionsMismatch = "options_mismatch", "build the release again; `options` and `options_json` are parallel lists";
        /// The answer is none of the options, or not a proper list of them.
        AnswerOutOfBounds = "answer_out_of_bounds", "build the release again; answer_indices are ascending positions in options";
        /// No option is marked as right.
        AnswerMissing = "answer_missing", "build the release again; an item with options has a right one";
        /// The text of the answer is not that of the right options.
        AnswerMismatch = "answer_mismatch", "build the release again; `answer` repeats the right options, joined by `; `";
        /// The question contains its answer.
        AnswerInQuestion = "answer_in_question", "reword the template and build again";
        /// A column that holds JSON holds none.
        JsonInvalid = "json_invalid", "build the release again; the column holds JSON";
        /// A text that is no program.
        ProgramInvalid = "program_invalid", "build the release again; programs are canonical JSON of the answer language";
        /// Executed again, the program gives another answer, or its scene is no longer there.
        ProgramAnswer = "program_answer", "an answer or an annotation was changed after the build: `uavgen explain <id>`, then build again";
        /// Executed again, the program refuses.
        ProgramRefused = "program_refused", "an annotation or selection was changed after the build: `uavgen explain <id>`, then build again";
        /// Three decimals do not stand for the answer's box.
        BoxTextCoarse = "box_text_coarse", "leave out grounding questions about objects this small";
        /// A box that leaves its image, is inverted, or belongs to no image of the item.
        BoxOutOfBounds = "box_out_of_bounds", "build the release again; item boxes are shares of their image, 0 to 1";
        /// A box that is not that of its object, or boxes that are not those that the program gives.
        BoxMismatch = "box_mismatch", "an annotation or item was changed after the build: build again";
        /// An item without its images, or with too many.
        ImageCount = "image_count", "build the release again; an item has one image per frame";
        /// An image that does not decode completely.
        ImageUndecodable = "image_undecodable", "replace the source image or remove it, and build again";
        /// An image that is not upright, not 8 bits RGB or grey, or named after another encoding.
        ImageForm = "image_form", "build the release again; images are delivered upright, 8 bits per channel, RGB or grey";
        /// An image of another size than its frame.
        ImageSize = "image_size", "build the release again; boxes refer to the size in `frames`";
        /// An image that is not the picture of its frame.
        ImageMismatch = "image_mismatch", "build the release again; the image belongs to another frame";
        /// A depth whose numbers or view are not those of its picture.
        DepthMismatch = "depth_mismatch", "build the release again; a depth, its view and its row in `generation_frames` disagree";
        /// A segmentation that shows other classes than its row says.
        SegmentationMismatch = "segmentation_mismatch", "build the release again; a segmentation and its row in `generation_frames` disagree";
        /// A sample of the generation track that is none of its kind.
        SampleInvalid = "sample_invalid", "build the release again; a row of `generation_samples` was edited";
        /// A video that does not decode completely.
        VideoUndecodable = "video_undecodable", "copy or download the file again, or build again";
        /// A video that is not what its row says.
        VideoMismatch = "video_mismatch", "build the release again; the file and its row in `videos` disagree";
        /// A video that shows something else than the frames that it maps to.
        VideoPicture = "video_picture", "build the release again; the video is reversed, shifted, or that of another recording";
        /// A frame map that does not fit its video or its recording.
        FrameMap = "frame_map", "build the release again; every frame of a video maps to one source frame, in order";
        /// A clip whose plan does not account for its frames.
        ClipPlan = "clip_plan", "build the release again; every frame of a clip is one of its segments' frames, in order";
        /// A row group that readers can hardly hold.
        RowGroupSize = "row_group_size", "lower `shards.row_group_bytes` and build again: a reader holds a whole row group";
        /// Yes or no follows from the words of the question.
        GuessedFromWords = "guessed_from_words", "ask for every kind with yes and with no, in places that look alike, and build again";
        /// Right answers prefer a slot.
        SlotBalance = "slot_balance", "place the right option by a hash of the item's id and build again";
    }
}

codes! {
    /// Something that a release may have and its builder should know. Warnings do not fail the audit.
    WarningCode {
        /// A file that is a link to the outside.
        FileLinked = "file_linked", "copy the file itself before the release is moved; caches of downloaders keep links";
        /// Slots lean to one side, not beyond doubt.
        SlotLean = "slot_lean", "watch it: with more items it becomes a fault if it is real";
        /// One answer of a task is right far more often than by chance.
        MajorityAnswer = "majority_answer", "a model that always gives it scores as well: balance the task's answers";
        /// The words of the questions tell more of the answers than chance.
        AnswerLeans = "answer_leans_on_words", "a model that never looks scores above chance: more varied frames, or a lower `weight` of the task, make it less";
        /// No question at all.
        NoQuestions = "no_questions", "look at the refusals in report.html: loosen the filter, or add frames, and build again";
        /// One option of a question with several right ones is nearly always, or nearly never, right.
        OptionPrior = "option_prior", "a model that never looks gets it right: choose options that are right about half the time";
        /// Items that wait for a person, in a test split.
        PendingInTest = "pending_in_test", "decide on them before anyone is scored on this split";
        /// Items that people decided against.
        RejectedItems = "rejected_items", "leave them out of training and scoring";
        /// Answers that no program can confirm.
        NotComputed = "not_computed", "they rest on a model, a person or pixels: read `provenance`";
        /// Facts that differ from those of the executed program.
        FactsDiffer = "facts_differ", "the explanation is stale, the answer holds: build again";
        /// A step of the question that changes nothing.
        RelationIdle = "relation_idle", "the place or superlative in the question is not needed to answer it";
        /// One picture under two frames.
        ImageRepeated = "image_repeated", "the source holds the picture twice; questions about both are near-duplicates";
        /// One picture in two splits.
        ImageInTwoSplits = "image_in_two_splits", "a leak that group names do not show: put both recordings into one leak group";
    }
}

/// One finding: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// File inside the release.
    pub file: String,
    /// Id of the row; null when it is about the file.
    pub row: Option<String>,
    /// What is wrong, with the values.
    pub problem: String,
}

/// A place inside the release.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) row: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(crate) fn file(file: &'a str) -> Self {
        Self { file, row: None }
    }

    pub(crate) fn row(file: &'a str, row: &'a str) -> Self {
        Self { file, row: Some(row) }
    }
}

/// Counts all findings and keeps the first ones of each code.
pub(crate) struct Log {
    faults: BTreeMap<FaultCode, Findings>,
    warnings: BTreeMap<WarningCode, Findings>,
    listed: usize,
    not_checked: BTreeSet<String>,
    pub(crate) checked: Checked,
}

impl Log {
    pub(crate) fn new(listed: usize) -> Self {
        Self {
            faults: BTreeMap::new(),
            warnings: BTreeMap::new(),
            listed,
            not_checked: BTreeSet::new(),
            checked: Checked::default(),
        }
    }

    pub(crate) fn fault(&mut self, code: FaultCode, place: Place, problem: impl Into<String>) {
        let findings = self.faults.entry(code).or_insert_with(|| Findings::new(code.code(), code.next_step()));
        findings.add(place, problem.into(), self.listed);
    }

    pub(crate) fn warn(&mut self, code: WarningCode, place: Place, problem: impl Into<String>) {
        let findings = self.warnings.entry(code).or_insert_with(|| Findings::new(code.code(), code.next_step()));
        findings.add(place, problem.into(), self.listed);
    }

    /// Notes what could not be checked, and why.
    pub(crate) fn skip(&mut self, what: impl Into<String>) {
        self.not_checked.insert(what.into());
    }

    pub(crate) fn into_report(self, release: &str) -> AuditReport {
        AuditReport {
            release: release.to_owned(),
            passed: self.faults.is_empty(),
            faults: self.faults.into_values().collect(),
            warnings: self.warnings.into_values().collect(),
            checked: self.checked,
            not_checked: self.not_checked.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_in_snake_case() {
        let faults = FaultCode::ALL.iter().map(|code| code.code());
        let codes: Vec<&str> = faults.chain(WarningCode::ALL.iter().map(|code| code.code())).collect();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        assert!(codes.iter().all(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_')), "{codes:?}");
    }

    #[test]
    fn all_are_counted_and_the_first_listed_in_order() {
        let mut log = Log::new(2);
        for row in ["c", "a", "b"] {
            log.fault(FaultCode::DuplicateId, Place::row("data/qa/x", row), "twice");
        }
        let report = log.into_report("r");
        assert!(!report.passed);
        assert_eq!((report.faults[0].count, report.faults[0].first.len()), (3, 2));
        assert_eq!(report.faults[0].first[0].row.as_deref(), Some("a"));
    }
}
