//! The contract between stages and the engine.
//!
//! A **stage** is a pure function over records with a thin shell. A **task** is one stage on one [`Partition`]. Its
//! [`Fingerprint`] hashes everything that may change its output and nothing else. Its result exists if, and only if,
//! the [`Manifest`] at the address that the fingerprint gives exists and its checksum holds; results are never edited.
//!
//! Stages see a [`Context`] and nothing else: they cannot open paths, read clocks or reach each other. The engine sees
//! [`Stage`] trait objects and nothing else: it cannot name a stage. Both sides meet here. The submodule [`store`] is
//! the only code in the workspace that commits results or knows Arrow and Parquet.

pub mod config;
pub mod context;
pub mod digests;
pub mod draw;
pub mod error;
pub mod fingerprint;
pub mod manifest;
pub mod parallel;
pub mod partition;
pub mod project;
pub mod stage;
pub mod store;
pub mod task;

pub use config::ConfigError;
pub use context::Context;
pub use digests::Digests;
pub use draw::Draw;
pub use error::{StoreError, TaskError};
pub use fingerprint::{Fingerprint, FingerprintInputs};
pub use manifest::{Artifact, Blob, Counts, InputCounts, Manifest, Publication, PublishedFile, RunInfo};
pub use partition::Partition;
pub use project::{Project, SourceConfig, SplitConfig, SplitMode};
pub use stage::{ConfiguredStage, Discovered, Discovery, Grain, Read, Stage, StageDefinition, StageInfo};
pub use store::Store;
pub use task::{FileStamp, InputPart, InputTable, Inputs, SourceFile, TaskResult, refuse_damaged};
