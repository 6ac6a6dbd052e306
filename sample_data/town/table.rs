//! The truth tables of the town: from its state, and from renderings in which each object has a number.

use crate::town::class::TownClass;
use crate::town::flight::{Flight, seconds};
use crate::town::shape::Shape;
use crate::town::state::{Object, TownWorld};
use crate::town::surface::Surface;
use std::fmt::Write;
use uavgen_render::{Layers, Lens, Rendered, Renderer};

/// Everything that the generator knows about the town that it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct TownTruth {
    /// One row per frame and object whose outline is in the picture: by recording, frame and object.
    pub rows: Vec<TownRow>,
    /// Roads, crosswalks and paved areas; where they overlap the later one lies on top.
    pub places: Vec<TownPlace>,
}

/// One object on one frame. World frame: metres, x east, y north, z up.
#[derive(Debug, Clone, PartialEq)]
pub struct TownRow {
    /// Name of the recording: `nadir` or `oblique`.
    pub recording: String,
    /// Number of the frame, from 0.
    pub frame_number: u32,
    /// Time since the first frame in seconds; both recordings start at the same moment.
    pub time_s: f64,
    /// Number of the object, from 1: the same in all frames of both recordings.
    pub object_number: u32,
    /// What it is.
    pub class: TownClass,
    /// Whether it was on the move, and so is not in the mesh; also while it stands. False for what is built or parked.
    pub is_moving: bool,
    /// Colour of the body; null for what is no vehicle.
    pub colour: Option<&'static str>,
    /// Centre of the upright box about it: metres east.
    pub x_m: f64,
    /// Centre of the box: metres north.
    pub y_m: f64,
    /// Centre of the box: metres up.
    pub z_m: f64,
    /// Longer side of the box on the ground, in metres; of a vehicle from rear to front.
    pub length_m: f64,
    /// Shorter side of the box on the ground, in metres.
    pub width_m: f64,
    /// Height of the box in metres: from the lowest ground at its walls, of vehicles from the ground below the centre.
    pub height_m: f64,
    /// Direction of the longer side: degrees from east towards north, [0, 180).
    pub axis_yaw_deg: f64,
    /// Direction of the front: degrees clockwise from north, [0, 360); null for what has no front.
    pub heading_deg: Option<f64>,
    /// Height of the ground below the centre, in metres.
    pub ground_z_m: f64,
    /// Distance from the camera to the centre, in metres.
    pub distance_m: f64,
    /// Pixels that show it.
    pub visible_px: u32,
    /// Pixels that would show it if nothing but the ground could hide it.
    pub silhouette_px: u32,
    /// Whether these reach the border of the image, so that part of it may lie outside.
    pub touches_border: bool,
    /// Box round the pixels that show it, in pixels of the image: left, top, right, bottom, the last two exclusive; null where none
    /// shows it.
    pub visible_box_px: Option<[u32; 4]>,
    /// Whether one of those pixels is next to one (of eight) of another object of its class, so that a mask shows both as one.
    pub touches_its_class: bool,
    /// Speed over the ground in metres per second.
    pub speed_mps: f64,
}

/// A part of the ground: a rectangle, whose corners lie on the surface.
#[derive(Debug, Clone, PartialEq)]
pub struct TownPlace {
    /// Name, e.g. `main_road`.
    pub name: String,
    /// Class of its surface.
    pub class: TownClass,
    /// Corners in metres, counter-clockwise from above: east, north, up.
    pub corners: [[f64; 3]; 4],
}

impl TownTruth {
    /// The objects as CSV: a header, `\n` line ends, three decimals, empty fields for null.
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "recording,frame_number,time_s,object_number,class,motion,colour,x_m,y_m,z_m,length_m,width_m,height_m,\
             axis_yaw_deg,heading_deg,ground_z_m,distance_m,visible_px,silhouette_px,touches_border,x1_px,y1_px,x2_px,y2_px,\
             touches_its_class,speed_mps\n",
        );
        for row in &self.rows {
            csv.push_str(&row.to_csv_line());
        }
        csv
    }

    /// The places as CSV, one row per corner: a header, `\n` line ends, three decimals.
    pub fn places_to_csv(&self) -> String {
        let mut csv = String::from("place,class,corner_number,x_m,y_m,z_m\n");
        for place in &self.places {
            for (number, corner) in place.corners.iter().enumerate() {
                let [x, y, z] = corner.map(tidy);
                // Writing to a string cannot fail.
                let _ = writeln!(csv, "{},{},{number},{x:.3},{y:.3},{z:.3}", place.name, place.class.name());
            }
        }
        csv
    }
}

