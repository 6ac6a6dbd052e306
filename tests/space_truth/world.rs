//! The town as its truth table and its camera files have it, and plain geometry over that: no code of the pipeline.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use uavgen_sample_data::{TownPlace, TownRow, TownTruth};

pub(super) type Point = [f64; 2];

/// A camera at the moment of a frame, read from `cameras.json`.
#[derive(Clone)]
pub(super) struct View {
    pub(super) width: f64,
    pub(super) height: f64,
    focal: Point,
    middle: Point,
    distortion: Vec<f64>,
    /// Rows: right, down and forward of the camera, in the world.
    axes: [[f64; 3]; 3],
    place: [f64; 3],
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"))
}

impl View {
    fn new(file: &Value, frame: &Value) -> Self {
        let camera = &file["cameras"]["main"];
        let shift = if file["first_pixel"] == "zero" { 0.5 } else { 0.0 };
        let entry = |row: usize, column: usize| frame["matrix"][row][column].as_f64().unwrap();
        let square = |at: &dyn Fn(usize, usize) -> f64| [0, 1, 2].map(|row| [0, 1, 2].map(|column| at(row, column)));
        // `axes` has the axes of the camera as rows: the transposed rotation from the camera to the world.
        let (mut axes, place) = if file["pose"] == "camera-to-world" {
            (square(&|row, column| entry(column, row)), [0, 1, 2].map(|row| entry(row, 3)))
        } else {
            let axes = square(&entry);
            let back = |column: usize| -(0..3).map(|row| axes[row][column] * entry(row, 3)).sum::<f64>();
            (axes, [0, 1, 2].map(back))
        };
        if file["axes"] == "opengl" {
            axes[1] = axes[1].map(|x| -x);
            axes[2] = axes[2].map(|x| -x);
        }
        let distortion = camera["distortion"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        Self {
            width: number(camera, "width"),
            height: number(camera, "height"),
            focal: [number(camera, "fx"), number(camera, "fy")],
            middle: [number(camera, "cx") + shift, number(camera, "cy") + shift],
            distortion,
            axes,
            place,
        }
    }

    /// Where a direction of the world is seen (Brown and Conrady, as OpenCV has it).
    fn seen(&self, direction: [f64; 3]) -> Option<Point> {
        let [right, down, ahead] = self.axes.map(|axis| (0..3).map(|i| axis[i] * direction[i]).sum::<f64>());
        if ahead <= 0.0 {
            return None;
        }
        let (x, y) = (right / ahead, down / ahead);
        let coefficient = |at: usize| self.distortion.get(at).copied().unwrap_or(0.0);
        let [k1, k2, p1, p2, k3] = [0, 1, 2, 3, 4].map(coefficient);
        let r2 = x * x + y * y;
        let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
        let bent_x = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x);
        let bent_y = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y;
        Some([self.focal[0] * bent_x + self.middle[0], self.focal[1] * bent_y + self.middle[1]])
    }

    pub(super) fn pixel(&self, point: [f64; 3]) -> Option<Point> {
        self.seen([0, 1, 2].map(|i| point[i] - self.place[i]))
    }

    pub(super) fn under_drone(&self) -> Option<Point> {
        self.seen([0.0, 0.0, -1.0])
    }

    /// Degrees clockwise from north in which the camera looks over the ground.
    pub(super) fn azimuth(&self) -> f64 {
        self.axes[2][0].atan2(self.axes[2][1]).to_degrees()
    }

    pub(super) fn shows(&self, [x, y]: Point) -> bool {
        x >= 0.0 && y >= 0.0 && x <= self.width && y <= self.height
    }
}

/// The truth of one town: what each frame shows, and from where.
#[derive(Clone)]
pub(super) struct World {
    rows: BTreeMap<String, Vec<TownRow>>,
    views: BTreeMap<String, View>,
    places: Vec<TownPlace>,
}

impl World {
    pub(super) fn new(town: &Path, truth: TownTruth) -> Self {
        let mut views = BTreeMap::new();
        for recording in ["nadir", "oblique"] {
            let text = fs::read_to_string(town.join(recording).join("cameras.json")).unwrap();
            let file: Value = serde_json::from_str(&text).unwrap();
            for (at, frame) in file["frames"].as_array().unwrap().iter().enumerate() {
                views.insert(format!("mesh/{recording}/{at}"), View::new(&file, frame));
            }
        }
        let mut rows: BTreeMap<String, Vec<TownRow>> = BTreeMap::new();
        for row in truth.rows {
            rows.entry(format!("mesh/{}/{}", row.recording, row.frame_number)).or_default().push(row);
        }
        Self { rows, views, places: truth.places }
    }

    /// The town with what drives where the rays of their outlines meet the ground, which is where lifting has them: as far
    /// away from the camera as their tops hide the ground behind them. `README.md` of `lift` has that limit.
    pub(super) fn leaning(&self) -> Self {
        let mut world = self.clone();
        for (frame, rows) in &mut world.rows {
            let [x, y, z] = self.views[frame].place;
            for row in rows.iter_mut().filter(|row| row.is_moving) {
                let (away_x, away_y) = (row.x_m - x, row.y_m - y);
                let level = away_x.hypot(away_y);
                let hidden = row.height_m * level / (z - row.ground_z_m - row.height_m);
                row.x_m += 0.5 * hidden * away_x / level;
                row.y_m += 0.5 * hidden * away_y / level;
                let (sin, cos) = (away_y.atan2(away_x) - row.axis_yaw_deg.to_radians()).sin_cos();
                row.length_m += hidden * cos.abs();
                row.width_m += hidden * sin.abs();
            }
        }
        world
    }

