//! The release's `report.html`: one page that needs nothing else.

use super::card::task_rows;
use super::facts::Facts;
use super::render;
use super::samples::Sample;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Most answers of a task that get a bar of their own.
const MOST_ANSWERS: usize = 12;

/// Distributions, drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Charts {
    pub box_sides: String,
    pub boxes_per_frame: String,
    pub positions: String,
}

/// How the answers of a task are spread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TaskAnswers {
    pub suite: String,
    pub task: String,
    pub total: u64,
    pub answers: Vec<Bar>,
    /// Number of answers without a bar of their own.
    pub other_answers: u64,
    /// Their questions.
    pub other: u64,
    pub slots: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Bar {
    pub label: String,
    pub count: u64,
    /// Share of the task's questions in percent, rounded.
    pub percent: u64,
}

/// Sorts counted answers (by suite, task, answer) and counted slots (by suite, task, positions of the right options)
/// into tasks.
pub(crate) fn task_answers(
    answers: &BTreeMap<Vec<String>, u64>,
    slots: &BTreeMap<Vec<String>, u64>,
) -> Vec<TaskAnswers> {
    let mut tasks: BTreeMap<[&str; 2], TaskAnswers> = BTreeMap::new();
    for (key, count) in answers {
        let task = tasks.entry([&key[0], &key[1]]).or_default();
        (task.suite, task.task) = (key[0].clone(), key[1].clone());
        task.total += count;
        task.answers.push(Bar { label: key[2].clone(), count: *count, percent: 0 });
    }
    for (key, count) in slots {
        if let Some(task) = tasks.get_mut(&[key[0].as_str(), key[1].as_str()]) {
            task.slots.push(Bar { label: slot_label(&key[2]), count: *count, percent: 0 });
        }
    }
    tasks.into_values().map(finished).collect()
}

/// `A`, or `A C` where several options are right; open-ended questions have no slot.
fn slot_label(positions: &str) -> String {
    let letter = |text: &str| text.parse::<u8>().ok().filter(|i| *i < 26).map(|i| char::from(b'A' + i).to_string());
    let letters: Vec<String> = positions.split(uavgen_tables::LIST_SEPARATOR).filter_map(letter).collect();
    if letters.is_empty() { "open".into() } else { letters.join(" ") }
}

fn finished(mut task: TaskAnswers) -> TaskAnswers {
    task.answers.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.label.cmp(&b.label)));
    let rest = task.answers.split_off(task.answers.len().min(MOST_ANSWERS));
    (task.other_answers, task.other) = (rest.len() as u64, rest.iter().map(|bar| bar.count).sum());
    task.slots.sort_by(|a, b| a.label.cmp(&b.label));
    if task.slots.len() > MOST_ANSWERS || task.slots.iter().all(|slot| slot.label == "open") {
        task.slots.clear();
    }
    let total = task.total.max(1);
    for bar in task.answers.iter_mut().chain(&mut task.slots) {
        bar.percent = (bar.count * 100 + total / 2) / total;
    }
    task
}

/// The text of the page.
///
/// # Errors
/// When the template is broken, which its test would show.
pub(crate) fn text(
    facts: &Facts,
    charts: &Charts,
    answers: &[TaskAnswers],
    samples: &[Sample],
) -> Result<String, String> {
    let images: u64 = facts.splits.values().map(|split| split.images).sum();
    let boxes: u64 = facts.splits.values().map(|split| split.boxes).sum();
    let recordings: u64 = facts.splits.values().map(|split| split.recordings).sum();
    let dropped = |kind: &str| facts.drops.iter().filter(|drop| drop.kind == kind).map(|drop| drop.count).sum::<u64>();
    render(
        "report.html",
        &json!({
            "facts": facts,
            "questions": facts.question_count(),
            "images": images,
            "boxes": boxes,
            "recordings": recordings,
            "rules": dropped("rule"),
            "refusals": dropped("refusal"),
            "quarantined": dropped("quarantine"),
            "tasks": task_rows(facts),
            "charts": charts,
            "answers": answers,
            "samples": samples,
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_sorted_by_count_and_slots_by_letter() {
        let key = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
        let answers = BTreeMap::from([(key(&["s", "t", "no"]), 1), (key(&["s", "t", "yes"]), 3)]);
        let both = format!("0{}1", uavgen_tables::LIST_SEPARATOR);
        let slots =
            BTreeMap::from([(key(&["s", "t", "1"]), 1), (key(&["s", "t", "0"]), 2), (key(&["s", "t", &both]), 1)]);
        let tasks = task_answers(&answers, &slots);
        let shown =
            |bars: &[Bar]| bars.iter().map(|b| format!("{} {} {}%", b.label, b.count, b.percent)).collect::<Vec<_>>();
        assert_eq!(shown(&tasks[0].answers), ["yes 3 75%", "no 1 25%"]);
        assert_eq!(shown(&tasks[0].slots), ["A 2 50%", "A B 1 25%", "B 1 25%"]);
    }

    #[test]
    fn many_answers_are_summed_up() {
        let answers = (0..20).map(|n| (vec!["s".into(), "t".into(), format!("{n:02}")], 20 - n)).collect();
        let tasks = task_answers(&answers, &BTreeMap::new());
        assert_eq!((tasks[0].answers.len(), tasks[0].other_answers, tasks[0].other), (12, 8, 36));
    }
}