impl TownRow {
    fn to_csv_line(&self) -> String {
        let motion = if self.is_moving { "moving" } else { "static" };
        let mut line = format!("{},{},{:.1}", self.recording, self.frame_number, self.time_s);
        let colour = self.colour.unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(line, ",{},{},{motion},{colour}", self.object_number, self.class.name());
        let lengths = [self.x_m, self.y_m, self.z_m, self.length_m, self.width_m, self.height_m, self.axis_yaw_deg];
        lengths.iter().for_each(|&value| _ = write!(line, ",{:.3}", tidy(value)));
        let heading = self.heading_deg.map(|heading| format!("{:.3}", tidy(heading))).unwrap_or_default();
        let _ = write!(line, ",{heading},{:.3},{:.3}", tidy(self.ground_z_m), tidy(self.distance_m));
        let _ = write!(line, ",{},{},{}", self.visible_px, self.silhouette_px, self.touches_border);
        match self.visible_box_px {
            Some(edges) => edges.iter().for_each(|edge| _ = write!(line, ",{edge}")),
            None => line.push_str(",,,,"),
        }
        let _ = writeln!(line, ",{},{:.3}", self.touches_its_class, tidy(self.speed_mps));
        line
    }
}

/// Rounded to three decimals, without a negative zero.
fn tidy(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0 + 0.0
}

/// The places of the town.
pub(crate) fn places(town: &TownWorld) -> Vec<TownPlace> {
    let place = |area: &crate::town::ground::Area| TownPlace {
        name: area.name.to_owned(),
        class: area.class,
        corners: area.corners().map(|corner| [corner.x, corner.y, town.ground.height_at(corner)]),
    };
    town.ground.areas().iter().map(place).collect()
}

/// The pixels that show an object.
#[derive(Debug, Clone, Copy, Default)]
struct Visible {
    pixels: u32,
    edges: Option<[u32; 4]>,
    touches_its_class: bool,
}

impl Visible {
    fn add(&mut self, column: u32, row: u32) {
        self.pixels += 1;
        let [x1, y1, x2, y2] = self.edges.unwrap_or([column, row, column + 1, row + 1]);
        self.edges = Some([x1.min(column), y1.min(row), x2.max(column + 1), y2.max(row + 1)]);
    }
}

/// One frame as it was rendered: everything, and the ground alone.
pub(crate) struct FrameViews<'a> {
    pub(crate) flight: &'a Flight,
    pub(crate) lens: &'a Lens,
    pub(crate) frame: u32,
    pub(crate) whole: &'a Rendered,
    pub(crate) surface: &'a Surface,
    pub(crate) ground: &'a Rendered,
}

