//! Builds scenes of lifted objects from literal numbers. Images are 1000 x 500 pixels with a focal length of 500: from 100 m
//! straight down they show 200 x 100 m, 5 pixels a metre.

use super::make::terms;
use crate::{
    AngleMargin, Answer, BearingFrame, DistanceMeasure, Expr, ExtremeBy, ExtremeMargin, Measure, MeasureMargin,
    ObjectKind, Program, Relation, Scene, SceneError, SceneFrame, Undefined, execute,
};
use uavgen_schemas::{Camera, Fragment, FragmentReason, Frame, Instance, PlacedBy, Pose};

/// Records of one frame under construction.
#[derive(Debug, Clone)]
pub(super) struct LiftedMaker {
    pub(super) frame: Frame,
    pub(super) camera: Camera,
    pub(super) pose: Pose,
    pub(super) instances: Vec<Instance>,
    pub(super) fragments: Vec<Fragment>,
    /// Where the top of the image points, clockwise from north in radians.
    azimuth_rad: f64,
}

/// A thing of 4 x 2 m along east, 10 m high, that a frame shows.
#[derive(Debug, Clone)]
pub(super) struct Thing(Instance);

impl Thing {
    pub(super) fn new(id: &str, class: &str, [x, y]: [f64; 2]) -> Self {
        Self(Instance {
            instance_id: id.to_owned(),
            frame_id: String::new(),
            recording_id: String::new(),
            object_id: format!("r#{id}"),
            category: class.to_owned(),
            moving: false,
            pixels: 1000,
            x1: f64::NAN,
            y1: f64::NAN,
            x2: f64::NAN,
            y2: f64::NAN,
            truncated: false,
            visibility: Some(0.9),
            placed_by: PlacedBy::Depth,
            x,
            y,
            base_z: 0.0,
            top_z: Some(10.0),
            length_m: 4.0,
            width_m: 2.0,
            footprint_m2: 8.0,
            height_m: Some(10.0),
            axis_yaw_rad: 0.0,
            heading_rad: None,
            heading_source: None,
            distance_m: 90.0,
            surface: Some("road".into()),
        })
    }

    /// Any field.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Instance)) -> Self {
        change(&mut self.0);
        self
    }

    /// The object that it is, where its id does not tell.
    pub(super) fn object(self, object: &str) -> Self {
        self.with(|row| row.object_id = object.to_owned())
    }

    /// Length, width and the angle of the length from east towards north in degrees.
    pub(super) fn sides(self, length: f64, width: f64, yaw: f64) -> Self {
        self.with(|row| (row.length_m, row.width_m, row.axis_yaw_rad) = (length, width, yaw.to_radians()))
    }

    /// Base, and top above it, which is its height as well.
    pub(super) fn upright(self, base: f64, height: Option<f64>) -> Self {
        self.with(|row| (row.base_z, row.top_z, row.height_m) = (base, height.map(|height| base + height), height))
    }

    pub(super) fn heading(self, degrees: f64) -> Self {
        self.with(|row| row.heading_rad = Some(degrees.to_radians()))
    }

    pub(super) fn on(self, surface: Option<&str>) -> Self {
        self.with(|row| row.surface = surface.map(str::to_owned))
    }

    pub(super) fn truncated(self) -> Self {
        self.with(|row| row.truncated = true)
    }

    pub(super) fn seen(self, share: f64) -> Self {
        self.with(|row| row.visibility = Some(share))
    }

    pub(super) fn boxed(self, [x1, y1, x2, y2]: [f64; 4]) -> Self {
        self.with(|row| (row.x1, row.y1, row.x2, row.y2) = (x1, y1, x2, y2))
    }
}

impl LiftedMaker {
    /// A camera 100 m above the origin that looks straight down, the top of its image at an azimuth in degrees.
    pub(super) fn nadir(frame_id: &str, azimuth: f64) -> Self {
        Self::tilted(frame_id, azimuth, 0.0)
    }

    /// A camera 100 m above the origin, tilted from straight down towards an azimuth, both in degrees.
    pub(super) fn tilted(frame_id: &str, azimuth: f64, tilt: f64) -> Self {
        let recording_id = frame_id.rsplit_once('/').map_or(frame_id, |(recording, _)| recording).to_owned();
        let frame = super::make::FrameMaker::new(frame_id).frame;
        let camera = Camera {
            camera_id: "r#c".into(),
            recording_id: recording_id.clone(),
            width: 1000,
            height: 500,
            fx: 500.0,
            fy: 500.0,
            cx: 500.0,
            cy: 250.0,
            k1: 0.0,
            k2: 0.0,
            k3: 0.0,
            p1: 0.0,
            p2: 0.0,
        };
        // Rz(-azimuth) · Rx(180° + tilt), as quaternions.
        let ((s, c), (b, a)) = ((0.5 * azimuth.to_radians()).sin_cos(), (0.5 * tilt.to_radians()).sin_cos());
        let pose = Pose {
            frame_id: frame_id.to_owned(),
            recording_id,
            camera_id: "r#c".into(),
            x: 0.0,
            y: 0.0,
            z: 100.0,
            qx: c * a,
            qy: -s * a,
            qz: s * b,
            qw: -c * b,
        };
        Self { frame, camera, pose, instances: vec![], fragments: vec![], azimuth_rad: azimuth.to_radians() }
    }

