//! Groups of clips: each clip once, as many videos of each length, never one place twice.

use super::STAGE;
use super::pure::{Encoding, Member, Plan, plan};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Draw, Stage};

fn member(number: usize, place: usize) -> Member {
    Member {
        clip_id: format!("clip{number}"),
        places: vec![format!("place{place}")],
        key: format!("vid/{number} 0+30"),
        fps: (15, 1),
        encoding: Encoding { width: 640, height: 360, gop_frames: 15, crf: 23, preset: "veryfast".into() },
    }
}

fn members(count: usize, places: usize) -> Vec<Member> {
    (0..count).map(|number| member(number, number % places)).collect()
}

fn planned(counts: &[u32], members: Vec<Member>) -> Plan {
    plan(counts, members, &Draw::new(7))
}

fn lengths(plan: &Plan) -> BTreeMap<usize, usize> {
    let mut lengths = BTreeMap::new();
    plan.groups.iter().for_each(|group| *lengths.entry(group.0.len()).or_insert(0) += 1);
    lengths
}

#[test]
fn each_length_is_as_frequent_as_the_others_and_each_clip_is_used_once() {
    for (count, places) in [(0, 1), (1, 1), (2, 2), (9, 9), (27, 27), (40, 7), (100, 31), (100, 4), (64, 3), (30, 1)] {
        let plan = planned(&[2, 3, 4], members(count, places));
        let lengths = lengths(&plan);
        let all = [2, 3, 4].map(|length| lengths.get(&length).copied().unwrap_or(0));
        assert!(all.iter().max().unwrap() - all.iter().min().unwrap() <= 1, "{count} of {places}: {all:?}");
        let used: Vec<&str> = plan.groups.iter().flat_map(|group| &group.0).map(|one| one.clip_id.as_str()).collect();
        assert_eq!(used.iter().collect::<BTreeSet<_>>().len(), used.len());
        assert_eq!(used.len() + plan.left_over.len(), count);
        for group in &plan.groups {
            let distinct: BTreeSet<&Vec<String>> = group.0.iter().map(|member| &member.places).collect();
            assert_eq!(distinct.len(), group.0.len());
        }
    }
}

#[test]
fn next_to_nothing_is_left_over_where_places_are_many() {
    // 9 clips make a turn of 2 + 3 + 4; of 8 more 3 + 4 are used, of 5 more 2 + 3.
    for (count, expected) in [(9, 0), (17, 1), (14, 0), (10, 1), (900, 0)] {
        assert_eq!(planned(&[2, 3, 4], members(count, count)).left_over.len(), expected, "{count}");
    }
    let few = planned(&[2, 3, 4], members(64, 3));
    assert_eq!((lengths(&few), few.left_over.len()), (BTreeMap::from([(2, 1), (3, 1)]), 59));
    assert_eq!((few.left_over[0].value, few.left_over[0].limit), (Some(3.0), Some(4.0)));
    assert_eq!(few.left_over[0].reason, "left_over");
    assert_eq!(planned(&[2, 3], members(64, 3)).left_over.len(), 1);
    assert_eq!(planned(&[2], members(5, 5)).left_over[0].limit, Some(2.0));
}

#[test]
fn clips_that_were_encoded_alike_come_first() {
    // Two sizes, ten clips each, and one of a third size.
    let mut all = members(21, 21);
    all.iter_mut().take(10).for_each(|member| member.encoding.width = 960);
    all[20].encoding.width = 1280;
    let plan = planned(&[2], all);
    let rows: Vec<_> = plan.groups.iter().map(|group| group.row("train")).collect();
    assert_eq!((rows.len(), rows.iter().filter(|row| row.alike).count()), (10, 10));
    // Nine and eleven: one of each is left, and these two are joined on the larger canvas.
    let mut all = members(20, 20);
    all.iter_mut().take(9).for_each(|member| member.encoding.width = 960);
    let plan = planned(&[2], all);
    let unlike: Vec<_> = plan.groups.iter().map(|group| group.row("train")).filter(|row| !row.alike).collect();
    assert_eq!((plan.groups.len(), unlike.len()), (10, 1));
    assert_eq!((unlike[0].width, unlike[0].height), (960, 360));
}

#[test]
fn clips_of_two_rates_are_never_joined() {
    let mut all = members(12, 12);
    all.iter_mut().step_by(2).for_each(|member| member.fps = (30, 1));
    let plan = planned(&[2, 3, 4], all);
    assert!(plan.groups.len() >= 4);
    for group in &plan.groups {
        assert!(group.0.windows(2).all(|pair| pair[0].fps == pair[1].fps));
    }
}

#[test]
fn neither_the_order_of_rows_nor_an_encoder_moves_a_clip() {
    let keys = |plan: &Plan| -> Vec<Vec<String>> {
        plan.groups.iter().map(|group| group.0.iter().map(|member| member.key.clone()).collect()).collect()
    };
    let one = planned(&[2, 3, 4], members(30, 11));
    let mut other = members(30, 11);
    other.reverse();
    other.iter_mut().for_each(|member| {
        member.clip_id = format!("other{}", member.clip_id);
        member.encoding.crf = 30;
    });
    assert_eq!(keys(&one), keys(&planned(&[2, 3, 4], other)));
    assert_ne!(keys(&one), keys(&plan(&[2, 3, 4], members(30, 11), &Draw::new(8))));
    let in_order = |group: &Vec<String>| group.windows(2).all(|pair| pair[0] < pair[1]);
    let sorted = keys(&one).iter().filter(|group| in_order(group)).count();
    assert!(sorted < one.groups.len() * 2 / 3, "the order of a video is drawn: {sorted} of {}", one.groups.len());
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let path = |section: serde_json::Value| match STAGE.configure(&section) {
        Ok(_) => "none".to_owned(),
        Err(error) => error.path.join("."),
    };
    for counts in [json!([]), json!([1]), json!([2, 2]), json!([3, 2]), json!([17])] {
        assert_eq!(path(json!({"clip_counts": counts})), "clip_counts");
    }
    assert_eq!(path(json!({"buckets": 0})), "buckets");
    assert_eq!(path(json!({"clip_counts": [2, 5], "buckets": 64})), "none");
}
