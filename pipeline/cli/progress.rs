//! What the engine reports while it works, on stderr: a bar on a terminal, lines elsewhere, JSON when asked for.

use crate::arguments::{Global, LogFormat};
use crate::commands::stages::grain_noun;
use crate::output::{Style, counted, grouped, note};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use uavgen_core::Grain;
use uavgen_engine::{Event, Observer};

/// Time between two lines about a stage that is at work, where there is no bar.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Colour of the bar, as its template says it.
const COLOUR: &str = ".cyan";

/// Follows a run for people or for a log collector.
pub(crate) struct Progress {
    form: Form,
    style: Style,
    state: Mutex<State>,
}

enum Form {
    Silent,
    Bar(ProgressBar),
    Lines,
    Json,
}

/// The stage at work.
struct State {
    to_do: u64,
    ended: u64,
    rows: u64,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    /// In the form that the command line asks for.
    pub(crate) fn new(global: &Global) -> Self {
        let form = match global.log_format {
            _ if global.quiet => Form::Silent,
            LogFormat::Json => Form::Json,
            LogFormat::Text if std::io::stderr().is_terminal() => Form::Bar(bar()),
            LogFormat::Text => Form::Lines,
        };
        let now = Instant::now();
        let state = State { to_do: 0, ended: 0, rows: 0, started: now, last_line: now };
        Self { form, style: Style::stderr(), state: Mutex::new(state) }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }

    /// Tells something that is no event, such as what a source looks like.
    pub(crate) fn note(&self, text: &str) {
        match &self.form {
            Form::Silent => {}
            Form::Json => note(serde_json::json!({"event": "note", "text": text})),
            Form::Bar(bar) => bar.suspend(|| note(format_args!("note: {text}"))),
            Form::Lines => note(format_args!("note: {text}")),
        }
    }

    fn line(&self, text: &str) {
        match &self.form {
            Form::Bar(bar) => bar.suspend(|| note(text)),
            Form::Lines => note(text),
            Form::Silent | Form::Json => {}
        }
    }

    fn stage_started(&self, stage: &str, counts: [(&str, usize); 3], reasons: &[(String, usize)]) {
        for (word, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let why = if word == "dirty" { reasons_text(reasons) } else { String::new() };
            self.line(status_line(self.style, word, stage, count, &why).trim_end());
        }
        let dirty = counts[1].1 as u64;
        let now = Instant::now();
        *self.state() = State { to_do: dirty, ended: 0, rows: 0, started: now, last_line: now };
        if let Form::Bar(bar) = &self.form {
            bar.set_style(stage_style());
            bar.set_length(dirty);
            bar.set_position(0);
            bar.reset_eta();
            bar.reset_elapsed();
            bar.set_prefix(stage.to_owned());
            bar.set_message("");
        }
    }

    fn task_ended(&self, stage: &str, rows: u64) {
        let mut state = self.state();
        state.ended += 1;
        state.rows += rows;
        match &self.form {
            Form::Bar(bar) => {
                bar.set_position(state.ended);
                bar.set_message(format!("{} rows", grouped(state.rows)));
            }
            Form::Lines if state.last_line.elapsed() >= LINE_EVERY && state.ended < state.to_do => {
                state.last_line = Instant::now();
                note(format_args!("  ...  {stage:<10}  {}", state.text()));
            }
            _ => {}
        }
    }

    fn digesting(&self, files: u64, of: u64) {
        if let Form::Bar(bar) = &self.form {
            bar.set_length(of);
            bar.set_position(files);
            bar.set_prefix("sources");
            bar.set_message("files");
        }
    }

