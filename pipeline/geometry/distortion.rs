//! Lens distortion after Brown and Conrady, as OpenCV writes it.

/// Largest residual of an undistorted point, in units of the focal length: a millionth of a pixel of any real camera.
const UNDISTORTION_TOLERANCE: f64 = 1e-11;

/// Coefficients of radial (`k1 k2 k3`) and tangential (`p1 p2`) distortion; all zero for a pinhole.
///
/// With r² = x² + y² of a point (x, y) at z = 1 the image shows it at
/// x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2x²), and
/// y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2y²) + 2 p2 x y (OpenCV, "Camera Calibration and 3D Reconstruction").
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distortion {
    /// Radial, of r².
    pub k1: f64,
    /// Radial, of r⁴.
    pub k2: f64,
    /// Tangential, along y.
    pub p1: f64,
    /// Tangential, along x.
    pub p2: f64,
    /// Radial, of r⁶.
    pub k3: f64,
}

impl Distortion {
    /// No distortion: a pinhole.
    pub const NONE: Self = Self { k1: 0.0, k2: 0.0, p1: 0.0, p2: 0.0, k3: 0.0 };

    /// From coefficients in OpenCV's order: k1, k2, p1, p2, k3.
    pub fn from_opencv([k1, k2, p1, p2, k3]: [f64; 5]) -> Self {
        Self { k1, k2, p1, p2, k3 }
    }

    /// The coefficients in OpenCV's order: k1, k2, p1, p2, k3.
    pub fn coefficients(&self) -> [f64; 5] {
        [self.k1, self.k2, self.p1, self.p2, self.k3]
    }

    /// Whether the lens does not distort.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Where the image shows the point (x, y) at z = 1, in units of the focal length from the principal point. The
    /// polynomial is evaluated wherever it is asked for, also beyond the radius to which it describes a lens.
    pub fn distort(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let r2 = x * x + y * y;
        let radial = self.radial(r2);
        (
            x * radial + 2.0 * self.p1 * x * y + self.p2 * (r2 + 2.0 * x * x),
            y * radial + self.p1 * (r2 + 2.0 * y * y) + 2.0 * self.p2 * x * y,
        )
    }

    /// A bound on the second derivative of [`Self::distort`] in any direction at any point within a radius: between two
    /// points a distance d apart the image of a line is off the straight one by at most this times d²/8.
    ///
    /// The radial term of degree n = 3, 5, 7 has n (n - 1) |k| rⁿ⁻² along the radius and less elsewhere; the tangential
    /// terms are quadratic, with at most 8 (|p1| + |p2|).
    pub fn second_derivative_bound(&self, radius: f64) -> f64 {
        let (r, r2) = (radius, radius * radius);
        let radial = r * (6.0 * self.k1.abs() + r2 * (20.0 * self.k2.abs() + r2 * 42.0 * self.k3.abs()));
        radial + 8.0 * (self.p1.abs() + self.p2.abs())
    }

    fn radial(&self, r2: f64) -> f64 {
        1.0 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
    }

    /// Derivatives of [`Self::distort`]: xx, the mixed one (it is symmetric), yy.
    fn jacobian(&self, (x, y): (f64, f64)) -> [f64; 3] {
        let r2 = x * x + y * y;
        let (radial, slope) = (self.radial(r2), 2.0 * (self.k1 + r2 * (2.0 * self.k2 + r2 * 3.0 * self.k3)));
        [
            radial + slope * x * x + 2.0 * self.p1 * y + 6.0 * self.p2 * x,
            slope * x * y + 2.0 * self.p1 * x + 2.0 * self.p2 * y,
            radial + slope * y * y + 6.0 * self.p1 * y + 2.0 * self.p2 * x,
        ]
    }

    /// Whether the image does not fold at the point: a lens shows each place once and does not mirror.
    pub(crate) fn is_regular(&self, point: (f64, f64), limit_r2: f64) -> bool {
        let [xx, xy, yy] = self.jacobian(point);
        point.0 * point.0 + point.1 * point.1 < limit_r2 && xx > 0.0 && xx * yy > xy * xy
    }

    /// The square of the radius at which radial distortion stops growing with the radius; infinite where it never does.
    /// It is the smallest positive root of 1 + 3 k1 u + 5 k2 u² + 7 k3 u³.
    pub(crate) fn limit_r2(&self) -> f64 {
        let (a, b, c) = (3.0 * self.k1, 5.0 * self.k2, 7.0 * self.k3);
        let growth = |u: f64| 1.0 + u * (a + u * (b + u * c));
        // Between its turning points the cubic is monotonic, so the first of them that is not positive brackets the root.
        // Past Cauchy's bound of 1 + Σ|coefficient| in 1/u, here doubled until the sign is settled, there is none.
        let mut stations: Vec<f64> = positive_roots(3.0 * c, 2.0 * b, a);
        let mut far = 1.0;
        while far < 1e12 {
            far *= 2.0;
            stations.push(far);
        }
        stations.sort_by(f64::total_cmp);
        let mut low = 0.0;
        for high in stations {
            if growth(high) <= 0.0 {
                return bisect(low, high, growth);
            }
            low = high;
        }
        f64::INFINITY
    }

    /// The point at z = 1 that the image shows at `target`; `None` where the lens shows nothing there.
    ///
    /// Newton's method until the residual is below 1e-11 focal lengths, first from the shown place itself, then from
    /// the solution without tangential distortion.
    pub(crate) fn undistort(&self, target: (f64, f64), limit_r2: f64) -> Option<(f64, f64)> {
        if self.is_none() {
            return Some(target);
        }
        let found = self.newton(target, target).filter(|&point| self.is_regular(point, limit_r2));
        found.or_else(|| {
            let start = self.without_tangential(target, limit_r2)?;
            self.newton(start, target).filter(|&point| self.is_regular(point, limit_r2))
        })
    }

    fn newton(&self, start: (f64, f64), target: (f64, f64)) -> Option<(f64, f64)> {
        let (mut x, mut y) = start;
        for _ in 0..30 {
            let shown = self.distort((x, y));
            let (ex, ey) = (shown.0 - target.0, shown.1 - target.1);
            if ex.abs().max(ey.abs()) <= UNDISTORTION_TOLERANCE {
                return Some((x, y));
            }
            let [xx, xy, yy] = self.jacobian((x, y));
            let determinant = xx * yy - xy * xy;
            (x, y) = (x - (yy * ex - xy * ey) / determinant, y - (xx * ey - xy * ex) / determinant);
        }
        None
    }

    /// The solution for radial distortion alone, which is monotonic up to the limit.
    fn without_tangential(&self, (x, y): (f64, f64), limit_r2: f64) -> Option<(f64, f64)> {
        let shown = x.hypot(y);
        let mut high = limit_r2.sqrt().min(1e3);
        if shown <= 0.0 || self.radial(high * high) * high < shown {
            return None;
        }
        high = bisect(0.0, high, |r| shown - r * self.radial(r * r));
        Some((x * high / shown, y * high / shown))
    }
}

/// The positive roots of a u² + b u + c, in any order.
fn positive_roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    let root = (b * b - 4.0 * a * c).sqrt();
    // The form without cancellation: one root over 2a, the other from the product of both.
    let q = -0.5 * (b + root.copysign(b));
    [q / a, c / q].into_iter().filter(|u| u.is_finite() && *u > 0.0).collect()
}

/// Where a function that is positive at `low` and not at `high` changes its sign; the last number at which it is positive.
fn bisect(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
