//! The data file: it is complete, and each of its variants becomes programs that its wordings say.

use crate::asking::templates;
use crate::space_qa::config::SpaceMargins;
use crate::space_qa::pure::program;
use crate::space_qa::pure::subject::Subject;
use crate::space_qa::taxonomy::{MIN_WORDINGS, Setting, Slot, Taxonomy};
use crate::testing::recording;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_programs::wording::{rest, unsaid};
use uavgen_programs::{Area, AreaName, Expr, Scene, Term};

#[test]
fn there_are_22_types_in_4_groups() {
    let taxonomy = Taxonomy::embedded();
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    taxonomy.types.iter().for_each(|kind| *groups.entry(&kind.group).or_default() += 1);
    let expected =
        [("object_counting", 6), ("spatial_comparison", 3), ("spatial_reasoning", 8), ("temporal_reasoning", 5)];
    assert_eq!(groups, BTreeMap::from(expected));
    let names: BTreeSet<&str> = taxonomy.types.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(names.len(), 22, "names differ");
}

#[test]
fn every_variant_has_its_wordings() {
    for kind in &Taxonomy::embedded().types {
        for (name, variant) in &kind.variants {
            let distinct: BTreeSet<&String> = variant.wordings.iter().collect();
            assert!(distinct.len() >= MIN_WORDINGS, "{}/{name}", kind.name);
            for wording in &variant.wordings {
                for placeholder in variant.placeholders() {
                    assert!(wording.contains(&format!("{{{placeholder}}}")) || placeholder.contains('.'), "{wording}");
                }
            }
        }
    }
}

#[test]
fn all_settings_are_there_and_compass_motion_has_a_cue() {
    let taxonomy = Taxonomy::embedded();
    let variants = || taxonomy.types.iter().flat_map(|kind| kind.variants.values());
    for setting in [Setting::OneFrame, Setting::TwoFrames, Setting::TwoFramesHeading] {
        assert!(variants().any(|variant| variant.setting == setting), "{setting:?}");
    }
    for variant in variants().filter(|variant| variant.setting == Setting::TwoFramesHeading) {
        assert!(variant.wordings.iter().all(|wording| wording.contains("{north}")));
    }
}

/// Something that fits a hole; each slot of a question gets its own.
fn plausible(slot: &Slot, name: &str) -> Json {
    let kinds = ["bus", "car"];
    match slot {
        Slot::Object { frame, .. } => {
            let only = Expr::objects(*frame).where_category([format!("zebra_{name}")]).unique();
            serde_json::to_value(only).unwrap()
        }
        Slot::Class { .. } => json!([format!("zebra_{name}")]),
        Slot::Classes {} => json!(kinds),
        Slot::Terms {} | Slot::Surfaces {} => serde_json::to_value(kinds.map(|kind| Term::new(kind, [kind]))).unwrap(),
        Slot::Place {} => serde_json::to_value(Area::named(AreaName::LeftHalf).unwrap()).unwrap(),
        Slot::Relation {} => json!("greater"),
        Slot::Number { values, .. } => json!(values[0]),
    }
}

#[test]
fn every_variant_becomes_a_program_that_each_of_its_wordings_says() {
    let recording = recording("source/place", 1);
    let subject = Subject::new(&recording, Vec::new(), Scene::new(Vec::new()).unwrap());
    let mut count = 0;
    for kind in &Taxonomy::embedded().types {
        for (name, variant) in &kind.variants {
            let slots: BTreeMap<String, Json> =
                variant.slots.iter().map(|(name, slot)| (name.clone(), plausible(slot, name))).collect();
            let filled = program::fill(variant, &slots, &SpaceMargins::default());
            let filled = filled.unwrap_or_else(|fault| panic!("{}/{name}: {fault}", kind.name));
            let placeholders = variant.placeholders();
            let phrases: Vec<(&str, String)> = placeholders
                .iter()
                .map(|placeholder| match placeholder.as_str() {
                    // What only frames tell.
                    "north" => ("north", "In the image, north points 90° clockwise from the top.".to_owned()),
                    "interval" => ("interval", "2.0 s".to_owned()),
                    other => (other, filled.phrase(other, &subject).unwrap()),
                })
                .collect();
            for wording in &variant.wordings {
                let text = templates::fill(wording, &phrases);
                assert_eq!(unsaid(&text, &filled.program), None, "{}/{name}: {text}", kind.name);
                let rest = rest(&text, &filled.program);
                assert!(!rest.contains("zebra"), "{rest}");
                count += 1;
            }
        }
    }
    assert!(count >= 30 * MIN_WORDINGS, "{count} wordings");
}
