//! Exit codes, and the errors that carry one.
//!
//! Scripts and schedulers act on the code alone, so each has one meaning and all are listed in `--help`.

use std::fmt;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything that was asked for is there.
    Done,
    /// Some tasks failed, or an audit found faults.
    Failed,
    /// The command line, the config or a source cannot be used.
    Usage,
    /// People have to decide something first.
    #[cfg_attr(not(test), expect(dead_code, reason = "codes are fixed before the commands that use them exist"))]
    Waiting,
    /// A request is not in the cache, and `--offline` forbids asking.
    #[cfg_attr(not(test), expect(dead_code, reason = "codes are fixed before the commands that use them exist"))]
    OfflineMiss,
    /// The budget for paid requests is used up.
    #[cfg_attr(not(test), expect(dead_code, reason = "codes are fixed before the commands that use them exist"))]
    BudgetReached,
    /// Another process builds in the same store.
    Busy,
    /// Stopped by Ctrl-C; what was finished counts.
    Interrupted,
    /// Stopped by SIGTERM; what was finished counts.
    Terminated,
    /// A broken invariant in uavgen; also what a panic exits with.
    Bug,
}

impl Exit {
    /// Every code with its meaning, for `--help`.
    pub(crate) const HELP: &str = "Exit codes:
    0  done
    1  tasks failed, or the audit found faults
    2  the command line, the config or a source cannot be used
    3  waiting for people (review decisions)
    4  a request is not in the cache and --offline forbids asking
    5  the budget is used up
    6  another process is building in the same store
  101  a bug in uavgen
  130  interrupted (Ctrl-C), 143 terminated: what was finished counts, run the command again";

    /// The number that the process exits with.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::OfflineMiss => 4,
            Self::BudgetReached => 5,
            Self::Busy => 6,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::Bug => 101,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An error that knows its exit code and, often, the way out.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Code to exit with.
    pub(crate) exit: Exit,
    /// What is wrong; may quote lines of a file below its first line.
    pub(crate) message: String,
    /// What to do about it, when we know.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// An error that ends with `exit`.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    /// The user has to change the command line, the config or a source.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Adds what to do about it.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The code that an error ends with: its own, or 1 where nobody gave it one.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    error.chain().find_map(|cause| cause.downcast_ref::<Failure>()).map_or(Exit::Failed, |failure| failure.exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_text_names_every_code() {
        let all = [
            Exit::Done,
            Exit::Failed,
            Exit::Usage,
            Exit::Waiting,
            Exit::OfflineMiss,
            Exit::BudgetReached,
            Exit::Busy,
            Exit::Interrupted,
            Exit::Terminated,
            Exit::Bug,
        ];
        // Each line begins with its code; the last one names two.
        let lines = Exit::HELP.lines().skip(1).flat_map(|line| {
            line.split(", 143").enumerate().map(|(second, text)| {
                if second == 0 { text.split_whitespace().next().unwrap_or_default() } else { "143" }
            })
        });
        let named: Vec<u8> = lines.map(|code| code.parse().unwrap()).collect();
        let mut codes = all.map(Exit::code);
        codes.sort_unstable();
        assert_eq!(named, [0, 1, 2, 3, 4, 5, 6, 101, 130, 143]);
        assert_eq!(codes.to_vec(), named);
    }

    #[test]
    fn the_code_survives_added_context() {
        let error = anyhow::Error::from(Failure::new(Exit::Busy, "held")).context("build");
        assert_eq!(exit_of(&error), Exit::Busy);
        assert_eq!(exit_of(&anyhow::anyhow!("plain")), Exit::Failed);
    }
}
