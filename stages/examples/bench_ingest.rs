//! Measures `ingest` on a source, without an engine.
//!
//! `bench_ingest KIND FOLDER OUT_FOLDER [THREADS]` prints one line of JSON: seconds of looking through the folders,
//! of reading all text and image headers into tables (the peers' task), and of the digests of all files.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;
use uavgen_core::context::Surroundings;
use uavgen_core::project::BoxesIn;
use uavgen_core::{
    Context, Counts, Discovered, Inputs, Project, SourceConfig, SourceFile, SplitConfig, StageDefinition,
};
use uavgen_stages::ingest::{Ingest, IngestConfig};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: bench_ingest KIND FOLDER OUT_FOLDER [THREADS]".into());
    };
    let threads = rest.first().map_or(Ok(2), |threads| threads.parse())?;
    let source = SourceConfig {
        name: "src".into(),
        kind: kind.clone(),
        path: fs::canonicalize(folder)?,
        split: None,
        fps: None,
        licence: "unstated".into(),
        boxes_in: BoxesIn::Displayed,
        buckets: 64,
    };
    let root = source.path.clone();
    let project = Project {
        name: "bench".into(),
        seed: 1,
        sources: vec![source],
        split: SplitConfig::default(),
        split_list: BTreeMap::new(),
    };

    let start = Instant::now();
    let discovery = Ingest::discover(&IngestConfig::default(), &project).ok_or("ingest finds no work")??;
    let discover_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let digested = in_parallel(threads, &discovery.found, |found| {
        found.files.iter().map(|file| source_file(&root, file)).collect::<Outcome<Vec<SourceFile>>>()
    })?;
    let digest_s = start.elapsed().as_secs_f64();
    let bytes: u64 = digested.iter().flatten().map(|file| file.bytes).sum();

    let tasks: Vec<(&Discovered, Vec<SourceFile>)> = discovery.found.iter().zip(digested).collect();
    let start = Instant::now();
    let counts = in_parallel(threads, &tasks, |(found, files)| run_task(found, files, &root, Path::new(out)))?;
    let ingest_s = start.elapsed().as_secs_f64();

    let mut sum = Counts::default();
    counts.iter().for_each(|counts| sum.add(counts));
    let line = serde_json::json!({
        "tasks": tasks.len(), "threads": threads, "discover_s": discover_s, "ingest_s": ingest_s, "digest_s": digest_s,
        "bytes": bytes, "written": sum.written, "notes": sum.notes, "quarantine": sum.quarantine,
    });
    #[expect(clippy::print_stdout, reason = "the line is the result")]
    {
        println!("{line}");
    }
    Ok(())
}

/// The results of `work` on each item, in order.
fn in_parallel<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> Outcome<R> + Sync,
) -> Outcome<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Outcome<R>>> = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((position, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, items.get(n)?)))
                {
                    let result = work(item);
                    if let Ok(mut results) = results.lock() {
                        results.insert(position, result);
                    }
                }
            });
        }
    });
    results.into_inner().map_err(|_| "a thread panicked")?.into_values().collect()
}

fn source_file(root: &Path, file: &str) -> Outcome<SourceFile> {
    let content = fs::read(root.join(file))?;
    Ok(SourceFile {
        file: file.into(),
        digest: blake3::hash(&content).to_hex().to_string(),
        bytes: content.len() as u64,
    })
}

fn run_task(found: &Discovered, files: &[SourceFile], root: &Path, out: &Path) -> Outcome<Counts> {
    let attempt = out.join(found.partition.path());
    if attempt.exists() {
        fs::remove_dir_all(&attempt)?;
    }
    fs::create_dir_all(&attempt)?;
    let roots: BTreeMap<String, PathBuf> = [("src".to_owned(), root.to_owned())].into();
    let surroundings = Surroundings {
        stage: "ingest",
        partition: &found.partition,
        attempt_folder: attempt,
        store_root: out.to_owned(),
        source_roots: &roots,
        project_name: "bench",
        seed: 1,
        cancelled: &AtomicBool::new(false),
    };
    let inputs = Inputs { files: files.to_vec(), options: found.options.clone(), ..Inputs::default() };
    let mut context = Context::new(surroundings, inputs);
    Ingest::run(&IngestConfig::default(), &mut context)?;
    Ok(context.finish()?.counts)
}
