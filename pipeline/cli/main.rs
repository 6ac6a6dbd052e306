//! The command line of uavgen: reads arguments and config, calls the engine, prints, chooses the exit code.
//!
//! Nothing here decides what a result is. Each command is one file in [`commands`]; what they share is here beside it:
//! [`config`] (the strict reader of `uavgen.toml`), [`output`] (data to stdout, everything else to stderr), [`exit`]
//! (one meaning per exit code), [`progress`] (what the engine reports, as a bar, lines or JSON) and [`interrupt`].

mod arguments;
mod commands;
mod config;
mod exit;
mod heat;
mod interrupt;
mod output;
mod picture;
mod progress;
mod releases;
mod results;
mod workspace;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    announce_bugs();
    let arguments = arguments::Arguments::parse();
    match commands::run(&arguments) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let exit = exit::exit_of(&error);
            match arguments.global.log_format {
                arguments::LogFormat::Text => output::report(&error),
                arguments::LogFormat::Json => output::report_json(&error, exit.code()),
            }
            exit.into()
        }
    }
}

/// A panic is a bug of ours: say so, and say what to do. The process then exits with 101.
fn announce_bugs() {
    let print_place = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        output::note("error: this is a bug in uavgen; finished results are safe");
        print_place(panic);
        output::note("hint: please report the command and these lines; RUST_BACKTRACE=1 shows where it happened");
    }));
}
