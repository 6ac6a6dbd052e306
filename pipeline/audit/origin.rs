//! Where an item comes from, and the id and slot that follow from it.
//!
//! An id is a hash of suite, task, program, frames (or clip) and wording, and the slot of a single right answer a hash of the id, so
//! that both can be computed from the item alone: neither is chosen, and an item that was edited shows.

use serde_json::Value;
use uavgen_core::draw::{candidate_id, item_id, right_slot};
use uavgen_schemas::{AnswerType, QaItem};

/// Template and wording of an item, by its `provenance`.
pub(crate) struct Origin {
    pub(crate) template: String,
    /// Ordinal of the wording.
    pub(crate) wording: u64,
}

impl Origin {
    /// The origin that an item states; null when it states none.
    pub(crate) fn of(item: &QaItem) -> Option<Self> {
        let provenance: Value = serde_json::from_str(&item.provenance).ok()?;
        let template = provenance["template"].as_str()?.to_owned();
        Some(Self { template, wording: provenance["wording"].as_u64()? })
    }
}

/// What is wrong with the id of a computed item, or with the slot that it gives; null when nothing is.
pub(crate) fn contradiction(item: &QaItem) -> Option<String> {
    let Some(origin) = Origin::of(item) else {
        return Some("its provenance names no template and wording, so its id cannot be computed".to_owned());
    };
    let about: Vec<&str> = match &item.clip_id {
        Some(clip) => vec![clip],
        None => item.frame_ids.iter().map(String::as_str).collect(),
    };
    let expected = item_id(&candidate_id(&item.suite, &item.task, &item.program, &about), origin.wording);
    if expected != item.id {
        return Some(format!("by its suite, task, program, frames or clip and wording the id is {expected}"));
    }
    let ([slot], false) = (&item.answer_indices[..], item.answer_type == AnswerType::Choices) else { return None };
    let expected = right_slot(&item.id, item.options.len());
    // Beyond the options is a fault of its own.
    let wrong = usize::try_from(*slot).is_ok_and(|slot| slot != expected && slot < item.options.len());
    wrong.then(|| format!("its id puts the right option into slot {expected}, it is in {slot}"))
}
