//! Distributions over the boxes of many scenes, for reports.

use crate::TableError;
use crate::bins::Bins;
use crate::scan::{numbers, scan};
use polars::prelude::*;
use std::path::PathBuf;

/// The files of one partition whose rows belong together: boxes are joined with the frames that they lie on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenePaths {
    /// Table `frames`.
    pub frames: PathBuf,
    /// Table `boxes_2d` of the same partition.
    pub boxes: PathBuf,
}

/// Number of boxes by the square root of their area in pixels, in bins `edges[i] <= value < edges[i + 1]`; values outside
/// go to the first and the last bin.
///
/// # Errors
/// When a file or a column is missing, or the edges do not ascend.
pub fn box_sides(scenes: &[ScenePaths], edges: &[f64]) -> Result<Vec<u64>, TableError> {
    const QUESTION: &str = "box_sides";
    let mut bins = Bins::new(QUESTION, edges)?;
    let side = ((col("x2") - col("x1")) * (col("y2") - col("y1"))).sqrt().alias("side");
    for scene in scenes {
        let sides = column_of(&scene.boxes, |boxes| boxes.select([side.clone()]), "side");
        sides.map_err(|error| failed(QUESTION, scene, &error))?.into_iter().for_each(|value| bins.add(value));
    }
    Ok(bins.counts)
}

/// Number of labelled frames by the number of boxes on them (none counts as 0), in bins as in [`box_sides`].
///
/// # Errors
/// When a file or a column is missing, or the edges do not ascend.
pub fn boxes_per_frame(scenes: &[ScenePaths], edges: &[f64]) -> Result<Vec<u64>, TableError> {
    const QUESTION: &str = "boxes_per_frame";
    let mut bins = Bins::new(QUESTION, edges)?;
    for scene in scenes {
        let counts = frame_counts(scene).map_err(|error| failed(QUESTION, scene, &error))?;
        counts.into_iter().for_each(|value| bins.add(value));
    }
    Ok(bins.counts)
}

/// Number of boxes by the cell of their frame in which their centre lies: `rows` rows of `columns` cells, top row first.
///
/// # Errors
/// When a file or a column is missing, or the grid has no cell.
pub fn centre_grid(scenes: &[ScenePaths], columns: usize, rows: usize) -> Result<Vec<Vec<u64>>, TableError> {
    const QUESTION: &str = "centre_grid";
    if columns == 0 || rows == 0 {
        return Err(TableError::Argument { question: QUESTION, problem: "a grid needs a cell".into() });
    }
    let mut grid = vec![vec![0; columns]; rows];
    let cell = |share: f64, cells: usize| ((share * cells as f64) as usize).min(cells - 1);
    for scene in scenes {
        for (x, y) in centres(scene).map_err(|error| failed(QUESTION, scene, &error))? {
            grid[cell(y, rows)][cell(x, columns)] += 1;
        }
    }
    Ok(grid)
}

fn frame_counts(scene: &ScenePaths) -> PolarsResult<Vec<f64>> {
    let counted = required(&scene.boxes)?.group_by([col("frame_id")]).agg([len().alias("boxes")]);
    let frames = required(&scene.frames)?.filter(col("labelled")).select([col("frame_id")]);
    let joined = frames.join(counted, [col("frame_id")], [col("frame_id")], JoinArgs::new(JoinType::Left));
    numbers(&joined.select([col("boxes").fill_null(lit(0))]).collect()?, "boxes")
}

/// Centres of the boxes as shares of the width and height of their frame.
fn centres(scene: &ScenePaths) -> PolarsResult<Vec<(f64, f64)>> {
    let frames = required(&scene.frames)?.select([col("frame_id"), col("width"), col("height")]);
    let joined =
        required(&scene.boxes)?.join(frames, [col("frame_id")], [col("frame_id")], JoinArgs::new(JoinType::Inner));
    let share = |from: &str, to: &str, size: &str| {
        ((col(from) + col(to)) / (lit(2.0) * col(size).cast(DataType::Float64))).alias(from)
    };
    let centres = joined.select([share("x1", "x2", "width"), share("y1", "y2", "height")]).collect()?;
    Ok(numbers(&centres, "x1")?.into_iter().zip(numbers(&centres, "y1")?).collect())
}

fn column_of(path: &PathBuf, query: impl Fn(LazyFrame) -> LazyFrame, column: &str) -> PolarsResult<Vec<f64>> {
    numbers(&query(required(path)?).collect()?, column)
}

/// The rows of one file.
fn required(path: &PathBuf) -> PolarsResult<LazyFrame> {
    scan(std::slice::from_ref(path))?.ok_or_else(|| polars_err!(NoData: "no file"))
}

fn failed(question: &'static str, scene: &ScenePaths, error: &PolarsError) -> TableError {
    TableError::query(question, &[scene.boxes.clone(), scene.frames.clone()], error)
}
