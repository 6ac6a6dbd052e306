//! Plans and runs stages, without knowing any of them by name.
//!
//! The **planner** only looks: it asks the root stages for work, derives the partitions of every other stage, computes
//! each task's fingerprint and says whether its result is there ([`Status`]). The **executor** only does: it runs the
//! tasks that are not fresh on plain threads and commits their results. Both go stage by stage, because a fingerprint
//! is made of the *content* of upstream tables: a task that runs again and gives the same bytes stops the wave there.
//!
//! | file | holds |
//! |---|---|
//! | [`setup`] | what the caller hands in: config, folders, clock, limits, selection |
//! | [`workspace`] | the checked setup and the public verbs on it |
//! | `graph` | which stage reads from which, derived from tables read and written |
//! | `discovery`, `digest_cache`, `digest_table` | work found by root stages, digests of their files |
//! | `look`, `key`, [`reason`] | one stage looked at: partitions, fingerprints, reasons |
//! | [`plan`] | the serialisable result of looking |
//! | `run`, `execute`, `attempt` | running what is not fresh |
//! | [`publish`] | releases laid out from the store by hard link |
//! | [`events`] | what happens during a run, for people and for `runs/<id>/events.jsonl` |
//! | [`summary`], [`explain`], [`gc`], [`lock`], [`space`] | the smaller verbs |
//! | `intact`, `reached`, `listing` | whether files are still what was written, when they were last needed, what is there |
//!
//! Nothing here is summed from memory: reports come from manifests, so a resumed run tells the same as one that was
//! never interrupted.

mod attempt;
mod digest_cache;
mod digest_table;
mod discovery;
pub mod error;
mod estimate;
pub mod events;
mod execute;
pub mod explain;
pub mod gc;
mod graph;
mod intact;
mod key;
mod listing;
pub mod lock;
mod look;
pub mod plan;
pub mod publish;
mod reached;
pub mod reason;
pub mod report;
mod run;
mod run_log;
pub mod setup;
mod single;
pub mod space;
pub mod summary;
pub mod workspace;

pub use error::EngineError;
pub use events::{Event, Observer, Silent};
pub use explain::Explanation;
pub use gc::{GcOptions, GcReport};
pub use lock::Holder;
pub use plan::{Plan, StagePlan, Status, TaskPlan, TaskRef};
pub use publish::Releases;
pub use reason::Reason;
pub use report::{BadInput, BuildReport, Failure, Outcome, Published, StageReport};
pub use run_log::LastRun;
pub use setup::{Clock, Control, Roots, Runtime, Selection, Setup};
pub use single::TaskDescription;
pub use summary::{StageSummary, Summary};
pub use workspace::Workspace;
