//! Template files and settings.

use crate::asking::templates::{Templates, digests};
use crate::clip_qa::STAGE;
use crate::clip_qa::task::Task;
use serde_json::{Value, json};
use uavgen_core::Stage;

#[test]
fn every_task_has_a_template_of_its_name() {
    let templates = Templates::<Task>::embedded();
    for task in Task::ALL {
        assert_eq!(templates.of(task).task, task.name());
        assert!(templates.of(task).forms.values().all(|form| form.wordings.len() >= 5));
    }
    assert_eq!(digests::<Task>().len(), 4);
}

#[test]
fn settings_are_checked() {
    let problem = |section: &Value| match STAGE.configure(section) {
        Ok(_) => "nothing".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(problem(&json!({})), "nothing");
    for (section, expected) in [
        (json!({"max_per_clip": 0}), "max_per_clip"),
        (json!({"tries": 0}), "tries"),
        (json!({"margins": {"count_absolute": 0}}), "count_absolute"),
        (json!({"margins": {"count_relative": 1.0}}), "count_relative"),
        (json!({"margins": {"seconds": -1.0}}), "seconds"),
        (json!({"margins": {"inside_share": 0.05}}), "inside_share"),
        (json!({"tasks": {"clip_order": {"per_clip": 0}}}), "tasks.clip_order.per_clip"),
        (json!({"tasks": {"clip_order": {"weight": 101}}}), "tasks.clip_order.weight"),
        (json!({"tasks": {"clip_sorting": {}}}), "clip_sorting"),
    ] {
        assert!(problem(&section).contains(expected), "{section}: {}", problem(&section));
    }
}
