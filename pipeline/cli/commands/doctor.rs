//! `uavgen doctor`: looks over the installation, the disk and the store.

use crate::arguments::Global;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{Align, Columns, Style, bytes, counted, print};
use crate::workspace::{Opened, open};
use clap::Args;
use std::path::Path;
use std::process::Command;
use uavgen_engine::{Control, GcOptions, Selection, Silent, space};
use uavgen_media::{LibraryInfo, library};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen doctor              versions, licence of the linked FFmpeg; in a project also disk and store
  uavgen doctor --config F   of another project")]
pub(crate) struct DoctorArguments {}

pub(crate) fn run(_: &DoctorArguments, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(Style::stdout());
    installation(&mut report, library());
    python(&mut report);
    match open(global, None) {
        Ok(opened) => project(&mut report, &opened)?,
        // Outside a project there is simply no more to look at; a config that was named, or is there, must be sound.
        Err(error) if global.config.is_none() && crate::config::find(None).is_err() => {
            report.plain("project", format!("{error}"));
        }
        Err(error) => {
            report.fault("project", error.downcast::<Failure>().map_or_else(|e| e.to_string(), |f| f.message))
        }
    }
    let exit = if report.faults > 0 { Exit::Failed } else { Exit::Done };
    print(report.columns.render(""))?;
    Ok(exit)
}

/// What was found, a line each.
struct Report {
    columns: Columns,
    faults: usize,
    style: Style,
}

impl Report {
    fn new(style: Style) -> Self {
        Self { columns: Columns::new(&[Align::Left; 3]), faults: 0, style }
    }

    fn good(&mut self, what: &str, text: impl Into<String>) {
        self.columns.row([self.style.green("ok"), what.into(), text.into()]);
    }

    fn plain(&mut self, what: &str, text: impl Into<String>) {
        self.columns.row(["-".into(), what.into(), text.into()]);
    }

    fn warning(&mut self, what: &str, text: impl Into<String>) {
        self.columns.row([self.style.yellow("note"), what.into(), text.into()]);
    }

    fn fault(&mut self, what: &str, text: impl Into<String>) {
        self.faults += 1;
        self.columns.row([self.style.red("fault"), what.into(), text.into()]);
    }
}

fn installation(report: &mut Report, library: &LibraryInfo) {
    report.good("uavgen", env!("CARGO_PKG_VERSION"));
    report.good(
        "ffmpeg",
        format!(
            "libavcodec {}, libavformat {}, libavutil {}, libswscale {}",
            library.avcodec, library.avformat, library.avutil, library.swscale
        ),
    );
    match &library.x264 {
        Some(x264) => report.good("x264", x264.clone()),
        None => report.fault("x264", "the linked FFmpeg cannot encode H.264: install an FFmpeg built with libx264"),
    }
    report.plain("licence", format!("the linked FFmpeg is under: {}", library.licence));
    report.plain("", licence_meaning(&library.licence));
}

/// What the licence of the linked FFmpeg means for people who pass the binary on.
fn licence_meaning(licence: &str) -> &'static str {
    let licence = licence.to_ascii_lowercase();
    if licence.contains("nonfree") || licence.contains("unredistributable") {
        "this binary must not be passed on at all; what it makes is not affected"
    } else if licence.contains("lgpl") {
        "this binary may be passed on under the LGPL's terms for the linked libraries; uavgen's source stays Apache-2.0"
    } else if licence.contains("gpl") {
        "whoever passes this binary on does so under the GPL; uavgen's source stays Apache-2.0, and data that it makes is \
         not affected"
    } else {
        "ask the distributor of that FFmpeg before you pass this binary on"
    }
}

/// Loading a release in Python needs `datasets`; uavgen itself does not.
fn python(report: &mut Report) {
    let found = Command::new("python3").args(["-c", "import datasets; print(datasets.__version__)"]).output();
    match found {
        Ok(output) if output.status.success() => {
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            report.good("datasets", format!("{version} for python3; try load_dataset(\"releases/latest\", \"qa\")"));
        }
        _ => report.plain("datasets", "not found for python3; to load releases there: pip install datasets pillow"),
    }
}