    pub(super) fn moved_to(mut self, [x, y, z]: [f64; 3]) -> Self {
        (self.pose.x, self.pose.y, self.pose.z) = (x, y, z);
        self
    }

    pub(super) fn at_s(mut self, seconds: f64) -> Self {
        self.frame.timestamp_us = Some((seconds * 1e6) as i64);
        self
    }

    /// A thing; without a box of its own that of its footprint as a camera straight above shows it.
    pub(super) fn thing(mut self, thing: Thing) -> Self {
        let mut row = thing.0;
        if row.x1.is_nan() {
            [row.x1, row.y1, row.x2, row.y2] = self.box_from_above(&row);
        }
        (row.frame_id, row.recording_id) = (self.frame.frame_id.clone(), self.frame.recording_id.clone());
        row.footprint_m2 = row.length_m * row.width_m;
        self.instances.push(row);
        self
    }

    pub(super) fn piece(mut self, id: &str, class: Option<&str>, reason: FragmentReason, edges: [f64; 4]) -> Self {
        let [x1, y1, x2, y2] = edges;
        self.fragments.push(Fragment {
            fragment_id: id.to_owned(),
            frame_id: self.frame.frame_id.clone(),
            recording_id: self.frame.recording_id.clone(),
            category: class.map(str::to_owned),
            reason,
            part_of: None,
            pixels: 9,
            x1,
            y1,
            x2,
            y2,
        });
        self
    }

    fn box_from_above(&self, row: &Instance) -> [f64; 4] {
        let scale = 500.0 / (self.pose.z - row.base_z);
        let (sin, cos) = self.azimuth_rad.sin_cos();
        let (yaw_sin, yaw_cos) = row.axis_yaw_rad.sin_cos();
        let mut edges = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for (along, across) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
            let (u, v) = (along * row.length_m, across * row.width_m);
            let east = row.x + u * yaw_cos - v * yaw_sin - self.pose.x;
            let north = row.y + u * yaw_sin + v * yaw_cos - self.pose.y;
            let (x, y) = (500.0 + scale * (east * cos - north * sin), 250.0 - scale * (east * sin + north * cos));
            edges = [edges[0].min(x), edges[1].min(y), edges[2].max(x), edges[3].max(y)];
        }
        [edges[0].max(0.0), edges[1].max(0.0), edges[2].min(1000.0), edges[3].min(500.0)]
    }

    pub(super) fn build(&self) -> Result<SceneFrame, SceneError> {
        SceneFrame::of_instances(&self.frame, &self.camera, &self.pose, &self.instances, &self.fragments)
    }

    pub(super) fn scene(&self) -> Scene {
        scene(std::slice::from_ref(self))
    }
}

/// A frame from straight above, north up.
pub(super) fn above() -> LiftedMaker {
    LiftedMaker::nadir("r/1", 0.0)
}

/// A second frame of the same recording.
pub(super) fn later() -> LiftedMaker {
    LiftedMaker::nadir("r/2", 0.0)
}

pub(super) fn scene(frames: &[LiftedMaker]) -> Scene {
    Scene::new(frames.iter().map(|frame| frame.build().unwrap()).collect()).unwrap()
}

pub(super) fn program(expr: Expr) -> Program {
    Program::about(ObjectKind::Lifted, expr).unwrap()
}

pub(super) fn run(expr: Expr, scene: &Scene) -> Result<Answer, Undefined> {
    execute(&program(expr), scene)
}

/// The text of the answer, or the reason code of the refusal.
pub(super) fn outcome(expr: Expr, scene: &Scene) -> String {
    match run(expr, scene) {
        Ok(answer) => answer.value.text(),
        Err(undefined) => undefined.reason.code().to_owned(),
    }
}

/// The exact number that a program gives.
pub(super) fn number(expr: Expr, scene: &Scene) -> f64 {
    match run(expr, scene).unwrap().value {
        crate::Value::Float { value, .. } => value,
        other => panic!("{other:?} is no float"),
    }
}

/// The ids of the objects that a set holds for certain, or the reason why nobody can say.
pub(super) fn members(set: Expr, scene: &Scene) -> Result<Vec<String>, &'static str> {
    run(set.count(), scene).map(|answer| answer.facts.objects).map_err(|undefined| undefined.reason.code())
}

