//! Lines of annotation files, literally.

use crate::ingest::sources::bad_row::{Lost, RowFault};
use crate::ingest::sources::visdrone_text::{Annotations, Columns, Row, parse};

fn tracked(text: impl AsRef<[u8]>) -> Annotations {
    parse(text.as_ref(), Columns::Tracked)
}

fn still(text: impl AsRef<[u8]>) -> Annotations {
    parse(text.as_ref(), Columns::Still)
}

/// Line and reason of every bad row.
fn reasons(annotations: &Annotations) -> Vec<(u32, &'static str)> {
    annotations.bad.iter().map(|bad| (bad.line, bad.fault.reason())).collect()
}

const CAR: Row = Row {
    line: 1,
    frame: 102,
    target: Some(0),
    left: 38.0,
    top: 666.0,
    width: 71.0,
    height: 88.0,
    ignored: false,
    category: 4,
    truncation: Some(1),
    occlusion: Some(2),
};

#[test]
fn fields_have_their_documented_meaning() {
    assert_eq!(tracked("102,0,38,666,71,88,1,4,1,2\n").rows, [CAR]);
    let of_still = Row { frame: 0, target: None, ..CAR };
    assert_eq!(still("38,666,71,88,1,4,1,2").rows, [of_still]);
}

#[test]
fn variants_of_one_line_mean_the_same() {
    let variants: [&[u8]; 9] = [
        b"102,0,38,666,71,88,1,4,1,2\n",
        b"102,0,38,666,71,88,1,4,1,2\r\n",
        b"102,0,38,666,71,88,1,4,1,2\r",
        b"102,0,38,666,71,88,1,4,1,2",
        b"102,0,38,666,71,88,1,4,1,2,\n",
        b"\xEF\xBB\xBF102,0,38,666,71,88,1,4,1,2\n",
        b" 102 ,\t0, 38,666,71,88,1,4,1,2 \n",
        b"102.0,0.0,38.0,666.,71.00,88,1.0,4.0,1.0,2.0\n",
        b"102,0,38,666,71,88,1,4,1,2\n\n  \n\r\n",
    ];
    for text in variants {
        let found = tracked(text);
        assert_eq!((found.rows.as_slice(), found.bad.len()), (&[CAR][..], 0), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn mixed_line_ends_and_blank_lines_keep_line_numbers() {
    let found = tracked("1,1,0,0,5,5,1,4,0,0\r\n\n1,2,0,0,5,5,1,4,0,0\n1,3,0,0,5,5,1,4,0,0\r1,4,0,0,5,5,1,4,0,0");
    assert_eq!(found.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 3, 4, 5]);
}

#[test]
fn fractions_of_pixels_are_kept() {
    let row = tracked("1,1,1441.51,31.57,20.60,28.41,1,4,0,0").rows[0];
    assert_eq!((row.left, row.top, row.width, row.height), (1441.51, 31.57, 20.60, 28.41));
}

#[test]
fn every_fault_of_a_line_is_in_the_readme() {
    let (found, expected, text) = (1, 2, String::new());
    let faults = [
        RowFault::Header,
        RowFault::Separator { found: ";" },
        RowFault::NulBytes,
        RowFault::Short { found, expected, at_end: false },
        RowFault::Long { found, expected },
        RowFault::NotANumber { column: "left", text },
        RowFault::BadFrame { value: -1.0 },
        RowFault::BadTarget { value: 0.5 },
        RowFault::UnknownCategory { value: 12.0 },
        RowFault::NegativeSize { width: -1.0, height: 1.0 },
        RowFault::Utf16,
    ];
    let (_, reasons) = include_str!("../README.md").split_once("## Reject reasons").unwrap();
    for fault in faults {
        assert!(reasons.contains(&format!("`{}`", fault.reason())), "{}", fault.reason());
    }
}

#[test]
fn each_kind_of_bad_line_has_its_reason() {
    let cases = [
        ("1,2,3,4,5,6,1,4,0", "short_row"),
        ("1,2,3", "short_row"),
        ("garbage", "short_row"),
        ("1;2;3;4;5;6;1;4;0;0", "wrong_separator"),
        ("1 2 3 4\t5 6 1 4 0 0", "wrong_separator"),
        ("1,2,3,4,5,6\0\0\0\0", "nul_bytes"),
        ("1,2,3,4,5,6,1,4,0,0\0\0", "nul_bytes"),
        ("frame,target,left,top,width,height,score,category,truncation,occlusion", "not_a_number"),
        ("1,2,3,4,5,6,1,4,0,0,7", "long_row"),
        ("1,2,x,4,5,6,1,4,0,0", "not_a_number"),
        ("1,2,,4,5,6,1,4,0,0", "not_a_number"),
        ("1,2,nan,4,5,6,1,4,0,0", "not_a_number"),
        ("1,2,inf,4,5,6,1,4,0,0", "not_a_number"),
        ("1,2,1e300,4,5,6,1,4,0,0", "not_a_number"),
        ("1,2,3,4,5,6,1,4,0,0,,", "long_row"),
        ("-1,2,3,4,5,6,1,4,0,0", "bad_frame_number"),
        ("1.5,2,3,4,5,6,1,4,0,0", "bad_frame_number"),
        ("1,2.5,3,4,5,6,1,4,0,0", "bad_track_id"),
        ("1,2,3,4,5,6,1,12,0,0", "unknown_category"),
        ("1,2,3,4,5,6,1,-1,-1,-1", "unknown_category"),
        ("1,2,3,4,5,6,1,4.5,0,0", "unknown_category"),
        ("1,2,3,4,-5,6,1,4,0,0", "negative_size"),
        ("1,2,3,4,5,-6,1,4,0,0", "negative_size"),
    ];
    for (line, reason) in cases {
        let found = tracked(format!("1,9,0,0,5,5,1,4,0,0\n{line}\n"));
        assert_eq!(reasons(&found), [(2, reason)], "{line}");
        assert_eq!(found.rows.len(), 1, "{line}: the good line stays");
    }
}

#[test]
fn bad_lines_tell_what_is_wrong() {
    let text = |line: &str| tracked(line).bad[0].fault.to_string();
    assert_eq!(text("1,2,3\n"), "3 fields instead of 10");
    assert_eq!(text("1,2,3"), "3 fields instead of 10; the file ends within this line, so it may be cut short");
    assert_eq!(text("1,2,3,a b,5,6,1,4,0,0"), "top is `a b`, not a usable number");
    assert_eq!(text("1,2,3,\u{1b}[2J,5,6,1,4,0,0"), "top is `\\u{1b}[2J`, not a usable number");
    assert_eq!(text("1;2;3;4;5;6;1;4;0;0"), "the fields are separated by `;`; separate them by commas");
    assert!(text("1,2,3,4,5,6,0.7,-1,-1,-1").ends_with("tracker results look like this, ground truth does not"));
    assert_eq!(still("3,4,5,x,1,4,0,0").bad[0].fault.to_string(), "height is `x`, not a usable number");
}

#[test]
fn bad_lines_tell_what_is_lost_with_them() {
    let lost = |line: &str| tracked(line).bad[0].lost;
    let place = [10.0, 20.0, 15.0, 26.0];
    assert_eq!(lost("1,2,10,20,5,6,1,12,0,0"), Lost::Object { frame: 1, place });
    assert_eq!(lost("1,x,10,20,5,6,1,4,0,0"), Lost::Object { frame: 1, place });
    assert_eq!(still("10,20,5,6,1,4,0,x").bad[0].lost, Lost::Object { frame: 0, place });
    for line in ["1,2,10,20,5,x,1,4,0,0", "1,2,10,20,-5,6,1,4,0,0", "1,2,10,20,5,-6,1,4,0,0"] {
        assert_eq!(lost(line), Lost::Frame(1), "{line}");
    }
    let anywhere = ["x,2,10,20,5,6,1,4,0,0", "-1,2,10,20,5,6,1,4,0,0", "7.5,2,10,20,5,6,1,4,0,0", "garbage"];
    for line in anywhere {
        assert_eq!(lost(line), Lost::File, "{line}");
    }
    // With a column missing or one too many, no number is where it seems to be.
    for line in ["1,10,20,5,6,1,4,0,0", "0,1,2,10,20,5,6,1,4,0,0", "1,2,10,20,5,6", "1,2,10,20,5,6,1,4,0,0\0"] {
        assert_eq!(lost(line), Lost::File, "{line}");
    }
}

#[test]
fn a_first_line_of_column_names_loses_nothing() {
    for (header, parse) in [
        ("frame,target,left,top,width,height,score,category,truncation,occlusion", tracked as fn(_) -> _),
        ("<bbox_left>,<bbox_top>,<bbox_width>,<bbox_height>,score,object category,truncation,occlusion", still),
    ] {
        let found = parse(format!("{header}\n"));
        assert_eq!(reasons(&found), [(1, "header_row")]);
        assert_eq!(found.bad[0].lost, Lost::Nothing);
    }
    // Names of other columns, and words that stand for numbers, are no header.
    for line in ["frame,left,top,width,height,score", "nan,nan,nan,nan,nan,nan,nan,nan,nan,nan"] {
        assert_eq!(tracked(line).bad[0].lost, Lost::File, "{line}");
    }
}

#[test]
fn zero_sizes_and_unset_levels_are_no_faults() {
    let row = tracked("1,2,3,4,0,0,1,4,-1,-1").rows[0];
    assert_eq!((row.width, row.height, row.truncation, row.occlusion), (0.0, 0.0, None, None));
}

#[test]
fn a_negative_target_is_no_track() {
    assert_eq!(tracked("1,-1,3,4,5,6,1,4,0,0").rows[0].target, None);
}

#[test]
fn utf_16_is_refused_once() {
    for text in ["\u{feff}1,2\n3,4\n", "1,2\n3,4\n"] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(reasons(&tracked(little)), [(1, "not_utf8")]);
        assert_eq!(reasons(&tracked(big)), [(1, "not_utf8")]);
    }
}

#[test]
fn an_empty_file_holds_nothing() {
    assert_eq!(tracked(""), Annotations::default());
    assert_eq!(tracked("\u{feff}\r\n"), Annotations::default());
}
