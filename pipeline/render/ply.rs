//! PLY files: ASCII and binary of both byte orders, row by row.
//!
//! A reader of our own because it has to be fast and to trust nothing: the general ones call back for every property by
//! its name and build a list per face, which takes several times as long on two million triangles.

use crate::mesh::MeshParts;
use crate::ply_header::{Element, Encoding, Scalar, read_header};
use crate::source::{Source, excerpt};
use crate::{Dropped, Mesh, RenderError};
use std::io::Read;

/// Most corners of a face.
const CORNER_LIMIT: f64 = 65_536.0;

/// Names under which programs store a class per face or vertex.
const LABEL_NAMES: [&str; 6] = ["label", "class", "class_id", "category", "scalar_Label", "scalar_Classification"];

/// Names of the list of corners.
const CORNER_NAMES: [&str; 2] = ["vertex_indices", "vertex_index"];

/// What a column is to us; the numbers are the places in [`Row::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Value(usize),
    Corners,
    Other,
}

const LABEL: usize = 3;

/// Names of the values of a row by place: x, y, z, label, red, green, blue.
const VALUE_NAMES: [&[&str]; 7] = [&["x"], &["y"], &["z"], &LABEL_NAMES, &["red"], &["green"], &["blue"]];

/// One row of an element as far as it matters.
#[derive(Default)]
struct Row {
    values: [f64; 7],
    corners: Vec<u32>,
}

/// A column with its role.
struct Column {
    role: Role,
    length: Option<Scalar>,
    scalar: Scalar,
}

pub(crate) fn read<R: Read>(source: &mut Source<R>) -> Result<(Mesh, Dropped), RenderError> {
    let header = read_header(source)?;
    let mut parts = MeshParts::default();
    for element in &header.elements {
        read_element(source, header.encoding, element, &mut parts)?;
    }
    parts.finish()
}

fn read_element<R: Read>(
    source: &mut Source<R>,
    encoding: Encoding,
    element: &Element,
    parts: &mut MeshParts,
) -> Result<(), RenderError> {
    let columns: Vec<Column> = element.properties.iter().map(column_of).collect();
    let has = |place: usize| columns.iter().any(|column| column.role == Role::Value(place));
    let (has_label, has_colour) = (has(LABEL), has(4) && has(5) && has(6));
    let (is_vertex, is_face) = (element.name == "vertex", element.name == "face");
    if is_vertex && !(has(0) && has(1) && has(2)) {
        return Err(RenderError::Header { line: source.line_number(), problem: "vertices lack x, y or z".to_owned() });
    }
    if is_vertex {
        parts.vertex_labels = has_label.then(Vec::new);
        parts.colours = has_colour.then(Vec::new);
    } else if is_face {
        parts.face_labels = has_label.then(Vec::new);
    }
    let mut row = Row::default();
    for number in 0..element.rows {
        if !read_row(source, encoding, &columns, &mut row)? {
            let place = if encoding == Encoding::Ascii { source.line() } else { source.byte() };
            let (element, rows) = (element.name.clone(), element.rows);
            return Err(RenderError::Truncated { place, element, row: number, rows });
        }
        if is_vertex {
            push_vertex(source, encoding, &row, parts)?;
        } else if is_face {
            let label = has_label.then(|| label_of(source, encoding, row.values[LABEL])).transpose()?;
            parts.push_polygon(&row.corners, label);
        }
    }
    Ok(())
}

fn column_of(property: &crate::ply_header::Property) -> Column {
    let name = property.name.as_str();
    let place = VALUE_NAMES.iter().position(|names| names.contains(&name));
    let role = match (property.length, place) {
        (Some(_), _) if CORNER_NAMES.contains(&name) => Role::Corners,
        (None, Some(place)) => Role::Value(place),
        _ => Role::Other,
    };
    Column { role, length: property.length, scalar: property.scalar }
}

fn push_vertex<R: Read>(
    source: &Source<R>,
    encoding: Encoding,
    row: &Row,
    parts: &mut MeshParts,
) -> Result<(), RenderError> {
    let [x, y, z, label, red, green, blue] = row.values;
    parts.vertices.push([x, y, z]);
    if let Some(labels) = &mut parts.vertex_labels {
        labels.push(label_of(source, encoding, label)?);
    }
    if let Some(colours) = &mut parts.colours {
        colours.push([red as u8, green as u8, blue as u8]);
    }
    Ok(())
}

/// A label as a whole number.
fn label_of<R: Read>(source: &Source<R>, encoding: Encoding, value: f64) -> Result<u32, RenderError> {
    let label = value as u32;
    if f64::from(label) == value && label != u32::MAX {
        return Ok(label);
    }
    let place = if encoding == Encoding::Ascii { source.line() } else { source.byte() };
    Err(RenderError::Number { place, text: value.to_string(), expected: "a label from 0 to 2^32 - 2" })
}

/// Reads one row; false where the file ends within it.
fn read_row<R: Read>(
    source: &mut Source<R>,
    encoding: Encoding,
    columns: &[Column],
    row: &mut Row,
) -> Result<bool, RenderError> {
    row.corners.clear();
    if encoding == Encoding::Ascii {
        return read_text_row(source, columns, row);
    }
    for column in columns {
        let Some(length) = column.length else {
            let Some(bytes) = source.take(column.scalar.size())? else { return Ok(false) };
            if let Role::Value(place) = column.role {
                row.values[place] = column.scalar.decode(bytes, encoding);
            }
            continue;
        };
        let place = source.byte();
        let Some(bytes) = source.take(length.size())? else { return Ok(false) };
        let length = length.decode(bytes, encoding);
        if !(0.0..=CORNER_LIMIT).contains(&length) {
            return Err(RenderError::ListLength { place, length });
        }
        let size = column.scalar.size();
        let Some(bytes) = source.take(length as usize * size)? else { return Ok(false) };
        if column.role == Role::Corners {
            row.corners.extend(bytes.chunks_exact(size).map(|bytes| corner_of(column.scalar.decode(bytes, encoding))));
        }
    }
    Ok(true)
}

/// Reads one row from a line of text.
fn read_text_row<R: Read>(source: &mut Source<R>, columns: &[Column], row: &mut Row) -> Result<bool, RenderError> {
    let place = crate::Place::Line(source.line_number() + 1);
    let Some(line) = source.take_line()? else { return Ok(false) };
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let miscounted = || RenderError::Number { place, text: excerpt(line), expected: "a row as the header says" };
    let mut number = || parse(words.next().ok_or_else(miscounted)?, place);
    for column in columns {
        if column.length.is_none() {
            let value = number()?;
            if let Role::Value(place) = column.role {
                row.values[place] = value;
            }
            continue;
        }
        let length = number()?;
        if !(0.0..=CORNER_LIMIT).contains(&length) {
            return Err(RenderError::ListLength { place, length });
        }
        for _ in 0..length as usize {
            let value = number()?;
            if column.role == Role::Corners {
                row.corners.push(corner_of(value));
            }
        }
    }
    if words.next().is_some() { Err(miscounted()) } else { Ok(true) }
}

/// A number in text. What overflows is infinite and `nan` is NaN, as in binary files.
pub(crate) fn parse(word: &[u8], place: crate::Place) -> Result<f64, RenderError> {
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.ok_or_else(|| RenderError::Number { place, text: excerpt(word), expected: "a number" })
}

/// A vertex number; `u32::MAX`, which no vertex has, for what is none.
fn corner_of(value: f64) -> u32 {
    let corner = value as u32;
    if f64::from(corner) == value { corner } else { u32::MAX }
}
