//! One view of a mesh: from its vertices to the image, and which clusters it can see.

use crate::clusters::Cluster;
use crate::lens::Lens;
use uavgen_geometry::{Camera, Transform, World};

/// Nothing nearer to the camera than this, in metres along the optical axis, is drawn.
pub const NEAR_M: f64 = 0.05;

/// A vertex before the division by its depth: pixel times depth, and the depth in metres. Straight lines stay straight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Homogeneous {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}

/// A vertex in the image without lens distortion: pixels from the top-left corner, and one over the depth in 1/m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Projected {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) inverse_z: f64,
}

impl Homogeneous {
    #[inline(always)]
    pub(crate) fn projected(self) -> Projected {
        let inverse_z = 1.0 / self.z;
        Projected { x: self.x * inverse_z, y: self.y * inverse_z, inverse_z }
    }

    /// Where the line to a vertex behind the near plane meets it. The one in front is always `self`, so that both faces of
    /// an edge get the same point.
    pub(crate) fn cut_towards(self, behind: Self) -> Self {
        let share = (self.z - NEAR_M) / (self.z - behind.z);
        let between = |from: f64, to: f64| from + share * (to - from);
        Self { x: between(self.x, behind.x), y: between(self.y, behind.y), z: NEAR_M }
    }
}

/// The rows of an image in which a cluster can have pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visible {
    pub(crate) cluster: u32,
    pub(crate) top: u32,
    /// Exclusive.
    pub(crate) bottom: u32,
    /// Whether it may reach through the near plane, so that its faces must be cut.
    pub(crate) is_cut: bool,
}

/// The projection of a mesh by a camera in its pose.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Rows that give pixel column times depth, pixel row times depth, and depth of a vertex about the mesh's origin.
    rows: [[f64; 4]; 3],
    pub(crate) lens: &'a Lens,
}

impl<'a> View<'a> {
    pub(crate) fn new(lens: &'a Lens, camera_from_world: &Transform<Camera, World>, origin: [f64; 3]) -> Self {
        let camera = lens.intrinsics();
        let (rotation, translation) = (camera_from_world.rotation(), camera_from_world.translation());
        // The large parts of origin and translation cancel here, in f64.
        let [x, y, z]: [[f64; 4]; 3] = std::array::from_fn(|row| {
            let [a, b, c] = rotation[row];
            [a, b, c, a * origin[0] + b * origin[1] + c * origin[2] + translation[row]]
        });
        let image_row =
            |focal: f64, axis: [f64; 4], centre: f64| std::array::from_fn(|i| focal * axis[i] + centre * z[i]);
        Self { rows: [image_row(camera.fx(), x, camera.cx()), image_row(camera.fy(), y, camera.cy()), z], lens }
    }

    #[inline(always)]
    pub(crate) fn homogeneous(&self, [x, y, z]: [f64; 3]) -> Homogeneous {
        let [along, down, deep] = self.rows.map(|[a, b, c, d]| a * x + b * y + c * z + d);
        Homogeneous { x: along, y: down, z: deep }
    }

    /// Where a cluster can have pixels; null where it has none.
    pub(crate) fn see(&self, number: usize, cluster: &Cluster) -> Option<Visible> {
        let [left, right, top, bottom] = self.lens.window();
        let [along, down, deep] = self.rows;
        let planes = [
            weighted(along, -left, deep),
            weighted(deep.map(|part| part * right), -1.0, along),
            weighted(down, -top, deep),
            weighted(deep.map(|part| part * bottom), -1.0, down),
        ];
        let (nearest, farthest) = range(deep, cluster);
        if farthest < NEAR_M || planes.iter().any(|&plane| range(plane, cluster).1 < 0.0) {
            return None;
        }
        let is_cut = nearest < NEAR_M;
        let height = self.lens.height();
        let (top, bottom) = if is_cut { (0, height) } else { self.rows_of(cluster) };
        (top < bottom).then_some(Visible { cluster: number as u32, top: top as u32, bottom: bottom as u32, is_cut })
    }

    /// The rows that a cluster in front of the near plane can reach, from the corners of its bounds.
    fn rows_of(&self, cluster: &Cluster) -> (usize, usize) {
        let place = |corner: usize| {
            let sign = |axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let at = std::array::from_fn(|axis| {
                f64::from(cluster.centre[axis]) + sign(axis) * f64::from(cluster.half[axis])
            });
            let Projected { x, y, .. } = self.homogeneous(at).projected();
            [x, y]
        };
        let places: [[f64; 2]; 8] = std::array::from_fn(place);
        let curvature = self.lens.curvature(places.into_iter());
        let [.., top, bottom] = self.lens.reach(places, places.map(|place| self.lens.shown(place)), curvature);
        (top, bottom)
    }
}

fn weighted(a: [f64; 4], factor: f64, b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| a[i] + factor * b[i])
}

/// Lowest and highest value of a linear function over the bounds of a cluster.
fn range([a, b, c, d]: [f64; 4], cluster: &Cluster) -> (f64, f64) {
    let [x, y, z] = cluster.centre.map(f64::from);
    let [hx, hy, hz] = cluster.half.map(f64::from);
    let (middle, reach) = (a * x + b * y + c * z + d, a.abs() * hx + b.abs() * hy + c.abs() * hz);
    (middle - reach, middle + reach)
}
