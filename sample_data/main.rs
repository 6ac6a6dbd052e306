//! `uavgen-sample-data DIR [--seed N] [--truth FILE]`: writes the synthetic sample data.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use uavgen_sample_data::{DEFAULT_SEED, write_sample};

const USAGE: &str = "usage: uavgen-sample-data DIR [--seed N] [--truth FILE]

Writes the synthetic sample data (VisDrone layout, 5 MB) into DIR.

  --seed N      seed of the worlds (default 7)
  --truth FILE  also write the truth table there, as CSV";

struct Arguments {
    dir: PathBuf,
    seed: u64,
    truth: Option<PathBuf>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match parse(&words) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            eprintln!("error: failed to {error}{cause}");
            ExitCode::FAILURE
        }
    }
}

fn parse(words: &[String]) -> Result<Arguments, String> {
    let (mut dir, mut seed, mut truth) = (None, DEFAULT_SEED, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seed" => {
                let value = words.next().ok_or("--seed needs a number")?;
                seed = value.parse().map_err(|_| format!("--seed needs a whole number, not `{value}`"))?;
            }
            "--truth" => truth = Some(words.next().ok_or("--truth needs a file name")?.into()),
            option if option.starts_with('-') => return Err(format!("unknown option `{option}`")),
            folder if dir.is_none() => dir = Some(folder.into()),
            extra => return Err(format!("one folder is enough, found also `{extra}`")),
        }
    }
    Ok(Arguments { dir: dir.ok_or("the folder to write to is missing")?, seed, truth })
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let truth = write_sample(&arguments.dir, arguments.seed)?;
    if let Some(path) = &arguments.truth {
        std::fs::write(path, truth.to_csv()).map_err(|error| format!("write `{}`: {error}", path.display()))?;
    }
    println!("{}: {} rows of truth, seed {}", arguments.dir.display(), truth.rows.len(), arguments.seed);
    Ok(())
}
