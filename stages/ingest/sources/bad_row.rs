//! Annotation lines that cannot be used: why, and what is unknown without them.

/// A line that holds no usable annotation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BadRow {
    /// Line in the file, from 1.
    pub(crate) line: u32,
    /// What is unknown without it.
    pub(crate) lost: Lost,
    /// Why.
    pub(crate) fault: RowFault,
}

/// What a line that cannot be used leaves unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lost {
    /// Nothing: the line is no annotation.
    Nothing,
    /// What one object is, whose place could be read.
    Object {
        /// Frame number; 0 for a still.
        frame: i64,
        /// Edges `x1, y1, x2, y2`.
        place: [f64; 4],
    },
    /// An object anywhere on this frame.
    Frame(i64),
    /// One object or more, on any frame that the file is about.
    File,
}

/// Why a line cannot be used; each variant is one reject reason.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum RowFault {
    /// The first line names the columns.
    #[error("column names, no annotation")]
    Header,
    /// The line has the right number of fields with another separator.
    #[error("the fields are separated by {found}; separate them by commas")]
    Separator {
        /// What separates them.
        found: &'static str,
    },
    /// Bytes that no text has: the file is damaged, and what stood here is lost.
    #[error("the line holds NUL bytes: the file is damaged; fetch it again")]
    NulBytes,
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
            Self::Header => "header_row",
            Self::Separator { .. } => "wrong_separator",
            Self::NulBytes => "nul_bytes",
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
