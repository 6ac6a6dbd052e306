//! No leak group is ever in two splits.

use crate::ingest::pure::splits::{Assigned, Member, aliased, assign, is_split_name, place_of, plain_group};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::SplitConfig;
use uavgen_core::project::{SplitConflict, SplitMode};

fn member(name: &str, split: &str) -> Member {
    let source = if name.starts_with("uav") { "vid" } else { "det" };
    Member {
        source: source.into(),
        name: name.into(),
        own_group: plain_group(name),
        group: plain_group(name),
        source_split: split.into(),
        has_images: true,
    }
}

fn to(split: &str) -> Assigned {
    Assigned::To(split.into())
}

fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn stills_and_sequences_of_one_place_share_a_group() {
    for name in ["uav0000086_00000_v", "0000086_01234_d_0000003", "UAV0000086"] {
        assert_eq!(plain_group(name), "visdrone:0000086", "{name}");
    }
    assert_eq!(place_of("uav0000086_00000_v"), "uav0000086");
}

#[test]
fn a_name_that_is_not_visdrones_is_a_group_of_its_own() {
    for name in ["DJI_0001", "uavtown_1", "_x", "uav_1", "frame-12", "12a_1"] {
        assert_eq!((plain_group(name), place_of(name)), (format!("visdrone:{name}"), name));
    }
    let members: Vec<Member> = (1..=40).map(|number| member(&format!("DJI_{number:04}"), "train")).collect();
    let config = SplitConfig { mode: SplitMode::Regroup, ..SplitConfig::default() };
    let (assigned, notes) = assign(&members, &config, &BTreeMap::new()).unwrap();
    let splits: BTreeSet<String> = assigned.iter().map(|one| format!("{one:?}")).collect();
    assert!(splits.len() > 1, "forty groups fall into more than one split");
    assert!(notes[0].starts_with("40 names tell no place") && notes[0].contains("det/DJI_0001, "), "{notes:?}");
    let (_, notes) = assign(&members, &SplitConfig::default(), &BTreeMap::new()).unwrap();
    assert!(notes.is_empty(), "the splits of the source stay as they are");
}

#[test]
fn aliases_join_groups() {
    let aliases = pairs(&[("visdrone:1", "visdrone:2"), ("visdrone:2", "town")]);
    assert_eq!(aliased("visdrone:1", &aliases).unwrap(), "town");
    assert_eq!(aliased("visdrone:3", &aliases).unwrap(), "visdrone:3");
    let circle = pairs(&[("visdrone:1", "visdrone:2"), ("visdrone:2", "visdrone:1")]);
    assert_eq!(aliased("visdrone:1", &circle).unwrap_err().path, ["split", "aliases"]);
}

#[test]
fn a_group_in_two_splits_is_an_error_that_names_it_and_the_choices() {
    let members = [member("uav0000086_00000_v", "val"), member("0000086_1_d", "train"), member("0000086_2_d", "train")];
    let error = assign(&members, &SplitConfig::default(), &BTreeMap::new()).unwrap_err();
    assert_eq!(error.path, ["split", "on_conflict"]);
    assert_eq!(
        error.message,
        "1 leak groups are in two splits: visdrone:0000086 (train: det/0000086_1_d and 1 more; val: vid/uav0000086_00000_v)"
    );
    let hint = error.hint.unwrap();
    assert!(["on_conflict = \"drop\"", "regroup", "list"].iter().all(|choice| hint.contains(choice)), "{hint}");
}

#[test]
fn dropping_keeps_what_is_held_out_furthest() {
    let config = SplitConfig { on_conflict: SplitConflict::Drop, ..SplitConfig::default() };
    let members = [
        member("1_a", "train"),
        member("1_b", "val"),
        member("1_c", "test"),
        member("2_a", "train"),
        member("2_b", "extra"),
        member("3_a", "train"),
    ];
    let (assigned, notes) = assign(&members, &config, &BTreeMap::new()).unwrap();
    let dropped = |from: &str, kept_in: &str| Assigned::Dropped { from: from.into(), kept_in: kept_in.into() };
    let expected = [
        dropped("train", "test"),
        dropped("val", "test"),
        to("test"),
        dropped("train", "extra"),
        to("extra"),
        to("train"),
    ];
    assert_eq!(assigned, expected);
    assert_eq!(notes.len(), 1);
}

#[test]
fn annotations_alone_cause_no_conflict() {
    let members = [member("1_a", "train"), Member { has_images: false, ..member("1_b", "val") }];
    let (assigned, _) = assign(&members, &SplitConfig::default(), &BTreeMap::new()).unwrap();
    assert_eq!(assigned, [to("train"), to("val")]);
}

