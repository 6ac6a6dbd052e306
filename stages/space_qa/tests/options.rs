//! Options tell nothing by themselves.

use crate::asking::options::Options;
use crate::space_qa::pure::options::options;
use uavgen_core::Draw;
use uavgen_programs::{BearingFrame, Expr, Measure, MeasureMargin, ObjectKind, Program, Unit, Value};

fn height() -> Program {
    let of = Box::new(Expr::objects(0).where_category(["building"]).unique());
    let root = Expr::MeasureOf { of, measure: Measure::Height, margin: MeasureMargin::default() };
    Program::about(ObjectKind::Lifted, root).unwrap()
}

fn wrong(key: usize, answer: &Value) -> Option<Vec<Value>> {
    match options(&Draw::new(7), &key.to_string(), &height(), answer)? {
        Options::One(wrong) => Some(wrong),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_measured_number_stands_at_every_rank_equally_often_in_a_row_that_grows_by_one_factor() {
    let mut ranks = [0_u32; 4];
    for key in 0..2000 {
        let answer = Value::Float { value: 12.34, unit: Unit::Metres };
        let number = |value: &Value| if let Value::Float { value, .. } = value { *value } else { f64::NAN };
        let mut row: Vec<f64> = wrong(key, &answer).unwrap().iter().map(number).collect();
        row.push(12.34);
        row.sort_by(f64::total_cmp);
        ranks[row.iter().position(|number| *number == 12.34).unwrap()] += 1;
        let factors: Vec<f64> = row.windows(2).map(|pair| pair[1] / pair[0]).collect();
        assert!(factors.iter().all(|factor| (factor - factors[0]).abs() < 1e-9), "{row:?}");
        assert!((1.3..=1.7).contains(&factors[0]), "{row:?}");
    }
    // Four sigma of 2000 draws of one in four.
    assert!(ranks.iter().all(|count| (423..=577).contains(count)), "{ranks:?}");
}

#[test]
fn numbers_that_read_alike_are_no_options() {
    let tiny = Value::Float { value: 0.04, unit: Unit::Metres };
    assert!((0..50).all(|key| wrong(key, &tiny).is_none()), "0.0 m four times");
}

#[test]
fn a_direction_stands_beside_three_others_of_its_frame() {
    let east = Value::Direction { frame: BearingFrame::Compass, sectors: 8, sector: 2 };
    for key in 0..100 {
        let mut texts: Vec<String> = wrong(key, &east).unwrap().iter().map(Value::text).collect();
        texts.push(east.text());
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 4, "{texts:?}");
    }
}
