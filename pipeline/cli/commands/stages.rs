//! `uavgen stages`: the registry as a list or a graph.

use crate::exit::Exit;
use crate::output::{Style, print};
use clap::Args;
use std::fmt::Write as _;
use uavgen_core::{Grain, Stage, StageInfo};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen stages                              a list
  uavgen stages --dot | dot -Tsvg > g.svg    the graph, drawn by Graphviz")]
pub(crate) struct StagesArguments {
    /// Print the graph of stages and tables in Graphviz' language
    #[arg(long)]
    dot: bool,
}

pub(crate) fn run(arguments: &StagesArguments) -> anyhow::Result<Exit> {
    let stages: Vec<&StageInfo> = uavgen_stages::STAGES.iter().map(|stage: &&dyn Stage| stage.info()).collect();
    print(if arguments.dot { dot(&stages) } else { list(&stages) })?;
    Ok(Exit::Done)
}

/// Width of the list of tables, in characters.
const WIDTH: usize = 88;

/// A paragraph per stage.
fn list(stages: &[&StageInfo]) -> String {
    let style = Style::stdout();
    let mut text = String::new();
    for stage in stages {
        let facts = format!("a task per {}, version {}", grain_noun(stage.grain), stage.version);
        let _ = writeln!(text, "{}  {}\n  {}", style.bold(stage.name), style.dim(&facts), stage.summary);
        let reads: Vec<String> = stage.reads.iter().map(|read| optional(read.table.name, read.optional)).collect();
        let writes: Vec<String> = stage.writes.iter().map(|table| table.name.to_owned()).collect();
        for (verb, tables) in [("reads ", reads), ("writes", writes)].into_iter().filter(|(_, all)| !all.is_empty()) {
            let _ = writeln!(text, "  {} {}", style.dim(verb), wrapped(&tables, "         "));
        }
        text.push('\n');
    }
    text + "? = optional: where no task writes it, the stage goes on without."
}

/// Names in lines, separated by commas.
fn wrapped(names: &[String], indent: &str) -> String {
    let (mut text, mut line) = (String::new(), 0);
    for (position, name) in names.iter().enumerate() {
        if position > 0 && line + name.len() > WIDTH {
            text += &format!(",\n{indent}");
            line = 0;
        } else if position > 0 {
            text += ", ";
        }
        text += name;
        line += name.len() + 2;
    }
    text
}

fn optional(name: &str, optional: bool) -> String {
    if optional { format!("{name}?") } else { name.to_owned() }
}

/// What one task of a stage with this grain covers.
pub(crate) fn grain_noun(grain: Grain) -> &'static str {
    match grain {
        Grain::Sequence => "sequence",
        Grain::Bucket => "bucket",
        Grain::Split => "split",
        Grain::Dataset => "data set",
    }
}

fn dot(stages: &[&StageInfo]) -> String {
    let mut text = String::from("digraph uavgen {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    for stage in stages {
        let _ = writeln!(text, "  \"{}\" [shape=box, style=bold];", stage.name);
        for table in stage.writes {
            let _ =
                writeln!(text, "  \"table {0}\" [label=\"{0}\"];\n  \"{1}\" -> \"table {0}\";", table.name, stage.name);
        }
        for read in stage.reads {
            let style = if read.optional { " [style=dashed]" } else { "" };
            let _ = writeln!(text, "  \"table {}\" -> \"{}\"{style};", read.table.name, stage.name);
        }
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_core::Read;
    use uavgen_schemas::{Frame, TableInfo, Video};

    const STAGE: StageInfo = StageInfo {
        name: "video",
        version: 3,
        summary: "Encodes.",
        grain: Grain::Sequence,
        reads: &[Read::optional(TableInfo::of::<Frame>())],
        writes: &[TableInfo::of::<Video>()],
        reads_counts: false,
        uses_seed: false,
    };

    #[test]
    fn the_list_says_what_is_read_and_written() {
        let text = list(&[&STAGE]);
        let expected = "video  a task per sequence, version 3\n  Encodes.\n  reads  frames?\n  writes videos\n";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn long_lists_are_broken_between_names() {
        let names: Vec<String> = (0..30).map(|number| format!("table_{number}")).collect();
        let text = wrapped(&names, "    ");
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() < 105), "{text}");
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        assert_eq!(words, names);
    }

    #[test]
    fn the_graph_goes_through_tables() {
        let text = dot(&[&STAGE]);
        assert!(text.contains("\"table frames\" -> \"video\" [style=dashed];"), "{text}");
        assert!(text.contains("\"video\" -> \"table videos\";"), "{text}");
    }
}
