//! A release without faults, and folders that are no release.

use crate::release::{Tables, audit_with, codes, warnings};
use std::fs;
use std::num::NonZeroUsize;
use uavgen_audit::{AuditError, AuditOptions, audit};
use uavgen_schemas::{AnswerSource, ReviewStatus};

#[test]
fn a_whole_release_passes_and_the_report_says_what_was_looked_at() {
    let report = audit_with(|_| {});
    assert!(report.passed, "{}", report.render());
    assert_eq!((warnings(&report), report.not_checked.len()), (vec![], 0));
    let checked = report.checked;
    assert_eq!((checked.questions, checked.programs, checked.images), (7, 7, 4));
    assert_eq!((checked.videos, checked.video_frames, checked.compared_frames), (1, 3, 3));
    // 2 recordings, 4 frames, 13 boxes, 3 tracks, 1 region, 4 selections, 1 video, 3 entries of its map, 7 questions.
    assert_eq!(checked.rows, 38);
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let mut tables = Tables::whole();
    tables.item("count").images[0].bytes.truncate(50);
    tables.object("vid/a/3#2").x2 -= 3.0;
    let release = tables.write();
    let with = |threads| {
        let options = AuditOptions { threads: NonZeroUsize::new(threads).unwrap(), ..AuditOptions::default() };
        serde_json::to_string(&audit(release.folder.path(), &options).unwrap()).unwrap()
    };
    assert_eq!(with(1), with(7));
}

#[test]
fn what_is_no_release_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("nothing")] {
        assert!(matches!(audit(&path, &AuditOptions::default()), Err(AuditError::NoRelease { .. })), "{path:?}");
    }
    let release = Tables::whole().write();
    release.edit_manifest(|manifest| manifest.format_version = 99);
    let error = audit(release.folder.path(), &AuditOptions::default()).unwrap_err();
    assert!(matches!(error, AuditError::LaterFormat { found: 99, known: 1, .. }), "{error}");
}

#[test]
fn a_manifest_that_makes_no_sense_is_a_fault() {
    let release = Tables::whole().write();
    fs::write(release.path("manifest.json"), "{").unwrap();
    let report = release.audit();
    assert_eq!(codes(&report), ["manifest"]);
    assert_eq!(report.not_checked.len(), 1);
}

#[test]
fn a_release_without_questions_says_so() {
    let report = audit_with(|tables| tables.qa.clear());
    assert_eq!((report.passed, warnings(&report)), (true, vec!["no_questions"]), "{}", report.render());
}

#[test]
fn what_a_release_may_have_is_a_warning() {
    let report = audit_with(|tables| tables.item("count").facts = "{}".into());
    assert_eq!((report.passed, warnings(&report)), (true, vec!["facts_differ"]));
    let report = audit_with(|tables| tables.item("count").review_status = ReviewStatus::Rejected);
    assert_eq!((report.passed, warnings(&report)), (true, vec!["rejected_items"]));
    let report = audit_with(|tables| {
        let item = tables.item("count");
        (item.answer_source, item.program) = (AnswerSource::Human, String::new());
    });
    assert_eq!((report.passed, warnings(&report)), (true, vec!["not_computed"]));
}
