//! Writes the two tables of the peer benchmark through the table writer that `shards` uses.
//!
//! `bench_shards QA_FOLDER OUT_FOLDER` reads `qa.jsonl` and `images/*.jpg` and writes `images.parquet` and four shards
//! `qa-00000.parquet` … of 50 000 rows. Two files are written at a time, as `build -j 2` does with two splits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use uavgen_core::store::{TableOptions, TableWriter};
use uavgen_schemas::{ImageBytes, Record};

const SHARDS: usize = 4;
const SHARD_ROWS: usize = 50_000;
const THREADS: usize = 2;

/// A row of `qa.jsonl`.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Question {
    id: String,
    image_id: String,
    task: String,
    question: String,
    answer: String,
    choices: Vec<String>,
    program: Vec<Step>,
    boxes: Vec<Vec<f64>>,
    difficulty: f64,
}

/// One operation of a program.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Step {
    op: String,
    args: Vec<String>,
}

/// A row of `images.parquet`.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Picture {
    image_id: String,
    image: ImageBytes,
}

impl Record for Question {
    const TABLE: &'static str = "bench_questions";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Picture {
    const TABLE: &'static str = "bench_pictures";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.image_id
    }
    fn heavy_bytes(&self) -> usize {
        self.image.bytes.len()
    }
}

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [source, target] = arguments.as_slice() else { return Err("usage: bench_shards QA_FOLDER OUT_FOLDER".into()) };
    fs::create_dir_all(target)?;
    let starts = shard_starts(&source.join("qa.jsonl"))?;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let work = || -> Result<(), Failure> {
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    0 => write_images(source, target)?,
                    file if file <= SHARDS => write_questions(source, target, file - 1, starts[file - 1])?,
                    _ => return Ok(()),
                }
            }
        };
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })
}

/// Byte offset of the first line of each shard.
fn shard_starts(path: &Path) -> Result<Vec<u64>, Failure> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    let (mut starts, mut lines, mut offset) = (vec![0], 0, 0_u64);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(starts);
        }
        let found = buffer[..count].iter().filter(|byte| **byte == b'\n').count();
        if (lines + found) / SHARD_ROWS > lines / SHARD_ROWS && starts.len() < SHARDS {
            let missing = SHARD_ROWS - lines % SHARD_ROWS;
            let ends = buffer[..count].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let (end, _) = ends.take(missing).last().ok_or("a line ends here")?;
            starts.push(offset + end as u64 + 1);
        }
        lines += found;
        offset += count as u64;
    }
}

fn write_questions(source: &Path, target: &Path, shard: usize, start: u64) -> Result<(), Failure> {
    let mut file = File::open(source.join("qa.jsonl"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufReader::with_capacity(1 << 18, file);
    let path = target.join(format!("qa-{shard:05}.parquet"));
    let mut writer =
        TableWriter::<Question>::create(&path, TableOptions { declare_features: true, ..Default::default() })?;
    let mut line = Vec::new();
    for _ in 0..SHARD_ROWS {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        writer.push(&serde_json::from_slice(&line)?)?;
    }
    writer.finish()?;
    Ok(())
}

fn write_images(source: &Path, target: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(source.join("images"))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    files.sort();
    let options = TableOptions { row_group_rows: 100, declare_features: true, ..Default::default() };
    let mut writer = TableWriter::<Picture>::create(&target.join("images.parquet"), options)?;
    for file in files {
        let name =
            |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
        let image = ImageBytes { bytes: fs::read(&file)?, path: name(file.file_name()) };
        writer.push(&Picture { image_id: name(file.file_stem()), image })?;
    }
    writer.finish()?;
    Ok(())
}
