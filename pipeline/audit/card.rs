//! The card tells the same counts, sizes and files as the manifest, and the columns of the tables: loaders go by them.

use crate::findings::{FaultCode, Log, Place};
use crate::release::{CARD, Release};
use crate::yaml;
use serde_json::Value;
use std::io;
use uavgen_core::store::features::card_features;
use uavgen_schemas::{RELEASE_TABLES, ReleaseSplit, ReleaseTable};

/// Checks the card's front matter against the manifest.
pub(crate) fn check(release: &Release, log: &mut Log) {
    // A card that is not there, or not listed, was told before.
    let listed = release.file(CARD).map(|_| std::fs::read_to_string(release.disk(CARD)));
    let text = match listed {
        Some(Ok(text)) => text,
        Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
            return log.fault(FaultCode::CardCounts, Place::file(CARD), error.to_string());
        }
        _ => return,
    };
    match front_matter(&text) {
        Ok(card) => differences(release, &card).into_iter().for_each(|(config, problem)| {
            log.fault(FaultCode::CardCounts, Place { file: CARD, row: config.as_deref() }, problem);
        }),
        Err(problem) => log.fault(FaultCode::CardCounts, Place::file(CARD), problem),
    }
}

fn front_matter(text: &str) -> Result<Value, String> {
    let text = text.replace("\r\n", "\n");
    let block = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let (block, _) = block.ok_or("it has no front matter between `---` lines")?;
    yaml::parse(block).map_err(|problem| format!("the front matter cannot be read: {problem}"))
}

/// What differs, with the config that it is about.
fn differences(release: &Release, card: &Value) -> Vec<(Option<String>, String)> {
    let mut found = Vec::new();
    let (title, name) = (&card["pretty_name"], &release.manifest.name);
    // A title that YAML reads as something else than text stands in quotes.
    if title != name.as_str() {
        found.push((None, format!("pretty_name is {title}, the manifest says {name:?}")));
    }
    for key in ["configs", "dataset_info"] {
        let mut named: Vec<&str> = entries(&card[key]).filter_map(|entry| entry["config_name"].as_str()).collect();
        named.sort_unstable();
        let mut expected: Vec<&str> = release.manifest.configs.iter().map(|config| config.name.as_str()).collect();
        expected.sort_unstable();
        if named != expected {
            found.push((None, format!("`{key}` names [{}], the manifest [{}]", named.join(", "), expected.join(", "))));
        }
    }
    for config in &release.manifest.configs {
        let of = |key: &str| entries(&card[key]).find(|entry| entry["config_name"] == config.name.as_str());
        let mut problems = Vec::new();
        if let Some(info) = of("dataset_info") {
            problems.extend(info_differences(release, config, info));
            problems.extend(feature_difference(config, &info["features"]));
        }
        if let Some(files) = of("configs") {
            problems.extend(file_differences(config, files));
        }
        found.extend(problems.into_iter().map(|problem| (Some(config.name.clone()), problem)));
    }
    found
}

/// A list, or the one mapping that stands in its place.
fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value.as_array().map_or(&[] as &[Value], Vec::as_slice);
    list.iter().chain(value.is_object().then_some(value))
}

fn info_differences(release: &Release, config: &ReleaseTable, info: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut compare = |what: String, found: &Value, expected: i64| {
        if found.as_i64() != Some(expected) {
            problems.push(format!("{what} is {found}, the manifest says {expected}"));
        }
    };
    for split in &config.splits {
        let entry = entries(&info["splits"]).find(|entry| entry["name"] == split.name.as_str()).unwrap_or(&Value::Null);
        compare(format!("num_examples of {}", split.name), &entry["num_examples"], split.row_count);
        compare(format!("num_bytes of {}", split.name), &entry["num_bytes"], split.decoded_bytes);
    }
    let sum = |value: fn(&ReleaseSplit) -> i64| config.splits.iter().map(value).fold(0, i64::saturating_add);
    compare("dataset_size".into(), &info["dataset_size"], sum(|split| split.decoded_bytes));
    let files = config.splits.iter().flat_map(|split| &split.files);
    let sizes = files.filter_map(|path| release.file(path)).map(|file| file.byte_count);
    compare("download_size".into(), &info["download_size"], sizes.fold(0, i64::saturating_add));
    compare("the number of splits".into(), &entries(&info["splits"]).count().into(), config.splits.len() as i64);
    problems
}

/// The first feature that is not that of the table; a table that this build does not know was told before.
fn feature_difference(config: &ReleaseTable, found: &Value) -> Option<String> {
    let table = RELEASE_TABLES.iter().find(|table| table.name == config.name)?;
    let expected = card_features(table);
    let names = |features: &Value| -> Vec<String> {
        entries(features).map(|feature| feature["name"].as_str().unwrap_or("?").to_owned()).collect()
    };
    let (found_names, expected_names) = (names(found), names(&expected));
    if found_names != expected_names {
        let (found, expected) = (found_names.join(", "), expected_names.join(", "));
        return Some(format!("features are [{found}], the table has [{expected}]"));
    }
    let mut pairs = entries(found).zip(entries(&expected));
    pairs
        .find(|(found, expected)| found != expected)
        .map(|(found, expected)| format!("feature {found} is not that of the table, {expected}"))
}

fn file_differences(config: &ReleaseTable, entry: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let named = entries(&entry["data_files"]).count();
    if named != config.splits.len() {
        problems.push(format!("data_files has {named} splits, the manifest {}", config.splits.len()));
    }
    for split in &config.splits {
        let found = entries(&entry["data_files"]).find(|files| files["split"] == split.name.as_str());
        let path = found.map_or(&Value::Null, |files| &files["path"]);
        let paths: Vec<&str> = match path {
            Value::String(path) => vec![path.as_str()],
            other => entries(other).filter_map(Value::as_str).collect(),
        };
        if paths != split.files.iter().map(String::as_str).collect::<Vec<_>>() {
            let listed = paths.join(", ");
            problems.push(format!(
                "data_files of {} are [{listed}], the manifest lists [{}]",
                split.name,
                split.files.join(", ")
            ));
        }
    }
    problems
}
