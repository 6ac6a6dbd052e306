//! The config section: what it refuses, and where.

use super::fixtures::drawn_still;
use crate::qa::STAGE;
use crate::qa::config::QaConfig;
use serde_json::json;
use uavgen_core::Stage;

#[test]
fn a_task_of_weight_zero_is_off_and_settings_are_checked() {
    let configure = |section| STAGE.configure(&section).map(|configured| configured.config().clone());
    let config = configure(json!({"tasks": {"scene_counting": {"weight": 0}}})).unwrap();
    assert_eq!(config["tasks"]["scene_counting"]["per_frame"], 2);
    let off: QaConfig = serde_json::from_value(config).unwrap();
    let asked = drawn_still(1).ask(&off);
    assert!(asked.items.iter().all(|item| item.task != "scene_counting") && !asked.items.is_empty());
    let path = |section| configure(section).unwrap_err().path.join(".");
    assert_eq!(path(json!({"frame_stride": 0})), "frame_stride");
    assert_eq!(path(json!({"tasks": {"scene_counting": {"per_frame": 101}}})), "tasks.scene_counting.per_frame");
    assert_eq!(path(json!({"temporal": {"min_frames": 1}})), "temporal.min_frames");
    assert_eq!(
        path(json!({"tasks": {"object_grounding": {"margins": {"side_share": 1.0}}}})),
        "tasks.object_grounding.margins.side_share"
    );
    assert_eq!(path(json!({"tasks": {"counting": {}}})), "tasks.counting");
    for nothing in [json!({"max_per_frame": 0}), json!({"max_per_recording": 0}), json!({"tries": 0})] {
        assert_eq!(path(nothing.clone()), *nothing.as_object().unwrap().keys().next().unwrap());
    }
    assert_eq!(path(json!({"tasks": {"scene_counting": {"per_frame": 0}}})), "tasks.scene_counting.per_frame");
}

#[test]
fn a_margin_that_a_task_does_not_have_is_refused() {
    let refused = |task: &str, margin: &str, value: f64| {
        let section = json!({"tasks": {task: {"margins": {margin: value}}}});
        STAGE.configure(&section).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(refused("number_comparison", "count_relative", 0.2).is_ok());
    assert!(refused("object_grounding", "side_share", 0.2).is_ok());
    assert_eq!(
        refused("object_grounding", "count_relative", 0.2).unwrap_err(),
        "tasks.object_grounding.margins.count_relative: has no effect on object_grounding; \
         this task has inside_share, inside_refuse_from, inside_refuse_to, side_share, area_share"
    );
    assert!(refused("scene_counting", "inside_share", 0.4).unwrap_err().ends_with("this task has no margins"));
}
