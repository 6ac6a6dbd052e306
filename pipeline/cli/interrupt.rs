//! Ctrl-C and SIGTERM: the first asks the run to stop, the second stops it.

use crate::exit::Exit;
use anyhow::Context as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Watches for signals while a run is on.
#[derive(Debug)]
pub(crate) struct Interrupt {
    cancelled: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Starts watching. Results are committed one by one, so stopping at once is as safe as stopping gently.
    ///
    /// # Errors
    /// When the handlers cannot be installed.
    pub(crate) fn watch() -> anyhow::Result<Self> {
        let this = Self::unwatched();
        for (signal, exit) in [(SIGINT, Exit::Interrupted), (SIGTERM, Exit::Terminated)] {
            // Order matters: the second signal finds the flag set by the first and exits.
            flag::register_conditional_shutdown(signal, exit.code().into(), this.cancelled.clone())
                .context("failed to watch for signals")?;
            flag::register_usize(signal, this.signal.clone(), usize::from(exit.code()))
                .context("failed to watch for signals")?;
            flag::register(signal, this.cancelled.clone()).context("failed to watch for signals")?;
        }
        Ok(this)
    }

    /// For commands that only read: a signal ends them at once, as it ends any program.
    pub(crate) fn unwatched() -> Self {
        Self { cancelled: Arc::default(), signal: Arc::default() }
    }

    /// Set once the run is to stop.
    pub(crate) fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// The exit code of the signal that came, if one did.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            code if code == usize::from(Exit::Terminated.code()) => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }
}
