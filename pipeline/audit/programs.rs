//! Executes every program again, on scenes rebuilt from the release's own tables, and compares item boxes with those
//! that the programs give.

use crate::answers::contradictions;
use crate::boxes;
use crate::clip_options;
use crate::clip_plans::ClipPlan;
use crate::findings::{FaultCode, Log, Place, WarningCode};
use crate::index::Index;
use crate::release::{Release, TableFile};
use crate::scene::{NoScene, SceneRows};
use crate::tables::{Key, for_each_row};
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use uavgen_programs::wording::unsaid;
use uavgen_programs::{
    BoxEdges, MIN_BOX_TEXT_IOU, ObjectKind, Program, Scene, Value, box_text_is_faithful, execute, relation_steps_matter,
};
use uavgen_schemas::{AnswerSource, QaItem};

/// Frames whose records are held at once: bounds the memory.
const MAX_FRAMES: usize = 4096;

/// The rows of a file of questions, cut into runs about few frames each.
#[derive(Default)]
pub(crate) struct Runs(Vec<Run>);

/// Rows that follow one another, and the frames that they are about.
#[derive(Default)]
struct Run {
    rows: u64,
    frames: HashSet<Key>,
}

impl Runs {
    /// Notes the frames of the next row.
    pub(crate) fn add(&mut self, frames: Vec<Key>) {
        let has_room = |run: &Run| run.frames.len() + frames.len() <= MAX_FRAMES;
        if !self.0.last().is_some_and(has_room) {
            self.0.push(Run::default());
        }
        if let Some(run) = self.0.last_mut() {
            run.rows += 1;
            run.frames.extend(frames);
        }
    }
}

/// Checks the programs and boxes of all items. The scene tables are read once for each run.
pub(crate) fn check(release: &Release, index: &Index, files: Vec<(Runs, TableFile)>, log: &mut Log) {
    let (mut reported, mut clip_scene) = (BTreeSet::new(), None);
    for (runs, file) in files {
        let mut runs = runs.0.into_iter();
        let (mut scenes, mut rows_left) = (SceneRows::default(), 0);
        for_each_row::<QaItem>([&file], |file, item| {
            if rows_left == 0 {
                // Rows that were not read before, since other columns are not those of the table, have no scenes.
                let Run { rows, frames } = runs.next().unwrap_or(Run { rows: u64::MAX, ..Run::default() });
                (scenes, rows_left) = (SceneRows::load(release, &frames), rows);
            }
            rows_left -= 1;
            let (file, reported, clip_scene) = (file.path.as_str(), &mut reported, &mut clip_scene);
            let mut checker = ItemChecker { index, scenes: &scenes, log, file, reported, clip_scene };
            checker.check(&item);
        });
    }
}

struct ItemChecker<'a> {
    index: &'a Index,
    scenes: &'a SceneRows,
    log: &'a mut Log,
    file: &'a str,
    /// Frames whose contradictions are on record.
    reported: &'a mut BTreeSet<String>,
    /// The scene of the clip that was asked about last: items about one stand together.
    clip_scene: &'a mut Option<ClipScene>,
}

/// A suite, a clip, and the scene of the two.
struct ClipScene {
    suite: String,
    clip_id: String,
    scene: Rc<Scene>,
}

