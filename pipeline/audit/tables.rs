//! Streams the rows of a table over all its files, and checks what holds for every table: columns, number of rows,
//! unique ids.

use crate::findings::{FaultCode, Log, Place};
use crate::release::{MANIFEST, Release, TableFile};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use uavgen_core::StoreError;
use uavgen_core::store::TableReader;
use uavgen_schemas::Record;

/// 128 bits that stand for an id, so that millions of ids fit into memory.
pub(crate) type Key = u128;

/// The key of an id.
pub(crate) fn key(id: &str) -> Key {
    let digest = Sha256::digest(id.as_bytes());
    digest.iter().take(16).fold(0, |key, byte| key << 8 | Key::from(*byte))
}

/// Decoded bytes of a table by split.
pub(crate) type DecodedSizes = BTreeMap<String, u64>;

/// One in so many bytes is the most by which a stated decoded size may be off.
const SIZE_TOLERANCE: u64 = 20;
/// So many bytes may be off in any case, but at most a quarter of all.
const SIZE_TOLERANCE_BYTES: u64 = 4096;

/// Rows with pictures that are read at once.
const HEAVY_ROWS: usize = 4;

/// What a pass over a table saw.
#[derive(Default)]
pub(crate) struct Seen {
    /// Ids of all rows.
    pub(crate) ids: HashSet<Key>,
    /// Whether every file could be read to its end.
    pub(crate) complete: bool,
}

/// Reads a table, checks it, and hands every row to `visit`.
pub(crate) fn check_table<R: Record>(
    release: &Release,
    log: &mut Log,
    visit: impl FnMut(&mut Log, &TableFile, R),
) -> Seen {
    let (seen, sizes) = check_rows(release, R::TABLE, TableReader::<R>::open, log, visit);
    if seen.complete {
        check_sizes(release, R::TABLE, &sizes, log);
    }
    seen
}

/// As [`check_table`], of rows that hold pictures: few are read at once.
pub(crate) fn check_heavy_table<R: Record>(
    release: &Release,
    log: &mut Log,
    visit: impl FnMut(&mut Log, &TableFile, R),
) -> Seen {
    let open = |path: &Path| TableReader::<R>::with_batch_rows(path, HEAVY_ROWS);
    let (seen, sizes) = check_rows(release, R::TABLE, open, log, visit);
    if seen.complete {
        check_sizes(release, R::TABLE, &sizes, log);
    }
    seen
}

/// As [`check_table`], of rows that leave out columns of the table.
pub(crate) fn check_table_columns<Whole: Record, Part: Record>(
    release: &Release,
    log: &mut Log,
    visit: impl FnMut(&mut Log, &TableFile, Part),
) -> Seen {
    // Opening as the whole record compares all columns.
    let open = |path: &Path| TableReader::<Whole>::open(path).and_then(|_| TableReader::<Part>::open_columns(path));
    check_rows(release, Whole::TABLE, open, log, visit).0
}

fn check_rows<R: Record>(
    release: &Release,
    table: &str,
    open: impl Fn(&Path) -> Result<TableReader<R>, StoreError>,
    log: &mut Log,
    mut visit: impl FnMut(&mut Log, &TableFile, R),
) -> (Seen, DecodedSizes) {
    let mut seen = Seen { complete: true, ..Seen::default() };
    let mut sizes = DecodedSizes::default();
    let mut rows_of_files = Vec::new();
    for file in release.table_files(table) {
        let rows = open_logged(&file, &open, log).and_then(|reader| {
            read_logged(&file, reader, log, |log, row| {
                if !seen.ids.insert(key(row.id())) {
                    log.fault(
                        FaultCode::DuplicateId,
                        Place::row(&file.path, row.id()),
                        "a row before it has the same id",
                    );
                }
                visit(log, &file, row);
            })
        });
        seen.complete &= rows.is_some();
        if let Some((rows, decoded_bytes)) = rows {
            *sizes.entry(file.split.clone()).or_default() += decoded_bytes;
            log.checked.rows += rows;
            rows_of_files.push((file, rows));
        }
    }
    check_counts(release, table, &rows_of_files, seen.complete, log);
    if !seen.complete {
        log.skip(format!("references to {table}: not all of its files can be read"));
    }
    (seen, sizes)
}

