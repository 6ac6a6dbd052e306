//! The release, loaded by the tools that its users already have.

use crate::harness::{Project, skipped};
use std::path::Path;
use std::process::Command;
use uavgen_sample_data::{DEFAULT_SEED, write_town};

/// Interpreter with the packages of `tests/python/requirements.txt`; without it the test says that it was skipped.
fn interpreter(test: &str) -> Option<String> {
    let python = std::env::var("UAVGEN_PYTHON").unwrap_or_else(|_| "python3".into());
    let ready = Command::new(&python).args(["-c", "import datasets, pyarrow, PIL"]).output();
    if ready.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    skipped(test, &format!("{python} lacks datasets, pyarrow or pillow (make python)"));
    None
}

#[test]
fn datasets_and_pyarrow_read_every_config_row_group_and_image() {
    let Some(python) = interpreter("datasets_and_pyarrow_read_every_config_row_group_and_image") else { return };
    let project = Project::sample();
    project.build();
    load(&python, &project);
}

#[test]
fn datasets_decode_the_pictures_of_the_generation_track() {
    let Some(python) = interpreter("datasets_decode_the_pictures_of_the_generation_track") else { return };
    let project = Project::empty();
    write_town(&project.path().join("data"), DEFAULT_SEED).unwrap();
    project.init(&["posed-mesh=data/town"]);
    project.build();
    load(&python, &project);
}

/// Reads the release as its users would.
#[track_caller]
fn load(python: &str, project: &Project) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/load_release.py");
    let output = Command::new(python)
        .arg(script)
        .arg(project.release())
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_HOME", project.path().join("hf"))
        .output()
        .expect("the interpreter runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
}
