//! The camera model: from a point in front of the camera to the image, and back to its ray.

use crate::{Camera, Direction, Distortion, GeometryError, ImageSize, Point};

/// How far the principal point may be off the centre of the image, as a share of the side. Calibrations stay within a few
/// hundredths; that of an image of half or twice the size is off by a quarter or more.
const PRINCIPAL_POINT_SHARE: f64 = 0.2;

/// Focal lengths over the longer side: from a field of view of 157° to one of 1°.
const FOCAL_SHARES: std::ops::RangeInclusive<f64> = 0.1..=60.0;

/// How unlike the two focal lengths may be.
const FOCAL_RATIO: f64 = 2.0;

/// A place in the image in pixels from its top-left corner; pixel centres are at .5. It may lie outside the image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pixel {
    /// Column, to the right.
    pub x: f64,
    /// Row, down.
    pub y: f64,
}

/// A calibrated camera: image size, focal lengths and principal point in pixels, lens distortion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intrinsics {
    size: ImageSize,
    fx: f64,
    fy: f64,
    cx: f64,
    cy: f64,
    distortion: Distortion,
    /// Square of the radius at z = 1 up to which the distortion describes a lens.
    limit_r2: f64,
}

impl Intrinsics {
    /// From focal lengths and a principal point in pixels, the latter from the top-left *corner* of the image. Refuses
    /// numbers that are not finite and a calibration that does not fit the image: a principal point over a fifth of the
    /// side off the centre, focal lengths that no camera has.
    ///
    /// ```
    /// use uavgen_geometry::{Distortion, GeometryError, ImageSize, Intrinsics, Pixel, Point};
    /// let size = ImageSize::new(1000, 800).unwrap();
    /// let camera = Intrinsics::new(size, 1000.0, 1000.0, 500.0, 400.0, Distortion::NONE).unwrap();
    /// assert_eq!(camera.project(Point::new(10.0, -20.0, 100.0)), Some(Pixel { x: 600.0, y: 200.0 }));
    /// assert_eq!(camera.project(Point::new(10.0, -20.0, -100.0)), None);
    ///
    /// let of_half_the_size = Intrinsics::new(size, 500.0, 500.0, 250.0, 200.0, Distortion::NONE);
    /// assert!(matches!(of_half_the_size, Err(GeometryError::PrincipalPoint { .. })));
    /// ```
    pub fn new(
        size: ImageSize,
        fx: f64,
        fy: f64,
        cx: f64,
        cy: f64,
        distortion: Distortion,
    ) -> Result<Self, GeometryError> {
        let (width, height) = (size.width_px(), size.height_px());
        let fits = |f: f64| FOCAL_SHARES.contains(&(f / size.longer_side_px()));
        if !fits(fx) || !fits(fy) || fx.max(fy) > FOCAL_RATIO * fx.min(fy) {
            return Err(GeometryError::FocalLength { fx, fy, width, height });
        }
        let is_central = |c: f64, side: f64| (c / side - 0.5).abs() <= PRINCIPAL_POINT_SHARE;
        if !is_central(cx, width) || !is_central(cy, height) {
            return Err(GeometryError::PrincipalPoint { cx, cy, width, height });
        }
        let coefficients = distortion.coefficients();
        if !coefficients.iter().all(|coefficient| coefficient.is_finite()) {
            return Err(GeometryError::DistortionNotFinite { coefficients });
        }
        Ok(Self { size, fx, fy, cx, cy, distortion, limit_r2: distortion.limit_r2() })
    }

    /// From OpenCV's camera matrix by rows and its coefficients k1, k2, p1, p2, k3. OpenCV counts from the *centre* of
    /// the first pixel, so the principal point gains half a pixel.
    ///
    /// ```
    /// # use uavgen_geometry::{ImageSize, Intrinsics};
    /// let matrix = [[1000.0, 0.0, 499.5], [0.0, 1000.0, 399.5], [0.0, 0.0, 1.0]];
    /// let camera = Intrinsics::from_opencv(ImageSize::new(1000, 800).unwrap(), matrix, [0.0; 5]).unwrap();
    /// assert_eq!((camera.cx(), camera.cy()), (500.0, 400.0));
    /// ```
    pub fn from_opencv(size: ImageSize, matrix: [[f64; 3]; 3], coefficients: [f64; 5]) -> Result<Self, GeometryError> {
        let [[fx, _, cx], [_, fy, cy], _] = matrix;
        Self::new(size, fx, fy, cx + 0.5, cy + 0.5, Distortion::from_opencv(coefficients))
    }

