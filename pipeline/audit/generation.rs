//! The generation track: pictures of frames that agree pixel by pixel, and samples that refer to them.

use crate::findings::{FaultCode, Log, Place};
use crate::index::{Index, check_split};
use crate::release::{Release, TableFile};
use crate::tables::{Key, check_heavy_table, check_table, key};
use crate::triples::{Decoded, decode, problems};
use std::collections::HashSet;
use std::num::NonZeroUsize;
use uavgen_core::parallel;
use uavgen_schemas::{GenerationFrame, GenerationKind, GenerationSample, Record};

/// Rows that wait to be decoded, per thread: each holds four pictures.
const WAITING_PER_THREAD: usize = 2;

/// Checks frames with their pictures, then samples.
pub(crate) fn check(release: &Release, index: &Index, threads: NonZeroUsize, log: &mut Log) {
    let mut waiting: Vec<(String, GenerationFrame)> = Vec::new();
    let frames = check_heavy_table::<GenerationFrame>(release, log, |log, file, row| {
        check_references(&row, file, index, log);
        waiting.push((file.path.clone(), row));
        if waiting.len() >= WAITING_PER_THREAD * threads.get() {
            check_pictures(std::mem::take(&mut waiting), index, threads, log);
        }
    });
    check_pictures(waiting, index, threads, log);
    let mut asked: HashSet<(Key, GenerationKind)> = HashSet::new();
    check_table::<GenerationSample>(release, log, |log, file, row| {
        let place = Place::row(&file.path, &row.sample_id);
        check_split(log, place, &row.split, &file.split);
        index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
        check_owner(&row.group_id, &row.licence, &row.recording_id, index, place, log);
        if frames.complete && !frames.ids.contains(&key(&row.frame_id)) {
            let problem = format!("frame {} is not in {}", row.frame_id, GenerationFrame::TABLE);
            log.fault(FaultCode::DanglingReference, place, problem);
        }
        if !asked.insert((key(&row.frame_id), row.kind)) {
            log.fault(FaultCode::SampleInvalid, place, format!("{} is asked of its frame twice", row.kind.name()));
        }
        if let Some(problem) = wrong_sample(&row) {
            log.fault(FaultCode::SampleInvalid, place, problem);
        }
    });
}

fn check_references(row: &GenerationFrame, file: &TableFile, index: &Index, log: &mut Log) {
    let place = Place::row(&file.path, &row.frame_id);
    check_split(log, place, &row.split, &file.split);
    index.check_frame_row(log, place, &row.frame_id, &row.recording_id, file);
    check_owner(&row.group_id, &row.licence, &row.recording_id, index, place, log);
}

/// Leak group and licence are those of the recording.
fn check_owner(group: &str, licence: &str, recording_id: &str, index: &Index, place: Place, log: &mut Log) {
    index.check_group(log, place, group, recording_id);
    if let Some(recording) = index.recordings.get(recording_id)
        && recording.licence != licence
    {
        let problem = format!("its licence is {licence}, that of its recording {}", recording.licence);
        log.fault(FaultCode::ItemMismatch, place, problem);
    }
}

/// Decodes the pictures of some rows, and holds them against each other and against the numbers of the row.
fn check_pictures(rows: Vec<(String, GenerationFrame)>, index: &Index, threads: NonZeroUsize, log: &mut Log) {
    let checked = parallel::map(threads.get(), &rows, |(_, row)| {
        let decoded: Result<Decoded, _> = decode(row);
        decoded.map_or_else(|problem| vec![problem], |decoded| problems(row, &decoded, index))
    });
    for ((file, row), found) in rows.iter().zip(checked) {
        log.checked.images += 4;
        let place = Place::row(file, &row.frame_id);
        found.into_iter().for_each(|(code, problem)| log.fault(code, place, problem));
    }
}

/// What is wrong with a sample by itself.
fn wrong_sample(row: &GenerationSample) -> Option<String> {
    let (id, kind) = (format!("{}#{}", row.frame_id, row.kind.name()), row.kind);
    if row.sample_id != id {
        return Some(format!("its id would be {id}"));
    }
    if row.inputs != kind.inputs() || row.target != kind.target() {
        return Some(format!("{} does not make {:?} of {:?}", kind.name(), row.target, row.inputs));
    }
    if row.prompt.is_some() != kind.has_text() || row.prompt_source.is_some() != kind.has_text() {
        return Some(format!("its prompt is {:?}, of a {}", row.prompt, kind.name()));
    }
    if row.prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty() || prompt.contains(['{', '}'])) {
        return Some(format!("nobody can read its prompt {:?}", row.prompt));
    }
    let provenance = serde_json::from_str::<serde_json::Value>(&row.provenance);
    (!provenance.is_ok_and(|value| value.is_object())).then(|| "its provenance is no JSON object".to_owned())
}
