//! The template files themselves.

use super::fixtures::{drawn_sequence, drawn_still, generous};
use crate::asking::templates::{Templates, digests, fill};
use crate::asking::words::Place;
use crate::qa::task::Task;
use std::collections::{BTreeMap, BTreeSet};

fn placeholders(wording: &str) -> BTreeSet<String> {
    wording.split('{').skip(1).filter_map(|rest| rest.split('}').next()).map(str::to_owned).collect()
}

#[test]
fn every_task_has_five_wordings_with_exactly_its_placeholders() {
    let templates = Templates::embedded();
    for task in Task::ALL {
        let template = templates.of(task);
        assert_eq!(template.task, task.name());
        for (name, form) in &template.forms {
            let declared: BTreeSet<String> = form.slots.iter().cloned().collect();
            let distinct: BTreeSet<&String> = form.wordings.iter().collect();
            assert!(distinct.len() >= 5, "{} {name}", task.name());
            assert_eq!(distinct.len(), form.wordings.len(), "{} {name} repeats a wording", task.name());
            for wording in &form.wordings {
                assert_eq!(placeholders(wording), declared, "{} {name}: {wording}", task.name());
                assert!(wording.ends_with(['?', '.']), "{wording}");
            }
        }
    }
    assert_eq!(digests::<Task>().len(), 8);
}

#[test]
fn every_wording_comes_up_and_reads_well() {
    let mut seen: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    let stills = (0..150).map(drawn_still);
    for fixture in stills.chain((0..8).map(|number| drawn_sequence(number, 40))) {
        for item in fixture.ask(&generous()).items {
            let provenance: serde_json::Value = serde_json::from_str(&item.provenance).unwrap();
            let template = provenance["template"].as_str().unwrap().to_owned();
            seen.entry(template).or_default().insert(provenance["wording"].as_u64().unwrap());
            let text = &item.question;
            assert!(!text.contains("  ") && !text.contains(['{', '}']), "{text}");
            assert!(!text.contains(" ?") && !text.contains(" ."), "{text}");
            let ends_well = text.ends_with(['?', '.']) || text.ends_with(".)");
            assert!(ends_well && text.starts_with(char::is_uppercase), "{text}");
            assert!(!text.contains(" a awning") && !text.contains(" persons"), "{text}");
            // People do not "lie" in a half of an image, there is no "all two", and two places with "over" make none.
            let awkward = [" lie ", " all two ", "over the image over "];
            assert!(awkward.iter().all(|words| !text.contains(words)), "{text}");
        }
    }
    let templates = Templates::embedded();
    for task in Task::ALL {
        for (name, form) in &templates.of(task).forms {
            let count = seen.get(&format!("{}/{name}", task.name())).map_or(0, BTreeSet::len);
            assert_eq!(count, form.wordings.len(), "{}/{name}", task.name());
        }
    }
}

#[test]
fn places_say_their_frame_of_reference() {
    assert_eq!(Place::WHOLE.phrase(), "in the image");
    assert_eq!(Place::named().next().unwrap().phrase(), "in the left half of the image");
    let expected =
        "inside the box [0.100, 0.200, 0.500, 0.600] (x1, y1, x2, y2 as shares of the image width and height)";
    assert_eq!(Place::tenths([1, 2, 5, 6]).phrase(), expected);
    assert_eq!(fill("{place}, how?", &[("place", "in the image".into())]), "In the image, how?");
}
