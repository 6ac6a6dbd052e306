//! The questions of the tiny release, with answers that are written down.

use crate::release::{HEIGHT, Rows, Tables, WIDTH, picture};
use std::collections::BTreeMap;
use uavgen_core::draw::{candidate_id, item_id, right_slot};
use uavgen_programs::{Area, BoxEdges, Expr, Program, Scene, SceneFrame, Term, execute};
use uavgen_schemas::{
    AnswerSource, AnswerType, Box2d, BoxRole, Frame, ImageBytes, ItemBox, QaRow, Region, ReviewStatus, Selection,
};

const TERMS: [(&str, &[&str]); 6] = [
    ("bicycle", &["bicycle"]),
    ("bus", &["bus"]),
    ("car", &["car"]),
    ("motorcycle", &["motor"]),
    ("person", &["pedestrian", "people"]),
    ("truck", &["truck"]),
];

fn terms(count: usize) -> Vec<Term> {
    TERMS.iter().take(count).map(|(word, any_of)| Term::new(*word, any_of.iter().copied())).collect()
}

fn category_json(word: &str) -> String {
    let (term, any_of) = TERMS.iter().find(|(term, _)| *term == word).unwrap();
    serde_json::json!({"any_of": any_of, "term": term, "type": "category"}).to_string()
}

fn int_json(value: i64, unit: &str) -> String {
    format!(r#"{{"type":"int","unit":"{unit}","value":{value}}}"#)
}

/// A question as this file writes it down.
struct Written<'a> {
    task: &'a str,
    question: &'a str,
    program: Expr,
    frames: &'a [&'a str],
    answer_type: AnswerType,
    /// Right answer as JSON.
    value: String,
    /// Options as texts and as JSON.
    options: Vec<(String, String)>,
    right: Vec<i32>,
    /// What the boxes of objects are to the question.
    role: BoxRole,
    /// Objects with boxes, by image and name.
    shown: &'a [(i32, &'a str)],
    /// Area that is shown on the first image.
    area: Option<BoxEdges>,
}

/// The left part of the still, with two of its three cars.
const AREA: BoxEdges = BoxEdges::new(0.0, 0.0, 0.6, 1.0);