impl FrameViews<'_> {
    /// The rows of the frame, by object.
    pub(crate) fn rows(&self, town: &TownWorld) -> Vec<TownRow> {
        let visible = self.visible(town);
        let mut alone = Rendered::default();
        let rows = town.objects.iter().filter_map(|object| {
            let (silhouette_px, touches_border) = self.silhouette(town, object, &mut alone);
            let Visible { pixels: visible_px, edges: visible_box_px, touches_its_class } =
                visible[object.number as usize];
            let seen = TownRow { visible_px, visible_box_px, touches_its_class, ..self.state_row(town, object) };
            let row = || TownRow { silhouette_px, touches_border, ..seen };
            (silhouette_px > 0).then(row)
        });
        rows.collect()
    }

    /// The pixels of each object, by its number; those of what is no object at 0.
    fn visible(&self, town: &TownWorld) -> Vec<Visible> {
        let mut visible = vec![Visible::default(); town.objects.len() + 1];
        let width = self.whole.width();
        let labels = self.whole.labels().unwrap_or_default();
        let object = |label: u32| self.surface.skins().get(label as usize).map_or(0, |skin| skin.object) as usize;
        let class = |number: usize| town.objects.iter().find(|one| one.number as usize == number).map(|one| one.class);
        for (index, &label) in labels.iter().enumerate() {
            let (own, column, row) = (object(label), index % width, index / width);
            visible[own].add(column as u32, row as u32);
            // Half of the eight: the other half has met this pixel already.
            let (left, right) = (column > 0, column + 1 < width);
            let near = [(left, index + width - usize::from(left)), (true, index + width), (right, index + width + 1)];
            let near = near.into_iter().chain([(right, index + 1)]).filter(|(is_in_row, _)| *is_in_row);
            for other in near.filter_map(|(_, at)| labels.get(at)).map(|&label| object(label)) {
                if other != own && other != 0 && own != 0 && class(own) == class(other) {
                    visible[own].touches_its_class = true;
                    visible[other].touches_its_class = true;
                }
            }
        }
        visible
    }

    /// Pixels of an object where the ground does not hide it, and whether they reach the border of the image.
    fn silhouette(&self, town: &TownWorld, object: &Object, alone: &mut Rendered) -> (u32, bool) {
        let mut surface = Surface::default();
        town.add_object(object, seconds(self.frame), &mut surface);
        let camera_from_world = self.flight.poses[self.frame as usize].inverse();
        Renderer::new(surface.to_mesh()).render_into(self.lens, &camera_from_world, Layers::DEPTH, alone);
        let (width, height) = (alone.width(), alone.height());
        let (mut pixels, mut touches_border) = (0, false);
        for (index, (&depth, &ground)) in alone.depth().iter().zip(self.ground.depth()).enumerate() {
            if depth > 0.0 && (ground == 0.0 || depth <= ground) {
                let (column, row) = (index % width, index / width);
                pixels += 1;
                touches_border |= column == 0 || row == 0 || column == width - 1 || row == height - 1;
            }
        }
        (pixels, touches_border)
    }

    /// What follows from the state alone; nothing seen.
    fn state_row(&self, town: &TownWorld, object: &Object) -> TownRow {
        let (stand, state) = (town.stand(object, seconds(self.frame)), object.state(seconds(self.frame)));
        let [length_m, width_m, height_m] = object.shape.size();
        let (axis, centre_z) = (state.heading, stand.foot + height_m / 2.0);
        let [camera_x, camera_y, camera_z] = self.flight.poses[self.frame as usize].translation();
        let (dx, dy, dz) = (stand.centre.x - camera_x, stand.centre.y - camera_y, centre_z - camera_z);
        TownRow {
            recording: self.flight.name.to_owned(),
            frame_number: self.frame,
            time_s: seconds(self.frame),
            object_number: object.number,
            class: object.class,
            is_moving: object.is_moving,
            colour: match object.shape {
                Shape::Vehicle { paint, .. } => Some(paint.name()),
                _ => None,
            },
            x_m: stand.centre.x,
            y_m: stand.centre.y,
            z_m: centre_z,
            length_m,
            width_m,
            height_m,
            axis_yaw_deg: wrapped(axis.y.atan2(axis.x).to_degrees(), 180.0),
            heading_deg: object.has_front().then(|| wrapped(axis.x.atan2(axis.y).to_degrees(), 360.0)),
            ground_z_m: town.ground.height_at(stand.centre),
            distance_m: (dx * dx + dy * dy + dz * dz).sqrt(),
            visible_px: 0,
            silhouette_px: 0,
            touches_border: false,
            visible_box_px: None,
            touches_its_class: false,
            speed_mps: state.speed,
        }
    }
}

/// An angle in degrees from 0 up to a full turn, also after it is rounded.
fn wrapped(angle: f64, turn: f64) -> f64 {
    tidy(angle).rem_euclid(turn)
}
