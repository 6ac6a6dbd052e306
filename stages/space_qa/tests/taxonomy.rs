//! The data file: it is complete, and each of its variants becomes programs.

use crate::space_qa::taxonomy::{MIN_WORDINGS, Setting, Taxonomy};
use std::collections::{BTreeMap, BTreeSet};

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
