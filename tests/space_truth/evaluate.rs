//! A second reading of the answer language, over the truth of the town: small, without margins, and without unknowns, as the truth
//! has none.

use super::world::{World, apart, area, common, corners, gap, height, image_box, image_centre, meets, over_ground};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use uavgen_sample_data::TownRow;

/// Fewest pixels that lifting calls something to be seen, in one piece (`min_fragment_pixels`) and as a part of an object
/// (`min_part_pixels`). What the picture shows in pieces of less is not there to it; the table has no pieces, only their sum.
pub(super) const SPECKS_PX: [u32; 2] = [10, 40];

/// Least share of the ground round an object that is one class, for that to be the ground that it stands on.
const ONE_GROUND: f64 = 0.9;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Int(i64),
    Bool(bool),
    /// A number, and how far an answer may be from it.
    Float(f64, f64),
    Category(String),
    /// A sector.
    Direction(i64),
}

/// An object with the position of the frame that shows it.
type Seen<'w> = (usize, &'w TownRow);

/// One program over one town.
pub(super) struct Evaluator<'w> {
    world: &'w World,
    frames: &'w [String],
    crowded: &'w BTreeSet<u32>,
    /// Objects of fewer pixels are not there.
    least_px: u32,
    /// Why the truth rows cannot tell.
    open: RefCell<BTreeSet<&'static str>>,
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn edges(value: &Value) -> [f64; 4] {
    ["x1", "y1", "x2", "y2"].map(|key| number(value, key))
}

fn ahead(relation: &str, left: f64, right: f64) -> bool {
    match relation {
        "greater" => left > right,
        "less" => left < right,
        other => panic!("relation {other}"),
    }
}

fn is_any_of(row: &TownRow, names: &Value) -> bool {
    names.as_array().unwrap().iter().any(|name| name == row.class.name())
}

/// How far the box about several objects that are taken for one may reach beyond each of them.
const REACH_M: f64 = 10.0;

/// Where ground shows between the cab and the body of a driving truck, so wide that lifting has two objects: a known fault.
const IN_PIECES: [(&str, u32); 1] = [("mesh/oblique/2", 44)];

fn larger(row: &TownRow) -> TownRow {
    let (length_m, width_m) = (row.length_m + 2.0 * REACH_M, row.width_m + 2.0 * REACH_M);
    TownRow { length_m, width_m, ..row.clone() }
}

fn tolerance(expr: &Value, value: f64) -> f64 {
    number(&expr["margin"], "absolute").max(number(&expr["margin"], "relative") * value)
}

impl<'w> Evaluator<'w> {
    pub(super) fn new(world: &'w World, frames: &'w [String], crowded: &'w BTreeSet<u32>, least_px: u32) -> Self {
        Self { world, frames, crowded, least_px, open: RefCell::default() }
    }

    /// The answer, or what contradicts the program, and why the truth rows cannot tell it.
    pub(super) fn answer(self, root: &Value) -> (Result<Answer, String>, BTreeSet<&'static str>) {
        let answer = self.value(root);
        (answer, self.open.into_inner())
    }

    fn cannot_tell(&self, why: &'static str) {
        self.open.borrow_mut().insert(why);
    }

    /// Notes that an answer hangs on whether lifting parts an object from its neighbour.
    fn hangs_on(&self, row: &TownRow) {
        let may_be_parted = row.class.name() != "car" && row.class.name() != "truck" && row.class.name() != "bus";
        if row.touches_its_class && (!may_be_parted || self.crowded.contains(&row.object_number)) {
            self.cannot_tell(if may_be_parted { "crowded" } else { "touching" });
        }
    }

