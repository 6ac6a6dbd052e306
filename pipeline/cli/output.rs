//! What goes to the terminal: data to stdout, everything else to stderr.

use crate::exit::{Exit, Failure};
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};

/// Writes `text` and a line end to stdout. A reader that is gone (`uavgen check latest | head`) changes no verdict.
///
/// # Errors
/// When stdout cannot be written for another reason, such as a full disk.
pub(crate) fn print(text: impl Display) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(Exit::Failed, format!("failed to write to stdout: {error}"))
            .with_hint("what the command did is done; only this text is lost")
            .into()),
        Ok(()) => Ok(()),
    }
}

/// Writes `text` and a line end to stderr. A stderr that cannot be written to has no one to tell.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints an error with its causes and the hint of the innermost cause that has one.
pub(crate) fn report(error: &anyhow::Error) {
    let style = Style::stderr();
    note(format_args!("{} {error}", style.red("error:")));
    let mut shown = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Messages that already quote their source are not said twice.
        if !shown.contains(&cause) {
            note(format_args!("  caused by: {cause}"));
            shown = cause;
        }
    }
    if let Some(hint) = error.chain().find_map(|cause| cause.downcast_ref::<Failure>()?.hint.as_deref()) {
        note(format_args!("{} {hint}", style.cyan("hint:")));
    }
}

/// The same as one JSON object, for log collectors.
pub(crate) fn report_json(error: &anyhow::Error, exit: u8) {
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    let hint = error.chain().find_map(|cause| cause.downcast_ref::<Failure>()?.hint.as_deref());
    let message = error.to_string();
    note(serde_json::json!({"event": "error", "message": message, "causes": causes, "hint": hint, "exit": exit}));
}

/// Colours, where they are wanted: on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    enabled: bool,
}

impl Style {
    /// For text on stdout.
    pub(crate) fn stdout() -> Self {
        Self { enabled: io::stdout().is_terminal() && colour_wanted() }
    }

    /// For text on stderr.
    pub(crate) fn stderr() -> Self {
        Self { enabled: io::stderr().is_terminal() && colour_wanted() }
    }

    /// Without any colour.
    #[cfg(test)]
    pub(crate) const fn plain() -> Self {
        Self { enabled: false }
    }

    fn paint(self, code: &str, text: impl Display) -> String {
        if self.enabled { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Bold: names and headings.
    pub(crate) fn bold(self, text: impl Display) -> String {
        self.paint("1", text)
    }

    /// Dim: what can be skipped.
    pub(crate) fn dim(self, text: impl Display) -> String {
        self.paint("2", text)
    }

    /// Red: faults.
    pub(crate) fn red(self, text: impl Display) -> String {
        self.paint("1;31", text)
    }

    /// Green: fresh and done.
    pub(crate) fn green(self, text: impl Display) -> String {
        self.paint("32", text)
    }

    /// Yellow: to do, warnings.
    pub(crate) fn yellow(self, text: impl Display) -> String {
        self.paint("33", text)
    }

    /// Cyan: hints.
    pub(crate) fn cyan(self, text: impl Display) -> String {
        self.paint("36", text)
    }
}

fn colour_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

/// How the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Text in columns, two blanks apart, without blanks at line ends.
#[derive(Debug)]
pub(crate) struct Columns {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Columns with these alignments.
    pub(crate) fn new(aligns: &[Align]) -> Self {
        Self { aligns: aligns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text, a line per row, each behind `indent`.
    pub(crate) fn render(&self, indent: &str) -> String {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| visible_width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = indent.to_owned();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.aligns) {
                let blank = " ".repeat(width.saturating_sub(visible_width(cell)));
                match align {
                    Align::Left => _ = write!(line, "{cell}{blank}  "),
                    Align::Right => _ = write!(line, "{blank}{cell}  "),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.pop();
        text
    }
}

/// Characters that take room: colour codes do not.
fn visible_width(text: &str) -> usize {
    let mut width = 0;
    let mut in_code = false;
    for character in text.chars() {
        match (in_code, character) {
            (false, '\x1b') => in_code = true,
            (false, _) => width += 1,
            (true, 'm') => in_code = false,
            (true, _) => {}
        }
    }
    width
}

/// A count with a thin grouping of thousands, e.g. `12 345`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A size in bytes for people, e.g. `12.3 MB` (powers of ten, as disks are sold).
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 99.5 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// `1 file`, `2 files`, `3 categories`, `4 boxes`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if count == 1 => noun.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if noun.ends_with('x') => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_colour_takes_no_room() {
        let mut columns = Columns::new(&[Align::Left, Align::Right]);
        columns.row(["\x1b[32mfresh\x1b[0m".into(), "1".into()]);
        columns.row(["no".into(), "120".into()]);
        assert_eq!(columns.render("  "), "  \x1b[32mfresh\x1b[0m    1\n  no     120");
        assert!(!columns.is_empty());
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1 000", "1 234 567"]);
        assert_eq!([0, 999, 1000, 12_345_678, 999_600_000].map(bytes), ["0 B", "999 B", "1.0 kB", "12.3 MB", "1.0 GB"]);
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(2, "category"), "2 categories");
        assert_eq!(counted(2, "day"), "2 days");
        assert_eq!(counted(2, "box"), "2 boxes");
    }

    #[test]
    fn plain_style_adds_nothing() {
        assert_eq!(Style::plain().red("x"), "x");
    }
}
