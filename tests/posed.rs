//! What is posed, in a release: tables, aligned pictures, samples.

use crate::harness::{Project, files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use uavgen_core::store::TableReader;
use uavgen_media::{Labels, decode_grey16, decode_labels};
use uavgen_sample_data::{DEFAULT_SEED, write_town};
use uavgen_schemas::{
    Frame, GenerationFrame, GenerationKind, GenerationSample, Instance, Mask, Pose, Record, ReleaseManifest,
};

/// The town, built to its release.
fn town() -> Project {
    let project = Project::empty();
    write_town(&project.path().join("data"), DEFAULT_SEED).unwrap();
    project.init(&["posed-mesh=data/town"]);
    project.build();
    project
}

/// Rows of a config of the release.
fn rows<R: Record>(project: &Project) -> Vec<R> {
    let found = files(&project.release().join("data").join(R::TABLE));
    found.iter().flat_map(|file| TableReader::open(file).unwrap().rows().unwrap()).collect()
}

fn configs(project: &Project) -> BTreeSet<String> {
    let manifest = fs::read(project.release().join("manifest.json")).unwrap();
    let manifest: ReleaseManifest = serde_json::from_slice(&manifest).unwrap();
    manifest.configs.into_iter().map(|config| config.name).collect()
}

#[test]
fn a_posed_recording_becomes_a_release_with_aligned_pictures() {
    let project = town();
    project.run(&["check", "latest"]).expect_code(0);
    let found = configs(&project);
    for table in ["cameras", "poses", "masks", "mask_classes", "instances", "generation_frames", "generation_samples"] {
        assert!(found.contains(table), "no config {table} in {found:?}");
    }
    assert!(
        !found.contains("meshes") && !found.contains("depth_maps"),
        "files that a release does not have: {found:?}"
    );

    let frames: BTreeMap<String, Frame> =
        rows::<Frame>(&project).into_iter().map(|frame| (frame.frame_id.clone(), frame)).collect();
    let masks: BTreeMap<String, Mask> =
        rows::<Mask>(&project).into_iter().map(|mask| (mask.frame_id.clone(), mask)).collect();
    let triples: Vec<GenerationFrame> = rows(&project);
    assert_eq!(
        (triples.len(), rows::<Pose>(&project).len()),
        (frames.len(), frames.len()),
        "every frame of the town is posed"
    );
    for triple in &triples {
        let source = project.path().join("data/town");
        let image = fs::read(source.join(&frames[&triple.frame_id].file)).unwrap();
        assert!(triple.image.bytes == image, "{}: another image than that of the source", triple.frame_id);
        // Masks of the town are grey: their values are those of its classes.
        let Labels::Ids { values: stored, .. } =
            decode_labels(&fs::read(source.join(&masks[&triple.frame_id].file)).unwrap()).unwrap()
        else {
            panic!("masks of the town have ids")
        };
        let Labels::Ids { values, palette } = decode_labels(&triple.segmentation.bytes).unwrap() else {
            panic!("a palette picture")
        };
        assert!(values == stored, "{}: labels were changed", triple.frame_id);
        let shown = |row: &uavgen_schemas::SegmentClass| palette[row.value as usize].map(i64::from);
        assert!(triple.classes.iter().all(|class| shown(class) == [class.red, class.green, class.blue]));
        let (_, _, depth) = decode_grey16(&triple.depth.bytes).unwrap();
        assert_eq!(depth.len(), stored.len());
    }
    let samples: Vec<GenerationSample> = rows(&project);
    assert_eq!(samples.len(), triples.len() * GenerationKind::ALL.len());
    // What a text counts is what `instances` has.
    let mut cars: BTreeMap<&str, u64> = BTreeMap::new();
    let instances: Vec<Instance> = rows(&project);
    instances.iter().filter(|one| one.category == "car").for_each(|one| *cars.entry(&one.frame_id).or_default() += 1);
    for sample in samples.iter().filter(|sample| sample.prompt.is_some()) {
        let facts: serde_json::Value = serde_json::from_str(&sample.provenance).unwrap();
        let told = facts["facts"]["objects"].as_array().unwrap().iter().find(|one| one["category"] == "car");
        let told = told.and_then(|one| one["count"].as_u64());
        assert_eq!(told, cars.get(sample.frame_id.as_str()).copied(), "{}", sample.sample_id);
    }
    let wordings: BTreeSet<i64> = samples
        .iter()
        .filter_map(|sample| serde_json::from_str::<serde_json::Value>(&sample.provenance).unwrap()["wording"].as_i64())
        .collect();
    assert!(wordings.len() >= 6, "{wordings:?}");
    let card = fs::read_to_string(project.release().join("README.md")).unwrap();
    assert!(card.contains("## Objects in space") && card.contains("## Generation track"));
    project.run(&["preview", "generation", "--count", "2"]).expect_code(0);
    assert!(project.path().join("previews/generation.jpg").metadata().unwrap().len() > 10_000);
}

#[test]
fn without_the_generation_track_a_release_has_the_tables_alone() {
    let project = Project::empty();
    write_town(&project.path().join("data"), DEFAULT_SEED).unwrap();
    project.init(&["posed-mesh=data/town"]);
    project.edit_config("\n[generation]\n", "\n[generation]\nenabled = false\n");
    project.build();
    project.run(&["check", "latest"]).expect_code(0);
    let found = configs(&project);
    assert!(
        found.contains("instances") && !found.contains("generation_frames") && !found.contains("generation_samples")
    );
    let card = fs::read_to_string(project.release().join("README.md")).unwrap();
    assert!(card.contains("## Objects in space") && !card.contains("## Generation track"));
}
