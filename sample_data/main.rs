//! `uavgen-sample-data DIR [--town] [--seed N] [--truth FILE] [--places FILE]`: writes the synthetic sample data.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use uavgen_sample_data::{DEFAULT_SEED, write_sample, write_town};

const USAGE: &str = "usage: uavgen-sample-data DIR [--town] [--seed N] [--truth FILE] [--places FILE]

Writes the synthetic sample data (VisDrone layout, 5 MB) into DIR.

  --town         write the sample town instead (mesh, poses and masks, 1.2 MB), into DIR/town
  --seed N       seed of the worlds (default 7)
  --truth FILE   also write the truth table there, as CSV
  --places FILE  of the town, also write the table of roads and other places there, as CSV";

struct Arguments {
    dir: PathBuf,
    is_town: bool,
    seed: u64,
    truth: Option<PathBuf>,
    places: Option<PathBuf>,
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
    let (mut dir, mut is_town, mut seed) = (None, false, DEFAULT_SEED);
    let (mut truth, mut places) = (None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--town" => is_town = true,
            "--seed" => {
                let value = words.next().ok_or("--seed needs a number")?;
                seed = value.parse().map_err(|_| format!("--seed needs a whole number, not `{value}`"))?;
            }
            "--truth" => truth = Some(words.next().ok_or("--truth needs a file name")?.into()),
            "--places" => places = Some(words.next().ok_or("--places needs a file name")?.into()),
            option if option.starts_with('-') => return Err(format!("unknown option `{option}`")),
            folder if dir.is_none() => dir = Some(folder.into()),
            extra => return Err(format!("one folder is enough, found also `{extra}`")),
        }
    }
    if places.is_some() && !is_town {
        return Err("--places is of the town: add --town".to_owned());
    }
    Ok(Arguments { dir: dir.ok_or("the folder to write to is missing")?, is_town, seed, truth, places })
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let (dir, seed) = (&arguments.dir, arguments.seed);
    let rows = if arguments.is_town {
        let truth = write_town(dir, seed)?;
        write_table(arguments.truth.as_ref(), || truth.to_csv())?;
        write_table(arguments.places.as_ref(), || truth.places_to_csv())?;
        truth.rows.len()
    } else {
        let truth = write_sample(dir, seed)?;
        write_table(arguments.truth.as_ref(), || truth.to_csv())?;
        truth.rows.len()
    };
    println!("{}: {rows} rows of truth, seed {seed}", dir.display());
    Ok(())
}

/// Writes a table where a file is named for it.
fn write_table(path: Option<&PathBuf>, table: impl FnOnce() -> String) -> Result<(), Box<dyn Error>> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, table()).map_err(|error| format!("write `{}`: {error}", path.display()).into())
}
