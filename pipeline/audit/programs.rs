//! Executes every program again, on scenes rebuilt from the release's own tables, and compares item boxes with the
//! boxes of their objects.

use crate::answers::contradictions;
use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::release::{Release, TableFile};
use crate::scene::{FrameRows, NoScene, SceneRows};
use crate::tables::for_each_row;
use std::collections::BTreeSet;
use uavgen_geometry::{Box2, ImageSize};
use uavgen_programs::wording::unsaid;
use uavgen_programs::{
    BoxEdges, MIN_BOX_TEXT_IOU, Program, Scene, Value, box_text_is_faithful, execute, relation_steps_matter,
};
use uavgen_schemas::{AnswerSource, ItemBox, QaItem};

/// Frames whose records are held at once: bounds the memory.
const MAX_FRAMES: usize = 4096;
/// Largest difference of two normalised edges that are the same.
const EDGE_TOLERANCE: f64 = 1e-9;

/// A file of questions, with the frames that they are about.
pub(crate) struct QuestionFile {
    pub(crate) file: TableFile,
    pub(crate) frames: BTreeSet<String>,
}

/// Checks the programs and boxes of all items, several files at a time.
pub(crate) fn check(release: &Release, mut files: Vec<QuestionFile>, log: &mut Log) {
    let mut reported = BTreeSet::new();
    while !files.is_empty() {
        let mut wanted = BTreeSet::new();
        let mut batch = Vec::new();
        while let Some(next) = files.first() {
            if !batch.is_empty() && wanted.len() + next.frames.len() > MAX_FRAMES {
                break;
            }
            let QuestionFile { file, frames } = files.remove(0);
            wanted.extend(frames);
            batch.push(file);
        }
        let scenes = SceneRows::load(release, &wanted);
        for_each_row::<QaItem>(&batch, |file, item| {
            let mut checker = ItemChecker { scenes: &scenes, log, file: &file.path, reported: &mut reported };
            checker.check(&item);
        });
    }
}

struct ItemChecker<'a> {
    scenes: &'a SceneRows,
    log: &'a mut Log,
    file: &'a str,
    /// Frames whose contradictions are on record.
    reported: &'a mut BTreeSet<String>,
}

