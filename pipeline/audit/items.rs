//! What must hold for every item by itself, and the tallies over all of them.

use crate::answers::has_value_type;
use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::guesses::Guesses;
use crate::index::{Index, check_split};
use crate::options;
use crate::origin;
use crate::programs::Runs;
use crate::questions::Questions;
use crate::release::{Release, TableFile};
use crate::slots::{ALL_QUESTIONS, Slots};
use crate::tables::{Key, check_table_columns, key};
use crate::tasks::Tasks;
use crate::wordings::Wordings;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::wording::{gives_answer_away, own_words};
use uavgen_programs::{ObjectKind, Program, Value};
use uavgen_schemas::qa::{joined_group, joined_licence};
use uavgen_schemas::{AnswerSource, AnswerType, ItemBox, QaItem, QaRow, ReviewStatus};

/// Checks all items; gives back the files, each with what frames its rows need.
pub(crate) fn check(release: &Release, index: &mut Index, log: &mut Log) -> Vec<(Runs, TableFile)> {
    let mut pass = ItemPass {
        index,
        questions: Questions::default(),
        slots: Slots::default(),
        guesses: Guesses::default(),
        wordings: Wordings::default(),
        tasks: Tasks::default(),
    };
    let mut runs: BTreeMap<String, Runs> = BTreeMap::new();
    check_table_columns::<QaRow, QaItem>(release, log, |log, file, item| {
        log.checked.questions += 1;
        pass.check(&item, file, log);
        runs.entry(file.path.clone()).or_default().add(pass.frames(&item));
    });
    if log.checked.questions == 0 {
        log.warn(WarningCode::NoQuestions, Place::file(ALL_QUESTIONS), "the release has only scene tables");
    }
    pass.slots.check(log);
    pass.guesses.check(log);
    pass.wordings.check(log);
    pass.tasks.check(log);
    let with_runs = |file: TableFile| (runs.remove(&file.path).unwrap_or_default(), file);
    release.table_files("qa").into_iter().map(with_runs).collect()
}

struct ItemPass<'a> {
    index: &'a mut Index,
    questions: Questions,
    slots: Slots,
    guesses: Guesses,
    wordings: Wordings,
    tasks: Tasks,
}

