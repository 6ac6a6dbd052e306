//! Opening tables lazily and getting plain columns out.

use polars::prelude::*;
use std::path::PathBuf;

/// Stands between the elements of a list where a list column serves as a key (ASCII unit separator: no id, question
/// or option contains it).
pub const LIST_SEPARATOR: char = '\u{1f}';

/// All rows of the files, one after another. No files give `None`, since a query needs a schema.
pub(crate) fn scan(paths: &[PathBuf]) -> PolarsResult<Option<LazyFrame>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let sources: Vec<PlRefPath> =
        paths.iter().map(|path| PlRefPath::try_from_path(path)).collect::<PolarsResult<_>>()?;
    // A path is a name here, never a pattern: recordings may be called `a[1]`.
    let options = ScanArgsParquet { glob: false, ..Default::default() };
    LazyFrame::scan_parquet_files(sources.into(), options).map(Some)
}

/// Column `name` as text: numbers as they print, null as the empty text, list elements joined by [`LIST_SEPARATOR`].
pub(crate) fn text_key(schema: &Schema, name: &str) -> PolarsResult<Expr> {
    let text = match schema.try_get(name)? {
        DataType::List(_) => col(name)
            .cast(DataType::List(Box::new(DataType::String)))
            .list()
            .join(lit(LIST_SEPARATOR.to_string()), true),
        _ => col(name).cast(DataType::String),
    };
    Ok(text.fill_null(lit("")).alias(name))
}

/// The named columns of the files as texts, see [`text_key`].
pub(crate) fn text_columns(frame: LazyFrame, names: &[&str]) -> PolarsResult<LazyFrame> {
    let mut frame = frame;
    let schema = frame.collect_schema()?;
    let keys = names.iter().map(|name| text_key(&schema, name)).collect::<PolarsResult<Vec<_>>>()?;
    Ok(frame.select(keys))
}

/// The texts of column `name`; null is the empty text.
pub(crate) fn texts<'a>(frame: &'a DataFrame, name: &str) -> PolarsResult<impl Iterator<Item = &'a str>> {
    Ok(frame.column(name)?.str()?.iter().map(Option::unwrap_or_default))
}

/// The texts of one row over the named columns, for every row.
pub(crate) fn text_rows<'a>(frame: &'a DataFrame, names: &[&str]) -> PolarsResult<Vec<Vec<&'a str>>> {
    let mut rows: Vec<Vec<&str>> = vec![Vec::with_capacity(names.len()); frame.height()];
    for name in names {
        for (row, text) in rows.iter_mut().zip(texts(frame, name)?) {
            row.push(text);
        }
    }
    Ok(rows)
}

/// The values of a numeric column; nulls are left out.
pub(crate) fn numbers(frame: &DataFrame, name: &str) -> PolarsResult<Vec<f64>> {
    let column = frame.column(name)?.cast(&DataType::Float64)?;
    Ok(column.f64()?.iter().flatten().collect())
}
