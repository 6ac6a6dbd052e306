//! Properties of the line parser.

use crate::ingest::sources::visdrone_text::{Columns, Row, parse};
use proptest::prelude::*;

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let size = || (0_i32..3000, 0_i32..4).prop_map(|(whole, quarters)| f64::from(whole) + f64::from(quarters) / 4.0);
    let edge = || (-50_i32..3000, 0_i32..4).prop_map(|(whole, quarters)| f64::from(whole) + f64::from(quarters) / 4.0);
    let row =
        (0_i64..10_000, 0_i64..500, (edge(), edge(), size(), size()), any::<bool>(), 0_u8..12, 0_i64..2, 0_i64..3);
    let row =
        row.prop_map(|(frame, target, (left, top, width, height), ignored, category, truncation, occlusion)| Row {
            line: 0,
            frame,
            target: Some(target),
            left,
            top,
            width,
            height,
            ignored,
            category,
            truncation: Some(truncation),
            occlusion: Some(occlusion),
        });
    prop::collection::vec(row, 0..40).prop_map(|mut rows| {
        (1..).zip(&mut rows).for_each(|(line, row)| row.line = line);
        rows
    })
}

fn line(row: &Row) -> String {
    let levels = (i32::from(!row.ignored), row.category, row.truncation.unwrap_or(-1), row.occlusion.unwrap_or(-1));
    let (score, category, truncation, occlusion) = levels;
    format!(
        "{},{},{},{},{},{},{score},{category},{truncation},{occlusion}",
        row.frame,
        row.target.unwrap_or(-1),
        row.left,
        row.top,
        row.width,
        row.height
    )
}

proptest! {
    #[test]
    fn no_bytes_break_the_parser(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let lines = text.split(|byte| *byte == b'\n' || *byte == b'\r').count();
        for columns in [Columns::Tracked, Columns::Still] {
            let found = parse(&text, columns);
            prop_assert!(found.rows.len() + found.bad.len() <= lines);
        }
    }

    #[test]
    fn nearly_right_bytes_break_nothing_either(text in "[0-9,.\\-+eEx \\r\\n]{0,300}") {
        let found = parse(text.as_bytes(), Columns::Tracked);
        let filled = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).count();
        prop_assert_eq!(found.rows.len() + found.bad.len(), filled, "every line is a row or a reject");
        prop_assert!(found.rows.iter().all(|row| row.width >= 0.0 && row.height >= 0.0 && row.category <= 11));
    }

    #[test]
    fn what_is_written_is_read(rows in rows(), end in prop::sample::select(vec!["\n", "\r\n", "\r", ",\n", " \r\n"])) {
        let text: String = rows.iter().map(|row| line(row) + end).collect();
        let found = parse(text.as_bytes(), Columns::Tracked);
        prop_assert_eq!(&found.rows, &rows);
        prop_assert!(found.bad.is_empty());
        let with_mark = ["\u{feff}", &text].concat();
        prop_assert_eq!(&parse(with_mark.as_bytes(), Columns::Tracked).rows, &rows);
    }
}
