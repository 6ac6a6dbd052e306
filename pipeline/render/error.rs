//! What can be wrong with a mesh file or a view.

use std::fmt;
use thiserror::Error;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Bytes from the start of the file.
    Byte(u64),
    /// Line, counted from 1.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// A mesh that cannot be read or used.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The system could not read on.
    #[error("read a mesh at {place}: {source}")]
    Read {
        /// How far reading had come.
        place: Place,
        /// What the system says.
        source: std::io::Error,
    },
    /// The header of a PLY file breaks its rules.
    #[error("read a PLY header at line {line}: {problem}")]
    Header {
        /// Line, counted from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// The file ends before the last row that its header announces.
    #[error("read a mesh: the file ends at {place}, in row {row} of {rows} of element {element}")]
    Truncated {
        /// Where the file ends.
        place: Place,
        /// Element that is being read.
        element: String,
        /// Row that is incomplete, counted from 0.
        row: u64,
        /// Rows that the header announces.
        rows: u64,
    },
    /// A number cannot be read.
    #[error("read a mesh at {place}: {text:?} is not {expected}")]
    Number {
        /// Where it stands.
        place: Place,
        /// What stands there, cut to a few characters.
        text: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// A polygon has more corners than any mesh has: the file is damaged, or its byte order is another one.
    #[error("read a mesh at {place}: a list of {length} entries; the file is damaged or of the other byte order")]
    ListLength {
        /// Where the list starts.
        place: Place,
        /// Its length as written.
        length: f64,
    },
    /// A line is longer than any mesh has: not a text file.
    #[error("read a mesh at {place}: a line of over {limit} bytes; is this a text mesh?")]
    LineLength {
        /// Where the line starts.
        place: Place,
        /// The longest that is read, in bytes.
        limit: usize,
    },
    /// More vertices or faces than 32 bits can number.
    #[error("read a mesh: {count} of {element} are more than 2^32 - 2")]
    TooMany {
        /// Vertices or faces.
        element: &'static str,
        /// How many there are.
        count: u64,
    },
    /// No triangle is left, with what was dropped.
    #[error("use a mesh without triangles ({vertices} vertices; dropped: {dropped}); is it a point cloud?")]
    NoFaces {
        /// Vertices that were read.
        vertices: usize,
        /// Triangles that were dropped, by reason.
        dropped: crate::Dropped,
    },
    /// Labels that are not one per face.
    #[error("build a mesh: {labels} labels for {faces} faces")]
    Labels {
        /// Labels given.
        labels: usize,
        /// Faces given.
        faces: usize,
    },
}
