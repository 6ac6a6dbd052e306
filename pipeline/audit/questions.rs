//! Questions that come twice, and questions that come with two answers.

use crate::findings::{FaultCode, Log, Place};
use crate::tables::{Key, key};
use std::collections::HashMap;
use uavgen_schemas::{AnswerType, QaItem};

/// Every question seen so far, by frames and wording.
#[derive(Default)]
pub(crate) struct Questions {
    asked: HashMap<Key, Vec<Asked>>,
    files: Vec<String>,
}

/// One item, as small as comparing it allows: texts are hashed.
struct Asked {
    file: usize,
    id: Box<str>,
    answer_type: AnswerType,
    /// Options, sorted.
    options: Box<[Key]>,
    /// Right options, sorted; the answer where there are none.
    right: Box<[Key]>,
}

/// How two items about the same frames with the same question relate.
#[derive(Debug, PartialEq)]
enum Relation {
    Duplicate,
    Contradiction,
    Unrelated,
}

impl Questions {
    /// Compares an item with those before it and remembers it. At most one fault per item.
    pub(crate) fn add(&mut self, item: &QaItem, file: &str, log: &mut Log) {
        if self.files.last().is_none_or(|last| last != file) {
            self.files.push(file.to_owned());
        }
        let asked = Asked::new(item, self.files.len() - 1);
        let before = self.asked.entry(question_key(item)).or_default();
        let related = before.iter().map(|other| (relation(other, &asked), other));
        if let Some((relation, other)) = related.filter(|(relation, _)| *relation != Relation::Unrelated).min_by_key(
            // A contradiction says more than a duplicate.
            |(relation, _)| *relation != Relation::Contradiction,
        ) {
            let where_else = format!("row {} of {}", other.id, self.files[other.file]);
            let (code, what) = match relation {
                Relation::Contradiction => (FaultCode::ContradictingQuestion, "answered otherwise in"),
                _ => (FaultCode::DuplicateQuestion, "asked before in"),
            };
            let problem = format!("{:?} with answer {:?} is {what} {where_else}", item.question, item.answer);
            log.fault(code, Place::row(file, &item.id), problem);
        }
        before.push(asked);
    }
}

impl Asked {
    fn new(item: &QaItem, file: usize) -> Self {
        let position = |index: &i32| usize::try_from(*index).ok();
        let right: Vec<&String> =
            item.answer_indices.iter().filter_map(|index| item.options.get(position(index)?)).collect();
        let right = if right.is_empty() { vec![&item.answer] } else { right };
        Self {
            file,
            id: item.id.as_str().into(),
            answer_type: item.answer_type,
            options: sorted_keys(item.options.iter()),
            right: sorted_keys(right.into_iter()),
        }
    }

    /// Whether an option is offered and wrong.
    fn rules_out(&self, option: &Key) -> bool {
        self.options.contains(option) && !self.right.contains(option)
    }
}

fn sorted_keys<'a>(texts: impl Iterator<Item = &'a String>) -> Box<[Key]> {
    let mut keys: Vec<Key> = texts.map(|text| key(&tidy(text))).collect();
    keys.sort_unstable();
    keys.into()
}

/// Lower case, single spaces.
fn tidy(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn question_key(item: &QaItem) -> Key {
    let about = [item.video.as_deref().unwrap_or(""), item.clip_id.as_deref().unwrap_or("")];
    let frames = item.frame_ids.iter().map(String::as_str);
    let parts: Vec<&str> = about.into_iter().chain(frames).collect();
    key(&format!("{}\n{}", parts.join("\n"), tidy(&item.question)))
}

fn relation(a: &Asked, b: &Asked) -> Relation {
    let same_answer = a.right == b.right;
    if a.options == b.options {
        return if same_answer { Relation::Duplicate } else { Relation::Contradiction };
    }
    let contradicts = match b.answer_type {
        // "Which of these …": other options may have another answer, unless both answers were offered both times.
        AnswerType::Category | AnswerType::Choice => {
            a.right.iter().any(|right| b.rules_out(right)) && b.right.iter().any(|right| a.rules_out(right))
        }
        AnswerType::Choices => {
            a.right.iter().any(|right| b.rules_out(right)) || b.right.iter().any(|right| a.rules_out(right))
        }
        _ => !same_answer,
    };
    if contradicts { Relation::Contradiction } else { Relation::Unrelated }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(answer_type: AnswerType, options: &[&str], right: &[&str]) -> Asked {
        let keys = |texts: &[&str]| sorted_keys(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().iter());
        Asked { file: 0, id: "x".into(), answer_type, options: keys(options), right: keys(right) }
    }

    #[test]
    fn the_options_decide_whether_two_answers_contradict() {
        let category = |options: &[&str], right: &str| asked(AnswerType::Category, options, &[right]);
        let cases = [
            (category(&["car", "bus"], "car"), category(&["bus", "car"], "car"), Relation::Duplicate),
            (category(&["car", "bus"], "car"), category(&["bus", "car"], "bus"), Relation::Contradiction),
            // More cars than buses; more people than cars.
            (category(&["car", "bus"], "car"), category(&["person", "car"], "person"), Relation::Unrelated),
            (
                category(&["car", "bus", "van"], "car"),
                category(&["bus", "car", "person"], "bus"),
                Relation::Contradiction,
            ),
        ];
        for (a, b, expected) in cases {
            assert_eq!(relation(&a, &b), expected);
            assert_eq!(relation(&b, &a), expected);
        }
    }

    #[test]
    fn counts_contradict_whatever_the_options() {
        let count = |options: &[&str], right: &str| asked(AnswerType::Int, options, &[right]);
        assert_eq!(relation(&count(&["1", "2"], "1"), &count(&["2", "3"], "2")), Relation::Contradiction);
        assert_eq!(relation(&count(&["1", "2"], "1"), &count(&["1", "3"], "1")), Relation::Unrelated);
    }

    #[test]
    fn one_option_right_here_and_wrong_there_contradicts() {
        let several = |options: &[&str], right: &[&str]| asked(AnswerType::Choices, options, right);
        let (a, b) = (several(&["car", "bus", "van"], &["car"]), several(&["car", "bus", "person"], &["car", "bus"]));
        assert_eq!(relation(&a, &b), Relation::Contradiction);
        let c = several(&["car", "person"], &["car", "person"]);
        assert_eq!(relation(&a, &c), Relation::Unrelated);
    }
}