pub(super) fn all(class: &str) -> Expr {
    Expr::objects(0).where_category([class])
}

pub(super) fn only(class: &str) -> Expr {
    all(class).unique()
}

/// The only one of a class on any frame.
pub(super) fn only_in(frame: u32, class: &str) -> Expr {
    Expr::objects(frame).where_category([class]).unique()
}

/// The ops over places with their default margins.
impl Expr {
    pub(super) fn whole(self) -> Self {
        Self::WhereWhole { of: self.into() }
    }

    pub(super) fn where_measure(self, measure: Measure, relation: Relation, limit: f64) -> Self {
        Self::WhereMeasure { of: self.into(), measure, relation, limit, margin: MeasureMargin::default() }
    }

    pub(super) fn within(self, centre: Self, metres: f64, measure: DistanceMeasure) -> Self {
        let (of, centre) = (self.into(), centre.into());
        Self::WhereWithin { of, centre, metres, measure, margin: MeasureMargin::default() }
    }

    pub(super) fn standing_on(self, surface: &str) -> Self {
        Self::WhereOn { of: self.into(), surface: surface.to_owned() }
    }

    pub(super) fn between(self, one: Self, other: Self) -> Self {
        let (of, one, other) = (self.into(), one.into(), other.into());
        Self::WhereBetween { of, one, other, margin: MeasureMargin::default() }
    }

    pub(super) fn seen_from(self, frame: u32) -> Self {
        Self::WhereSeenFrom { of: self.into(), frame, margin: ExtremeMargin::default() }
    }

    pub(super) fn most(self, measure: Measure, relation: Relation) -> Self {
        Self::Superlative { of: self.into(), measure, relation, margin: MeasureMargin::default() }
    }

    pub(super) fn by_distance(self, to: Self, relation: Relation, measure: DistanceMeasure) -> Self {
        let (of, to) = (self.into(), to.into());
        Self::ByDistance { of, to, relation, measure, margin: MeasureMargin::default() }
    }

    pub(super) fn kth(self, along: ExtremeBy, position: u32) -> Self {
        Self::Kth { of: self.into(), along, position, margin: ExtremeMargin::default() }
    }

    pub(super) fn in_frame(self, frame: u32) -> Self {
        Self::InFrame { of: self.into(), frame }
    }

    pub(super) fn measure(self, measure: Measure) -> Self {
        Self::MeasureOf { of: self.into(), measure, margin: MeasureMargin::default() }
    }

    pub(super) fn distance(self, to: Self, measure: DistanceMeasure) -> Self {
        Self::Distance { from: self.into(), to: to.into(), measure, margin: MeasureMargin::default() }
    }

    pub(super) fn speed(self, to: Self) -> Self {
        Self::Speed { from: self.into(), to: to.into(), margin: MeasureMargin::default() }
    }

    pub(super) fn compared(self, relation: Relation, right: Self) -> Self {
        Self::CompareMeasures { left: self.into(), relation, right: right.into(), margin: MeasureMargin::default() }
    }

    pub(super) fn bearing(self, to: Self, frame: BearingFrame, sectors: u32) -> Self {
        Self::Bearing { from: self.into(), to: to.into(), frame, sectors, margin: AngleMargin::default() }
    }

    pub(super) fn clock(self) -> Self {
        Self::ClockPosition { of: self.into(), margin: AngleMargin::default() }
    }

    pub(super) fn surface(self) -> Self {
        Self::SurfaceOf { of: self.into(), among: terms(&["bus", "car"]) }
    }

    pub(super) fn still_there(self, frame: u32) -> Self {
        Self::StillThere { of: self.into(), frame, margin: MeasureMargin::default() }
    }
}

/// One program per op over places.
pub(super) fn one_of_each() -> Vec<Expr> {
    use Relation::{Greater, Less};
    let (car, bus) = (|| only("car"), || only("bus"));
    vec![
        all("car").whole().count(),
        all("car").where_measure(Measure::Height, Greater, 5.0).count(),
        all("car").within(bus(), 9.0, DistanceMeasure::Gap).count(),
        all("car").standing_on("road").exists(),
        all("car").between(bus(), only("van")).exists(),
        all("car").seen_from(1).count(),
        all("car").most(Measure::Length, Less).measure(Measure::Footprint),
        all("car").by_distance(bus(), Less, DistanceMeasure::Ground).box_of(),
        all("car").kth(ExtremeBy::Left, 2).area_share(),
        car().in_frame(1).measure(Measure::DistanceToCamera),
        car().distance(bus(), DistanceMeasure::Centre),
        car().speed(car().in_frame(1)),
        car().measure(Measure::Height).compared(Greater, bus().measure(Measure::Height)),
        car().bearing(bus(), BearingFrame::Compass, 8),
        car().clock(),
        car().surface(),
        car().still_there(1),
    ]
}
