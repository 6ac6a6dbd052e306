//! What `uavgen check` does: audits a release, from the release alone.
//!
//! Nothing that the build remembers is used, so a release can be audited anywhere, by anyone, and each answer is
//! confirmed by executing its program on scenes that are rebuilt from the release's own tables (never from `facts`).
//! What is wrong is a fault with a code, a place and a next step; all are counted, the first of each code are listed.
//! An audit reads and never writes; the same release gives the same report, whatever the number of threads.
//!
//! What it is for: mistakes of tools that copy, rewrite or edit releases. A table is held against every other that says the same
//! (ids against content, questions against programs and against each other, boxes and options against programs, videos
//! against images, the card against the tables). It is no seal: who edits all of them alike (all regions removed, a track
//! under another kind in every table, items left out with their counts) makes another release, under another name.
//!
//! The order: manifest, files, card, scene tables (`index`), what is posed in space (`space`), items one by one (`items`), programs (`programs`), images,
//! the generation track (`generation`), videos, clips. Each pass goes on behind a fault as far as it can, and the report says what could not be checked.
//!
//! Memory: rows are streamed. Held are hashes of ids and a few numbers and short texts (ids, digests) per recording, track,
//! frame, object, instance and item; for the programs, the records of 4096 frames at a time; of images of recordings with a video, 576 bytes
//! each; and hashes of the frames of videos and clips.

mod answers;
mod boxes;
mod card;
mod clip_options;
mod clip_plans;
mod clips;
mod error;
mod files;
mod film;
mod findings;
mod generation;
mod groups;
mod guesses;
mod images;
mod index;
mod instances;
mod items;
mod options;
mod origin;
mod pictures;
mod programs;
mod questions;
mod release;
mod report;
mod scene;
mod slots;
mod space;
mod tables;
mod tallies;
mod tasks;
mod triples;
mod videos;
mod wordings;
mod yaml;

pub use error::AuditError;
pub use findings::{FaultCode, Finding, WarningCode};
pub use report::{AuditReport, Checked, Findings};

use index::Index;
use release::Release;
use std::num::NonZeroUsize;
use std::path::Path;

/// How to audit. Options change the speed and the length of the report, never its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditOptions {
    /// Findings that are listed per code; all are counted.
    pub listed: usize,
    /// Threads that hash files and decode images and videos.
    pub threads: NonZeroUsize,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self { listed: 5, threads: NonZeroUsize::MIN }
    }
}

/// Audits the release in `folder`.
///
/// # Errors
/// When the folder is no release, or one of a later format. Whatever is wrong inside is a fault of the report.
pub fn audit(folder: &Path, options: &AuditOptions) -> Result<AuditReport, AuditError> {
    let mut log = findings::Log::new(options.listed);
    let Some(release) = Release::open(folder, &mut log)? else {
        log.skip("everything but the manifest");
        return Ok(log.into_report(""));
    };
    release.check_manifest(&mut log);
    if !files::are_regular(&release, &mut log) {
        log.skip("everything but the manifest");
        return Ok(log.into_report(&release.manifest.id));
    }
    files::check(&release, options.threads, &mut log);
    card::check(&release, &mut log);
    let mut index = Index::build(&release, &mut log);
    space::check(&release, &index, &mut log);
    let questions = items::check(&release, &mut index, &mut log);
    programs::check(&release, &index, questions, &mut log);
    let delivered = images::check(&release, &index, options.threads, &mut log);
    generation::check(&release, &index, options.threads, &mut log);
    let frames = videos::check(&release, &index, &delivered, options.threads, &mut log);
    clips::check(&release, &mut index, &frames, &delivered, options.threads, &mut log);
    index.groups.check(&mut log);
    Ok(log.into_report(&release.manifest.id))
}
