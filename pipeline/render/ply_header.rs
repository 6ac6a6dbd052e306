//! Headers of PLY files.

use crate::RenderError;
use crate::source::{Source, excerpt};
use std::io::Read;

/// Most lines of a header that is still a header.
const LINE_COUNT_LIMIT: u64 = 10_000;

/// How the rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    Little,
    Big,
}

/// Type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes in a binary file.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number that these bytes, as many as [`Self::size`] says, write in the given order; f64 holds all of them.
    #[inline]
    pub(crate) fn decode(self, bytes: &[u8], encoding: Encoding) -> f64 {
        let mut word = [0; 8];
        let size = bytes.len().min(8);
        word[..size].copy_from_slice(&bytes[..size]);
        if encoding == Encoding::Big {
            word[..size].reverse();
        }
        let [a, b, c, d, ..] = word;
        match self {
            Self::I8 => f64::from(a as i8),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(word),
        }
    }
}

/// One column of an element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    pub(crate) name: String,
    /// Type of the length, for lists.
    pub(crate) length: Option<Scalar>,
    pub(crate) scalar: Scalar,
}

/// A table of a PLY file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Rows that the header announces. It is no ground for allocating.
    pub(crate) rows: u64,
    pub(crate) properties: Vec<Property>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    pub(crate) encoding: Encoding,
    pub(crate) elements: Vec<Element>,
}

/// Reads up to and with `end_header`.
pub(crate) fn read_header<R: Read>(source: &mut Source<R>) -> Result<Header, RenderError> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let line = match source.take_line()? {
            Some(line) => String::from_utf8_lossy(line).into_owned(),
            None => return refuse(source, "the file ends before end_header"),
        };
        if source.line_number() > LINE_COUNT_LIMIT {
            return refuse(source, "no end_header in 10000 lines");
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["end_header"] => break,
            [] | ["ply" | "comment" | "obj_info", ..] => {}
            ["format", name, _] => encoding = Some(encoding_named(source, name)?),
            ["element", name, rows] => {
                let Ok(rows) = rows.parse() else { return refuse(source, "the number of rows is not a number") };
                elements.push(Element { name: name.to_owned(), rows, properties: Vec::new() });
            }
            ["property", ..] => {
                let property = property_of(source, &words[1..])?;
                let Some(element) = elements.last_mut() else { return refuse(source, "a property before any element") };
                element.properties.push(property);
            }
            _ => return refuse(source, &format!("{:?} is not understood", excerpt(line.as_bytes()))),
        }
    }
    match encoding {
        Some(encoding) => Ok(Header { encoding, elements }),
        None => refuse(source, "no format line"),
    }
}

fn encoding_named<R: Read>(source: &Source<R>, name: &str) -> Result<Encoding, RenderError> {
    match name {
        "ascii" => Ok(Encoding::Ascii),
        "binary_little_endian" => Ok(Encoding::Little),
        "binary_big_endian" => Ok(Encoding::Big),
        _ => refuse(source, &format!("format {:?} is not known", excerpt(name.as_bytes()))),
    }
}

fn property_of<R: Read>(source: &Source<R>, words: &[&str]) -> Result<Property, RenderError> {
    let (length, scalar, name) = match words {
        ["list", length, scalar, name] => (Some(*length), scalar, name),
        [scalar, name] => (None, scalar, name),
        _ => return refuse(source, "a property is `property TYPE NAME` or `property list TYPE TYPE NAME`"),
    };
    let typed = |name: &str| match Scalar::named(name) {
        Some(scalar) => Ok(scalar),
        None => refuse(source, &format!("type {:?} is not known", excerpt(name.as_bytes()))),
    };
    Ok(Property { name: (*name).to_owned(), length: length.map(typed).transpose()?, scalar: typed(scalar)? })
}

fn refuse<R: Read, T>(source: &Source<R>, problem: &str) -> Result<T, RenderError> {
    Err(RenderError::Header { line: source.line_number(), problem: problem.to_owned() })
}