impl ItemPass<'_> {
    fn check(&mut self, item: &QaItem, file: &TableFile, log: &mut Log) {
        let place = Place::row(&file.path, &item.id);
        check_split(log, place, &item.split, &file.split);
        self.check_references(item, file, log);
        item.boxes.iter().for_each(|shown| check_bounds(item, shown, place, log));
        check_texts(item, place, log);
        check_review(item, place, log);
        if item.answer_source == AnswerSource::Computed {
            self.wordings.add(item, place, log);
            if let Some(problem) = origin::contradiction(item) {
                log.fault(FaultCode::ItemId, place, problem);
            }
        }
        self.check_options(item, place, log);
        self.questions.add(item, &file.path, log);
    }

    fn check_references(&mut self, item: &QaItem, file: &TableFile, log: &mut Log) {
        let place = Place::row(&file.path, &item.id);
        item.frame_ids.iter().for_each(|id| self.index.check_frame(log, place, id));
        item.recording_ids.iter().for_each(|id| self.index.check_recording(log, place, id, &item.split));
        let lifted = Program::parse(&item.program).is_ok_and(|program| program.objects() == ObjectKind::Lifted);
        // Those of lifted objects are held against their frame where the program is executed.
        let boxes = item.boxes.iter().filter(|_| !lifted).filter_map(|shown| shown.object_id.as_deref());
        boxes.for_each(|id| self.index.check_box(log, place, id));
        let frames = item.frame_ids.iter().filter_map(|id| self.index.frames.get(&key(id)));
        let recordings: BTreeSet<&str> = frames.map(|frame| &*frame.recording).collect();
        let stated: BTreeSet<&str> = item.recording_ids.iter().map(String::as_str).collect();
        if let Some(left_out) = recordings.difference(&stated).next() {
            let problem = format!("a frame is of recording {left_out}, which recording_ids does not name");
            log.fault(FaultCode::DanglingReference, place, problem);
        }
        let groups: Vec<&str> =
            stated.iter().filter_map(|id| self.index.recordings.get(*id)).map(|facts| facts.group.as_str()).collect();
        let joined = joined_group(groups.iter().copied());
        // With a recording that is not there, which is told elsewhere, nobody knows all groups.
        if groups.len() == stated.len() && !groups.is_empty() && joined != item.group_id {
            let problem = format!("its leak group is {}, that of its recordings {joined}", item.group_id);
            log.fault(FaultCode::GroupMismatch, place, problem);
        }
        // Every group of every recording, so that an item over several recordings cannot hide a leak.
        for group in groups.into_iter().map(str::to_owned).chain([item.group_id.clone()]) {
            self.index.groups.add(&group, &item.split, &file.path, &item.id);
        }
        self.check_licence(item, place, log);
        match &item.video {
            _ if item.clip_id.is_some() => self.check_clip(item, place, log),
            Some(path) => {
                let video = self.index.videos.iter().find(|video| video.path == *path);
                if video.is_none_or(|video| !item.recording_ids.contains(&video.recording_id)) {
                    let problem = format!("{path} is no video of {}", item.recording_ids.join(", "));
                    log.fault(FaultCode::DanglingReference, place, problem);
                }
            }
            None if item.frame_ids.is_empty() => {
                log.fault(FaultCode::DanglingReference, place, "it is about no frame and no video");
            }
            _ => {}
        }
    }

    /// An item about a clip names the clip's file and recordings, and shows no images.
    fn check_clip(&self, item: &QaItem, place: Place, log: &mut Log) {
        let id = item.clip_id.as_deref().unwrap_or_default();
        let Some(clip) = self.index.clips.get(id) else {
            return log.fault(FaultCode::DanglingReference, place, format!("there is no clip {id}"));
        };
        if item.video.as_ref() != Some(&clip.path) {
            let problem = format!("its video is {:?}, the file of its clip {}", item.video, clip.path);
            log.fault(FaultCode::DanglingReference, place, problem);
        }
        if item.recording_ids != clip.recording_ids {
            let (own, shown) = (item.recording_ids.join(", "), clip.recording_ids.join(", "));
            log.fault(FaultCode::DanglingReference, place, format!("it is about {own}, its clip shows {shown}"));
        }
        if !item.frame_ids.is_empty() || !item.boxes.is_empty() {
            log.fault(FaultCode::ItemMismatch, place, "it is about a clip, and names frames or boxes of images");
        }
    }

    /// The frames that an item is about.
    fn frames(&self, item: &QaItem) -> Vec<Key> {
        let clip = item.clip_id.as_ref().and_then(|id| self.index.clips.get(id));
        let own = item.frame_ids.iter().map(|id| key(id));
        own.chain(clip.into_iter().flat_map(|clip| clip.frames())).collect()
    }

    /// The licence is that of its recordings; where one of them is not there, that is a fault of its own.
    fn check_licence(&self, item: &QaItem, place: Place, log: &mut Log) {
        let recordings = item.recording_ids.iter().filter_map(|id| self.index.recordings.get(id.as_str()));
        let licences: Vec<&str> = recordings.map(|recording| recording.licence.as_str()).collect();
        let joined = joined_licence(licences.iter().copied());
        if licences.len() == item.recording_ids.len() && !licences.is_empty() && joined != item.licence {
            let problem = format!("its licence is {:?}, that of its recordings {joined}", item.licence);
            log.fault(FaultCode::ItemMismatch, place, problem);
        }
    }

    fn check_options(&mut self, item: &QaItem, place: Place, log: &mut Log) {
        self.tasks.add(item, place);
        if item.options.is_empty() {
            if !item.answer_indices.is_empty() {
                let problem = format!("answer_indices are {:?}, and there are no options", item.answer_indices);
                log.fault(FaultCode::OptionsMissing, place, problem);
            }
            return;
        }
        if item.options.len() == 1 {
            log.fault(FaultCode::OptionsMissing, place, format!("{:?} is the only option", item.options[0]));
        }
        if let Some(repeated) = first_repeated(&item.options) {
            log.fault(FaultCode::OptionsRepeated, place, format!("{repeated:?} comes twice in {:?}", item.options));
        }
        if let Err(problem) = typed_options(item) {
            log.fault(FaultCode::OptionsMismatch, place, problem);
        } else if item.answer_source == AnswerSource::Computed
            && let Some(problem) = options::contradiction(item)
        {
            log.fault(FaultCode::OptionsUnfit, place, problem);
        }
        check_right_options(item, place, log);
        self.slots.add(item, item.answer_type == AnswerType::Choices);
        self.guesses.add(item);
    }
}

/// The first option that is there before, but for case and spaces at the ends.
fn first_repeated(options: &[String]) -> Option<&String> {
    let mut seen = BTreeSet::new();
    options.iter().find(|option| !seen.insert(option.trim().to_lowercase()))
}