    /// From the normalised form of OpenSfM and OpenDroneMap: focal lengths over the longer side, and the principal point
    /// from the centre of the image, over the longer side too.
    ///
    /// ```
    /// # use uavgen_geometry::{Distortion, ImageSize, Intrinsics};
    /// let size = ImageSize::new(400, 225).unwrap();
    /// let camera = Intrinsics::from_opensfm(size, [0.5, 0.5], [0.01, 0.0], Distortion::NONE).unwrap();
    /// assert_eq!((camera.fx(), camera.cx(), camera.cy()), (200.0, 204.0, 112.5));
    /// ```
    pub fn from_opensfm(
        size: ImageSize,
        [focal_x, focal_y]: [f64; 2],
        [c_x, c_y]: [f64; 2],
        distortion: Distortion,
    ) -> Result<Self, GeometryError> {
        let (side, centre) = (size.longer_side_px(), size.centre_px());
        Self::new(size, focal_x * side, focal_y * side, centre.0 + c_x * side, centre.1 + c_y * side, distortion)
    }

    /// The same camera for its images at another size, whose sides are to each other as those of its own are.
    ///
    /// ```
    /// # use uavgen_geometry::{Distortion, ImageSize, Intrinsics};
    /// let camera = Intrinsics::new(ImageSize::new(400, 200).unwrap(), 300.0, 310.0, 202.0, 99.0, Distortion::NONE).unwrap();
    /// let larger = camera.scaled_to(ImageSize::new(4000, 2000).unwrap()).unwrap();
    /// assert_eq!((larger.fx(), larger.fy(), larger.cx(), larger.cy()), (3000.0, 3100.0, 2020.0, 990.0));
    /// ```
    ///
    /// # Errors
    /// A size at which the numbers are those of no camera.
    pub fn scaled_to(&self, size: ImageSize) -> Result<Self, GeometryError> {
        let (x, y) = (size.width_px() / self.size.width_px(), size.height_px() / self.size.height_px());
        Self::new(size, self.fx * x, self.fy * y, self.cx * x, self.cy * y, self.distortion)
    }

    /// Size of the image.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// Horizontal focal length in pixels.
    pub fn fx(&self) -> f64 {
        self.fx
    }

    /// Vertical focal length in pixels.
    pub fn fy(&self) -> f64 {
        self.fy
    }

    /// Column of the principal point in pixels from the left edge of the image.
    pub fn cx(&self) -> f64 {
        self.cx
    }

    /// Row of the principal point in pixels from the top edge of the image.
    pub fn cy(&self) -> f64 {
        self.cy
    }

    /// Lens distortion.
    pub fn distortion(&self) -> Distortion {
        self.distortion
    }

    /// Where the image shows a point, which may be outside its edges; `None` for a point that is not in front of the
    /// camera, and beyond the radius at which the distortion stops describing a lens (the image would fold there).
    pub fn project(&self, point: Point<Camera>) -> Option<Pixel> {
        if point.z() <= 0.0 {
            return None;
        }
        let (x, y) = (point.x() / point.z(), point.y() / point.z());
        let is_pinhole = self.distortion.is_none();
        if !is_pinhole && !self.distortion.is_regular((x, y), self.limit_r2) {
            return None;
        }
        let (x, y) = if is_pinhole { (x, y) } else { self.distortion.distort((x, y)) };
        let pixel = Pixel { x: self.fx * x + self.cx, y: self.fy * y + self.cy };
        (pixel.x.is_finite() && pixel.y.is_finite()).then_some(pixel)
    }

    /// The direction, with z = 1, in which the camera sees a place of the image: times the depth it is the point.
    /// `None` where the lens shows nothing. The inverse of [`Self::project`] to 1e-11 focal lengths.
    ///
    /// ```
    /// # use uavgen_geometry::{Direction, Distortion, ImageSize, Intrinsics, Pixel};
    /// # let size = ImageSize::new(1000, 800).unwrap();
    /// let camera = Intrinsics::new(size, 1000.0, 1000.0, 500.0, 400.0, Distortion::NONE).unwrap();
    /// assert_eq!(camera.ray(Pixel { x: 600.0, y: 200.0 }), Some(Direction::new(0.1, -0.2, 1.0)));
    /// ```
    pub fn ray(&self, pixel: Pixel) -> Option<Direction<Camera>> {
        let shown = ((pixel.x - self.cx) / self.fx, (pixel.y - self.cy) / self.fy);
        if !(shown.0.is_finite() && shown.1.is_finite()) {
            return None;
        }
        self.distortion.undistort(shown, self.limit_r2).map(|(x, y)| Direction::new(x, y, 1.0))
    }

    /// The point that is seen at a place of the image at a depth in metres along the optical axis.
    ///
    /// ```
    /// # use uavgen_geometry::{Distortion, ImageSize, Intrinsics, Pixel, Point};
    /// # let size = ImageSize::new(1000, 800).unwrap();
    /// # let camera = Intrinsics::new(size, 1000.0, 1000.0, 500.0, 400.0, Distortion::NONE).unwrap();
    /// assert_eq!(camera.unproject(Pixel { x: 600.0, y: 200.0 }, 100.0), Some(Point::new(10.0, -20.0, 100.0)));
    /// ```
    pub fn unproject(&self, pixel: Pixel, depth_m: f64) -> Option<Point<Camera>> {
        self.ray(pixel).map(|ray| Point::new(0.0, 0.0, 0.0) + ray * depth_m)
    }
}
