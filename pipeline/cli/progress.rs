//! What the engine reports while it works, on stderr: a bar on a terminal, lines elsewhere, JSON when asked for.

use crate::arguments::{Global, LogFormat};
use crate::commands::stages::grain_noun;
use crate::output::{Style, bytes, counted, grouped, note};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
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
        Self::on_terminal(global, || Form::Bar(bar()))
    }

    /// The same without a bar, for commands of which many run at once.
    pub(crate) fn in_lines(global: &Global) -> Self {
        Self::on_terminal(global, || Form::Lines)
    }

    fn on_terminal(global: &Global, form: impl FnOnce() -> Form) -> Self {
        let form = match global.log_format {
            _ if global.quiet => Form::Silent,
            LogFormat::Json => Form::Json,
            LogFormat::Text if std::io::stderr().is_terminal() => form(),
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
            bar.set_length(dirty);
            bar.set_position(0);
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
                bar.set_message(state.text());
            }
            Form::Lines if state.ended < state.to_do => {
                let text = state.text();
                state.line_now_and_then(stage, &text);
            }
            _ => {}
        }
    }

    fn digesting(&self, files: [u64; 2], read: [u64; 2]) {
        let text = format!("{}/{} files, {} of {}", files[0], files[1], bytes(read[0]), bytes(read[1]));
        match &self.form {
            Form::Bar(bar) => {
                bar.set_length(read[1]);
                bar.set_position(read[0]);
                bar.set_prefix("sources");
                bar.set_message(text);
            }
            Form::Lines => self.state().line_now_and_then("sources", &text),
            Form::Silent | Form::Json => {}
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
    fn line_now_and_then(&mut self, what: &str, text: &str) {
        if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            note(format_args!("  ...  {what:<11}  {text}"));
        }
    }

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
            Form::Json => return note(event.line(SystemTime::now())),
            Form::Bar(_) | Form::Lines => {}
        }
        match event {
            Event::Waiting { holder } => self.line(&format!("waiting: {holder} is at work here")),
            Event::Digesting { files, of_files, bytes, of_bytes } => {
                self.digesting([*files, *of_files], [*bytes, *of_bytes]);
            }
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
    format!("{painted} {stage:<11} {tasks:>13}{detail}")
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

/// Fits on a terminal of 30 columns: what has no room is cut off, and never wraps.
fn template(colour: &str) -> String {
    format!("{{prefix:<11!}} [{{bar:14{colour}}}] {{wide_msg}}")
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

    /// A terminal of 30 columns that keeps what is written on it.
    #[derive(Debug, Clone, Default)]
    struct Narrow(std::sync::Arc<Mutex<Vec<String>>>);

    impl indicatif::TermLike for Narrow {
        fn width(&self) -> u16 {
            30
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push(text.to_owned());
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_never_wraps() {
        for colour in ["", COLOUR] {
            let terminal = Narrow::default();
            let target = indicatif::ProgressDrawTarget::term_like(Box::new(terminal.clone()));
            let style = ProgressStyle::with_template(&template(colour)).unwrap();
            let bar = ProgressBar::with_draw_target(Some(12), target).with_style(style);
            bar.set_prefix("a stage with a long name");
            bar.set_message("5/12, 1 234 567 rows, 4.2 tasks/s, about 3 min left");
            bar.set_position(5);
            bar.tick();
            let written = terminal.0.lock().unwrap().clone();
            assert!(written.iter().any(|text| text.contains("a stage wi")), "{written:?}");
            assert!(written.iter().all(|text| text.chars().count() <= 30), "{written:?}");
        }
    }
}
