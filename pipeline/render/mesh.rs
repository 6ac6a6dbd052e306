//! Triangle meshes: vertices about an origin, faces, and what was dropped on the way.

use crate::RenderError;
use std::fmt;
use uavgen_geometry::{Direction, Point, Transform, World};

/// Up to this far from zero, in metres, coordinates keep zero as their origin: an f32 there steps by half a millimetre.
const NEAR_ZERO_M: f64 = 4096.0;

/// A triangle mesh in one coordinate frame, metres.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    pub(crate) origin: [f64; 3],
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) labels: Option<Vec<u32>>,
    pub(crate) label_names: Vec<String>,
    pub(crate) colours: Option<Vec<[u8; 3]>>,
}

/// Triangles that were left out, by reason. Each is counted once, under the first reason that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Faces of fewer than three corners.
    pub too_few_corners: u64,
    /// Triangles with a corner that no vertex has.
    pub index_out_of_range: u64,
    /// Triangles with a corner whose coordinates are NaN or infinite.
    pub non_finite: u64,
    /// Triangles whose corners lie on a line or in a point.
    pub zero_area: u64,
}

impl Dropped {
    /// Triangles that were dropped for any reason.
    pub fn total(&self) -> u64 {
        self.too_few_corners + self.index_out_of_range + self.non_finite + self.zero_area
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of too few corners, {} with an index out of range, {} not finite, {} of no area",
            self.too_few_corners, self.index_out_of_range, self.non_finite, self.zero_area
        )
    }
}

impl Mesh {
    /// A mesh from vertices in metres, triangles as triples of vertex numbers, and a label for each triangle where there
    /// are labels. What has no area or no place is dropped and counted; a mesh without a triangle is refused.
    ///
    /// The origin is zero for coordinates within 4096 m of it, else the whole metres of the middle of the bounds: what is
    /// left fits f32, which steps by half a millimetre 4 km from the origin.
    ///
    /// ```
    /// use uavgen_render::Mesh;
    /// let utm = [[576_700.25, 5_188_170.5, 0.0], [576_800.25, 5_188_170.5, 0.0], [576_700.25, 5_188_270.5, 0.0]];
    /// let (mesh, dropped) = Mesh::new(&utm, &[[0, 1, 2], [0, 0, 1], [0, 1, 7]], None).unwrap();
    /// assert_eq!((mesh.origin(), mesh.vertices()[0]), ([576_750.0, 5_188_221.0, 0.0], [-49.75, -50.5, 0.0]));
    /// assert_eq!((dropped.zero_area, dropped.index_out_of_range), (1, 1));
    /// ```
    pub fn new(
        vertices: &[[f64; 3]],
        faces: &[[u32; 3]],
        labels: Option<&[u32]>,
    ) -> Result<(Self, Dropped), RenderError> {
        if let Some(labels) = labels.filter(|labels| labels.len() != faces.len()) {
            return Err(RenderError::Labels { labels: labels.len(), faces: faces.len() });
        }
        let parts = MeshParts {
            vertices: vertices.to_vec(),
            faces: faces.to_vec(),
            face_labels: labels.map(<[u32]>::to_vec),
            ..MeshParts::default()
        };
        parts.finish()
    }

    /// What must be added to a vertex to have the coordinates of the file, in metres.
    pub fn origin(&self) -> [f64; 3] {
        self.origin
    }

    /// Vertices from the origin, in metres. Those that no face uses are kept; where the file has no finite number, zeros.
    pub fn vertices(&self) -> &[[f32; 3]] {
        &self.vertices
    }

