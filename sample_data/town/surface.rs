//! Triangles, and what each of them belongs to.

use crate::raster::Rgb;
use crate::town::class::TownClass;
use uavgen_render::Mesh;

/// What faces belong to and look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Skin {
    pub(crate) class: TownClass,
    /// Number of the object; 0 for ground, trees and walls.
    pub(crate) object: u32,
    pub(crate) colour: Rgb,
}

/// A surface in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    vertices: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
    /// One per face.
    skin_numbers: Vec<u32>,
    skins: Vec<Skin>,
}

impl Surface {
    /// Adds a skin and returns its number.
    pub(crate) fn skin(&mut self, skin: Skin) -> u32 {
        self.skins.push(skin);
        self.skins.len() as u32 - 1
    }

    /// Adds a vertex and returns its number.
    pub(crate) fn vertex(&mut self, vertex: [f64; 3]) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    /// Adds a face, counter-clockwise from outside.
    pub(crate) fn face(&mut self, corners: [u32; 3], skin: u32) {
        self.faces.push(corners);
        self.skin_numbers.push(skin);
    }

    /// Adds a polygon as a fan about its first corner, from which all others must be in sight.
    pub(crate) fn polygon(&mut self, corners: &[u32], skin: u32) {
        for pair in corners[1..].windows(2) {
            self.face([corners[0], pair[0], pair[1]], skin);
        }
    }

    pub(crate) fn vertex_count(&self) -> u32 {
        self.vertices.len() as u32
    }

    pub(crate) fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }

    pub(crate) fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Corners and skin of each face.
    pub(crate) fn faces(&self) -> impl ExactSizeIterator<Item = ([u32; 3], Skin)> {
        self.faces.iter().zip(&self.skin_numbers).map(|(&corners, &skin)| (corners, self.skins[skin as usize]))
    }

    /// A mesh to render, whose labels are the numbers of the skins.
    pub(crate) fn to_mesh(&self) -> Mesh {
        let mesh = Mesh::new(&self.vertices, &self.faces, Some(&self.skin_numbers));
        mesh.expect("a surface of the town has faces, each with its skin").0
    }
}
