//! Where a lifted object stands, and how the camera stood that saw it.

use uavgen_geometry::{Box2, Camera, Direction, Intrinsics, Pixel, Point, Rectangle, Transform, World};

/// The upright box of an object in the `world` frame, as one frame shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Footprint, east and north in metres.
    pub footprint: Rectangle,
    /// Base of the box, up.
    pub base_m: f64,
    /// Top of the box, up; null of what was placed by rays.
    pub top_m: Option<f64>,
    /// How far the centre of its footprint may be from the truth, in metres: 0 of what has a top. The rays of the outline of anything
    /// else meet the ground behind it, by its unknown height times the tangent of the angle of view.
    pub lean_m: f64,
    /// Height of the top above the local ground; null where it is unknown.
    pub height_m: Option<f64>,
    /// Way that its front points, clockwise from north in radians; null where nothing tells it.
    pub heading_rad: Option<f64>,
    /// Class of the ground that it stands on; null where that is unknown.
    pub surface: Option<String>,
    /// Distance from the camera to its nearest visible point, metres.
    pub distance_m: f64,
    /// Whether it may move.
    pub moving: bool,
    /// Whether it touches the border of the image.
    pub truncated: bool,
    /// Share of its box's outline in the image that it fills; null where it was not measured.
    pub visibility: Option<f64>,
}

impl Solid {
    /// Whether the whole of it could be measured: it is not cut off, and at least such a share of it is seen.
    pub fn is_measurable(&self, min_visibility: f64) -> bool {
        !self.truncated && self.visibility.is_none_or(|share| share >= min_visibility)
    }

    /// Centre of the footprint at the base of the box.
    pub fn foot(&self) -> Point<World> {
        let [x, y] = self.footprint.centre();
        Point::new(x, y, self.base_m)
    }

    /// Centre of the box; null where its top is unknown.
    pub fn centre(&self) -> Option<Point<World>> {
        let [x, y] = self.footprint.centre();
        self.top_m.map(|top| Point::new(x, y, 0.5 * (self.base_m + top)))
    }

    /// Distance between the nearest points of two boxes in metres, 0 where they touch; null where it hangs on an unknown top by more
    /// than a tolerance.
    ///
    /// Upright boxes: `√(h² + v²)` of the horizontal distance of the footprints and the distance of the vertical intervals. What has
    /// no top reaches at least to its base, so the vertical distance is at most that of the bases.
    pub fn gap_m(&self, other: &Self, tolerance_m: f64) -> Option<f64> {
        let horizontal = self.footprint.distance_to(&other.footprint);
        let above = |high: &Self, low: &Self| (high.base_m - low.top_m.unwrap_or(low.base_m)).max(0.0);
        let hangs = |high: &Self, low: &Self| low.top_m.is_none() && high.base_m > low.base_m;
        let gap = horizontal.hypot(above(self, other).max(above(other, self)));
        let unknown = hangs(self, other) || hangs(other, self);
        if !unknown {
            Some(gap)
        } else if gap - horizontal <= tolerance_m {
            Some(horizontal)
        } else {
            None
        }
    }

    /// Distance between the centres of the footprints over the ground in metres.
    pub fn ground_m(&self, other: &Self) -> f64 {
        let ([x, y], [other_x, other_y]) = (self.footprint.centre(), other.footprint.centre());
        (x - other_x).hypot(y - other_y)
    }

    /// Direction of another one's footprint centre, clockwise from north in radians.
    pub fn azimuth_to_rad(&self, other: &Self) -> f64 {
        let ([x, y], [other_x, other_y]) = (self.footprint.centre(), other.footprint.centre());
        (other_x - x).atan2(other_y - y)
    }
}

/// A calibrated camera at the moment of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneView {
    /// Calibration.
    pub intrinsics: Intrinsics,
    /// Pose.
    pub world_from_camera: Transform<World, Camera>,
    /// Time from the first frame of the recording in seconds; null where it is unknown.
    pub time_s: Option<f64>,
}

impl SceneView {
    /// Where a point of the world is in the image; null behind the camera. It may lie outside the image.
    pub fn pixel(&self, point: Point<World>) -> Option<Pixel> {
        self.intrinsics.project(self.world_from_camera.inverse() * point)
    }

    /// Angle between the optical axis and straight down, in radians: 0 at nadir.
    pub fn tilt_rad(&self) -> f64 {
        let axis = self.optical_axis();
        axis.x().hypot(axis.y()).atan2(-axis.z())
    }

    /// Where the optical axis leads over the ground, clockwise from north in radians. Of no meaning at nadir.
    pub fn azimuth_rad(&self) -> f64 {
        let axis = self.optical_axis();
        axis.x().atan2(axis.y())
    }

    /// Where north is in the middle of the image, clockwise from its top in radians, -π to π: the way that the point there goes
    /// when it follows north over the ground. What that changes in depth moves nothing in the middle.
    pub fn north_in_image_rad(&self) -> f64 {
        let north = self.world_from_camera.inverse() * Direction::<World>::new(0.0, 1.0, 0.0);
        (self.intrinsics.fx() * north.x()).atan2(-self.intrinsics.fy() * north.y())
    }

    /// The image pixel under the drone; null where the camera cannot see that direction.
    pub fn nadir(&self) -> Option<Pixel> {
        let down = self.world_from_camera.inverse() * Direction::<World>::new(0.0, 0.0, -1.0);
        self.intrinsics.project(Point::new(down.x(), down.y(), down.z()))
    }

    /// The image, in pixels.
    pub fn image(&self) -> Box2 {
        self.intrinsics.size().full_box()
    }

    fn optical_axis(&self) -> Direction<World> {
        self.world_from_camera * Direction::<Camera>::new(0.0, 0.0, 1.0)
    }
}
