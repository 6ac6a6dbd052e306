//! Faces in clusters of near ones, each with its vertices at hand and its bounds.

use crate::Mesh;
use rayon::prelude::*;

/// Faces in a cluster. Smaller ones are culled more closely, larger ones share more vertices.
const CLUSTER_FACES: usize = 128;

/// Slots of the table in which a cluster's vertices are looked up: over twice its corners, a power of two.
const SLOT_BITS: u32 = 10;

/// Up to [`CLUSTER_FACES`] near faces. In a closed mesh a face takes about 18 bytes here, in one without shared vertices 46.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Middle of the bounds, from the mesh's origin in metres.
    pub(crate) centre: [f32; 3],
    /// Half of the bounds' sides in metres.
    pub(crate) half: [f32; 3],
    /// The vertices that its faces use, from the mesh's origin in metres.
    pub(crate) vertices: Box<[[f32; 3]]>,
    /// Corners of the faces as numbers of `vertices`.
    pub(crate) corners: Box<[[u16; 3]]>,
    /// Numbers of the faces in the mesh.
    pub(crate) faces: Box<[u32]>,
}

/// Cuts the faces into clusters along a Morton curve through their centroids.
pub(crate) fn clusters_of(mesh: &Mesh) -> Vec<Cluster> {
    let (low, high) = bounds(&mesh.vertices);
    let side = (0..3).map(|axis| high[axis] - low[axis]).fold(f32::MIN_POSITIVE, f32::max);
    let key = |(number, face): (usize, &[u32; 3])| {
        let [a, b, c] = face.map(|corner| mesh.vertices[corner as usize]);
        let cell = |axis: usize, steps: f32| {
            let centroid = a[axis] / 3.0 + b[axis] / 3.0 + c[axis] / 3.0;
            ((centroid - low[axis]) / side * steps) as u32
        };
        let code = spread(cell(0, 1023.0)) | spread(cell(1, 1023.0)) << 1 | spread(cell(2, 1023.0)) << 2;
        u64::from(code) << 32 | number as u64
    };
    let mut order: Vec<u64> = mesh.faces.par_iter().enumerate().map(key).collect();
    order.par_sort_unstable();
    order.par_chunks(CLUSTER_FACES).map(|faces| cluster_of(mesh, faces)).collect()
}

/// A cluster of the faces that the low halves of the keys number.
fn cluster_of(mesh: &Mesh, keys: &[u64]) -> Cluster {
    let faces: Box<[u32]> = keys.iter().map(|&key| key as u32).collect();
    let mut vertices = Vec::with_capacity(CLUSTER_FACES);
    let mut slots = [(u32::MAX, 0u16); 1 << SLOT_BITS];
    let mut local = |corner: u32| {
        let mut slot = (corner.wrapping_mul(0x9E37_79B1) >> (32 - SLOT_BITS)) as usize;
        while slots[slot].0 != corner {
            if slots[slot].0 == u32::MAX {
                slots[slot] = (corner, vertices.len() as u16);
                vertices.push(mesh.vertices[corner as usize]);
                break;
            }
            slot = (slot + 1) % slots.len();
        }
        slots[slot].1
    };
    let corners = faces.iter().map(|&face| mesh.faces[face as usize].map(&mut local)).collect();
    let (low, high) = bounds(&vertices);
    let centre: [f32; 3] = std::array::from_fn(|axis| 0.5 * low[axis] + 0.5 * high[axis]);
    // Rounded up, so that the bounds hold whatever the middle was rounded to.
    let reach = |axis: usize| (high[axis] - centre[axis]).max(centre[axis] - low[axis]) * (1.0 + 4.0 * f32::EPSILON);
    Cluster { centre, half: std::array::from_fn(reach), vertices: vertices.into(), corners, faces }
}

/// Lowest and highest coordinates; of no vertices, those of none.
pub(crate) fn bounds(vertices: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let none = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    vertices.iter().fold(none, |(low, high), vertex| {
        let pick = |of: fn(f32, f32) -> f32, old: [f32; 3]| std::array::from_fn(|axis| of(old[axis], vertex[axis]));
        (pick(f32::min, low), pick(f32::max, high))
    })
}

/// The low ten bits with two zeros between neighbours.
fn spread(cell: u32) -> u32 {
    let mut bits = cell & 0x3FF;
    bits = (bits | bits << 16) & 0x0300_00FF;
    bits = (bits | bits << 8) & 0x0300_F00F;
    bits = (bits | bits << 4) & 0x030C_30C3;
    (bits | bits << 2) & 0x0924_9249
}