impl ItemChecker<'_> {
    fn check(&mut self, item: &QaItem) {
        let same_boxes = self.check_boxes(item);
        if item.answer_source != AnswerSource::Computed && item.program.is_empty() {
            return;
        }
        let Some(program) = self.program(item) else { return };
        if item.answer_source != AnswerSource::Computed {
            let problem = format!("its answer is {:?}, and it has a program that computes it", item.answer_source);
            return self.log.fault(FaultCode::ItemMismatch, Place::row(self.file, &item.id), problem);
        }
        if let Some(phrase) = unsaid(&item.question, &program) {
            let problem = format!("{:?} does not say what its program asks: {phrase}", item.question);
            self.log.fault(FaultCode::QuestionProgram, Place::row(self.file, &item.id), problem);
        }
        match self.scene(item, &program) {
            Ok(scene) => self.check_answer(item, &program, &scene, same_boxes),
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

    /// The scene of an item, or the first frame (for a clip: the clip) that has none.
    fn scene<'i>(&mut self, item: &'i QaItem, program: &Program) -> Result<Rc<Scene>, (&'i str, NoScene)> {
        if let Some(id) = item.clip_id.as_deref() {
            return self.scene_of_clip(&item.suite, id).map_err(|cause| (id, cause));
        }
        let mut frames = Vec::with_capacity(item.frame_ids.len());
        for id in &item.frame_ids {
            let frame = match program.objects() {
                ObjectKind::Annotated => self.scenes.frame(&item.suite, id),
                ObjectKind::Lifted => self.scenes.lifted(id),
            };
            frames.push(frame.map_err(|cause| (id.as_str(), cause))?);
        }
        let first = item.frame_ids.first().map_or("", String::as_str);
        Scene::new(frames).map(Rc::new).map_err(|error| (first, NoScene::Invalid(error.to_string())))
    }

    fn scene_of_clip(&mut self, suite: &str, clip_id: &str) -> Result<Rc<Scene>, NoScene> {
        if let Some(last) = self.clip_scene.as_ref().filter(|last| last.suite == suite && last.clip_id == clip_id) {
            return Ok(last.scene.clone());
        }
        // One scene at a time: they are large.
        *self.clip_scene = None;
        let plan = self.index.clips.get(clip_id).ok_or(NoScene::NoFrame)?;
        let scene = Rc::new(self.planned_scene(suite, plan)?);
        let (suite, clip_id) = (suite.to_owned(), clip_id.to_owned());
        *self.clip_scene = Some(ClipScene { suite, clip_id, scene: scene.clone() });
        Ok(scene)
    }

    fn planned_scene(&self, suite: &str, plan: &ClipPlan) -> Result<Scene, NoScene> {
        let frames: Result<Vec<_>, NoScene> = plan.frames().map(|id| self.scenes.frame_of_clip(suite, &id)).collect();
        Scene::of_clip(frames?, &plan.lengths(), plan.fps).map_err(|error| NoScene::Invalid(error.to_string()))
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
            NoScene::NoPose => {
                let problem = format!("frame {frame_id} has no pose or camera in the release");
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

    /// `same_boxes`: whether the item's boxes are those of the objects that they name.
    fn check_answer(&mut self, item: &QaItem, program: &Program, scene: &Scene, same_boxes: bool) {
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
        let clip = item.clip_id.as_ref().and_then(|id| self.index.clips.get(id));
        if let Some(problem) = clip.and_then(|clip| clip_options::contradiction(item, program, clip, scene, &answer)) {
            self.log.fault(FaultCode::OptionsUnfit, place, problem);
        }
        if same_boxes && let Some(problem) = boxes::contradiction(item, program, scene, &answer) {
            self.log.fault(FaultCode::BoxMismatch, place, problem);
        }
        if answer.facts.to_canonical_json() != item.facts {
            let problem = format!("the program gives {}, stored are {}", answer.facts.to_canonical_json(), item.facts);
            self.log.warn(WarningCode::FactsDiffer, place, problem);
        }
        if !relation_steps_matter(program, scene) {
            self.log.warn(WarningCode::RelationIdle, place, item.question.clone());
        }
    }

    /// Whether boxes of objects are those of `boxes_2d`, on the image that they name.
    fn check_boxes(&mut self, item: &QaItem) -> bool {
        let mut same = true;
        for shown in &item.boxes {
            let Some(id) = shown.object_id.as_deref() else { continue };
            let frame = usize::try_from(shown.image_index).ok().and_then(|position| item.frame_ids.get(position));
            let Some(frame) = frame.and_then(|frame_id| self.scenes.get(frame_id)) else { continue };
            if let Err(problem) = boxes::same_box(shown, id, frame) {
                self.log.fault(FaultCode::BoxMismatch, Place::row(self.file, &item.id), problem);
                same = false;
            }
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::key;

    #[test]
    fn a_file_is_cut_into_runs_about_few_frames_and_no_row_is_lost() {
        let mut runs = Runs::default();
        let row =
            |first: usize, count: usize| (first..first + count).map(|n| key(&format!("frame {n}"))).collect::<Vec<_>>();
        // Five rows about each of 5000 frames, and one about more frames than a run has room for.
        (0..25_000).for_each(|number| runs.add(row(number / 5, 1)));
        runs.add(row(0, 4097));
        let sizes: Vec<(u64, usize)> = runs.0.iter().map(|run| (run.rows, run.frames.len())).collect();
        // The first run is full with the first row of its last frame.
        assert_eq!(sizes, [(4095 * 5 + 1, 4096), (25_000 - 4095 * 5 - 1, 905), (1, 4097)]);
    }
}