fn project(report: &mut Report, opened: &Opened) -> anyhow::Result<()> {
    report.good("config", opened.config.file.display().to_string());
    for source in &opened.config.project.sources {
        match source.path.is_dir() {
            true => report.good("source", format!("{}: {}", source.name, source.path.display())),
            false => report.fault("source", format!("{}: there is no folder {}", source.name, source.path.display())),
        }
    }
    disk(report, opened);
    store(report, opened)
}

fn disk(report: &mut Report, opened: &Opened) {
    let (store, releases) = (&opened.config.runtime.store, &opened.config.runtime.releases);
    if let Err(error) = writable(store) {
        report.fault("store", format!("{} cannot be written: {error}", store.display()));
    }
    if let (Some(one), Some(other)) = (device(store), device(releases))
        && one != other
    {
        report.warning("releases", "on another file system than the store: files are copied instead of linked");
    }
}

/// Tries to create a file.
fn writable(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::File::create_new(&probe)?;
    std::fs::remove_file(&probe)
}

/// File system of a folder, or of the nearest folder above that exists.
fn device(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    folder.ancestors().find_map(|folder| std::fs::metadata(folder).ok()).map(|metadata| metadata.dev())
}

fn store(report: &mut Report, opened: &Opened) -> anyhow::Result<()> {
    let interrupt = Interrupt::unwatched();
    let control = Control { observer: &Silent, cancelled: interrupt.cancelled() };
    let plan = match opened.workspace.plan(&Selection::all(), control) {
        Ok(plan) => plan,
        Err(error) => {
            report.fault("plan", opened.failure(&interrupt, error).to_string());
            return Ok(());
        }
    };
    let stored: u64 = plan.stages.iter().map(|stage| stage.stored_bytes).sum();
    let needed: u64 = plan.stages.iter().filter_map(|stage| stage.needed_bytes).sum();
    let free = space::free_bytes(&opened.config.runtime.store)?;
    let text = format!("{} stored, about {} more needed, {} free", bytes(stored), bytes(needed), bytes(free));
    if needed > free {
        report.fault("disk", text)
    } else {
        report.good("disk", text)
    }
    let damaged = plan.stages.iter().flat_map(|stage| &stage.tasks).filter(|task| is_damaged(&task.status)).count();
    if damaged > 0 {
        report.warning(
            "store",
            format!("{} damaged; the next build makes them again", counted(damaged as u64, "result")),
        );
    }
    let options = GcOptions { dry_run: true, keep_days: opened.config.runtime.keep_days, wait: false };
    match opened.workspace.gc(options, control) {
        Ok(garbage) if garbage.removed.is_empty() => report.good("store", "nothing to clean up"),
        Ok(garbage) => report.warning("store", format!("`uavgen gc` would free {}", bytes(garbage.freed_bytes))),
        Err(error) => report.plain("store", opened.failure(&interrupt, error).to_string()),
    }
    Ok(())
}

fn is_damaged(status: &uavgen_engine::Status) -> bool {
    use uavgen_engine::{Reason, Status};
    matches!(status, Status::Dirty { reasons } if reasons.iter().any(|reason| matches!(reason, Reason::Missing { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_told_apart() {
        assert!(licence_meaning("GPL version 2 or later").contains("under the GPL"));
        assert!(licence_meaning("LGPL version 2.1 or later").contains("LGPL's terms"));
        assert!(licence_meaning("nonfree and unredistributable").contains("must not be passed on"));
        assert!(licence_meaning("?").contains("ask"));
    }

    #[test]
    fn a_missing_encoder_is_a_fault() {
        let mut report = Report::new(Style::plain());
        installation(&mut report, &LibraryInfo { x264: None, ..library().clone() });
        assert_eq!(report.faults, 1);
        assert!(report.columns.render("").contains("fault  x264"));
    }

    #[test]
    fn folders_are_probed_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        writable(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(writable(&folder.path().join("missing")).is_err());
        assert_eq!(device(&folder.path().join("missing/deep")), device(folder.path()));
    }
}