/// Whether the typed options are those that the texts show.
fn typed_options(item: &QaItem) -> Result<(), String> {
    let (texts, typed) = (&item.options, &item.options_json);
    if !has_value_type(item.answer_type) {
        let count = serde_json::from_str::<Vec<serde_json::Value>>(typed).map_err(|error| error.to_string())?.len();
        return if count == texts.len() {
            Ok(())
        } else {
            Err(format!("{count} typed options for {} texts", texts.len()))
        };
    }
    let typed: Vec<Value> = serde_json::from_str(typed).map_err(|error| format!("options_json: {error}"))?;
    let shown: Vec<String> = typed.iter().map(Value::text).collect();
    if shown == *texts { Ok(()) } else { Err(format!("options are {texts:?}, the typed ones read {shown:?}")) }
}

fn check_right_options(item: &QaItem, place: Place, log: &mut Log) {
    let (indices, options) = (&item.answer_indices, &item.options);
    if indices.is_empty() {
        return log.fault(FaultCode::AnswerMissing, place, format!("none of {options:?} is marked as right"));
    }
    let right: Vec<Option<&String>> =
        indices.iter().map(|index| usize::try_from(*index).ok().and_then(|position| options.get(position))).collect();
    let ascending = indices.windows(2).all(|pair| pair[0] < pair[1]);
    if right.contains(&None) || !ascending {
        let problem = format!("answer_indices are {indices:?}, there are {} options", options.len());
        return log.fault(FaultCode::AnswerOutOfBounds, place, problem);
    }
    if indices.len() > 1 && item.answer_type != AnswerType::Choices {
        let problem = format!("{} options are right, answer_type is {:?}", indices.len(), item.answer_type);
        log.fault(FaultCode::AnswerMismatch, place, problem);
    }
    let mut right: Vec<&str> = right.into_iter().flatten().map(String::as_str).collect();
    right.sort_unstable();
    let text = right.join("; ");
    if text != item.answer {
        let problem = format!("the answer is {:?}, the right options read {text:?}", item.answer);
        log.fault(FaultCode::AnswerMismatch, place, problem);
    }
}

fn check_bounds(item: &QaItem, shown: &ItemBox, place: Place, log: &mut Log) {
    let ItemBox { x1, y1, x2, y2, image_index, .. } = *shown;
    // Written so that NaN fails.
    let inside = 0.0 <= x1 && x1 <= x2 && x2 <= 1.0 && 0.0 <= y1 && y1 <= y2 && y2 <= 1.0;
    if !inside {
        let problem = format!("box [{x1}, {y1}, {x2}, {y2}] is not within its image (0 to 1)");
        log.fault(FaultCode::BoxOutOfBounds, place, problem);
    }
    if usize::try_from(image_index).is_ok_and(|position| position < item.frame_ids.len()) || item.frame_ids.is_empty() {
        return;
    }
    let problem = format!("a box lies on image {image_index} of {}", item.frame_ids.len());
    log.fault(FaultCode::BoxOutOfBounds, place, problem);
}

fn check_texts(item: &QaItem, place: Place, log: &mut Log) {
    if item.question.trim().is_empty() || item.question.contains(['{', '}']) {
        log.fault(FaultCode::QuestionInvalid, place, format!("the question is {:?}", item.question));
    }
    let own = Program::parse(&item.program).map(|program| own_words(&item.question, &program));
    if gives_answer_away(own.as_ref().unwrap_or(&item.question), item.answer_type, &item.answer) {
        let problem = format!("{:?} contains the answer {:?}", item.question, item.answer);
        log.fault(FaultCode::AnswerInQuestion, place, problem);
    }
    let columns = [("answer_json", &item.answer_json), ("facts", &item.facts), ("provenance", &item.provenance)];
    for (column, text) in columns {
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            log.fault(FaultCode::JsonInvalid, place, format!("{column}: {error}"));
        }
    }
}

fn check_review(item: &QaItem, place: Place, log: &mut Log) {
    if item.review_status == ReviewStatus::Pending && item.split.starts_with("test") {
        log.warn(WarningCode::PendingInTest, place, item.question.clone());
    }
    if item.review_status == ReviewStatus::Rejected {
        log.warn(WarningCode::RejectedItems, place, item.question.clone());
    }
    if item.answer_source != AnswerSource::Computed {
        log.warn(WarningCode::NotComputed, place, format!("the answer is {:?}", item.answer_source));
    }
}
