//! `uavgen stages`: the registry as a table or a graph.

use crate::exit::Exit;
use crate::output::{Align, Columns, Style, print};
use clap::Args;
use std::fmt::Write as _;
use uavgen_core::{Grain, Stage, StageInfo};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  uavgen stages                              a table
  uavgen stages --dot | dot -Tsvg > g.svg    the graph, drawn by Graphviz")]
pub(crate) struct StagesArguments {
    /// Print the graph of stages and tables in Graphviz' language
    #[arg(long)]
    dot: bool,
}

pub(crate) fn run(arguments: &StagesArguments) -> anyhow::Result<Exit> {
    let stages: Vec<&StageInfo> = uavgen_stages::STAGES.iter().map(|stage: &&dyn Stage| stage.info()).collect();
    print(if arguments.dot { dot(&stages) } else { table(&stages) })?;
    Ok(Exit::Done)
}

fn table(stages: &[&StageInfo]) -> String {
    let style = Style::stdout();
    let mut columns = Columns::new(&[Align::Left; 5]);
    columns.row(["stage", "version", "one task per", "reads", "writes"].map(|heading| style.dim(heading)));
    for stage in stages {
        let reads: Vec<String> = stage.reads.iter().map(|read| optional(read.table.name, read.optional)).collect();
        let writes: Vec<&str> = stage.writes.iter().map(|table| table.name).collect();
        let cell = |names: String| if names.is_empty() { "-".to_owned() } else { names };
        columns.row([
            style.bold(stage.name),
            stage.version.to_string(),
            grain_noun(stage.grain).into(),
            cell(reads.join(", ")),
            cell(writes.join(", ")),
        ]);
    }
    let mut text = columns.render("");
    text.push('\n');
    let mut summaries = Columns::new(&[Align::Left; 2]);
    for stage in stages {
        summaries.row([style.bold(stage.name), stage.summary.into()]);
    }
    let _ =
        write!(text, "\n{}\n\n? = optional: where no task writes it, the stage goes on without.", summaries.render(""));
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
    fn the_table_says_what_is_read_and_written() {
        let text = table(&[&STAGE]);
        assert!(text.contains("video  3        sequence      frames?  videos\n"), "{text}");
        assert!(text.contains("video  Encodes."), "{text}");
    }

    #[test]
    fn the_graph_goes_through_tables() {
        let text = dot(&[&STAGE]);
        assert!(text.contains("\"table frames\" -> \"video\" [style=dashed];"), "{text}");
        assert!(text.contains("\"video\" -> \"table videos\";"), "{text}");
    }
}
