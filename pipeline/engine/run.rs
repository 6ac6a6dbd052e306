//! A build: stage by stage look, run what is dirty, judge what was quarantined, publish.

use crate::execute::{Executed, Stop, execute};
use crate::lock::Lock;
use crate::look::{StageState, frequent_reasons, look};
use crate::report::{BadRecords, BuildReport, Outcome, Published, StageReport};
use crate::run_log::RunLog;
use crate::workspace::{Walk, Workspace};
use crate::{Control, EngineError, Event, Observer, Selection, Status, publish};
use uavgen_core::store::TableReader;
use uavgen_core::{Counts, Grain, StoreError};
use uavgen_schemas::{Record, Reject, RejectKind};

/// Quarantined records that are listed when there are too many.
const LISTED_RECORDS: usize = 20;

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
        // The table only saves time; what could not be kept is found out again.
        drop(build.walk.digests.save());
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
        let mut report = self.announce(stage, &state);
        let executed = execute(&self.walk, stage, &mut state, self.log, self.control);
        self.log.observe(&Event::StageFinished {
            stage: report.stage,
            done: executed.done,
            unchanged: executed.unchanged,
            failed: executed.failed.len(),
        });
        let stop = fill(&mut report, executed);
        self.report.stages.push(report);
        let outcome = match stop {
            Some(Stop::Interrupted) => Some(Outcome::Interrupted),
            Some(Stop::Hopeless(message)) => Some(Outcome::Stopped { message }),
            None => self.bad_records(stage, &state)?.map(Outcome::TooManyBad),
        };
        if outcome.is_none() && self.walk.workspace.stages[stage].info.grain == Grain::Dataset {
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
        let reasons = frequent_reasons(state);
        self.log.observe(&Event::StageStarted { stage: name, tasks, fresh, dirty, blocked, reasons });
        for (partition, on) in &report.blocked {
            self.log.observe(&Event::TaskBlocked { stage: name, partition: partition.clone(), on: on.clone() });
        }
        report
    }

    /// Whether too large a share of what the stage looked at is quarantined, fresh results included: a second run must
    /// not pass where the first one failed.
    fn bad_records(&self, stage: usize, state: &StageState) -> Result<Option<BadRecords>, StoreError> {
        let mut sum = Counts::default();
        state.tasks.iter().filter_map(|task| task.manifest.as_ref()).for_each(|one| {
            sum.read += one.counts.read;
            one.counts
                .quarantine
                .iter()
                .for_each(|(why, count)| *sum.quarantine.entry(why.clone()).or_default() += count);
        });
        let (bad, read): (u64, u64) = (sum.quarantine.values().sum(), sum.read);
        let max_bad_share = self.walk.workspace.setup.runtime.max_bad_share;
        if bad == 0 || bad as f64 <= max_bad_share * read as f64 {
            return Ok(None);
        }
        let first = self.list_quarantined(state)?;
        let stage = self.walk.workspace.stages[stage].info.name;
        Ok(Some(BadRecords { stage, bad, read, max_bad_share, first }))
    }

    fn list_quarantined(&self, state: &StageState) -> Result<Vec<String>, StoreError> {
        let mut listed = Vec::new();
        let results = state.tasks.iter().filter_map(|task| task.manifest.as_ref());
        for manifest in results.filter(|manifest| !manifest.counts.quarantine.is_empty()) {
            let path = self.walk.workspace.store.attempt_folder(manifest).join(format!("{}.parquet", Reject::TABLE));
            for rejects in TableReader::<Reject>::open(&path)? {
                let bad = rejects?.into_iter().filter(|reject| reject.kind == RejectKind::Quarantine);
                listed.extend(bad.map(|reject| format!("{}: {} {}", reject.record_id, reject.reason, reject.detail)));
                if listed.len() >= LISTED_RECORDS {
                    listed.truncate(LISTED_RECORDS);
                    return Ok(listed);
                }
            }
        }
        Ok(listed)
    }

    fn publish(&mut self, state: &StageState) -> Result<(), EngineError> {
        let workspace = self.walk.workspace;
        for publication in state.tasks.iter().filter_map(|task| task.manifest.as_ref()?.publication.as_ref()) {
            let roots = &workspace.setup.roots;
            let changed = publish::ensure(publication, workspace.store.root(), &roots.releases, &self.walk.digests)?;
            self.log.observe(&Event::Published { release: publication.id.clone(), changed });
            let folder = roots.releases.join(&publication.id);
            self.report.published.push(Published { id: publication.id.clone(), folder, changed });
        }
        Ok(())
    }
}

fn fill(report: &mut StageReport, executed: Executed) -> Option<Stop> {
    report.done = executed.done;
    report.unchanged = executed.unchanged;
    report.failed = executed.failed;
    report.not_started = executed.not_started;
    executed.stop
}
