//! Points of the ground plane and of the picture, and the camera that maps one to the other.
//!
//! Ground: metres, `x` east, `y` north, height above the ground apart. Picture: pixels, `x` right, `y` down, pixel
//! (i, j) covers [i, i+1) x [j, j+1). Headings are unit vectors with short decimals (3-4-5 triangles), so that no
//! trigonometric function, whose last bit differs between platforms, ever decides a pixel.

use std::ops::{Add, Mul, Sub};

/// Metres that one metre of height moves a point up in the picture: the view is a parallel projection that keeps the
/// ground to scale and leans tall things away from the viewer, as a drone camera near the nadir does.
const LEAN: f64 = 0.4;

/// A point or a displacement in a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Shorthand for [`Point`].
pub(crate) const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Point {
    /// Scalar product.
    pub(crate) fn dot(self, other: Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Z component of the vector product: positive when `other` lies to the left in a plane whose y points up.
    pub(crate) fn cross(self, other: Point) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// The vector turned to the left by a right angle (y up).
    pub(crate) fn left(self) -> Point {
        point(-self.y, self.x)
    }

    /// Length of the vector.
    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        point(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, other: Point) -> Point {
        point(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, factor: f64) -> Point {
        point(self.x * factor, self.y * factor)
    }
}

/// Where the drone looks at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    /// Ground point in the middle of the picture.
    pub(crate) centre: Point,
    /// Unit vector on the ground that points up in the picture.
    pub(crate) up: Point,
    /// Scale on the ground.
    pub(crate) pixels_per_metre: f64,
    /// Picture width in pixels.
    pub(crate) width: u32,
    /// Picture height in pixels.
    pub(crate) height: u32,
}

impl Camera {
    /// Picture position of a ground point lifted by `height` metres.
    pub(crate) fn project(&self, ground: Point, height: f64) -> Point {
        let offset = ground - self.centre;
        let right = offset.dot(self.right());
        let up = offset.dot(self.up) + LEAN * height;
        point(
            f64::from(self.width) / 2.0 + self.pixels_per_metre * right,
            f64::from(self.height) / 2.0 - self.pixels_per_metre * up,
        )
    }

    /// Ground point (height 0) seen at a picture position.
    pub(crate) fn ground_at(&self, picture: Point) -> Point {
        let right = (picture.x - f64::from(self.width) / 2.0) / self.pixels_per_metre;
        let up = (f64::from(self.height) / 2.0 - picture.y) / self.pixels_per_metre;
        self.centre + self.right() * right + self.up * up
    }

    /// Unit vector on the ground that points right in the picture.
    pub(crate) fn right(&self) -> Point {
        self.up.left() * -1.0
    }
}

/// Convex hull of some points, without collinear corners, in one fixed winding (monotone chain).
pub(crate) fn convex_hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull = half_hull(sorted.iter());
    hull.pop();
    let mut other = half_hull(sorted.iter().rev());
    other.pop();
    hull.append(&mut other);
    hull
}

fn half_hull<'a>(sorted: impl Iterator<Item = &'a Point>) -> Vec<Point> {
    let mut chain: Vec<Point> = Vec::new();
    for &next in sorted {
        while let [.., a, b] = chain[..] {
            if (b - a).cross(next - b) > 0.0 {
                break;
            }
            chain.pop();
        }
        chain.push(next);
    }
    chain
}