#[test]
fn a_list_may_name_recordings_names_or_groups() {
    let config = SplitConfig { mode: SplitMode::List, ..SplitConfig::default() };
    let members =
        [member("uav1_a", "train"), member("uav1_b", "train"), member("2_x", "train"), member("3_x", "train")];
    let list =
        pairs(&[("vid/uav1_a", "test"), ("uav1_b", "test"), ("visdrone:2", "val"), ("3_x", "none"), ("other", "val")]);
    let (assigned, notes) = assign(&members, &config, &list).unwrap();
    assert_eq!(assigned, [to("test"), to("test"), to("val"), Assigned::LeftOut]);
    assert_eq!(notes, ["1 lines of the split list fit no recording: other", "the split list leaves out 1 recordings"]);
}

#[test]
fn a_list_with_holes_or_conflicts_is_refused() {
    let config = SplitConfig { mode: SplitMode::List, ..SplitConfig::default() };
    let members = [member("1_a", "train"), member("1_b", "train")];
    let error = |list: &[(&str, &str)]| assign(&members, &config, &pairs(list)).unwrap_err().message;
    assert_eq!(error(&[("1_a", "val")]), "1 recordings are not in the list: det/1_b (visdrone:1)");
    assert!(error(&[("1_a", "val"), ("1_b", "train")]).starts_with("1 leak groups are in two splits"));
    assert_eq!(error(&[("visdrone:1", "Test-Dev")]), "`Test-Dev` cannot be the name of a split");
    assert!(
        assign(&members, &config, &pairs(&[("1_a", "val"), ("1_b", "none")])).is_ok(),
        "leaving one out is no conflict"
    );
}

#[test]
fn shares_are_met_and_the_salt_draws_anew() {
    let members: Vec<Member> = (0..4000).map(|group| member(&format!("{group}_a"), "train")).collect();
    let draw = |salt: &str| {
        let config = SplitConfig { mode: SplitMode::Regroup, salt: salt.into(), ..SplitConfig::default() };
        assign(&members, &config, &BTreeMap::new()).unwrap().0
    };
    let first = draw("");
    let share = |split: &str| first.iter().filter(|one| **one == to(split)).count() as f64 / 4000.0;
    // Four standard deviations of a binomial share at n = 4000 are 0.019 (p = 0.1) and 0.026 (p = 0.8).
    assert!(
        (share("test") - 0.1).abs() < 0.02 && (share("train") - 0.8).abs() < 0.03,
        "{} {}",
        share("test"),
        share("train")
    );
    assert_eq!(first, draw(""));
    assert_ne!(first, draw("again"));
}

#[test]
fn one_more_group_moves_no_other() {
    let config = SplitConfig { mode: SplitMode::Regroup, ..SplitConfig::default() };
    let draw = |count: i32| {
        let members: Vec<Member> = (0..count).map(|group| member(&format!("{group}_a"), "train")).collect();
        assign(&members, &config, &BTreeMap::new()).unwrap().0
    };
    assert_eq!(draw(50), draw(51)[..50]);
}

#[test]
fn split_names_are_those_that_data_sets_can_have() {
    for (name, expected) in [
        ("train", true),
        ("test_1", true),
        ("", false),
        ("Val", false),
        ("all", false),
        ("test-dev", false),
        ("a/b", false),
    ] {
        assert_eq!(is_split_name(name), expected, "{name}");
    }
}

proptest! {
    #[test]
    fn whatever_the_mode_no_group_is_in_two_splits(
        found in prop::collection::vec((0..8, 0..4, prop::sample::select(vec!["train", "val", "test"])), 1..40),
        regroup in any::<bool>(),
        salt in "[a-z]{0,3}",
    ) {
        let members: Vec<Member> =
            found.iter().enumerate().map(|(n, (group, kind, split))| {
                let prefix = if *kind == 0 { "uav" } else { "" };
                member(&format!("{prefix}{group}_{n}"), split)
            }).collect();
        let mode = if regroup { SplitMode::Regroup } else { SplitMode::Source };
        let config = SplitConfig { mode, salt, on_conflict: SplitConflict::Drop, ..SplitConfig::default() };
        let (assigned, _) = assign(&members, &config, &BTreeMap::new()).unwrap();
        let mut splits: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (member, assigned) in members.iter().zip(&assigned) {
            if let Assigned::To(split) = assigned {
                splits.entry(&member.group).or_default().insert(split);
            }
        }
        let groups: BTreeSet<&str> = members.iter().map(|member| member.group.as_str()).collect();
        prop_assert!(splits.values().all(|splits| splits.len() == 1), "{:?}", splits);
        prop_assert_eq!(splits.len(), groups.len(), "no group vanishes");
    }
}