/// Seven questions, each of another kind.
pub(crate) fn questions(tables: &Tables) -> Rows<QaRow> {
    let ints = |unit: &str| -> Vec<(String, String)> { (0..4).map(|n| (n.to_string(), int_json(n, unit))).collect() };
    let words = |count: usize| -> Vec<(String, String)> {
        TERMS.iter().take(count).map(|(word, _)| ((*word).to_owned(), category_json(word))).collect()
    };
    let yes_no = [("yes", true), ("no", false)];
    let yes_no = yes_no.map(|(text, value)| (text.to_owned(), format!(r#"{{"type":"bool","value":{value}}}"#)));
    let bus_box = r#"{"frame":"image_normalised","type":"box","x1":0.5,"x2":0.75,"y1":0.5,"y2":0.75}"#;
    let present = r#"{"type":"categories","values":[{"any_of":["bus"],"term":"bus"},{"any_of":["car"],"term":"car"}]}"#;
    let sequence: &[&str] = &["vid/a/1", "vid/a/2", "vid/a/3"];
    let written = [
        Written {
            task: "count",
            question: "How many cars are there in the image?",
            program: Expr::objects(0).where_category(["car"]).count(),
            frames: &["vid/a/1"],
            answer_type: AnswerType::Int,
            value: int_json(1, "objects"),
            options: ints("objects"),
            right: vec![1],
            role: BoxRole::Answer,
            shown: &[(0, "1")],
            area: None,
        },
        Written {
            task: "presence",
            question: "Is there a bus in the image?",
            program: Expr::objects(0).where_category(["bus"]).exists(),
            frames: &["vid/a/2"],
            answer_type: AnswerType::Bool,
            value: yes_no[0].1.clone(),
            options: yes_no.to_vec(),
            right: vec![0],
            role: BoxRole::Clue,
            shown: &[(0, "2")],
            area: None,
        },
        Written {
            task: "grounding",
            question: "Where is the only bus in the image?",
            program: Expr::objects(0).where_category(["bus"]).unique().box_of(),
            frames: &["vid/a/3"],
            answer_type: AnswerType::Box,
            value: bus_box.into(),
            options: Vec::new(),
            right: Vec::new(),
            role: BoxRole::Answer,
            shown: &[(0, "2")],
            area: None,
        },
        Written {
            task: "temporal",
            question: "How many different cars are there over the three images?",
            program: Expr::count_tracks(0..3, Expr::frame_objects().where_category(["car"])),
            frames: sequence,
            answer_type: AnswerType::Int,
            value: int_json(1, "tracks"),
            options: ints("tracks"),
            right: vec![1],
            role: BoxRole::Answer,
            shown: &[(0, "1"), (1, "1"), (2, "1")],
            area: None,
        },
        Written {
            task: "comparison",
            question: "Which of these is there most of?",
            program: Expr::objects(0).most_numerous(terms(4)),
            frames: &["det/b"],
            answer_type: AnswerType::Category,
            value: category_json("car"),
            options: words(4),
            right: vec![2],
            role: BoxRole::Clue,
            shown: &[(0, "r0"), (0, "r1"), (0, "r2"), (0, "r3")],
            area: None,
        },
        Written {
            task: "several",
            question: "Which of these are there? (People: riders included.)",
            program: Expr::objects(0).present_terms(terms(6)),
            frames: &["det/b"],
            answer_type: AnswerType::Choices,
            value: present.into(),
            options: words(6),
            right: vec![1, 2],
            role: BoxRole::Clue,
            shown: &[(0, "r0"), (0, "r1"), (0, "r2"), (0, "r3")],
            area: None,
        },
        Written {
            task: "regional",
            question: "How many cars are inside the box [0.000, 0.000, 0.600, 1.000] (x1, y1, x2, y2 as shares of the \
                       image width and height)?",
            program: Expr::objects(0).where_category(["car"]).where_region(Area::custom(AREA)).count(),
            frames: &["det/b"],
            answer_type: AnswerType::Int,
            value: int_json(2, "objects"),
            options: ints("objects"),
            right: vec![2],
            role: BoxRole::Answer,
            shown: &[(0, "r0"), (0, "r1")],
            area: Some(AREA),
        },
    ];
    written.into_iter().map(|written| written.into_row(tables)).collect()
}

/// Gives questions that have a name (`id-…`, `twin-…`) the id of their content, in a wording whose slot is the one that is
/// written down. Returns the names by id.
pub(crate) fn seal(rows: &mut Rows<QaRow>) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (number, (_, row)) in (0..).zip(rows) {
        if !row.id.starts_with("id-") && !row.id.starts_with("twin-") {
            continue;
        }
        let about: Vec<&str> = match &row.clip_id {
            Some(clip) => vec![clip],
            None => row.frame_ids.iter().map(String::as_str).collect(),
        };
        let candidate = candidate_id(&row.suite, &row.task, &row.program, &about);
        let mut wording = 1000 * number;
        if row.provenance == "{}" {
            if let [slot @ 0..=3] = row.answer_indices[..] {
                let fits =
                    |wording: &u64| right_slot(&item_id(&candidate, *wording), row.options.len()) == slot as usize;
                wording = (wording..).take(1000).find(fits).unwrap_or(wording);
            }
            row.provenance = format!(r#"{{"template":"{}/form","wording":{wording}}}"#, row.task);
        } else {
            let provenance: serde_json::Value = serde_json::from_str(&row.provenance).unwrap_or_default();
            wording = provenance["wording"].as_u64().unwrap_or(0);
        }
        names.insert(item_id(&candidate, wording), row.id.clone());
        row.id = item_id(&candidate, wording);
    }
    names
}

impl Written<'_> {
    fn into_row(self, tables: &Tables) -> (String, QaRow) {
        let find = |id: &str| tables.frames.iter().find(|(_, frame)| frame.frame_id == id).unwrap();
        let (split, first) = find(self.frames[0]);
        let program = Program::new(self.program.clone()).unwrap();
        let right = self.right.iter().map(|&slot| self.options[slot as usize].0.clone()).collect::<Vec<_>>().join("; ");
        let typed: Vec<&str> = self.options.iter().map(|(_, json)| json.as_str()).collect();
        let row = QaRow {
            id: format!("id-{}", self.task),
            suite: "t".into(),
            task: self.task.into(),
            capability: "test".into(),
            split: split.clone(),
            question: self.question.into(),
            options_json: format!("[{}]", typed.join(",")),
            answer: if self.options.is_empty() { "[0.500, 0.500, 0.750, 0.750]".into() } else { right },
            answer_indices: self.right.clone(),
            answer_type: self.answer_type,
            answer_json: self.value.clone(),
            answer_source: AnswerSource::Computed,
            review_status: ReviewStatus::Approved,
            facts: facts(tables, &program, self.frames),
            program: program.to_canonical(),
            images: self.frames.iter().map(|id| image(&find(id).1)).collect(),
            video: None,
            clip_id: None,
            frame_ids: self.frames.iter().map(|id| (*id).to_owned()).collect(),
            recording_ids: vec![first.recording_id.clone()],
            group_id: first.group_id.clone(),
            boxes: self.boxes(tables),
            provenance: "{}".into(),
            licence: "test".into(),
            options: self.options.into_iter().map(|(text, _)| text).collect(),
        };
        (split.clone(), row)
    }

    fn boxes(&self, tables: &Tables) -> Vec<ItemBox> {
        let area =
            self.area.iter().map(|area| item_box(0, BoxRole::Region, None, [area.x1, area.y1, area.x2, area.y2]));
        let objects = self.shown.iter().map(|(image, name)| {
            let id = format!("{}#{name}", self.frames[*image as usize]);
            let (_, found) = tables.boxes.iter().find(|(_, row)| row.box_id == id).unwrap();
            let (width, height) = (WIDTH as f64, HEIGHT as f64);
            let edges = [found.x1 / width, found.y1 / height, found.x2 / width, found.y2 / height];
            item_box(*image, self.role, Some(id), edges)
        });
        area.chain(objects).collect()
    }
}

fn image(frame: &Frame) -> ImageBytes {
    ImageBytes { bytes: picture(frame.source_number as u8), path: format!("{}.jpg", frame.frame_id.replace('/', "+")) }
}

fn item_box(image_index: i32, role: BoxRole, object_id: Option<String>, [x1, y1, x2, y2]: [f64; 4]) -> ItemBox {
    ItemBox { image_index, role, object_id, modality: "rgb".into(), view: None, x1, y1, x2, y2 }
}

/// The explanation of an item: not truth, so it may come from the executor.
fn facts(tables: &Tables, program: &Program, frames: &[&str]) -> String {
    let scene = |id: &&str| {
        let frame = &tables.frames.iter().find(|(_, row)| row.frame_id == *id).unwrap().1;
        let boxes: Vec<Box2d> = of_frame(&tables.boxes, |row| row.frame_id == *id);
        let regions: Vec<Region> = of_frame(&tables.regions, |row| row.frame_id == *id);
        let selections: Vec<Selection> = of_frame(&tables.selections, |row| row.frame_id == *id);
        SceneFrame::new(frame, &boxes, &regions, &selections[0]).unwrap()
    };
    let scene = Scene::new(frames.iter().map(scene).collect()).unwrap();
    execute(program, &scene).unwrap().facts.to_canonical_json()
}

fn of_frame<R: Clone>(rows: &Rows<R>, wanted: impl Fn(&R) -> bool) -> Vec<R> {
    rows.iter().map(|(_, row)| row).filter(|row| wanted(row)).cloned().collect()
}
