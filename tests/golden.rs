//! Equal fingerprints stand for equal bytes, also across versions of uavgen: what the sample gave once it must give again,
//! or the stage has another version.
//!
//! `golden.json` holds, for each stage, one digest over the fingerprints of its tasks and one over what they wrote. Where
//! the first is the same and the second is not, a stage changed its output without raising its version, and stores that
//! were filled before would go on serving the old bytes as fresh ones.

use crate::harness::Project;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use uavgen_core::Manifest;
use uavgen_core::fingerprint::combine;
use uavgen_core::store::proof::read_manifest;

/// Set, the test writes the file instead of comparing with it: `make golden`.
const WRITE: &str = "UAVGEN_WRITE_GOLDEN";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Golden {
    fingerprints: String,
    results: String,
}

#[test]
fn equal_fingerprints_stand_for_equal_bytes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.json");
    let now = of_sample();
    let committed: BTreeMap<String, Golden> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for (stage, golden) in &now {
        let before = committed.get(stage).filter(|before| before.fingerprints == golden.fingerprints);
        assert!(
            before.is_none_or(|before| before.results == golden.results),
            "stage {stage} writes other bytes under the same fingerprints: raise `version` in stages/{stage}/mod.rs (or, \
             when tables are encoded in another way, ENCODING in pipeline/core/store/properties.rs; for still images \
             STILLS_VERSION in pipeline/media/library.rs)"
        );
    }
    if std::env::var_os(WRITE).is_some() {
        fs::write(&file, serde_json::to_string_pretty(&now).unwrap() + "\n").unwrap();
    } else {
        assert!(now == committed, "the fingerprints changed: look at what changed, run `make golden`, commit the file");
    }
}

/// Without videos and what is made of them: their bytes depend on the FFmpeg that is installed, and their fingerprints say so.
fn of_sample() -> BTreeMap<String, Golden> {
    let project = Project::sample();
    project.edit_config("\n[video]\n", "\n[video]\nenabled = false\n");
    project.build();
    let mut stages: BTreeMap<String, Vec<Manifest>> = BTreeMap::new();
    for path in crate::harness::files(&project.path().join("store")) {
        let folder = path.parent().unwrap();
        let is_manifest = path.ends_with("manifest.json") && !folder.join("README.md").exists();
        if let Some(manifest) = is_manifest.then(|| read_manifest(folder).unwrap().found()).flatten() {
            stages.entry(manifest.inputs.stage.clone()).or_default().push(manifest);
        }
    }
    for stage in ["video", "clips", "stitch_plan", "stitch", "clip_qa"] {
        stages.remove(stage);
    }
    assert_eq!(
        stages.keys().collect::<Vec<_>>(),
        ["depth", "filter", "generation", "ingest", "lift", "qa", "release", "shards", "space_qa"]
    );
    stages.into_iter().map(|(stage, manifests)| (stage, golden(manifests))).collect()
}

fn golden(mut manifests: Vec<Manifest>) -> Golden {
    manifests.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));
    let fingerprints = combine(manifests.iter().map(|manifest| ("", manifest.fingerprint.as_str())));
    let written = manifests.iter().flat_map(|manifest| {
        let tables = manifest.artifacts.iter().map(|(name, table)| (name.as_str(), table.digest.as_str()));
        tables.chain(manifest.blobs.iter().map(|(name, blob)| (name.as_str(), blob.digest.as_str())))
    });
    Golden { fingerprints, results: combine(written) }
}
