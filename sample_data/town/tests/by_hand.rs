//! Cameras, mesh and masks as the files have them, read and used with mathematics written down anew.

use super::town;
use crate::town::table::TownRow;
use serde_json::Value;
use std::fs;

pub(super) const RECORDINGS: [&str; 2] = ["nadir", "oblique"];
pub(super) const WIDTH: usize = 640;
pub(super) const HEIGHT: usize = 512;

pub(super) type Vector = [f64; 3];

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A camera in its pose: position, and the directions of the image's columns, rows and depth.
pub(super) struct HandCamera {
    pub(super) position: Vector,
    right: Vector,
    down: Vector,
    ahead: Vector,
    focal: (f64, f64),
    /// From the corner of the image.
    centre: (f64, f64),
    /// k1, k2, p1, p2.
    distortion: [f64; 4],
}

pub(super) fn cameras_file(recording: &str) -> Value {
    let path = town().0.path().join("town").join(recording).join("cameras.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The camera of a frame as its `cameras.json` says.
pub(super) fn camera(recording: &str, frame: usize) -> HandCamera {
    let file = cameras_file(recording);
    let main = &file["cameras"]["main"];
    let number = |name: &str| main[name].as_f64().unwrap();
    let m: Vec<Vec<f64>> = serde_json::from_value(file["frames"][frame]["matrix"].clone()).unwrap();
    let column = |j: usize| [m[0][j], m[1][j], m[2][j]];
    let row = |i: usize| [m[i][0], m[i][1], m[i][2]];
    let negative = |v: Vector| v.map(|part| -part);
    let (position, right, down, ahead) = match file["pose"].as_str().unwrap() {
        // Columns are the camera's axes in the world; OpenCV's: right, down, ahead.
        "camera-to-world" => (column(3), column(0), column(1), column(2)),
        // Rows are the camera's axes in the world; OpenGL's: right, up, back. The position is minus R transposed t.
        _ => {
            let step = column(3);
            let position = [0, 1, 2].map(|axis| -dot([m[0][axis], m[1][axis], m[2][axis]], step));
            (position, row(0), negative(row(1)), negative(row(2)))
        }
    };
    let shift = if file["first_pixel"] == "zero" { 0.5 } else { 0.0 };
    let coefficients: Vec<f64> = serde_json::from_value(main["distortion"].clone()).unwrap();
    HandCamera {
        position,
        right,
        down,
        ahead,
        focal: (number("fx"), number("fy")),
        centre: (number("cx") + shift, number("cy") + shift),
        distortion: [coefficients[0], coefficients[1], coefficients[2], coefficients[3]],
    }
}

impl HandCamera {
    fn distorted(&self, x: f64, y: f64) -> (f64, f64) {
        let [k1, k2, p1, p2] = self.distortion;
        let r2 = x * x + y * y;
        let radial = 1.0 + k1 * r2 + k2 * r2 * r2;
        (
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        )
    }

    /// Where the image shows a point in front of the camera.
    pub(super) fn project(&self, point: Vector) -> (f64, f64) {
        let offset = minus(point, self.position);
        let depth = dot(offset, self.ahead);
        assert!(depth > 0.0);
        let (x, y) = self.distorted(dot(offset, self.right) / depth, dot(offset, self.down) / depth);
        (self.focal.0 * x + self.centre.0, self.focal.1 * y + self.centre.1)
    }

    /// Direction in which the centre of a pixel looks.
    pub(super) fn ray(&self, column: usize, row: usize) -> Vector {
        let shown =
            ((column as f64 + 0.5 - self.centre.0) / self.focal.0, (row as f64 + 0.5 - self.centre.1) / self.focal.1);
        let (mut x, mut y) = shown;
        for _ in 0..60 {
            let (dx, dy) = self.distorted(x, y);
            (x, y) = (x + shown.0 - dx, y + shown.1 - dy);
        }
        [0, 1, 2].map(|axis| x * self.right[axis] + y * self.down[axis] + self.ahead[axis])
    }
}

/// The mesh as its file has it.
pub(super) struct HandMesh {
    pub(super) vertices: Vec<Vector>,
    pub(super) faces: Vec<[usize; 3]>,
    pub(super) labels: Vec<u8>,
}

pub(super) fn mesh() -> HandMesh {
    let bytes = fs::read(town().0.path().join("town/mesh.ply")).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let count = |element: &str| -> usize {
        let line = header.lines().find(|line| line.starts_with(&format!("element {element} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (vertex_bytes, face_bytes) = bytes[end..].split_at(12 * count("vertex"));
    assert_eq!(face_bytes.len(), 14 * count("face"));
    let float = |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
    let corner = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap()) as usize;
    let vertices = vertex_bytes.chunks(12).map(|v| [float(&v[..4]), float(&v[4..8]), float(&v[8..])]).collect();
    let faces = face_bytes.chunks(14).map(|f| [corner(&f[1..5]), corner(&f[5..9]), corner(&f[9..13])]).collect();
    HandMesh { vertices, faces, labels: face_bytes.chunks(14).map(|f| f[13]).collect() }
}

impl HandMesh {
    /// How many directions away the nearest face that counts is, and its label; every face is tried.
    pub(super) fn hit(&self, from: Vector, direction: Vector, counts: impl Fn(u8) -> bool) -> Option<(f64, u8)> {
        let hits =
            self.faces.iter().zip(&self.labels).filter(|(_, label)| counts(**label)).filter_map(|(face, label)| {
                // Möller and Trumbore, 1997.
                let [a, b, c] = face.map(|corner| self.vertices[corner]);
                let (u_side, v_side) = (minus(b, a), minus(c, a));
                let p = cross(direction, v_side);
                let determinant = dot(u_side, p);
                let offset = minus(from, a);
                let q = cross(offset, u_side);
                let (u, v) = (dot(offset, p) / determinant, dot(direction, q) / determinant);
                let along = dot(v_side, q) / determinant;
                (determinant != 0.0 && u >= -1e-9 && v >= -1e-9 && u + v <= 1.0 + 1e-9 && along > 0.0)
                    .then_some((along, *label))
            });
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Height of the ground at a place: a look straight down.
    pub(super) fn ground_at(&self, x: f64, y: f64) -> f64 {
        let (along, _) = self.hit([x, y, 1000.0], [0.0, 0.0, -1.0], |label| (1..=4).contains(&label)).unwrap();
        1000.0 - along
    }
}

/// The mask of a frame.
pub(super) fn mask(recording: &str, frame: u32) -> Vec<u8> {
    let path = town().0.path().join(format!("town/{recording}/labels/{frame:03}.png"));
    let picture = image::open(path).unwrap();
    assert_eq!(picture.color(), image::ColorType::L8);
    assert_eq!((picture.width() as usize, picture.height() as usize), (WIDTH, HEIGHT));
    picture.into_luma8().into_raw()
}

/// Directions of length and width of the box of a row.
fn axes(row: &TownRow) -> [Vector; 2] {
    let (sine, cosine) = row.axis_yaw_deg.to_radians().sin_cos();
    [[cosine, sine, 0.0], [-sine, cosine, 0.0]]
}

/// A place in a box: each share from -1 to 1.
pub(super) fn in_box(row: &TownRow, shares: [f64; 3]) -> Vector {
    let [along, across] = axes(row);
    let (l, w, h) = (shares[0] * row.length_m / 2.0, shares[1] * row.width_m / 2.0, shares[2] * row.height_m / 2.0);
    [row.x_m + along[0] * l + across[0] * w, row.y_m + along[1] * l + across[1] * w, row.z_m + h]
}

/// Whether a ray meets the box of a row: the intervals in which it is between each pair of sides overlap.
pub(super) fn meets_box(row: &TownRow, from: Vector, direction: Vector) -> bool {
    let offset = minus(from, [row.x_m, row.y_m, row.z_m]);
    let [along, across] = axes(row);
    let sides = [(along, row.length_m), (across, row.width_m), ([0.0, 0.0, 1.0], row.height_m)];
    let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
    for (axis, size) in sides {
        let (start, speed) = (dot(offset, axis), dot(direction, axis));
        let (a, b) = ((-size / 2.0 - start) / speed, (size / 2.0 - start) / speed);
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    enter <= leave
}
