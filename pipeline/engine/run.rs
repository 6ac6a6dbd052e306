//! A build: stage by stage look, run what is dirty, judge what was quarantined, publish.

use crate::execute::{Executed, Stop, execute};
use crate::lock::Lock;
use crate::look::{StageState, look};
use crate::plan::frequent_reasons;
use crate::report::{BadInput, BuildReport, Outcome, Published, StageReport};
use crate::run_log::RunLog;
use crate::workspace::{Walk, Workspace};
use crate::{Control, EngineError, Event, Observer, Selection, Status, publish, reached};
use uavgen_core::{Counts, InputCounts, InputPart, Manifest, Partition, StoreError};
use uavgen_schemas::{Record, Reject, RejectKind};

/// Quarantined inputs of a stage that are listed.
const LISTED_INPUTS: usize = 20;

impl Workspace {
    /// Runs every selected task that is not fresh, with everything upstream of it. Killed at any moment, the next call
    /// goes on where this one was.
    ///
    /// # Errors
    /// A busy workspace (unless `wait` is set: then this waits for it), an unusable selection or source, or a store that
    /// cannot be read. Failing tasks, a full disk and an interruption are outcomes in the report.
    pub fn build(&self, selection: &Selection, wait: bool, control: Control<'_>) -> Result<BuildReport, EngineError> {
        let _lock = Lock::exclusive(self, wait, control)?;
        let log = RunLog::create(&self.setup, control.observer)?;
        let following = Control { observer: &log, cancelled: control.cancelled };
        let outcome = Build::run(self, selection, &log, following);
        let word = match &outcome {
            Ok(report) => word(&report.outcome),
            Err(EngineError::Interrupted) => "interrupted",
            Err(_) => "error",
        };
        log.observe(&Event::RunFinished { outcome: word, duration_ms: log.elapsed_ms() });
        outcome
    }
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::TooManyBad(_) => "too_many_bad",
        Outcome::Stopped { .. } => "stopped",
        Outcome::Interrupted => "interrupted",
    }
}

struct Build<'a> {
    walk: Walk<'a>,
    log: &'a RunLog<'a>,
    control: Control<'a>,
    report: BuildReport,
}

impl<'a> Build<'a> {
    fn run(
        workspace: &'a Workspace,
        selection: &Selection,
        log: &'a RunLog<'a>,
        control: Control<'a>,
    ) -> Result<BuildReport, EngineError> {
        let (_, order) = workspace.resolve(selection)?;
        log.observe(&Event::RunStarted {
            run: log.run().into(),
            stages: order.iter().map(|&stage| workspace.stages[stage].info.name).collect(),
            jobs: workspace.setup.runtime.jobs,
        });
        let walk = workspace.begin(selection, control)?;
        let report = BuildReport {
            run: log.run().into(),
            log: log.file(),
            stages: Vec::new(),
            published: Vec::new(),
            outcome: Outcome::Done,
            notes: walk.discoveries.notes.clone(),
        };
        let mut build = Build { walk, log, control, report };
        for stage in build.walk.order.clone() {
            if let Some(outcome) = build.stage(stage)? {
                build.report.outcome = outcome;
                break;
            }
        }
        let incomplete = |stage: &StageReport| !stage.failed.is_empty() || !stage.blocked.is_empty();
        if build.report.outcome == Outcome::Done && build.report.stages.iter().any(incomplete) {
            build.report.outcome = Outcome::Failed;
        }
        Ok(build.report)
    }

    /// One stage; an outcome means that the run ends here.
    fn stage(&mut self, stage: usize) -> Result<Option<Outcome>, EngineError> {
        if self.control.is_cancelled() {
            return Ok(Some(Outcome::Interrupted));
        }
        let mut state = look(&self.walk, stage)?;
        manifests(&state).for_each(|manifest| reached::mark(self.walk.workspace, manifest));
        let mut report = self.announce(stage, &state);
        let executed = execute(&self.walk, stage, &mut state, self.log, self.control);
        self.log.observe(&Event::StageFinished {
            stage: report.stage,
            done: executed.done,
            unchanged: executed.unchanged,
            failed: executed.failed.len(),
        });
        let stop = fill(&mut report, executed);
        manifests(&state).for_each(|manifest| report.counts.add(&manifest.counts));
        report.quarantined = self.quarantined(&state, |_, _| true)?;
        let outcome = match stop {
            Some(Stop::Interrupted) => Some(Outcome::Interrupted),
            Some(Stop::Hopeless(message)) => Some(Outcome::Stopped { message }),
            None => self.bad_input(&report, &state)?.map(Outcome::TooManyBad),
        };
        self.report.stages.push(report);
        if outcome.is_none() {
            self.publish(&state)?;
        }
        self.walk.states.insert(stage, state);
        Ok(outcome)
    }

