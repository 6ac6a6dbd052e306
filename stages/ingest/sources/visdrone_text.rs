//! The comma-separated lines of all VisDrone formats, read from bytes without allocating per line.
//!
//! Accepted as they occur in the wild: LF, CRLF and CR mixed in one file, a byte order mark, blank lines, an empty last
//! field (trailing comma), blanks around fields, `12.0` for 12, fractions in coordinates. Everything else is a
//! [`BadRow`] with a reason; nothing panics and no line is skipped in silence.

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

/// A line that holds no usable annotation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BadRow {
    /// Line in the file, from 1.
    pub(crate) line: u32,
    /// Frame number, where that much could be read; 0 for a still.
    pub(crate) frame: Option<i64>,
    /// Edges `x1, y1, x2, y2` of what the line marks, where they could be read.
    pub(crate) place: Option<[f64; 4]>,
    /// Why.
    pub(crate) fault: RowFault,
}

/// Why a line cannot be used; each variant is one reject reason.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum RowFault {
    /// Fewer fields than the format has.
    #[error("{found} fields instead of {expected}{}", if *at_end { "; the file ends within this line, so it may be cut short" } else { "" })]
    Short {
        /// Fields found.
        found: usize,
        /// Fields of the format.
        expected: usize,
        /// The line is the last one and has no line end.
        at_end: bool,
    },
    /// More fields than the format has.
    #[error("{found} fields instead of {expected}")]
    Long {
        /// Fields found.
        found: usize,
        /// Fields of the format.
        expected: usize,
    },
    /// A field that is not a number, or an absurdly large one.
    #[error("{column} is `{text}`, not a usable number")]
    NotANumber {
        /// Name of the column.
        column: &'static str,
        /// The field, shortened.
        text: String,
    },
    /// A frame number that is negative or has a fraction.
    #[error("frame is {value}, not a whole number from 0")]
    BadFrame {
        /// The number.
        value: f64,
    },
    /// A target number with a fraction.
    #[error("target is {value}, not a whole number")]
    BadTarget {
        /// The number.
        value: f64,
    },
    /// A category that VisDrone does not have.
    #[error("category is {value}, not a whole number from 0 to 11{}", if *value == -1.0 { "; tracker results look like this, ground truth does not" } else { "" })]
    UnknownCategory {
        /// The number.
        value: f64,
    },
    /// A negative width or height.
    #[error("box of {width} x {height} px")]
    NegativeSize {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
    /// The file is no 8-bit text at all.
    #[error("the file is UTF-16 text; save it as UTF-8")]
    Utf16,
}

impl RowFault {
    /// Reason code of the reject.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Short { .. } => "short_row",
            Self::Long { .. } => "long_row",
            Self::NotANumber { .. } => "not_a_number",
            Self::BadFrame { .. } => "bad_frame_number",
            Self::BadTarget { .. } => "bad_track_id",
            Self::UnknownCategory { .. } => "unknown_category",
            Self::NegativeSize { .. } => "negative_size",
            Self::Utf16 => "not_utf8",
        }
    }
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
    if text.starts_with(&[0xFF, 0xFE]) || text.starts_with(&[0xFE, 0xFF]) {
        annotations.bad.push(BadRow { line: 1, frame: None, place: None, fault: RowFault::Utf16 });
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
        match parse_line(line, line_number, columns, !ended) {
            Ok(row) => annotations.rows.push(row),
            Err(bad) => annotations.bad.push(bad),
        }
    }
    annotations
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
    let (lead, names) = match columns {
        Columns::Tracked => (2, columns.names()),
        Columns::Still => (0, columns.names()),
    };
    let frame = if lead == 0 { Some(0) } else { fields.values[0].and_then(whole).filter(|&frame| frame >= 0) };
    let bad = |fault| BadRow { line: line_number, frame, place: place(&fields.values, lead), fault };
    let expected = names.len();
    match fields.found {
        found if found < expected => return Err(bad(RowFault::Short { found, expected, at_end })),
        found if found > expected => return Err(bad(RowFault::Long { found, expected })),
        _ => {}
    }
    if let Some((position, field)) = fields.first_unreadable {
        let text = String::from_utf8_lossy(&field[..field.len().min(40)]).into_owned();
        return Err(bad(RowFault::NotANumber { column: names[position], text }));
    }
    let value = |position: usize| fields.values[position].unwrap_or(0.0);
    let frame_number = frame.ok_or_else(|| bad(RowFault::BadFrame { value: value(0) }))?;
    let target = match lead {
        0 => None,
        _ => Some(whole(value(1)).ok_or_else(|| bad(RowFault::BadTarget { value: value(1) }))?),
    };
    let [left, top, width, height, score, category, truncation, occlusion] =
        std::array::from_fn(|position| value(lead + position));
    let category = whole(category).and_then(|number| u8::try_from(number).ok()).filter(|&number| number <= 11);
    let category = category.ok_or_else(|| bad(RowFault::UnknownCategory { value: value(lead + 5) }))?;
    if width < 0.0 || height < 0.0 {
        return Err(bad(RowFault::NegativeSize { width, height }));
    }
    Ok(Row {
        line: line_number,
        frame: frame_number,
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

/// Edges of the box, in order also where width or height is negative.
fn place(values: &[Option<f64>; MOST_FIELDS], lead: usize) -> Option<[f64; 4]> {
    let [left, top, width, height] = [values[lead]?, values[lead + 1]?, values[lead + 2]?, values[lead + 3]?];
    let (right, bottom) = (left + width, top + height);
    Some([left.min(right), top.min(bottom), left.max(right), top.max(bottom)])
}