    /// The same surface with axes east, north, up, where those of the file are north, east, down.
    ///
    /// ```
    /// use uavgen_render::Mesh;
    /// let (mesh, _) = Mesh::read("v 1 2 -3\nv 9 2 -3\nv 9 9 -3\nf 1 2 3\n".as_bytes()).unwrap();
    /// let mesh = mesh.turned_from_ned();
    /// let [x, y, z] = mesh.vertices()[0].map(f64::from);
    /// let [x0, y0, z0] = mesh.origin();
    /// assert_eq!([x + x0, y + y0, z + z0], [2.0, 1.0, 3.0]);
    /// ```
    pub fn turned_from_ned(mut self) -> Self {
        let [north, east, down] = self.origin;
        self.origin = [east, north, -down];
        for vertex in &mut self.vertices {
            let [north, east, down] = *vertex;
            *vertex = [east, north, -down];
        }
        self
    }

    /// The same surface in the world, where the coordinates of the file are of another frame. The origin moves in f64, so coordinates of
    /// millions of metres keep their millimetres.
    ///
    /// ```
    /// use uavgen_geometry::Geodetic;
    /// use uavgen_render::Mesh;
    /// // Up is x, east is y and north is z where the equator meets the first meridian.
    /// let (mesh, _) = Mesh::read("v 6378147 2 3\nv 6378147 9 3\nv 6378147 9 9\nf 1 2 3\n".as_bytes()).unwrap();
    /// let mesh = mesh.moved(&Geodetic::new(0.0, 0.0, 0.0).unwrap().world_from_ecef());
    /// let ([x, y, z], [x0, y0, z0]) = (mesh.vertices()[0].map(f64::from), mesh.origin());
    /// assert!((x + x0 - 2.0).abs() < 1e-6 && (y + y0 - 3.0).abs() < 1e-6 && (z + z0 - 10.0).abs() < 1e-6);
    /// ```
    pub fn moved<From: uavgen_geometry::Frame>(mut self, world_from_file: &Transform<World, From>) -> Self {
        let [x, y, z] = self.origin;
        let origin = *world_from_file * Point::<From>::new(x, y, z);
        self.origin = [origin.x(), origin.y(), origin.z()];
        for vertex in &mut self.vertices {
            let [x, y, z] = vertex.map(f64::from);
            let turned = *world_from_file * Direction::<From>::new(x, y, z);
            *vertex = [turned.x() as f32, turned.y() as f32, turned.z() as f32];
        }
        self
    }

    /// Triangles as numbers of vertices; their place in this list is the face id of a rendered pixel.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// One label per face; null where the file has none.
    pub fn labels(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }

    /// Names of the labels by number: the materials of an OBJ file in their order. Empty for files that name none.
    pub fn label_names(&self) -> &[String] {
        &self.label_names
    }

    /// Red, green, blue of each vertex; null where the file has none.
    pub fn colours(&self) -> Option<&[[u8; 3]]> {
        self.colours.as_deref()
    }
}

/// A mesh as it comes out of a file, not yet checked.
#[derive(Debug, Default)]
pub(crate) struct MeshParts {
    pub(crate) vertices: Vec<[f64; 3]>,
    /// Corners that a file writes and no vertex can have stand as `u32::MAX`.
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) face_labels: Option<Vec<u32>>,
    pub(crate) vertex_labels: Option<Vec<u32>>,
    pub(crate) label_names: Vec<String>,
    pub(crate) colours: Option<Vec<[u8; 3]>>,
    pub(crate) too_few_corners: u64,
}

impl MeshParts {
    /// Adds a polygon as a fan about its first corner, which is right for convex ones; the label goes to each triangle.
    pub(crate) fn push_polygon(&mut self, corners: &[u32], label: Option<u32>) {
        let [first, rest @ ..] = corners else {
            self.too_few_corners += 1;
            return;
        };
        self.too_few_corners += u64::from(rest.len() < 2);
        for pair in rest.windows(2) {
            self.faces.push([*first, pair[0], pair[1]]);
            if let (Some(labels), Some(label)) = (&mut self.face_labels, label) {
                labels.push(label);
            }
        }
    }