    /// Tells what was seen before anything runs.
    fn announce(&self, stage: usize, state: &StageState) -> StageReport {
        let name = self.walk.workspace.stages[stage].info.name;
        let mut report = StageReport { stage: name, ..StageReport::default() };
        let mut dirty = 0;
        for task in &state.tasks {
            match &task.status {
                Status::Fresh => report.fresh += 1,
                Status::Blocked { on } => report.blocked.push((task.partition.clone(), on.clone())),
                Status::Dirty { .. } | Status::Maybe => dirty += 1,
            }
        }
        let (tasks, fresh, blocked) = (state.tasks.len(), report.fresh, report.blocked.len());
        let reasons = frequent_reasons(state.tasks.iter().map(|task| &task.status));
        self.log.observe(&Event::StageStarted { stage: name, tasks, fresh, dirty, blocked, reasons });
        for (partition, on) in &report.blocked {
            self.log.observe(&Event::TaskBlocked { stage: name, partition: partition.clone(), on: on.clone() });
        }
        report
    }

    /// The kind of input of which too large a share is quarantined, if there is one; the worst of several. Fresh results
    /// count too: a second run must not pass where the first one failed.
    fn bad_input(&self, report: &StageReport, state: &StageState) -> Result<Option<BadInput>, StoreError> {
        let max_bad_share = self.walk.workspace.setup.runtime.max_bad_share;
        let bad = |input: &InputCounts| input.quarantined.values().sum::<u64>();
        let share = |input: &InputCounts| bad(input) as f64 / input.read.max(1) as f64;
        let over = report.counts.inputs.iter().filter(|(_, input)| bad(input) > 0 && share(input) > max_bad_share);
        let Some((kind, input)) = over.max_by(|a, b| share(a.1).total_cmp(&share(b.1))) else { return Ok(None) };
        // Rejects name no kind, so the counts of their own task tell: another kind may be broken for the same reason.
        let is_of_kind = |counts: &Counts, reject: &Reject| {
            counts.inputs.get(kind).is_some_and(|input| input.quarantined.contains_key(&reject.reason))
        };
        let first = self.quarantined(state, is_of_kind)?;
        let line = |reject: &Reject| format!("{}: {} {}", reject.record_id, reject.reason, reject.detail);
        Ok(Some(BadInput {
            stage: report.stage,
            kind: kind.clone(),
            bad: bad(input),
            read: input.read,
            max_bad_share,
            first: first.iter().map(|(_, reject)| line(reject)).collect(),
        }))
    }

    /// The first broken inputs that the results of a stage left out.
    fn quarantined(
        &self,
        state: &StageState,
        is_wanted: impl Fn(&Counts, &Reject) -> bool,
    ) -> Result<Vec<(Partition, Reject)>, StoreError> {
        let mut listed = Vec::new();
        for manifest in manifests(state).filter(|manifest| !manifest.counts.quarantined().is_empty()) {
            let Some(table) = InputPart::of(&self.walk.workspace.store, manifest, Reject::TABLE) else { continue };
            for rejects in table.reader::<Reject>()? {
                let broken = rejects?.into_iter().filter(|reject| reject.kind == RejectKind::Quarantine);
                let wanted = broken.filter(|reject| is_wanted(&manifest.counts, reject));
                listed.extend(wanted.map(|reject| (manifest.partition().clone(), reject)));
                if listed.len() >= LISTED_INPUTS {
                    listed.truncate(LISTED_INPUTS);
                    return Ok(listed);
                }
            }
        }
        Ok(listed)
    }

    fn publish(&mut self, state: &StageState) -> Result<(), EngineError> {
        let workspace = self.walk.workspace;
        for publication in manifests(state).filter_map(|manifest| manifest.publication.as_ref()) {
            let roots = &workspace.setup.roots;
            let changed = publish::ensure(publication, workspace.store.root(), &roots.releases, &self.walk.digests)?;
            self.log.observe(&Event::Published { release: publication.id.clone(), changed });
            let folder = roots.releases.join(&publication.id);
            self.report.published.push(Published { id: publication.id.clone(), folder, changed });
        }
        Ok(())
    }
}

/// The results of a stage.
fn manifests(state: &StageState) -> impl Iterator<Item = &Manifest> {
    state.tasks.iter().filter_map(|task| task.manifest.as_deref())
}

fn fill(report: &mut StageReport, executed: Executed) -> Option<Stop> {
    report.done = executed.done;
    report.unchanged = executed.unchanged;
    report.failed = executed.failed;
    report.not_started = executed.not_started;
    executed.stop
}
