//! Keeps the events of a run, and passes them on.

use crate::events::Event;
use crate::setup::Clock;
use crate::workspace::Workspace;
use crate::{Observer, Setup, listing};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use uavgen_core::StoreError;

/// File of a run's folder that holds its events, a line each.
pub(crate) const EVENTS: &str = "events.jsonl";

/// Log of one run. It is for people, not for correctness: when its own folder or file cannot be written, the run goes on.
/// A run that does nothing, which is most of them, leaves none.
pub(crate) struct RunLog<'a> {
    run: String,
    folder: PathBuf,
    lines: Mutex<Lines>,
    clock: Clock,
    observer: &'a dyn Observer,
    started: SystemTime,
}

/// Where lines go: into memory until something is done.
enum Lines {
    Waiting(Vec<u8>),
    Written(File),
    Lost,
}

impl<'a> RunLog<'a> {
    /// A log with a name that no other run has.
    pub(crate) fn create(setup: &Setup, observer: &'a dyn Observer) -> Result<Self, StoreError> {
        let started = (setup.clock)();
        let runs = &setup.roots.runs;
        fs::create_dir_all(runs).map_err(|error| StoreError::io("create", runs, error))?;
        let base = format!("{}-{}", utc_text(unix_ms(started) / 1000), std::process::id());
        let mut run = base.clone();
        for number in 2_u32.. {
            if !runs.join(&run).exists() {
                break;
            }
            run = format!("{base}-{number}");
        }
        let (folder, lines) = (runs.join(&run), Mutex::new(Lines::Waiting(Vec::new())));
        Ok(Self { run, folder, lines, clock: setup.clock, observer, started })
    }

    fn open(&self) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        File::options().create(true).append(true).open(self.file())
    }

    /// Name of the run.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// File of its events.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.join(EVENTS)
    }

    /// Milliseconds since the run began.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        elapsed_ms(self.started, (self.clock)())
    }
}

impl Observer for RunLog<'_> {
    fn observe(&self, event: &Event) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(format!("{}\n", event.line((self.clock)())).as_bytes());
        if let Lines::Waiting(waiting) = &*lines
            && does_something(event)
        {
            let written = self.open().and_then(|mut file| file.write_all(waiting).map(|()| file));
            *lines = written.map_or(Lines::Lost, Lines::Written);
        }
        self.observer.observe(event);
    }
}

impl Lines {
    fn push(&mut self, line: &[u8]) {
        match self {
            Self::Waiting(waiting) => waiting.extend_from_slice(line),
            // One write per line, so that lines of a killed run are whole or absent.
            Self::Written(file) => drop(file.write_all(line)),
            Self::Lost => {}
        }
    }
}

/// The newest run that has a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// Its name.
    pub run: String,
    /// The word for how it ended; null when it was killed, or is still at work.
    pub outcome: Option<String>,
}

impl Workspace {
    /// The newest run that has a log; null before the first one.
    ///
    /// # Errors
    /// When the folder of runs cannot be read.
    pub fn last_run(&self) -> Result<Option<LastRun>, StoreError> {
        last_run(&self.setup.roots.runs)
    }
}

fn last_run(runs: &Path) -> Result<Option<LastRun>, StoreError> {
    let Some(folder) = run_folders(runs)?.pop() else { return Ok(None) };
    let log = fs::read_to_string(folder.join(EVENTS)).unwrap_or_default();
    let last: Option<Value> = log.lines().next_back().and_then(|line| serde_json::from_str(line).ok());
    let finished = last.filter(|event| event["event"] == "run_finished");
    let outcome = finished.and_then(|event| event["outcome"].as_str().map(str::to_owned));
    Ok(Some(LastRun { run: listing::name_of(&folder), outcome }))
}

/// Folders of runs, oldest first: their names begin with the UTC time.
pub(crate) fn run_folders(runs: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut folders = listing::folders(runs)?;
    folders.retain(|folder| is_run_name(&listing::name_of(folder)));
    Ok(folders)
}

/// Whether an event makes a run worth a log.
fn does_something(event: &Event) -> bool {
    match event {
        Event::TaskStarted { .. } | Event::Published { changed: true, .. } => true,
        Event::RunFinished { outcome, .. } => *outcome != "done",
        _ => false,
    }
}

/// Whether a folder has the name of a run: `20260131T235959Z-<process>`, or with a number behind it.
fn is_run_name(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((time, rest)) = name.split_once('-') else { return false };
    let time = time.strip_suffix('Z').and_then(|time| time.split_once('T'));
    time.is_some_and(|(day, second)| day.len() == 8 && second.len() == 6 && digits(day) && digits(second))
        && rest.split('-').all(digits)
}

/// Milliseconds since 1970.
pub(crate) fn unix_ms(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Milliseconds between two times; 0 when the clock went back.
pub(crate) fn elapsed_ms(from: SystemTime, to: SystemTime) -> u64 {
    to.duration_since(from).map_or(0, |passed| passed.as_millis() as u64)
}

/// `20260131T235959Z`. Days to civil date after Hinnant, "chrono-compatible low-level date algorithms".
pub(crate) fn utc_text(unix_s: u64) -> String {
    let (days, second) = ((unix_s / 86_400) as i64, unix_s % 86_400);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_run_tells_how_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let last = || last_run(folder.path()).unwrap().map(|last| (last.run, last.outcome));
        assert_eq!(last(), None);
        for (run, log) in [
            ("20260101T000000Z-1", "{\"event\":\"run_started\"}\n{\"event\":\"run_finished\",\"outcome\":\"done\"}\n"),
            ("20260102T000000Z-1", "{\"event\":\"run_started\"}\n{\"event\":\"task_st"),
            ("notes", "mine"),
        ] {
            fs::create_dir(folder.path().join(run)).unwrap();
            fs::write(folder.path().join(run).join(EVENTS), log).unwrap();
        }
        assert_eq!(last(), Some(("20260102T000000Z-1".into(), None)));
        fs::remove_dir_all(folder.path().join("20260102T000000Z-1")).unwrap();
        assert_eq!(last(), Some(("20260101T000000Z-1".into(), Some("done".into()))));
    }

    #[test]
    fn runs_are_told_from_other_folders() {
        assert!(is_run_name("20260131T235959Z-17") && is_run_name("20260131T235959Z-17-2"));
        for other in ["20260131T235959Z", "20260131T235959Z-", "2026-01-31", "20260131T235959Z-mine", "notes", ""] {
            assert!(!is_run_name(other), "{other}");
        }
    }

    #[test]
    fn utc_text_agrees_with_known_dates() {
        assert_eq!(utc_text(0), "19700101T000000Z");
        assert_eq!(utc_text(951_782_400), "20000229T000000Z");
        assert_eq!(utc_text(1_709_251_199), "20240229T235959Z");
        assert_eq!(utc_text(4_102_444_800), "21000101T000000Z");
    }
}