    pub(super) fn rows(&self, frame: &str) -> &[TownRow] {
        self.rows.get(frame).map_or(&[], Vec::as_slice)
    }

    pub(super) fn view(&self, frame: &str) -> &View {
        &self.views[frame]
    }

    /// Where an object is at the moment of a frame, from whichever recording shows it then.
    pub(super) fn at_moment(&self, frame: &str, object: u32) -> Option<&TownRow> {
        let number = frame.rsplit('/').next().unwrap();
        let frames = ["nadir", "oblique"].map(|recording| format!("mesh/{recording}/{number}"));
        let rows = frames.into_iter().flat_map(|frame| self.rows(&frame));
        rows.into_iter().find(|row| row.object_number == object)
    }

    /// Class of the ground at a point: of the last place that has it, else lawn.
    pub(super) fn ground(&self, [x, y]: Point) -> &'static str {
        let holds = |place: &&TownPlace| {
            (0..4).all(|side| {
                let (a, b) = (place.corners[side], place.corners[(side + 1) % 4]);
                (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0
            })
        };
        self.places.iter().rev().find(holds).map_or("grass", |place| place.class.name())
    }
}

/// Corners of the footprint of an object, made larger by a distance on each side.
pub(super) fn corners(row: &TownRow, larger_m: f64) -> [Point; 4] {
    let (sin, cos) = row.axis_yaw_deg.to_radians().sin_cos();
    let (u, v) = (row.length_m / 2.0 + larger_m, row.width_m / 2.0 + larger_m);
    [(-u, -v), (u, -v), (u, v), (-u, v)]
        .map(|(along, across)| [row.x_m + along * cos - across * sin, row.y_m + along * sin + across * cos])
}

fn side(a: Point, b: Point, p: Point) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

fn holds(corners: &[Point; 4], p: Point) -> bool {
    (0..4).all(|at| side(corners[at], corners[(at + 1) % 4], p) >= 0.0)
}

fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Whether the straight line between two points meets the footprint of an object.
pub(super) fn meets(row: &TownRow, a: Point, b: Point) -> bool {
    let own = corners(row, 0.0);
    holds(&own, a) || holds(&own, b) || (0..4).any(|at| cross(own[at], own[(at + 1) % 4], a, b))
}

fn to_segment(p: Point, a: Point, b: Point) -> f64 {
    let way = [b[0] - a[0], b[1] - a[1]];
    let share = ((p[0] - a[0]) * way[0] + (p[1] - a[1]) * way[1]) / (way[0] * way[0] + way[1] * way[1]);
    let share = share.clamp(0.0, 1.0);
    (p[0] - a[0] - share * way[0]).hypot(p[1] - a[1] - share * way[1])
}

/// Distance of two footprints.
pub(super) fn apart(one: &TownRow, other: &TownRow) -> f64 {
    let (a, b) = (corners(one, 0.0), corners(other, 0.0));
    if (0..4).any(|at| meets(one, b[at], b[(at + 1) % 4])) || holds(&b, a[0]) {
        return 0.0;
    }
    let of = |points: &[Point; 4], sides: &[Point; 4]| {
        let pairs = points.iter().flat_map(|&p| (0..4).map(move |at| (p, at)));
        pairs.map(|(p, at)| to_segment(p, sides[at], sides[(at + 1) % 4])).fold(f64::INFINITY, f64::min)
    };
    of(&a, &b).min(of(&b, &a))
}

/// Distance of the nearest points of two upright boxes.
pub(super) fn gap(one: &TownRow, other: &TownRow) -> f64 {
    let ends = |row: &TownRow| (row.z_m - row.height_m / 2.0, row.z_m + row.height_m / 2.0);
    let (a, b) = (ends(one), ends(other));
    apart(one, other).hypot((a.0 - b.1).max(b.0 - a.1).max(0.0))
}

/// Distance of the centres over the ground.
pub(super) fn over_ground(one: &TownRow, other: &TownRow) -> f64 {
    (one.x_m - other.x_m).hypot(one.y_m - other.y_m)
}

/// Height of the top above the ground below the centre.
pub(super) fn height(row: &TownRow) -> f64 {
    row.z_m + row.height_m / 2.0 - row.ground_z_m
}

/// Edges of the box round the pixels that show an object.
pub(super) fn image_box(row: &TownRow) -> [f64; 4] {
    row.visible_box_px.map_or([0.0; 4], |edges| edges.map(f64::from))
}

/// Middle of that box.
pub(super) fn image_centre(row: &TownRow) -> Point {
    let [x1, y1, x2, y2] = image_box(row);
    [(x1 + x2) / 2.0, (y1 + y2) / 2.0]
}

pub(super) fn area([x1, y1, x2, y2]: [f64; 4]) -> f64 {
    (x2 - x1).max(0.0) * (y2 - y1).max(0.0)
}

/// Area that two boxes have in common.
pub(super) fn common(a: [f64; 4], b: [f64; 4]) -> f64 {
    area([a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])])
}
