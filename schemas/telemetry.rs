//! What a drone wrote down of its flight.

use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Position and camera settings at one frame of a video, from the subtitle file beside it. A frame has a row when a block of
/// the file covers its time. What a block does not give, or gives in a way that models of drones use differently, is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// Frame that it holds for.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// Position of the block among those of the subtitle file, from 1: frames of one block share their values.
    pub block: i64,
    /// Latitude (WGS 84, north positive).
    #[schemars(extend("x-unit" = "deg"))]
    pub latitude_deg: Option<f64>,
    /// Longitude (WGS 84, east positive).
    #[schemars(extend("x-unit" = "deg"))]
    pub longitude_deg: Option<f64>,
    /// Height above the place of take-off.
    #[schemars(extend("x-unit" = "m"))]
    pub relative_altitude_m: Option<f64>,
    /// Height above sea level as the drone states it.
    #[schemars(extend("x-unit" = "m"))]
    pub absolute_altitude_m: Option<f64>,
    /// Heading of the camera, clockwise from north.
    #[schemars(extend("x-unit" = "deg"))]
    pub gimbal_yaw_deg: Option<f64>,
    /// Tilt of the camera: 0 is level, -90 straight down.
    #[schemars(extend("x-unit" = "deg"))]
    pub gimbal_pitch_deg: Option<f64>,
    /// Roll of the camera.
    #[schemars(extend("x-unit" = "deg"))]
    pub gimbal_roll_deg: Option<f64>,
    /// Focal length as stated, real or equivalent to 35 mm film, as the model of drone has it.
    #[schemars(extend("x-unit" = "mm"))]
    pub focal_length_mm: Option<f64>,
    /// ISO sensitivity.
    pub iso: Option<f64>,
    /// Exposure time.
    #[schemars(extend("x-unit" = "s"))]
    pub shutter_s: Option<f64>,
    /// F-number of the lens.
    pub f_number: Option<f64>,
}
record!(Telemetry, "telemetry", 1, frame_id);