    fn value(&self, expr: &Value) -> Result<Answer, String> {
        let object = |key: &str| self.object(&expr[key]);
        Ok(match text(expr, "op") {
            "count" => Answer::Int(self.counted(&expr["of"])?.len() as i64),
            "exists" => Answer::Bool(!self.counted(&expr["of"])?.is_empty()),
            "compare" | "compare_measures" => {
                let (left, right) = (self.number(&expr["left"])?, self.number(&expr["right"])?);
                Answer::Bool(ahead(text(expr, "relation"), left, right))
            }
            "category_of" => self.term(expr, self.one("of", expr)?.class.name())?,
            "measure_of" => {
                let row = object("of")?.1;
                // A box is round what is seen: where a neighbour stands before an object, it is too small, and nothing tells.
                if 10 * row.visible_px < 9 * row.silhouette_px {
                    self.cannot_tell("partly_hidden");
                }
                let value = self.measure(row, text(expr, "measure"));
                Answer::Float(value, tolerance(expr, value))
            }
            "distance" => {
                let (from, to) = (object("from")?.1, object("to")?.1);
                let value = self.distance(from, to, text(expr, "measure"));
                Answer::Float(value, tolerance(expr, value))
            }
            "speed" => {
                let (from, to) = (object("from")?.1, object("to")?.1);
                let (way, seconds) = (over_ground(from, to), to.time_s - from.time_s);
                Answer::Float(way / seconds, tolerance(expr, way) / seconds)
            }
            "bearing" => self.bearing(expr, object("from")?, object("to")?)?,
            "clock_position" => {
                let (frame, row) = object("of")?;
                let nadir = self.world.view(&self.frames[frame]).under_drone().ok_or("no place under the drone")?;
                let [x, y] = image_centre(row);
                sector((x - nadir[0]).atan2(nadir[1] - y).to_degrees(), 12.0)
            }
            "surface_of" => self.term(expr, self.surface(self.one("of", expr)?))?,
            "still_there" => self.still_there(expr, object("of")?)?,
            other => panic!("value of {other}"),
        })
    }

