//! One file per command: its arguments, and what it does.

pub(crate) mod build;
pub(crate) mod check;
mod clip;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod gc;
pub(crate) mod init;
pub(crate) mod plan;
pub(crate) mod preview;
pub(crate) mod run_task;
pub(crate) mod schema;
pub(crate) mod stages;
pub(crate) mod status;

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;

/// Runs the command that was typed.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Init(arguments) => init::run(arguments),
        Command::Build(arguments) => build::run(arguments, global),
        Command::Plan(arguments) => plan::run(arguments, global),
        Command::Status(arguments) => status::run(arguments, global),
        Command::Explain(arguments) => explain::run(arguments, global),
        Command::Check(arguments) => check::run(arguments, global),
        Command::Preview(arguments) => preview::run(arguments, global),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Stages(arguments) => stages::run(arguments),
        Command::RunTask(arguments) => run_task::run(arguments, global),
        Command::Doctor(arguments) => doctor::run(arguments, global),
        Command::Gc(arguments) => gc::run(arguments, global),
    }
}