fn open_logged<R: Record>(
    file: &TableFile,
    open: impl Fn(&Path) -> Result<TableReader<R>, StoreError>,
    log: &mut Log,
) -> Option<TableReader<R>> {
    match open(&file.disk) {
        Ok(reader) => Some(reader),
        // Told as a missing or unreadable file already.
        Err(StoreError::Io { .. }) => None,
        Err(error) => {
            log.fault(FaultCode::Schema, Place::file(&file.path), problem(error));
            None
        }
    }
}

/// Number and decoded bytes of the rows; null when the file cannot be read to its end.
fn read_logged<R: Record>(
    file: &TableFile,
    mut reader: TableReader<R>,
    log: &mut Log,
    mut visit: impl FnMut(&mut Log, R),
) -> Option<(u64, u64)> {
    let mut count = 0;
    for batch in reader.by_ref() {
        match batch {
            Ok(rows) => {
                count += rows.len() as u64;
                rows.into_iter().for_each(|row| visit(log, row));
            }
            Err(error) => {
                log.fault(FaultCode::FileUnreadable, Place::file(&file.path), problem(error));
                return None;
            }
        }
    }
    Some((count, reader.decoded_bytes()))
}

/// The cause without the path on this machine: findings name the path inside the release.
fn problem(error: StoreError) -> String {
    match error {
        StoreError::Corrupt { problem, .. } => problem,
        other => other.to_string(),
    }
}

fn check_counts(release: &Release, table: &str, files: &[(TableFile, u64)], complete: bool, log: &mut Log) {
    for (file, rows) in files {
        let stated = release.file(&file.path).and_then(|file| file.row_count);
        if let Some(stated) = stated
            && i64::try_from(*rows).ok() != Some(stated)
        {
            log.fault(FaultCode::RowCount, Place::file(&file.path), format!("{rows} rows, the manifest says {stated}"));
        }
    }
    let splits =
        release.manifest.configs.iter().filter(|config| config.name == table).flat_map(|config| &config.splits);
    for split in splits.filter(|_| complete) {
        let rows: u64 = files.iter().filter(|(file, _)| file.split == split.name).map(|(_, rows)| rows).sum();
        let place = Place::row(MANIFEST, table);
        if i64::try_from(rows).ok() != Some(split.row_count) {
            let problem = format!("split {} has {rows} rows, the manifest says {}", split.name, split.row_count);
            log.fault(FaultCode::RowCount, place, problem);
        }
    }
}

/// Compares decoded sizes by split, as read, with those of the manifest.
pub(crate) fn check_sizes(release: &Release, table: &str, sizes: &DecodedSizes, log: &mut Log) {
    let configs = release.manifest.configs.iter().filter(|config| config.name == table);
    for split in configs.flat_map(|config| &config.splits) {
        let read = sizes.get(&split.name).copied().unwrap_or(0);
        let stated = split.decoded_bytes;
        let difference = u64::try_from(stated).map_or(u64::MAX, |stated| stated.abs_diff(read));
        // A few bytes per column depend on how many rows were written at once.
        let most = (read / SIZE_TOLERANCE).max(SIZE_TOLERANCE_BYTES.min(read / 4));
        if difference > most {
            let problem = format!("split {} has {read} decoded bytes, the manifest says {stated}", split.name);
            log.fault(FaultCode::DecodedSize, Place::row(MANIFEST, table), problem);
        }
    }
}

/// Hands every row of a table that can be read to `visit`, file by file; what cannot be read was told before.
pub(crate) fn for_each_row<'a, R: Record>(
    files: impl IntoIterator<Item = &'a TableFile>,
    mut visit: impl FnMut(&TableFile, R),
) {
    for file in files {
        let Ok(reader) = TableReader::<R>::open_columns(&file.disk) else { continue };
        for rows in reader.map_while(Result::ok) {
            rows.into_iter().for_each(|row| visit(file, row));
        }
    }
}