    fn one(&self, key: &str, expr: &Value) -> Result<&'w TownRow, String> {
        Ok(self.object(&expr[key])?.1)
    }

    fn number(&self, expr: &Value) -> Result<f64, String> {
        match self.value(expr)? {
            Answer::Int(value) => Ok(value as f64),
            Answer::Float(value, _) => Ok(value),
            other => Err(format!("{other:?} is no number")),
        }
    }

    fn term(&self, expr: &Value, class: &str) -> Result<Answer, String> {
        let terms = expr["among"].as_array().unwrap();
        let own = terms.iter().find(|term| term["any_of"].as_array().unwrap().iter().any(|name| name == class));
        own.map(|term| Answer::Category(text(term, "term").to_owned())).ok_or(format!("{class} is not among the terms"))
    }

    fn counted(&self, expr: &Value) -> Result<Vec<Seen<'w>>, String> {
        let set = self.set(expr)?;
        set.iter().for_each(|(_, row)| self.hangs_on(row));
        Ok(set)
    }

    fn set(&self, expr: &Value) -> Result<Vec<Seen<'w>>, String> {
        let op = text(expr, "op");
        if op == "objects" {
            let frame = expr["frame"].as_u64().unwrap() as usize;
            let rows = self.world.rows(&self.frames[frame]).iter().filter(|row| row.visible_px >= self.least_px);
            return Ok(rows.map(|row| (frame, row)).collect());
        }
        let mut set = self.set(&expr["of"])?;
        match op {
            "where_category" => {
                set.retain(|(_, row)| is_any_of(row, &expr["any_of"]));
                let in_pieces =
                    |(frame, row): &Seen<'_>| IN_PIECES.contains(&(self.frames[*frame].as_str(), row.object_number));
                if set.iter().any(in_pieces) {
                    self.cannot_tell("in_pieces");
                }
            }
            "where_region" => {
                let share = number(&expr["inside"], "share");
                set.retain(|seen| self.share_inside(*seen, edges(&expr["area"]["edges"])) >= share);
            }
            "where_whole" => set.retain(|(frame, row)| self.is_whole(*frame, row)),
            "where_measure" => {
                let (relation, limit) = (text(expr, "relation"), number(expr, "limit"));
                // Two that are taken for one are longer than either, and no taller.
                if text(expr, "measure") != "height" {
                    set.iter().for_each(|(_, row)| self.hangs_on(row));
                }
                set.retain(|(_, row)| ahead(relation, self.measure(row, text(expr, "measure")), limit));
            }
            "where_within" => {
                let (centre, metres) = (self.one("centre", expr)?, number(expr, "metres"));
                set.retain(|(_, row)| row.object_number != centre.object_number);
                let far = |row: &TownRow| self.distance(centre, row, text(expr, "measure"));
                // The middle of two that are taken for one is elsewhere.
                let near = set.iter().filter(|(_, row)| (far(row) - metres).abs() < REACH_M);
                near.for_each(|(_, row)| self.hangs_on(row));
                set.retain(|(_, row)| far(row) < metres);
            }
            "where_on" => set.retain(|(_, row)| self.surface(row) == text(expr, "surface")),
            "where_between" => {
                let ends = [self.one("one", expr)?, self.one("other", expr)?];
                let [a, b] = ends.map(|end| [end.x_m, end.y_m]);
                set.retain(|(_, row)| ends.iter().all(|end| end.object_number != row.object_number));
                let near = set.iter().filter(|(_, row)| meets(&larger(row), a, b));
                near.for_each(|(_, row)| self.hangs_on(row));
                set.retain(|(_, row)| meets(row, a, b));
            }
            "where_seen_from" => {
                let view = self.world.view(&self.frames[expr["frame"].as_u64().unwrap() as usize]);
                let foot = |row: &TownRow| [row.x_m, row.y_m, row.ground_z_m];
                set.retain(|(_, row)| view.pixel(foot(row)).is_some_and(|pixel| view.shows(pixel)));
            }
            other => panic!("set of {other}"),
        }
        Ok(set)
    }

    fn object(&self, expr: &Value) -> Result<Seen<'w>, String> {
        let chosen = match text(expr, "op") {
            "unique" => match self.set(&expr["of"])?[..] {
                [only] => only,
                ref several => {
                    several.iter().for_each(|(_, row)| self.hangs_on(row));
                    return Err(format!("{} objects where one is said to be", several.len()));
                }
            },
            "extreme" => self.along(&expr["of"], text(expr, "by"), 1)?,
            "kth" => self.along(&expr["of"], text(expr, "along"), expr["position"].as_u64().unwrap() as usize)?,
            "superlative" => self.superlative(expr)?,
            "by_distance" => self.by_distance(expr)?,
            "object_at" => self.object_at(expr)?,
            "in_frame" => {
                let frame = expr["frame"].as_u64().unwrap() as usize;
                let own = self.object(&expr["of"])?.1.object_number;
                let rows = self.world.rows(&self.frames[frame]);
                let again = rows.iter().find(|row| row.object_number == own && row.visible_px >= self.least_px);
                (frame, again.ok_or(format!("object {own} is not seen on frame {frame}"))?)
            }
            other => panic!("object of {other}"),
        };
        self.hangs_on(chosen.1);
        Ok(chosen)
    }

    /// The k-th member along the image. Those before it must be parted for it to be the k-th.
    fn along(&self, of: &Value, by: &str, position: usize) -> Result<Seen<'w>, String> {
        let score = |(frame, row): &Seen<'w>| {
            let ([x, y], view) = (image_centre(row), self.world.view(&self.frames[*frame]));
            match by {
                "left" => x,
                "right" => -x,
                "top" => y,
                "bottom" => -y,
                "nearest_to_centre" => (x - view.width / 2.0).hypot(y - view.height / 2.0),
                "largest" => -area(image_box(row)),
                "smallest" => area(image_box(row)),
                other => panic!("order by {other}"),
            }
        };
        let mut set = self.set(of)?;
        set.sort_by(|a, b| score(a).total_cmp(&score(b)));
        // Two that are taken for one have their middle between theirs: it may be nearer to a point, and is larger.
        let hanging = if matches!(by, "nearest_to_centre" | "largest") { set.len() } else { position };
        set.iter().take(hanging).for_each(|(_, row)| self.hangs_on(row));
        set.get(position - 1).copied().ok_or(format!("{} objects and no number {position}", set.len()))
    }

    fn superlative(&self, expr: &Value) -> Result<Seen<'w>, String> {
        let (measure, relation) = (text(expr, "measure"), text(expr, "relation"));
        let set = self.set(&expr["of"])?;
        // Two that are taken for one are larger than either, and no taller.
        if measure != "height" && relation == "greater" {
            set.iter().for_each(|(_, row)| self.hangs_on(row));
        }
        self.best(set, relation, |row| self.measure(row, measure))
    }

    fn by_distance(&self, expr: &Value) -> Result<Seen<'w>, String> {
        let (to, measure, relation) = (self.one("to", expr)?, text(expr, "measure"), text(expr, "relation"));
        let mut set = self.set(&expr["of"])?;
        set.retain(|(_, row)| row.object_number != to.object_number);
        let best = self.best(set.clone(), relation, |row| self.distance(to, row, measure))?;
        // The centre of two that are taken for one is no farther than both of them, but may be nearer.
        if relation == "less" {
            let limit = self.distance(to, best.1, measure) + REACH_M;
            let near = set.iter().filter(|(_, row)| self.distance(to, row, measure) < limit);
            near.for_each(|(_, row)| self.hangs_on(row));
        }
        Ok(best)
    }

    fn best(
        &self,
        mut set: Vec<Seen<'w>>,
        relation: &str,
        score: impl Fn(&TownRow) -> f64,
    ) -> Result<Seen<'w>, String> {
        set.sort_by(|a, b| score(a.1).total_cmp(&score(b.1)));
        let best = if relation == "less" { set.first() } else { set.last() };
        best.copied().ok_or("nothing to choose from".into())
    }

    /// The object whose pixels a box of the image surrounds.
    fn object_at(&self, expr: &Value) -> Result<Seen<'w>, String> {
        let frame = expr["frame"].as_u64().unwrap() as usize;
        let view = self.world.view(&self.frames[frame]);
        let [x1, y1, x2, y2] = edges(&expr["at"]);
        let asked = [x1 * view.width, y1 * view.height, x2 * view.width, y2 * view.height];
        let iou = |row: &TownRow| {
            let both = common(image_box(row), asked);
            both / (area(image_box(row)) + area(asked) - both)
        };
        let rows = self.world.rows(&self.frames[frame]).iter();
        let rows = rows.filter(|row| row.visible_px >= self.least_px && !matches!(row.class.name(), "tree" | "wall"));
        let best = rows.max_by(|a, b| iou(a).total_cmp(&iou(b))).ok_or("an empty frame")?;
        self.hangs_on(best);
        if iou(best) < 0.5 {
            return Err(format!("the box fits no object: {} by {:.2}", best.object_number, iou(best)));
        }
        Ok((frame, best))
    }

    fn share_inside(&self, (frame, row): Seen<'w>, [x1, y1, x2, y2]: [f64; 4]) -> f64 {
        let view = self.world.view(&self.frames[frame]);
        let region = [x1 * view.width, y1 * view.height, x2 * view.width, y2 * view.height];
        common(image_box(row), region) / area(image_box(row))
    }

    /// Whether the image shows the whole of an object. Where only what hides it reaches the border, a frame alone does not tell.
    fn is_whole(&self, frame: usize, row: &TownRow) -> bool {
        let (view, [x1, y1, x2, y2]) = (self.world.view(&self.frames[frame]), image_box(row));
        let reaches = x1 <= 0.0 || y1 <= 0.0 || x2 >= view.width || y2 >= view.height;
        if reaches != row.touches_border {
            self.cannot_tell("hidden_at_border");
        }
        !row.touches_border
    }

    fn measure(&self, row: &TownRow, measure: &str) -> f64 {
        match measure {
            "height" => height(row),
            "length" => row.length_m,
            "footprint" => row.length_m * row.width_m,
            other => panic!("measure {other}"),
        }
    }

    fn distance(&self, from: &TownRow, to: &TownRow, measure: &str) -> f64 {
        match measure {
            "ground" => over_ground(from, to),
            "gap" => gap(from, to),
            other => panic!("distance {other}"),
        }
    }

    fn bearing(&self, expr: &Value, from: Seen<'w>, to: Seen<'w>) -> Result<Answer, String> {
        let view = self.world.view(&self.frames[from.0]);
        let over_ground = (to.1.x_m - from.1.x_m).atan2(to.1.y_m - from.1.y_m).to_degrees();
        let degrees = match text(expr, "frame") {
            "image" | "clock" => {
                // Between frames: the way over the ground as the first one would show it.
                let place = |row: &TownRow| view.pixel([row.x_m, row.y_m, row.ground_z_m]).ok_or("behind the camera");
                let [a, b] = if from.0 == to.0 {
                    [image_centre(from.1), image_centre(to.1)]
                } else {
                    [place(from.1)?, place(to.1)?]
                };
                (b[0] - a[0]).atan2(a[1] - b[1]).to_degrees()
            }
            "compass" => over_ground,
            "camera" => over_ground - view.azimuth(),
            "heading" => over_ground - from.1.heading_deg.ok_or("no heading")?,
            other => panic!("bearing by {other}"),
        };
        Ok(sector(degrees, number(expr, "sectors")))
    }

    /// The class of the ground below the rim of an object.
    fn surface(&self, row: &TownRow) -> &'static str {
        let rim = corners(row, 0.3);
        let mut counts = std::collections::BTreeMap::new();
        for side in 0..4 {
            let (a, b) = (rim[side], rim[(side + 1) % 4]);
            for step in 0..20 {
                let share = f64::from(step) / 20.0;
                let point = [0, 1].map(|axis| a[axis] + share * (b[axis] - a[axis]));
                *counts.entry(self.world.ground(point)).or_insert(0) += 1;
            }
        }
        let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count).unwrap();
        if f64::from(count) < ONE_GROUND * 80.0 {
            self.cannot_tell("mixed_ground");
        }
        most
    }

    fn still_there(&self, expr: &Value, (_, row): Seen<'w>) -> Result<Answer, String> {
        let frame = &self.frames[expr["frame"].as_u64().unwrap() as usize];
        let margin = number(&expr["margin"], "absolute");
        Ok(Answer::Bool(match self.world.at_moment(frame, row.object_number) {
            Some(again) => over_ground(row, again) < margin,
            None if row.is_moving => false,
            None => return Err("it stands where the frame does not look".into()),
        }))
    }
}

/// The sector of an angle, the first one with its middle at 0.
fn sector(degrees: f64, sectors: f64) -> Answer {
    Answer::Direction((degrees.rem_euclid(360.0) * sectors / 360.0).round().rem_euclid(sectors) as i64)
}

/// Numbers of the objects that stand so near another one of their class that lifting may take both for one: its `gap_m` is 0.4, and
/// masks and meshes show a little less than there is.
pub(super) fn crowded<'r>(rows: impl Iterator<Item = &'r TownRow>) -> BTreeSet<u32> {
    const APART_M: f64 = 0.7;
    let mut standing: std::collections::BTreeMap<u32, &TownRow> = std::collections::BTreeMap::new();
    rows.filter(|row| !row.is_moving).for_each(|row| _ = standing.insert(row.object_number, row));
    let near = |one: &&TownRow| {
        let others = standing.values().filter(|other| other.object_number != one.object_number);
        others.into_iter().any(|other| other.class == one.class && apart(one, other) < APART_M)
    };
    standing.values().filter(|one| near(one)).map(|one| one.object_number).collect()
}
