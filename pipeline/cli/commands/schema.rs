//! `uavgen schema`: the tables as JSON Schema and as a reference page.

use crate::exit::{Exit, Failure};
use crate::output::{Align, Columns, print};
use anyhow::Context as _;
use clap::Args;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use uavgen_core::config::nearest;
use uavgen_schemas::{TABLES, TableInfo, reference};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen schema                      list the tables
  uavgen schema qa                   JSON Schema of the table `qa`
  uavgen schema --reference          every column of every table, as Markdown
  uavgen schema --write schemas      regenerate schemas/json/*.json and schemas/REFERENCE.md")]
pub(crate) struct SchemaArguments {
    /// Table to print; without it, the tables are listed
    #[arg(value_name = "TABLE", conflicts_with_all = ["reference", "write"])]
    table: Option<String>,
    /// Print the reference page of all tables
    #[arg(long, conflicts_with = "write")]
    reference: bool,
    /// Write `json/TABLE.json` and REFERENCE.md into this folder
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

pub(crate) fn run(arguments: &SchemaArguments) -> anyhow::Result<Exit> {
    match (&arguments.table, &arguments.write) {
        (Some(name), _) => print(schema_text(find(name)?).trim_end())?,
        (None, Some(folder)) => write(folder)?,
        (None, None) if arguments.reference => print(reference::markdown().trim_end())?,
        (None, None) => print(list())?,
    }
    Ok(Exit::Done)
}

fn find(name: &str) -> Result<&'static TableInfo, Failure> {
    TABLES.iter().find(|table| table.name == name).ok_or_else(|| {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let hint = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("tables: {}", names.join(", ")),
        };
        Failure::usage(format!("there is no table `{name}`")).with_hint(hint)
    })
}

fn list() -> String {
    let mut columns = Columns::new(&[Align::Left, Align::Left, Align::Left]);
    for table in TABLES {
        let schema = (table.json_schema)();
        let meaning = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
        columns.row([table.name.into(), format!("v{}", table.version), meaning]);
    }
    columns.render("")
}

/// The JSON Schema of a table as a file holds it, with the table's name and version.
fn schema_text(table: &TableInfo) -> String {
    let mut schema = (table.json_schema)();
    schema["x-table"] = Value::from(table.name);
    schema["x-version"] = Value::from(table.version);
    format!("{schema:#}\n")
}

fn write(folder: &Path) -> anyhow::Result<()> {
    let json = folder.join("json");
    fs::create_dir_all(&json).with_context(|| format!("failed to create {}", json.display()))?;
    let mut current = BTreeSet::new();
    for table in TABLES {
        let name = format!("{}.json", table.name);
        write_file(&json.join(&name), &schema_text(table))?;
        current.insert(name);
    }
    // The schema of a table that no longer exists would mislead.
    for entry in fs::read_dir(&json)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".json") && !current.contains(name) {
            fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;
        }
    }
    write_file(&folder.join("REFERENCE.md"), &reference::markdown())?;
    print(format_args!("{} schemas and REFERENCE.md are in {}", TABLES.len(), folder.display()))
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_not_there_gets_a_hint() {
        assert_eq!(find("frames").unwrap().name, "frames");
        assert_eq!(find("framse").unwrap_err().hint.as_deref(), Some("did you mean `frames`?"));
        assert!(find("zzz").unwrap_err().hint.unwrap().starts_with("tables: recordings, frames"));
    }

    #[test]
    fn writing_leaves_exactly_the_current_tables() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("json")).unwrap();
        fs::write(folder.path().join("json/gone.json"), "{}").unwrap();
        write(folder.path()).unwrap();
        let names: BTreeSet<String> = fs::read_dir(folder.path().join("json"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names, TABLES.iter().map(|table| format!("{}.json", table.name)).collect());
        let schema: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("json/frames.json")).unwrap()).unwrap();
        assert_eq!((schema["x-table"].as_str(), schema["x-version"].as_i64()), (Some("frames"), Some(2)));
        assert!(schema["properties"]["width"]["x-unit"] == "px");
        assert!(folder.path().join("REFERENCE.md").is_file());
    }
}
