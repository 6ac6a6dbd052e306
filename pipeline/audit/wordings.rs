//! Whether questions of one wording differ in what their programs say alone.
//!
//! What a program says is cut out of its question; the rest must be the same for all items of one template and wording, so
//! a word that was added to one ("red", "not", "that are moving") or left out stands out. Templates are not needed for
//! it. Of a wording that only one item has, only kinds, places and superlatives that its program lacks are found.

use crate::findings::{FaultCode, Log, Place};
use crate::origin::Origin;
use std::collections::BTreeMap;
use uavgen_programs::Program;
use uavgen_programs::wording::{rest, unsaid, untold};
use uavgen_schemas::QaItem;

/// Items with one rest that are remembered, in case it is not the usual one.
const REMEMBERED: usize = 100;

/// The questions of every wording.
#[derive(Default)]
pub(crate) struct Wordings(BTreeMap<(String, String, u64), BTreeMap<String, Items>>);

/// Items of one wording with the same rest.
#[derive(Default)]
struct Items {
    count: u64,
    /// File and id of the first ones.
    first: Vec<(String, String)>,
}

impl Wordings {
    /// Notes a question. One without a program that can be read, that leaves out what its program says, or of unknown origin
    /// is told elsewhere.
    pub(crate) fn add(&mut self, item: &QaItem, place: Place, log: &mut Log) {
        let Ok(program) = Program::parse(&item.program) else { return };
        if unsaid(&item.question, &program).is_some() {
            return;
        }
        let rest = rest(&item.question, &program);
        if let Some(words) = untold(&rest) {
            let problem = format!("{:?} says {words:?}, its program does not", item.question);
            return log.fault(FaultCode::QuestionProgram, place, problem);
        }
        let Some(Origin { template, wording }) = Origin::of(item) else { return };
        let items = self.0.entry((item.suite.clone(), template, wording)).or_default().entry(rest).or_default();
        items.count += 1;
        if items.first.len() < REMEMBERED {
            items.first.push((place.file.to_owned(), item.id.clone()));
        }
    }

    /// Reports questions whose rest is not that of most; where two are as frequent, all of them.
    pub(crate) fn check(&self, log: &mut Log) {
        for ((_, template, wording), rests) in self.0.iter().filter(|(_, rests)| rests.len() > 1) {
            let most = rests.values().map(|items| items.count).max().unwrap_or(0);
            let usual: Vec<&String> =
                rests.iter().filter(|(_, items)| items.count == most).map(|(rest, _)| rest).collect();
            let unusual = rests.iter().filter(|(rest, _)| usual.len() > 1 || !usual.contains(rest));
            for (rest, items) in unusual {
                let others: u64 = rests.values().map(|items| items.count).sum::<u64>() - items.count;
                for (file, id) in &items.first {
                    let problem = format!(
                        "beside what its program says it reads {rest:?}, {others} others of wording {wording} of {template} do not"
                    );
                    log.fault(FaultCode::QuestionProgram, Place::row(file, id), problem);
                }
            }
        }
    }
}
