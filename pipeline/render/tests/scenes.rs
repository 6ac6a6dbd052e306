//! Meshes and cameras for tests.

use crate::Mesh;
use uavgen_geometry::{Camera, Distortion, ImageSize, Intrinsics, Transform, World};

/// Numbers from 0 to 1 that are the same in every run (Knuth's linear congruential generator).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

pub(crate) fn camera(width: i64, height: i64, focal: f64, coefficients: [f64; 5]) -> Intrinsics {
    let size = ImageSize::new(width, height).unwrap();
    let (cx, cy) = (0.49 * size.width_px(), 0.52 * size.height_px());
    Intrinsics::new(size, focal, focal * 1.01, cx, cy, Distortion::from_opencv(coefficients)).unwrap()
}

/// A camera at a place that looks at another one, its x axis level.
pub(crate) fn looking(from: [f64; 3], at: [f64; 3]) -> Transform<Camera, World> {
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|part| part * part).sum::<f64>().sqrt();
        v.map(|part| part / length)
    };
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let z = unit([at[0] - from[0], at[1] - from[1], at[2] - from[2]]);
    let x = unit(cross(z, [1e-9, 1e-9, 1.0]));
    let y = cross(z, x);
    let world_from_camera = [0, 1, 2].map(|axis| [x[axis], y[axis], z[axis]]);
    Transform::<World, Camera>::new(world_from_camera, from).unwrap().inverse()
}

/// Rolling ground of `steps` x `steps` cells over 200 m with boxes on it, and walls that nothing closes.
pub(crate) fn town(steps: usize, seed: u64) -> Mesh {
    let mut numbers = Numbers(seed);
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for row in 0..=steps {
        for column in 0..=steps {
            let (x, y) = (column as f64 / steps as f64 * 200.0 - 100.0, row as f64 / steps as f64 * 200.0 - 100.0);
            vertices.push([x, y, 3.0 * (x / 17.0).sin() + 2.0 * (y / 11.0).cos() + numbers.next() * 0.3]);
        }
    }
    for row in 0..steps {
        for column in 0..steps {
            let corner = (row * (steps + 1) + column) as u32;
            let (right, below) = (corner + 1, corner + steps as u32 + 1);
            // Every other face is wound the other way round.
            faces.extend([[corner, right, below], [right, below, below + 1]]);
        }
    }
    for _ in 0..12 {
        let (x, y) = (numbers.between(-80.0, 80.0), numbers.between(-80.0, 80.0));
        let (half, height) = (numbers.between(2.0, 9.0), numbers.between(3.0, 25.0));
        let first = vertices.len() as u32;
        for (dx, dy) in [(-half, -half), (half, -half), (half, half), (-half, half)] {
            vertices.extend([[x + dx, y + dy, -6.0], [x + dx, y + dy, height]]);
        }
        for side in 0..4 {
            let (low, next) = (first + 2 * side, first + 2 * ((side + 1) % 4));
            faces.extend([[low, next, next + 1], [low, next + 1, low + 1]]);
        }
        faces.extend([[first + 1, first + 3, first + 5], [first + 1, first + 5, first + 7]]);
    }
    Mesh::new(&vertices, &faces, None).unwrap().0
}

/// Triangles of every shape and size about the origin, many of them slivers.
pub(crate) fn soup(count: usize, seed: u64) -> Mesh {
    let mut numbers = Numbers(seed);
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for number in 0..count as u32 {
        let middle: [f64; 3] = std::array::from_fn(|_| numbers.between(-30.0, 30.0));
        let size = 10f64.powf(numbers.between(-2.0, 1.3));
        for _ in 0..3 {
            vertices.push(middle.map(|coordinate| coordinate + size * numbers.between(-1.0, 1.0)));
        }
        faces.push([3 * number, 3 * number + 1, 3 * number + 2]);
    }
    Mesh::new(&vertices, &faces, None).unwrap().0
}
