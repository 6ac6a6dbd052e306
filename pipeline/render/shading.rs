//! Layers that follow from the face of a pixel.

use crate::Mesh;
use crate::rendered::{NO_SURFACE, Rendered};
use rayon::prelude::*;
use uavgen_geometry::{Camera, Transform, World};

/// Pixels that one thread takes at a time.
const PIXELS: usize = 1 << 16;

/// Fills in labels and normals where they are asked for.
pub(crate) fn shade(mesh: &Mesh, camera_from_world: &Transform<Camera, World>, rendered: &mut Rendered) {
    let faces = &rendered.faces;
    if let Some(of_faces) = &mesh.labels {
        let label =
            |(label, &face): (&mut u32, &u32)| *label = of_faces.get(face as usize).copied().unwrap_or(NO_SURFACE);
        rendered.labels.par_iter_mut().with_min_len(PIXELS).zip(faces).for_each(label);
    }
    let position = camera_from_world.inverse().translation();
    let eye: [f64; 3] = std::array::from_fn(|axis| position[axis] - mesh.origin[axis]);
    let normal = |(normal, &face): (&mut [f32; 3], &u32)| {
        *normal = mesh.faces.get(face as usize).map_or([0.0; 3], |face| normal_of(mesh, *face, eye));
    };
    rendered.normals.par_iter_mut().with_min_len(PIXELS).zip(faces).for_each(normal);
}

/// Unit normal of a face on the side of the eye, both about the mesh's origin.
fn normal_of(mesh: &Mesh, face: [u32; 3], eye: [f64; 3]) -> [f32; 3] {
    let [a, b, c] = face.map(|corner| mesh.vertices[corner as usize].map(f64::from));
    let minus = |p: [f64; 3], q: [f64; 3]| -> [f64; 3] { std::array::from_fn(|axis| p[axis] - q[axis]) };
    let ([ux, uy, uz], [vx, vy, vz], [ex, ey, ez]) = (minus(b, a), minus(c, a), minus(eye, a));
    let [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = (x * x + y * y + z * z).sqrt();
    let towards = if x * ex + y * ey + z * ez < 0.0 { -length } else { length };
    // No face of the mesh is without area, but the square of a tiny one may be.
    if length > 0.0 { [x / towards, y / towards, z / towards].map(|part| part as f32) } else { [0.0; 3] }
}