    fn stage_finished(&self, stage: &str, done: usize, unchanged: usize, failed: usize) {
        if done > 0 {
            let same = if unchanged > 0 { format!("{unchanged} with unchanged output, ") } else { String::new() };
            let State { rows, started, .. } = *self.state();
            let detail = format!("{same}{} rows in {}", grouped(rows), duration(started.elapsed()));
            self.line(&status_line(self.style, "done", stage, done, &detail));
        }
        if failed > 0 {
            self.line(&status_line(self.style, "failed", stage, failed, ""));
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Done of all, rows, rate, time left.
    fn text(&self) -> String {
        let elapsed = self.started.elapsed();
        let rate = self.ended as f64 / elapsed.as_secs_f64().max(1e-3);
        let left = Duration::from_secs_f64((self.to_do - self.ended) as f64 / rate.max(1e-9));
        let (ended, to_do, rows) = (self.ended, self.to_do, grouped(self.rows));
        format!("{ended}/{to_do}, {rows} rows, {rate:.1} tasks/s, about {} left", duration(left))
    }
}

impl Observer for Progress {
    fn observe(&self, event: &Event) {
        match &self.form {
            Form::Silent => return,
            Form::Json => {
                if let Ok(text) = serde_json::to_string(event) {
                    note(text);
                }
                return;
            }
            Form::Bar(_) | Form::Lines => {}
        }
        match event {
            Event::Digesting { files, of } => self.digesting(*files, *of),
            Event::StageStarted { stage, fresh, dirty, blocked, reasons, .. } => {
                self.stage_started(stage, [("fresh", *fresh), ("dirty", *dirty), ("blocked", *blocked)], reasons);
            }
            Event::TaskDone { stage, rows, .. } => self.task_ended(stage, *rows),
            Event::TaskFailed { stage, partition, message, .. } => {
                self.line(&format!("{} {stage} {partition}: {message}", self.style.red("failed")));
                self.task_ended(stage, 0);
            }
            Event::StageFinished { stage, done, unchanged, failed } => {
                self.stage_finished(stage, *done, *unchanged, *failed);
            }
            Event::SourcesFound { .. }
            | Event::RunStarted { .. }
            | Event::TaskStarted { .. }
            | Event::TaskBlocked { .. }
            | Event::Published { .. }
            | Event::RunFinished { .. } => {}
        }
    }
}

/// The line of one status of one stage, the same in `plan` and during a build.
pub(crate) fn status_line(style: Style, word: &str, stage: &str, count: usize, detail: &str) -> String {
    let padded = format!("{word:<7}");
    let painted = match word {
        "fresh" | "done" => style.green(padded),
        "dirty" | "maybe" => style.yellow(padded),
        _ => style.red(padded),
    };
    let tasks = counted(count as u64, noun_of(stage));
    let detail = if detail.is_empty() { String::new() } else { format!("  {}", style.dim(detail)) };
    format!("{painted} {stage:<10} {tasks:>14}{detail}")
}

/// The most frequent reason, and how many more there are.
pub(crate) fn reasons_text(reasons: &[(String, usize)]) -> String {
    match reasons {
        [] => String::new(),
        [(reason, _)] => reason.clone(),
        [(reason, count), rest @ ..] => format!("{reason} ({count}); {}", counted(rest.len() as u64, "more reason")),
    }
}

/// What one task of a stage is called.
fn noun_of(stage: &str) -> &'static str {
    let info = uavgen_stages::STAGES.iter().map(|known| known.info()).find(|info| info.name == stage);
    grain_noun(info.map_or(Grain::Sequence, |info| info.grain))
}

/// A time for people: `0.4 s`, `35 s`, `4 min`, `2 h 5 min`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0).with_style(stage_style());
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

fn stage_style() -> ProgressStyle {
    let colour = if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) { "" } else { COLOUR };
    let style = ProgressStyle::with_template(&template(colour));
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

fn template(colour: &str) -> String {
    format!("{{prefix:<10}} [{{bar:28{colour}}}] {{pos}}/{{len}}  {{msg}}  {{per_sec}}  ETA {{eta}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_have_one_form() {
        let line = status_line(Style::plain(), "dirty", "filter", 12, "config min_visible: 0.30 -> 0.35");
        assert_eq!(line, "dirty   filter       12 sequences  config min_visible: 0.30 -> 0.35");
        assert_eq!(status_line(Style::plain(), "done", "a stage", 1, ""), "done    a stage        1 sequence");
    }

    #[test]
    fn reasons_are_shortened() {
        assert_eq!(reasons_text(&[]), "");
        assert_eq!(reasons_text(&[("seed changed".into(), 3)]), "seed changed");
        let many = [("seed changed".into(), 3), ("never built".into(), 1)];
        assert_eq!(reasons_text(&many), "seed changed (3); 1 more reason");
    }

    #[test]
    fn times_are_for_people() {
        let text = |seconds: f64| duration(Duration::from_secs_f64(seconds));
        assert_eq!([0.44, 35.0, 240.0, 7500.0].map(text), ["0.4 s", "35 s", "4 min", "2 h 5 min"]);
    }

    #[test]
    fn the_bar_template_is_valid() {
        for colour in ["", COLOUR] {
            assert!(ProgressStyle::with_template(&template(colour)).is_ok(), "{}", template(colour));
        }
    }
}
