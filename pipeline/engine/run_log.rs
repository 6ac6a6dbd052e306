//! Keeps the events of a run, and passes them on.

use crate::events::Event;
use crate::setup::Clock;
use crate::{Observer, Setup};
use serde::Serialize;
use std::fs::{self, File};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use uavgen_core::StoreError;

#[derive(Serialize)]
struct Line<'a> {
    unix_ms: u64,
    #[serde(flatten)]
    event: &'a Event,
}

/// Log of one run. A log that cannot be written does not stop the run: it is for people, not for correctness.
pub(crate) struct RunLog<'a> {
    run: String,
    file: Mutex<File>,
    clock: Clock,
    observer: &'a dyn Observer,
    started: SystemTime,
}

impl<'a> RunLog<'a> {
    /// Creates `runs/<id>/events.jsonl` with an id that no other run has.
    pub(crate) fn create(setup: &Setup, observer: &'a dyn Observer) -> Result<Self, StoreError> {
        let started = (setup.clock)();
        let base = format!("{}-{}", utc_text(unix_ms(started) / 1000), std::process::id());
        fs::create_dir_all(&setup.roots.runs).map_err(|error| StoreError::io("create", &setup.roots.runs, error))?;
        let mut run = base.clone();
        for number in 2_u32.. {
            match fs::create_dir(setup.roots.runs.join(&run)) {
                Ok(()) => break,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => run = format!("{base}-{number}"),
                Err(error) => return Err(StoreError::io("create", setup.roots.runs.join(&run), error)),
            }
        }
        let path = setup.roots.runs.join(&run).join("events.jsonl");
        let file = File::options().create(true).append(true).open(&path);
        let file = Mutex::new(file.map_err(|error| StoreError::io("create", &path, error))?);
        Ok(Self { run, file, clock: setup.clock, observer, started })
    }

    /// Name of the run.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Milliseconds since the run began.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        elapsed_ms(self.started, (self.clock)())
    }
}

impl Observer for RunLog<'_> {
    fn observe(&self, event: &Event) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(mut text) = serde_json::to_string(&Line { unix_ms: unix_ms((self.clock)()), event }) {
            text.push('\n');
            // One write per line, so that lines of a killed run are whole or absent. Failing is no reason to stop.
            drop(file.write_all(text.as_bytes()));
        }
        self.observer.observe(event);
    }
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
    use super::utc_text;

    #[test]
    fn utc_text_agrees_with_known_dates() {
        assert_eq!(utc_text(0), "19700101T000000Z");
        assert_eq!(utc_text(951_782_400), "20000229T000000Z");
        assert_eq!(utc_text(1_709_251_199), "20240229T235959Z");
        assert_eq!(utc_text(4_102_444_800), "21000101T000000Z");
    }
}