    /// Drops and counts what cannot be drawn, takes the origin off and goes to f32.
    pub(crate) fn finish(mut self) -> Result<(Mesh, Dropped), RenderError> {
        numbered("vertices", self.vertices.len())?;
        numbered("faces", self.faces.len())?;
        let origin = origin_of(&self.vertices);
        let vertices: Vec<[f32; 3]> = self.vertices.iter().map(|vertex| about(origin, *vertex)).collect();
        let mut dropped = Dropped { too_few_corners: self.too_few_corners, ..Dropped::default() };
        let mut kept = 0;
        for index in 0..self.faces.len() {
            let face = self.faces[index];
            if let Some(reason) = fault(&vertices, face) {
                *reason(&mut dropped) += 1;
                continue;
            }
            self.faces[kept] = face;
            if let Some(labels) = &mut self.face_labels {
                labels[kept] = labels[index];
            }
            kept += 1;
        }
        self.faces.truncate(kept);
        self.faces.shrink_to_fit();
        if self.faces.is_empty() {
            return Err(RenderError::NoFaces { vertices: vertices.len(), dropped });
        }
        let labels = self.labels();
        let vertices = vertices.into_iter().map(|vertex| if is_finite(vertex) { vertex } else { [0.0; 3] }).collect();
        let Self { faces, label_names, colours, .. } = self;
        Ok((Mesh { origin, vertices, faces, labels, label_names, colours }, dropped))
    }

    /// Labels of the faces that are kept: their own, else those of their vertices. Two equal corners win; of three
    /// different ones the first.
    fn labels(&mut self) -> Option<Vec<u32>> {
        let kept = self.faces.len();
        if let Some(mut labels) = self.face_labels.take() {
            labels.truncate(kept);
            labels.shrink_to_fit();
            return Some(labels);
        }
        let of_vertices = self.vertex_labels.take()?;
        let label = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|corner| of_vertices[corner as usize]);
            if b == c { b } else { a }
        };
        Some(self.faces.iter().map(label).collect())
    }
}

fn numbered(element: &'static str, count: usize) -> Result<(), RenderError> {
    let count = count as u64;
    if count < u64::from(u32::MAX) { Ok(()) } else { Err(RenderError::TooMany { element, count }) }
}

/// Zero where all is near it, else the whole metres of the middle of the bounds.
fn origin_of(vertices: &[[f64; 3]]) -> [f64; 3] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for vertex in vertices.iter().filter(|vertex| vertex.iter().all(|coordinate| coordinate.is_finite())) {
        for axis in 0..3 {
            low[axis] = low[axis].min(vertex[axis]);
            high[axis] = high[axis].max(vertex[axis]);
        }
    }
    let is_near = low.iter().chain(&high).all(|coordinate| coordinate.abs() <= NEAR_ZERO_M);
    let middle: [f64; 3] = std::array::from_fn(|axis| (0.5 * low[axis] + 0.5 * high[axis]).round());
    if is_near || !middle.iter().all(|coordinate| coordinate.is_finite()) { [0.0; 3] } else { middle }
}

fn about(origin: [f64; 3], vertex: [f64; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| (vertex[axis] - origin[axis]) as f32)
}

fn is_finite(vertex: [f32; 3]) -> bool {
    vertex.iter().all(|coordinate| coordinate.is_finite())
}

/// The counter under which a triangle is dropped; null for a sound one.
fn fault(vertices: &[[f32; 3]], face: [u32; 3]) -> Option<fn(&mut Dropped) -> &mut u64> {
    let [Some(a), Some(b), Some(c)] = face.map(|corner| vertices.get(corner as usize)) else {
        return Some(|dropped| &mut dropped.index_out_of_range);
    };
    if ![a, b, c].into_iter().all(|vertex| is_finite(*vertex)) {
        return Some(|dropped| &mut dropped.non_finite);
    }
    let side = |to: &[f32; 3]| -> [f64; 3] { std::array::from_fn(|axis| f64::from(to[axis]) - f64::from(a[axis])) };
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let is_flat = uy * vz == uz * vy && uz * vx == ux * vz && ux * vy == uy * vx;
    is_flat.then_some(|dropped| &mut dropped.zero_area)
}
