//! Copies of the sample's release, to be broken.

use crate::harness::{Project, copy_tree, files};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;
use uavgen_core::store::{TableOptions, TableReader, TableWriter};
use uavgen_schemas::{Record, ReleaseManifest};

/// A copy of the sample's release that a test may break.
pub(crate) struct Copy {
    pub(crate) project: Project,
}

impl Copy {
    pub(crate) fn new() -> Self {
        static GOOD: OnceLock<TempDir> = OnceLock::new();
        let good = GOOD.get_or_init(|| {
            let project = Project::sample();
            project.build();
            let folder = tempfile::tempdir().expect("a temporary folder");
            copy_tree(&project.release(), folder.path());
            folder
        });
        let project = Project::empty();
        copy_tree(good.path(), &project.path().join("release"));
        Self { project }
    }

    /// A copy of the release of a project.
    pub(crate) fn of(built: &Project) -> Self {
        let project = Project::empty();
        copy_tree(&built.release(), &project.path().join("release"));
        Self { project }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.project.path().join("release")
    }

    /// Files of one config, in order.
    pub(crate) fn shards(&self, config: &str) -> Vec<PathBuf> {
        files(&self.folder().join("data").join(config))
    }

    /// Rewrites the first shard of `R` in which `change` finds something to change.
    #[track_caller]
    pub(crate) fn change<R: Record>(&self, mut change: impl FnMut(&mut Vec<R>) -> bool) {
        for shard in self.shards(R::TABLE) {
            let mut rows: Vec<R> = TableReader::open(&shard).unwrap().rows().unwrap();
            if change(&mut rows) {
                fs::remove_file(&shard).unwrap();
                let options = TableOptions { declare_features: true, ..TableOptions::default() };
                let mut writer = TableWriter::<R>::create(&shard, options).unwrap();
                for row in rows {
                    writer.push(&row).unwrap();
                }
                writer.finish().unwrap();
                return self.reseal();
            }
        }
        panic!("nothing to change in {}", R::TABLE);
    }

    /// Makes the manifest agree with the files again, so that `check` has to look inside them.
    pub(crate) fn reseal(&self) {
        use sha2::{Digest, Sha256};
        self.edit_manifest(|manifest| {
            for file in &mut manifest.files {
                if let Ok(content) = fs::read(self.folder().join(&file.path)) {
                    file.byte_count = content.len() as i64;
                    file.sha256 = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
                }
            }
        });
    }

    pub(crate) fn edit_manifest(&self, edit: impl FnOnce(&mut ReleaseManifest)) {
        let path = self.folder().join("manifest.json");
        let mut manifest: ReleaseManifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        edit(&mut manifest);
        fs::write(&path, serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
    }

    /// Runs `check` and expects it to fail with this fault among those it names.
    #[track_caller]
    pub(crate) fn expect_fault(&self, fault: &str) {
        let run = self.project.run(&["check", "release"]).expect_code(1);
        assert!(run.stdout.contains(fault), "no fault {fault} in\n{}\n{}", run.stdout, run.stderr);
    }
}
