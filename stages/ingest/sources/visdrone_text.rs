//! The comma-separated lines of all VisDrone formats, read from bytes without allocating per line.
//!
//! Accepted as they occur in the wild: LF, CRLF and CR mixed in one file, a byte order mark, blank lines, an empty last
//! field (trailing comma), blanks around fields, `12.0` for 12, fractions in coordinates. Everything else is a
//! [`BadRow`] with a reason and with what it leaves unknown; nothing panics and no line is skipped in silence.
//!
//! A field is read by its position, so a line of a wrong field count tells nothing: with a column missing, its first
//! number may be a target and its place half a box.

use super::bad_row::{BadRow, Lost, RowFault};
use std::cmp::Ordering;

/// Columns of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Columns {
    /// `frame,target,` before the columns of a still.
    Tracked,
    /// `left,top,width,height,score,category,truncation,occlusion`.
    Still,
}

const TRACKED_NAMES: [&str; MOST_FIELDS] =
    ["frame", "target", "left", "top", "width", "height", "score", "category", "truncation", "occlusion"];
const MOST_FIELDS: usize = 10;
/// No column means anything beyond it, and sums of such numbers stay exact enough.
const LARGEST_NUMBER: f64 = 1e15;

impl Columns {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Tracked => &TRACKED_NAMES,
            Self::Still => &TRACKED_NAMES[2..],
        }
    }

    /// Columns before those of a still.
    fn lead(self) -> usize {
        match self {
            Self::Tracked => 2,
            Self::Still => 0,
        }
    }
}

/// One annotated object or area, coordinates in pixels as written in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// Line in the file, from 1.
    pub(crate) line: u32,
    /// Frame number; 0 for a still.
    pub(crate) frame: i64,
    /// Target number; null for a still, and where the file gives a negative one ("no track").
    pub(crate) target: Option<i64>,
    /// Left edge.
    pub(crate) left: f64,
    /// Top edge.
    pub(crate) top: f64,
    /// Width, not negative.
    pub(crate) width: f64,
    /// Height, not negative.
    pub(crate) height: f64,
    /// Score 0: evaluators ignore the object.
    pub(crate) ignored: bool,
    /// Category number, 0 to 11.
    pub(crate) category: u8,
    /// 0 or 1; null when not annotated.
    pub(crate) truncation: Option<i64>,
    /// 0, 1 or 2; null when not annotated.
    pub(crate) occlusion: Option<i64>,
}

/// What an annotation file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Annotations {
    /// Usable rows in file order.
    pub(crate) rows: Vec<Row>,
    /// The other lines that are not blank, in file order.
    pub(crate) bad: Vec<BadRow>,
}

/// Reads a whole annotation file.
pub(crate) fn parse(text: &[u8], columns: Columns) -> Annotations {
    let mut annotations = Annotations { rows: Vec::with_capacity(text.len() / 28), bad: Vec::new() };
    if is_utf16(text) {
        annotations.bad.push(BadRow { line: 1, lost: Lost::File, fault: RowFault::Utf16 });
        return annotations;
    }
    let mut rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut line_number = 0_u32;
    while !rest.is_empty() {
        let (line, after, ended) = next_line(rest);
        rest = after;
        line_number = line_number.saturating_add(1);
        if line.iter().all(|&byte| is_blank(byte)) {
            continue;
        }
        let is_first = annotations.rows.is_empty() && annotations.bad.is_empty();
        if is_first && is_header(line, columns) {
            annotations.bad.push(BadRow { line: line_number, lost: Lost::Nothing, fault: RowFault::Header });
            continue;
        }
        match parse_line(line, line_number, columns, !ended) {
            Ok(row) => annotations.rows.push(row),
            Err(bad) => annotations.bad.push(bad),
        }
    }
    annotations
}

/// UTF-16 by its mark or, without one, by its first two characters: a digit has one byte of zero.
fn is_utf16(text: &[u8]) -> bool {
    match text {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => *a != 0 && *b != 0,
        _ => false,
    }
}

/// Whether a line has a word for every column: letters and no digit.
fn is_header(line: &[u8], columns: Columns) -> bool {
    let is_word = |field: &[u8]| {
        let text = std::str::from_utf8(trimmed(field)).unwrap_or_default();
        text.contains(char::is_alphabetic) && !text.contains(char::is_numeric) && text.parse::<f64>().is_err()
    };
    let fields = || line.split(|&byte| byte == b',');
    fields().count() == columns.names().len() && fields().all(is_word)
}

/// The first line, what follows its line end (LF, CRLF or CR), and whether it has a line end.
fn next_line(text: &[u8]) -> (&[u8], &[u8], bool) {
    match text.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
        Some(end) => {
            let skip = if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
            (&text[..end], &text[end + skip..], true)
        }
        None => (text, &[], false),
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn trimmed(mut field: &[u8]) -> &[u8] {
    while let [first, inner @ ..] = field
        && is_blank(*first)
    {
        field = inner;
    }
    while let [inner @ .., last] = field
        && is_blank(*last)
    {
        field = inner;
    }
    field
}

/// The fields of a line, in the order of [`TRACKED_NAMES`] from `names[0]` on; null where a field is no number.
struct Fields<'a> {
    values: [Option<f64>; MOST_FIELDS],
    first_unreadable: Option<(usize, &'a [u8])>,
    found: usize,
}

fn read_fields(line: &[u8]) -> Fields<'_> {
    let mut fields = Fields { values: [None; MOST_FIELDS], first_unreadable: None, found: 0 };
    let mut last_is_empty = false;
    for field in line.split(|&byte| byte == b',') {
        let field = trimmed(field);
        let value = number(field);
        if value.is_none() && fields.first_unreadable.is_none() {
            fields.first_unreadable = Some((fields.found, field));
        }
        if let Some(place) = fields.values.get_mut(fields.found) {
            *place = value;
        }
        last_is_empty = field.is_empty();
        fields.found += 1;
    }
    if last_is_empty {
        // A trailing comma is no field.
        fields.found -= 1;
        fields.first_unreadable = fields.first_unreadable.filter(|&(position, _)| position < fields.found);
    }
    fields
}

