//! From the config file to the engine's workspace, and from the engine's errors to what people read.

use crate::arguments::{ALL, Global, Selection};
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use std::io::ErrorKind;
use std::time::SystemTime;
use uavgen_core::StoreError;
use uavgen_engine::{EngineError, Roots, Runtime, Setup, Workspace};

/// A config with the workspace that it describes.
pub(crate) struct Opened {
    pub(crate) config: Config,
    pub(crate) workspace: Workspace,
}

/// Finds and reads the config, and opens its workspace. `jobs` overrules the config.
///
/// # Errors
/// Whatever in the config cannot be used, with its line.
pub(crate) fn open(global: &Global, jobs: Option<usize>) -> anyhow::Result<Opened> {
    let file = config::find(global.config.as_deref())?;
    let config = Config::load(&file, uavgen_stages::STAGES)?;
    let runtime = &config.runtime;
    let setup = Setup {
        project: config.project.clone(),
        registry: uavgen_stages::STAGES,
        config: config.stages.clone(),
        roots: Roots { store: runtime.store.clone(), releases: runtime.releases.clone(), runs: runtime.runs.clone() },
        runtime: Runtime {
            jobs: threads(jobs.unwrap_or(runtime.jobs)),
            max_bad_share: runtime.max_bad_share,
            keep_days: runtime.keep_days,
        },
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        uavgen_version: env!("CARGO_PKG_VERSION").into(),
        clock: SystemTime::now,
    };
    match Workspace::open(setup) {
        Ok(workspace) => Ok(Opened { config, workspace }),
        Err(error) => Err(failure(&config, None, error).into()),
    }
}

/// The number of threads that `jobs` asks for.
pub(crate) fn threads(jobs: usize) -> usize {
    match jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

impl Opened {
    /// An engine error as people read it, with the place in the config where it has one.
    pub(crate) fn failure(&self, interrupt: &Interrupt, error: EngineError) -> anyhow::Error {
        failure(&self.config, Some(interrupt), error).into()
    }
}

impl Selection {
    /// What the engine is asked for.
    pub(crate) fn for_engine(&self) -> uavgen_engine::Selection {
        let all = self.stage.iter().any(|name| name == ALL);
        uavgen_engine::Selection { stages: (!all).then(|| self.stage.clone()), split: self.split.clone() }
    }
}

fn failure(config: &Config, interrupt: Option<&Interrupt>, error: EngineError) -> Failure {
    let exit = match error {
        EngineError::Config { stage, source } => return config.failure(&source.under(&stage)),
        EngineError::UnknownSection { source } | EngineError::Source { source, .. } => return config.failure(&source),
        EngineError::UnknownStage { .. }
        | EngineError::UnknownSplit { .. }
        | EngineError::UnknownPartition { .. }
        | EngineError::AmbiguousPartition { .. }
        | EngineError::WholeDataSet { .. }
        | EngineError::StaleTask { .. } => Exit::Usage,
        EngineError::Busy { .. } => Exit::Busy,
        EngineError::Store(StoreError::NotAStore { .. } | StoreError::Foreign { .. }) => Exit::Usage,
        EngineError::Interrupted => interrupt.and_then(Interrupt::exit).unwrap_or(Exit::Interrupted),
        EngineError::Bug { .. } | EngineError::Registry { .. } => Exit::Bug,
        EngineError::Store(_) | EngineError::Task { .. } => Exit::Failed,
    };
    let hint = match &error {
        EngineError::Store(StoreError::Io { source, .. })
            if matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            Some("give yourself the rights to read and write it, or set another folder under [runtime]")
        }
        EngineError::Store(StoreError::NotAStore { .. }) => Some("set `store` under [runtime]"),
        EngineError::Interrupted => Some("what was finished counts: run the same command again"),
        EngineError::Bug { .. } | EngineError::Registry { .. } => {
            Some("this is a bug in uavgen: please report the command and this message")
        }
        _ => None,
    };
    let failure = match &error {
        EngineError::Interrupted => Failure::new(exit, "interrupted"),
        error => Failure::new(exit, format!("failed to {error}")),
    };
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}
