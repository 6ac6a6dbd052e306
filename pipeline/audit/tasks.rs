//! What all items of a task have in common: options or none, one capability, one source of answers.

use crate::findings::{FaultCode, Log, Place};
use crate::slots::ALL_QUESTIONS;
use std::collections::BTreeMap;
use uavgen_schemas::QaItem;

/// Items without options that are remembered per task, in case others of the task have some.
const REMEMBERED: usize = 100;

/// The items of all tasks, by suite and task.
#[derive(Default)]
pub(crate) struct Tasks(BTreeMap<String, Items>);

#[derive(Default)]
struct Items {
    with_options: u64,
    /// File and id of the first ones.
    without: Vec<(String, String)>,
    without_count: u64,
    capabilities: Stated,
    sources: Stated,
}

/// What items state of their task: how many say so, and file and id of the first.
#[derive(Default)]
struct Stated(BTreeMap<String, (u64, String, String)>);

impl Tasks {
    /// Notes an item. One that marks a right option is no item without options.
    pub(crate) fn add(&mut self, item: &QaItem, place: Place) {
        let items = self.0.entry(format!("{}/{}", item.suite, item.task)).or_default();
        items.capabilities.add(&item.capability, place, item);
        items.sources.add(&format!("{:?}", item.answer_source), place, item);
        if !item.options.is_empty() {
            items.with_options += 1;
        } else if item.answer_indices.is_empty() {
            items.without_count += 1;
            if items.without.len() < REMEMBERED {
                items.without.push((place.file.to_owned(), item.id.clone()));
            }
        }
    }

    /// Reports items that differ from others of their task.
    pub(crate) fn check(&self, log: &mut Log) {
        for (task, items) in &self.0 {
            // A later suite may let a model or a person answer: then it does so in a whole task, and `check` says which.
            items.capabilities.check(task, "capability", log);
            items.sources.check(task, "answer_source", log);
            if items.with_options > 0 {
                items.check_options(task, log);
            }
        }
    }
}

impl Items {
    fn check_options(&self, task: &str, log: &mut Log) {
        for (file, id) in &self.without {
            let problem = format!("{} other items of {task} have options", self.with_options);
            log.fault(FaultCode::OptionsMissing, Place::row(file, id), problem);
        }
        if self.without_count > self.without.len() as u64 {
            let more = self.without_count - self.without.len() as u64;
            log.fault(FaultCode::OptionsMissing, Place::file(ALL_QUESTIONS), format!("{more} more items of {task}"));
        }
    }
}

impl Stated {
    fn add(&mut self, value: &str, place: Place, item: &QaItem) {
        if let Some((count, ..)) = self.0.get_mut(value) {
            *count += 1;
        } else {
            self.0.insert(value.to_owned(), (1, place.file.to_owned(), item.id.clone()));
        }
    }

    /// One fault where items say different things, at one of those that are fewest.
    fn check(&self, task: &str, column: &str, log: &mut Log) {
        let rarest = self.0.values().min_by_key(|(count, ..)| *count);
        if let (Some((_, file, id)), 2..) = (rarest, self.0.len()) {
            let said: Vec<String> = self.0.iter().map(|(value, (count, ..))| format!("{value} in {count}")).collect();
            let problem = format!("{column} of {task} is {} items", said.join(", "));
            log.fault(FaultCode::ItemMismatch, Place::row(file, id), problem);
        }
    }
}
