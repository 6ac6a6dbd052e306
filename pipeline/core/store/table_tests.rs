//! Tables written and read back: same rows, same bytes, bounded row groups.

use super::{TableOptions, TableReader, TableWriter, WrittenTable};
use crate::StoreError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::Path;
use uavgen_schemas::{ImageBytes, Record};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Row {
    id: String,
    number: i64,
    share: Option<f64>,
    small: Vec<i32>,
    yes: bool,
    images: Vec<ImageBytes>,
}

impl Record for Row {
    const TABLE: &'static str = "rows";
    const VERSION: u32 = 3;
    fn id(&self) -> &str {
        &self.id
    }
    fn heavy_bytes(&self) -> usize {
        self.images.iter().map(|image| image.bytes.len()).sum()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Other {
    id: String,
    number: Option<i64>,
}

impl Record for Other {
    const TABLE: &'static str = "other";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.id
    }
}

fn row(number: usize, image_bytes: usize) -> Row {
    let image = ImageBytes { bytes: vec![number as u8; image_bytes], path: format!("{number}.jpg") };
    Row {
        id: format!("row-{number}"),
        number: number as i64,
        share: number.is_multiple_of(2).then_some(0.1),
        small: vec![1; number % 3],
        yes: true,
        images: if image_bytes == 0 { Vec::new() } else { vec![image] },
    }
}

fn write(path: &Path, options: TableOptions, rows: &[Row]) -> WrittenTable {
    let mut writer = TableWriter::create(path, options).unwrap();
    rows.iter().for_each(|row| writer.push(row).unwrap());
    writer.finish().unwrap()
}

fn rows_per_group(path: &Path) -> Vec<i64> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn rows_come_back_and_bytes_repeat(count in 0_usize..300, image_bytes in 0_usize..50, group_rows in 1_usize..100) {
        let folder = tempfile::tempdir().unwrap();
        let options = TableOptions { row_group_rows: group_rows, ..TableOptions::default() };
        let rows: Vec<Row> = (0..count).map(|number| row(number, image_bytes)).collect();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        let written = write(&one, options, &rows);
        prop_assert_eq!(&written, &write(&two, options, &rows));
        let bytes = fs::read(&one).unwrap();
        prop_assert_eq!(&bytes, &fs::read(&two).unwrap());
        prop_assert_eq!((written.bytes, written.digest), (bytes.len() as u64, blake3::hash(&bytes).to_hex().to_string()));
        prop_assert_eq!((written.rows, written.row_groups), (count as u64, count.div_ceil(group_rows) as u64));
        prop_assert!(rows_per_group(&one).iter().all(|rows| *rows <= group_rows as i64));
        prop_assert_eq!(TableReader::<Row>::open(&one).unwrap().rows().unwrap(), rows);
    }
}

#[test]
fn row_groups_are_bounded_by_decoded_bytes_also_when_images_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let options = TableOptions { row_group_bytes: 100_000, ..TableOptions::default() };
    let mut rows: Vec<Row> = (0..40).map(|_| row(1, 30_000)).collect();
    rows.iter_mut().enumerate().for_each(|(number, row)| row.id = format!("{number}"));
    let written = write(&path, options, &rows);
    // Three images of 30 kB and their other columns fit into 100 kB, four do not.
    assert_eq!(rows_per_group(&path), [vec![3; 13], vec![1]].concat());
    assert!((1_200_000..1_210_000).contains(&written.decoded_bytes), "{written:?}");
    assert!(written.bytes < 14 * 35_000, "an image is stored once per row group: {written:?}");
}

#[test]
fn a_row_larger_than_a_group_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let options = TableOptions { row_group_bytes: 1000, ..TableOptions::default() };
    write(&path, options, &[row(0, 10), row(1, 5000), row(2, 10)]);
    assert_eq!(rows_per_group(&path), [1, 1, 1]);
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    write(&path, TableOptions::default(), &[]);
    assert!(TableWriter::<Row>::create(&path, TableOptions::default()).is_err());
}

/// Two columns of [`Row`], in another order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Part {
    yes: bool,
    id: String,
}

impl Record for Part {
    const TABLE: &'static str = "rows";
    const VERSION: u32 = 3;
    fn id(&self) -> &str {
        &self.id
    }
}

#[test]
fn some_columns_can_be_read_alone_and_missing_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let rows = [row(0, 10), row(1, 5000)];
    write(&path, TableOptions::default(), &rows);
    let parts: Vec<Part> = TableReader::<Part>::open_columns(&path).unwrap().rows().unwrap();
    assert_eq!(parts, rows.map(|row| Part { yes: row.yes, id: row.id }));
    let error = TableReader::<Other>::open_columns(&path).err().unwrap().to_string();
    assert!(error.contains("column number: nullable is false, expected true"), "{error}");
}

#[test]
fn other_columns_and_cut_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    write(&path, TableOptions::default(), &[row(0, 0)]);
    let error = TableReader::<Other>::open(&path).err().unwrap().to_string();
    assert!(error.contains("columns are [id, number, share, small, yes, images], expected [id, number]"), "{error}");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    assert!(matches!(TableReader::<Row>::open(&path), Err(StoreError::Corrupt { .. })));
}
