//! The release folder: its manifest, and where its files are.

use crate::AuditError;
use crate::findings::{FaultCode, Log, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use uavgen_core::fingerprint;
use uavgen_schemas::{RELEASE_TABLES, ReleaseFile, ReleaseManifest, canonical};

/// File that makes a folder a release.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The card.
pub(crate) const CARD: &str = "README.md";
/// The report for people.
const REPORT: &str = "report.html";
/// Latest format of the manifest.
const FORMAT_VERSION: u32 = 1;

/// A release on disk.
pub(crate) struct Release {
    folder: PathBuf,
    pub(crate) manifest: ReleaseManifest,
    paths: BTreeMap<String, usize>,
}

/// One Parquet file of one table.
pub(crate) struct TableFile {
    /// Path inside the release.
    pub(crate) path: String,
    /// Split of its rows, by the manifest.
    pub(crate) split: String,
    /// Where it is.
    pub(crate) disk: PathBuf,
}

impl Release {
    /// Opens a release; null, with a fault, when its manifest is there and makes no sense.
    pub(crate) fn open(folder: &Path, log: &mut Log) -> Result<Option<Self>, AuditError> {
        let path = folder.join(MANIFEST);
        let text = read_regular(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => AuditError::NoRelease { folder: folder.into() },
            _ => AuditError::Io { path: path.clone(), source },
        })?;
        match serde_json::from_slice::<ReleaseManifest>(&text) {
            Ok(manifest) if manifest.format_version > FORMAT_VERSION => {
                let (found, known) = (manifest.format_version, FORMAT_VERSION);
                Err(AuditError::LaterFormat { folder: folder.into(), found, known })
            }
            Ok(manifest) => {
                let paths = manifest.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
                Ok(Some(Self { folder: folder.into(), manifest, paths }))
            }
            Err(error) => {
                log.fault(FaultCode::Manifest, Place::file(MANIFEST), format!("it cannot be read: {error}"));
                Ok(None)
            }
        }
    }

    /// Where a file of the release is.
    pub(crate) fn disk(&self, path: &str) -> PathBuf {
        path.split('/').fold(self.folder.clone(), |folder, part| folder.join(part))
    }

    /// Root folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest's entry of a file.
    pub(crate) fn file(&self, path: &str) -> Option<&ReleaseFile> {
        self.paths.get(path).map(|&at| &self.manifest.files[at])
    }

    /// The Parquet files of a table, split by split, those that lie inside the release.
    pub(crate) fn table_files(&self, table: &str) -> Vec<TableFile> {
        let configs = self.manifest.configs.iter().filter(|config| config.name == table);
        let splits = configs.flat_map(|config| &config.splits);
        let files = splits.flat_map(|split| split.files.iter().map(|path| (path, &split.name)));
        files
            .filter(|(path, _)| is_inside(path))
            .map(|(path, split)| TableFile { path: path.clone(), split: split.clone(), disk: self.disk(path) })
            .collect()
    }

    /// Checks the manifest against itself.
    pub(crate) fn check_manifest(&self, log: &mut Log) {
        let manifest = Place::file(MANIFEST);
        let mut listed = BTreeSet::new();
        for file in &self.manifest.files {
            if !is_inside(&file.path) {
                log.fault(FaultCode::Manifest, manifest, format!("{:?} is no path inside the release", file.path));
            }
            if !listed.insert(file.path.as_str()) {
                log.fault(FaultCode::Manifest, manifest, format!("{} is listed twice", file.path));
            }
        }
        for missing in [CARD, REPORT].into_iter().filter(|name| !listed.contains(name)) {
            log.fault(FaultCode::Manifest, manifest, format!("{missing} is no file of the manifest"));
        }
        self.check_configs(&listed, log);
        if let Some(expected) = self.expected_id()
            && expected != self.manifest.id
        {
            let problem = format!("the release is called {}, by its content it is {expected}", self.manifest.id);
            log.fault(FaultCode::ManifestId, manifest, problem);
        }
    }

    fn check_configs(&self, listed: &BTreeSet<&str>, log: &mut Log) {
        let mut in_configs = BTreeSet::new();
        for config in &self.manifest.configs {
            let place = Place::row(MANIFEST, &config.name);
            match RELEASE_TABLES.iter().find(|table| table.name == config.name) {
                None => log.fault(FaultCode::Schema, place, "no table has this name, so its columns cannot be checked"),
                Some(table) if table.version != config.record_version => {
                    let problem =
                        format!("version {} of the record, this build knows {}", config.record_version, table.version);
                    log.fault(FaultCode::Schema, place, problem);
                }
                Some(_) => {}
            }
            for path in config.splits.iter().flat_map(|split| &split.files) {
                if !listed.contains(path.as_str()) {
                    log.fault(FaultCode::Manifest, place, format!("{path} is no file of the manifest"));
                }
                if !in_configs.insert(path.as_str()) {
                    log.fault(FaultCode::Manifest, place, format!("{path} belongs to two splits"));
                }
            }
        }
        for file in self.manifest.files.iter().filter(|file| file.row_count.is_some()) {
            if !in_configs.contains(file.path.as_str()) {
                log.fault(FaultCode::Manifest, Place::file(MANIFEST), format!("{} belongs to no config", file.path));
            }
        }
    }

    /// The name that the content gives: the hash covers everything in the manifest but the name itself.
    fn expected_id(&self) -> Option<String> {
        let nameless = ReleaseManifest { id: String::new(), ..self.manifest.clone() };
        let hash = fingerprint::digest(canonical::of(&nameless).ok()?.as_bytes());
        let (title, _) = self.manifest.id.rsplit_once('-').unwrap_or(("", ""));
        Some(format!("{title}-{}", &hash[..12]))
    }
}

/// The content of a plain file, or of a link to one: reading a pipe would wait for ever.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() { std::fs::read(path) } else { Err(io::Error::other("it is no plain file")) }
}

/// Whether a path stays inside the release and is spelled in one way.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert!(is_inside("data/qa/train-00000-of-00001.parquet"));
        for path in ["", "/etc/passwd", "../x", "data//x", "data/./x", "a\\b"] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