impl ItemChecker<'_> {
    fn check(&mut self, item: &QaItem) {
        self.check_boxes(item);
        if item.answer_source != AnswerSource::Computed && item.program.is_empty() {
            return;
        }
        let Some(program) = self.program(item) else { return };
        if item.answer_source != AnswerSource::Computed {
            return;
        }
        if let Some(phrase) = unsaid(&item.question, &program) {
            let problem = format!("{:?} does not say what its program asks: {phrase}", item.question);
            self.log.fault(FaultCode::QuestionProgram, Place::row(self.file, &item.id), problem);
        }
        match self.scene(item) {
            Ok(scene) => self.check_answer(item, &program, &scene),
            Err((frame_id, cause)) => self.report_no_scene(item, frame_id, cause),
        }
    }

    fn program(&mut self, item: &QaItem) -> Option<Program> {
        let place = Place::row(self.file, &item.id);
        match Program::parse(&item.program) {
            Ok(program) if program.to_canonical() == item.program => Some(program),
            Ok(program) => {
                let problem = format!("the text is not canonical; canonical is {}", program.to_canonical());
                self.log.fault(FaultCode::ProgramInvalid, place, problem);
                Some(program)
            }
            Err(error) => {
                self.log.fault(FaultCode::ProgramInvalid, place, error.to_string());
                None
            }
        }
    }

    /// The scene of an item, or the first frame that has none.
    fn scene<'i>(&self, item: &'i QaItem) -> Result<Scene, (&'i str, NoScene)> {
        let mut frames = Vec::with_capacity(item.frame_ids.len());
        for id in &item.frame_ids {
            frames.push(self.scenes.frame(&item.suite, id).map_err(|cause| (id.as_str(), cause))?);
        }
        let first = item.frame_ids.first().map_or("", String::as_str);
        Scene::new(frames).map_err(|error| (first, NoScene::Invalid(error.to_string())))
    }

    fn report_no_scene(&mut self, item: &QaItem, frame_id: &str, cause: NoScene) {
        let place = Place::row(self.file, &item.id);
        let problem = match cause {
            // On record as a dangling reference, or as a file that cannot be read.
            NoScene::NoFrame => {
                return self.log.skip(format!("programs about frames that are gone, such as {frame_id}"));
            }
            NoScene::NoSelection => {
                let problem = format!("suite {} has no selection for frame {frame_id}", item.suite);
                return self.log.fault(FaultCode::DanglingReference, place, problem);
            }
            NoScene::Unusable(reason) => {
                let problem = format!("suite {} may not ask about frame {frame_id}: {reason}", item.suite);
                return self.log.fault(FaultCode::FrameUnusable, place, problem);
            }
            NoScene::Invalid(problem) => problem,
        };
        if self.reported.insert(frame_id.to_owned()) {
            self.log.fault(FaultCode::SceneInvalid, Place::row("data/selections", frame_id), problem.clone());
        }
        let problem = format!("the answer {:?} cannot be computed again: {problem}", item.answer);
        self.log.fault(FaultCode::ProgramAnswer, place, problem);
    }

    fn check_answer(&mut self, item: &QaItem, program: &Program, scene: &Scene) {
        let place = Place::row(self.file, &item.id);
        self.log.checked.programs += 1;
        let answer = match execute(program, scene) {
            Ok(answer) => answer,
            Err(undefined) => {
                let problem = format!("stored answer {:?}, but: {}: {undefined}", item.answer, undefined.reason.code());
                return self.log.fault(FaultCode::ProgramRefused, place, problem);
            }
        };
        let contradictions = contradictions(item, &answer.value);
        if !contradictions.is_empty() {
            return self.log.fault(FaultCode::ProgramAnswer, place, contradictions.join("; "));
        }
        if let Value::Box { x1, y1, x2, y2, .. } = answer.value
            && !box_text_is_faithful(&BoxEdges::new(x1, y1, x2, y2))
        {
            let problem = format!("IoU of {} with the exact box is below {MIN_BOX_TEXT_IOU}", item.answer);
            self.log.fault(FaultCode::BoxTextCoarse, place, problem);
        }
        if answer.facts.to_canonical_json() != item.facts {
            let problem = format!("the program gives {}, stored are {}", answer.facts.to_canonical_json(), item.facts);
            self.log.warn(WarningCode::FactsDiffer, place, problem);
        }
        if !relation_steps_matter(program, scene) {
            self.log.warn(WarningCode::RelationIdle, place, item.question.clone());
        }
    }

    /// Boxes of objects are those of `boxes_2d`, on the image that they name.
    fn check_boxes(&mut self, item: &QaItem) {
        for shown in &item.boxes {
            let Some(id) = shown.object_id.as_deref() else { continue };
            let frame = usize::try_from(shown.image_index).ok().and_then(|position| item.frame_ids.get(position));
            let Some(frame) = frame.and_then(|frame_id| self.scenes.get(frame_id)) else { continue };
            if let Err(problem) = same_box(shown, id, frame) {
                self.log.fault(FaultCode::BoxMismatch, Place::row(self.file, &item.id), problem);
            }
        }
    }
}

fn same_box(shown: &ItemBox, id: &str, rows: &FrameRows) -> Result<(), String> {
    let frame_id = &rows.frame.frame_id;
    let object = rows.boxes.iter().find(|object| object.box_id == id);
    let object = object.ok_or_else(|| format!("frame {frame_id} has no box {id}"))?;
    let normalised = ImageSize::try_from(&rows.frame).and_then(|size| Box2::try_from(object)?.normalised(size));
    let exact = normalised.map_err(|error| format!("box {id}: {error}"))?;
    let (exact, edges) = ([exact.x1(), exact.y1(), exact.x2(), exact.y2()], [shown.x1, shown.y1, shown.x2, shown.y2]);
    // Written so that NaN differs from everything.
    let same = exact.iter().zip(edges).all(|(a, b)| (a - b).abs() <= EDGE_TOLERANCE);
    if same { Ok(()) } else { Err(format!("box {id} is {edges:?} in the item, {exact:?} in boxes_2d")) }
}
