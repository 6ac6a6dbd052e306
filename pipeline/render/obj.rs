//! OBJ files: vertices, polygons, and materials as labels.
//!
//! A reader of our own because it streams, keeps large coordinates in f64, and counts a corner that is out of range where
//! others refuse the file.

use crate::mesh::MeshParts;
use crate::ply::parse;
use crate::source::{Source, excerpt};
use crate::{Dropped, Mesh, Place, RenderError};
use std::io::Read;

/// Reads `v` and `f` lines; `usemtl` names the label of the faces after it. Texture coordinates, normals, groups and
/// smoothing are passed over. Faces before the first material have a label of their own, of empty name.
pub(crate) fn read<R: Read>(source: &mut Source<R>) -> Result<(Mesh, Dropped), RenderError> {
    let mut parts = MeshParts { face_labels: Some(Vec::new()), ..MeshParts::default() };
    let (mut material, mut corners, mut joined) = (None, Vec::new(), Vec::new());
    let mut read =
        |line: &[u8], place, parts: &mut MeshParts| read_line(line, place, parts, &mut material, &mut corners);
    loop {
        let place = Place::Line(source.line_number() + 1);
        let Some(line) = source.take_line()? else { break };
        // A backslash at the end joins a line with the next one.
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(start);
            joined.push(b' ');
            continue;
        }
        if joined.is_empty() {
            read(line, place, &mut parts)?;
        } else {
            joined.extend_from_slice(line);
            read(&joined, place, &mut parts)?;
            joined.clear();
        }
    }
    if parts.label_names.iter().all(String::is_empty) {
        (parts.face_labels, parts.label_names) = (None, Vec::new());
    }
    parts.finish()
}

fn read_line(
    line: &[u8],
    place: Place,
    parts: &mut MeshParts,
    material: &mut Option<u32>,
    corners: &mut Vec<u32>,
) -> Result<(), RenderError> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match words.next() {
        Some(b"v") => {
            let mut coordinate = || match words.next() {
                Some(word) => parse(word, place),
                None => Err(RenderError::Number { place, text: excerpt(line), expected: "a vertex of three numbers" }),
            };
            parts.vertices.push([coordinate()?, coordinate()?, coordinate()?]);
        }
        Some(b"f") => {
            corners.clear();
            for word in words {
                corners.push(corner_of(word, parts.vertices.len(), place)?);
            }
            let label = *material.get_or_insert_with(|| label_named("", &mut parts.label_names));
            parts.push_polygon(corners, Some(label));
        }
        Some(b"usemtl") => {
            let name = words.next().map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default();
            *material = Some(label_named(&name, &mut parts.label_names));
        }
        _ => {}
    }
    Ok(())
}

/// The number of a material by its name, a new one where it is new.
fn label_named(name: &str, names: &mut Vec<String>) -> u32 {
    let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    place as u32
}

/// The vertex of a corner such as `7`, `7/2/3` or `-1`, which counts back from the vertex before this line; `u32::MAX`,
/// which no vertex has, for a number that is out of range.
fn corner_of(word: &[u8], vertices: usize, place: Place) -> Result<u32, RenderError> {
    let index = word.split(|&byte| byte == b'/').next().unwrap_or_default();
    let index: Option<i64> = std::str::from_utf8(index).ok().and_then(|index| index.parse().ok());
    let Some(index) = index else {
        return Err(RenderError::Number { place, text: excerpt(word), expected: "a corner such as 7 or 7/2/3" });
    };
    let vertex = if index < 0 { vertices as i64 + index } else { index - 1 };
    Ok(u32::try_from(vertex).unwrap_or(u32::MAX))
}