/// A finite decimal number. Digits alone, nearly every field there is, take the short way.
fn number(field: &[u8]) -> Option<f64> {
    let (negative, digits) = match field {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) {
        let magnitude = digits.iter().fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        return Some(if negative { -magnitude } else { magnitude } as f64);
    }
    std::str::from_utf8(field).ok()?.parse::<f64>().ok().filter(|value| value.abs() <= LARGEST_NUMBER)
}

/// `value` as a whole number, when it is one.
fn whole(value: f64) -> Option<i64> {
    let fits = value.fract() == 0.0 && value.abs() < 9.0e15;
    fits.then_some(value as i64)
}

fn parse_line(line: &[u8], line_number: u32, columns: Columns, at_end: bool) -> Result<Row, BadRow> {
    let fields = read_fields(line);
    let (found, expected) = (fields.found, columns.names().len());
    let outcome = match found.cmp(&expected) {
        Ordering::Less => Err((short(line, found, expected, at_end), Lost::File)),
        Ordering::Greater => Err((RowFault::Long { found, expected }, Lost::File)),
        Ordering::Equal => row(&fields, line_number, columns).map_err(|fault| (fault, lost(&fields, columns))),
    };
    outcome.map_err(|(fault, lost)| {
        // No field of text has such a byte: the line was overwritten or never written.
        let (fault, lost) = if line.contains(&0) { (RowFault::NulBytes, Lost::File) } else { (fault, lost) };
        BadRow { line: line_number, lost, fault }
    })
}

/// The fault of a line with too few fields.
fn short(line: &[u8], found: usize, expected: usize, at_end: bool) -> RowFault {
    let fields_between = |is_separator: &dyn Fn(u8) -> bool| {
        line.split(|&byte| is_separator(byte)).filter(|f| !trimmed(f).is_empty()).count()
    };
    if found == 1 && fields_between(&|byte| byte == b';') == expected {
        RowFault::Separator { found: "`;`" }
    } else if found == 1 && fields_between(&is_blank) == expected {
        RowFault::Separator { found: "blanks" }
    } else {
        RowFault::Short { found, expected, at_end }
    }
}

/// The annotation of a line with the right number of fields.
fn row(fields: &Fields<'_>, line: u32, columns: Columns) -> Result<Row, RowFault> {
    if let Some((position, field)) = fields.first_unreadable {
        let text = String::from_utf8_lossy(&field[..field.len().min(40)]).escape_debug().to_string();
        return Err(RowFault::NotANumber { column: columns.names()[position], text });
    }
    let value = |position: usize| fields.values[position].unwrap_or(0.0);
    let (frame, target) = match columns {
        Columns::Still => (0, None),
        Columns::Tracked => (
            frame(fields, columns).ok_or_else(|| RowFault::BadFrame { value: value(0) })?,
            Some(whole(value(1)).ok_or_else(|| RowFault::BadTarget { value: value(1) })?),
        ),
    };
    let [left, top, width, height, score, category, truncation, occlusion] =
        std::array::from_fn(|position| value(columns.lead() + position));
    let number = whole(category).and_then(|number| u8::try_from(number).ok()).filter(|&number| number <= 11);
    let category = number.ok_or(RowFault::UnknownCategory { value: category })?;
    if width < 0.0 || height < 0.0 {
        return Err(RowFault::NegativeSize { width, height });
    }
    Ok(Row {
        line,
        frame,
        target: target.filter(|&target| target >= 0),
        left,
        top,
        width,
        height,
        ignored: score == 0.0,
        category,
        truncation: whole(truncation).filter(|level| (0..=1).contains(level)),
        occlusion: whole(occlusion).filter(|level| (0..=2).contains(level)),
    })
}

/// What is unknown without a line of the right number of fields.
fn lost(fields: &Fields<'_>, columns: Columns) -> Lost {
    match (frame(fields, columns), place(fields, columns)) {
        (Some(frame), Some(place)) => Lost::Object { frame, place },
        (Some(frame), None) => Lost::Frame(frame),
        (None, _) => Lost::File,
    }
}

/// Frame number, where it is one; 0 for a still.
fn frame(fields: &Fields<'_>, columns: Columns) -> Option<i64> {
    match columns {
        Columns::Still => Some(0),
        Columns::Tracked => fields.values[0].and_then(whole).filter(|&frame| frame >= 0),
    }
}

/// Edges of the box. A negative size tells none: the sign may be wrong, or the edges changed over.
fn place(fields: &Fields<'_>, columns: Columns) -> Option<[f64; 4]> {
    let value = |position: usize| fields.values[columns.lead() + position];
    let (left, top, width, height) = (value(0)?, value(1)?, value(2)?, value(3)?);
    (width >= 0.0 && height >= 0.0).then_some([left, top, left + width, top + height])
}
