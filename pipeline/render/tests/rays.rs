//! The truth: a ray through every pixel centre, in f64, tried on every face.

use crate::{Mesh, NEAR_M, NO_SURFACE};
use uavgen_geometry::{Camera, Direction, Intrinsics, Pixel, Point, Transform, World};

/// Depth and face of every pixel; 0 and [`NO_SURFACE`] where the ray meets nothing.
pub(crate) fn cast(mesh: &Mesh, camera: &Intrinsics, camera_from_world: &Transform<Camera, World>) -> Vec<(f64, u32)> {
    let [x0, y0, z0] = mesh.origin();
    let corner = |corner: u32| {
        let [x, y, z] = mesh.vertices()[corner as usize].map(f64::from);
        *camera_from_world * Point::<World>::new(x + x0, y + y0, z + z0)
    };
    let faces: Vec<[Point<Camera>; 3]> = mesh.faces().iter().map(|face| face.map(corner)).collect();
    let (width, height) = (camera.size().width_px() as usize, camera.size().height_px() as usize);
    let centre = |index: usize| Pixel { x: (index % width) as f64 + 0.5, y: (index / width) as f64 + 0.5 };
    (0..width * height)
        .map(|index| camera.ray(centre(index)).map_or((0.0, NO_SURFACE), |ray| nearest(&faces, ray)))
        .collect()
}

fn nearest(faces: &[[Point<Camera>; 3]], ray: Direction<Camera>) -> (f64, u32) {
    let mut found = (0.0, NO_SURFACE);
    for (number, face) in faces.iter().enumerate() {
        if let Some(depth) = depth_of(face, ray).filter(|depth| found.1 == NO_SURFACE || *depth < found.0) {
            found = (depth, number as u32);
        }
    }
    found
}

/// Möller and Trumbore, "Fast, minimum storage ray/triangle intersection" (1997). The ray has z = 1, so its parameter is the
/// depth.
fn depth_of([a, b, c]: &[Point<Camera>; 3], ray: Direction<Camera>) -> Option<f64> {
    let (first, second, start) = (*b - *a, *c - *a, Point::new(0.0, 0.0, 0.0) - *a);
    let (p, q) = (ray.cross(&second), start.cross(&first));
    let determinant = first.dot(&p);
    let (u, v, depth) = (start.dot(&p) / determinant, ray.dot(&q) / determinant, second.dot(&q) / determinant);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && depth >= NEAR_M).then_some(depth)
}
