//! Cameras and poses from their records.

use crate::{Camera, Distortion, GeometryError, ImageSize, Intrinsics, Transform, World};
use uavgen_schemas::{Camera as CameraRow, Pose};

impl TryFrom<&CameraRow> for Intrinsics {
    type Error = GeometryError;

    fn try_from(row: &CameraRow) -> Result<Self, GeometryError> {
        let size = ImageSize::new(row.width, row.height)?;
        let distortion = Distortion::from_opencv([row.k1, row.k2, row.p1, row.p2, row.k3]);
        Self::new(size, row.fx, row.fy, row.cx, row.cy, distortion)
    }
}

impl TryFrom<&Pose> for Transform<World, Camera> {
    type Error = GeometryError;

    fn try_from(row: &Pose) -> Result<Self, GeometryError> {
        Self::from_quaternion([row.qx, row.qy, row.qz, row.qw], [row.x, row.y, row.z])
    }
}
