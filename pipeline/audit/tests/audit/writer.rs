//! Writes the tiny release to disk: tables, card, manifest.

use crate::release::Rows;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use uavgen_core::fingerprint::digest;
use uavgen_core::store::features::card_features;
use uavgen_core::store::{TableOptions, TableWriter};
use uavgen_schemas::{RELEASE_TABLES, Record, ReleaseFile, ReleaseManifest, ReleaseSplit, ReleaseTable, canonical};

/// SHA-256, hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Collects what the manifest and the card tell.
pub(crate) struct Writer<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) configs: Vec<ReleaseTable>,
    pub(crate) files: Vec<ReleaseFile>,
}

impl Writer<'_> {
    pub(crate) fn table<R: Record>(&mut self, rows: Rows<R>) {
        let mut by_split: BTreeMap<String, Vec<R>> = BTreeMap::new();
        for (split, row) in rows {
            by_split.entry(split).or_default().push(row);
        }
        if by_split.is_empty() {
            return;
        }
        let mut splits = Vec::new();
        for (split, rows) in by_split {
            let path = format!("data/{}/{split}-00000-of-00001.parquet", R::TABLE);
            let disk = self.folder.join(&path);
            fs::create_dir_all(disk.parent().unwrap()).unwrap();
            let mut writer = TableWriter::<R>::create(&disk, TableOptions::default()).unwrap();
            rows.into_iter().for_each(|row| writer.push(&row).unwrap());
            let written = writer.finish().unwrap();
            self.list(&path, Some(written.rows as i64));
            splits.push(ReleaseSplit {
                name: split,
                row_count: written.rows as i64,
                decoded_bytes: written.decoded_bytes as i64,
                files: vec![path],
            });
        }
        self.configs.push(ReleaseTable { name: R::TABLE.into(), record_version: R::VERSION, splits });
    }

    pub(crate) fn file(&mut self, path: &str, content: &[u8]) {
        let disk = self.folder.join(path);
        fs::create_dir_all(disk.parent().unwrap()).unwrap();
        fs::write(disk, content).unwrap();
        self.list(path, None);
    }

    fn list(&mut self, path: &str, row_count: Option<i64>) {
        let content = fs::read(self.folder.join(path)).unwrap();
        let (byte_count, sha256) = (content.len() as i64, sha256(&content));
        self.files.push(ReleaseFile { path: path.into(), byte_count, sha256, row_count });
    }

    pub(crate) fn finish(mut self) {
        self.configs.sort_by(|a, b| a.name.cmp(&b.name));
        let card = self.card();
        self.file("README.md", card.as_bytes());
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let manifest = ReleaseManifest {
            format_version: 1,
            name: "tiny".into(),
            id: String::new(),
            uavgen_version: "0".into(),
            split_mode: "source".into(),
            configs: self.configs,
            files: self.files,
        };
        write_manifest(self.folder, manifest);
    }

    fn card(&self) -> String {
        let mut card = "---\npretty_name: tiny\nconfigs:\n".to_owned();
        for config in &self.configs {
            _ = writeln!(card, "- config_name: {}\n  data_files:", config.name);
            for split in &config.splits {
                _ = writeln!(card, "  - split: {}\n    path:\n    - {}", split.name, split.files.join("\n    - "));
            }
        }
        card.push_str("dataset_info:\n");
        for config in &self.configs {
            let table = RELEASE_TABLES.iter().find(|table| table.name == config.name).unwrap();
            _ = writeln!(card, "- config_name: {}\n  features:", config.name);
            write_block(&mut card, &card_features(table), "  ");
            card.push_str("  splits:\n");
            for split in &config.splits {
                let (name, bytes, rows) = (&split.name, split.decoded_bytes, split.row_count);
                _ = writeln!(card, "  - name: {name}\n    num_bytes: {bytes}\n    num_examples: {rows}");
            }
            let size: i64 = config.splits.iter().map(|split| split.decoded_bytes).sum();
            let files = config.splits.iter().flat_map(|split| &split.files);
            let download: i64 =
                files.map(|path| self.files.iter().find(|file| file.path == *path).unwrap().byte_count).sum();
            _ = writeln!(card, "  download_size: {download}\n  dataset_size: {size}");
        }
        card + "---\n\n# tiny\n"
    }
}

/// A list of mappings of strings and such lists as YAML.
fn write_block(text: &mut String, list: &Value, indent: &str) {
    for entry in list.as_array().unwrap() {
        let mut lead = "- ";
        for (key, value) in entry.as_object().unwrap() {
            match value.as_str() {
                Some(scalar) => _ = writeln!(text, "{indent}{lead}{key}: {scalar}"),
                None => {
                    _ = writeln!(text, "{indent}{lead}{key}:");
                    write_block(text, value, &format!("{indent}  "));
                }
            }
            lead = "  ";
        }
    }
}

/// Writes a manifest under the name that its content gives.
pub(crate) fn write_manifest(folder: &Path, mut manifest: ReleaseManifest) {
    manifest.id = String::new();
    let hash = digest(canonical::of(&manifest).unwrap().as_bytes());
    manifest.id = format!("tiny-{}", &hash[..12]);
    fs::write(folder.join("manifest.json"), serde_json::to_string_pretty(&manifest).unwrap()).unwrap();
}
