//! Values: JSON with unit and frame, texts, equality.

use super::make::terms;
use crate::answer::box_text;
use crate::{BearingFrame, BoxEdges, ReferenceFrame, Term, Unit, Value, box_text_is_faithful};
use proptest::prelude::*;
use uavgen_schemas::AnswerType;

type Sample = (Value, &'static str, &'static str, AnswerType);

fn float(value: f64, unit: Unit, json: &'static str, text: &'static str) -> Sample {
    (Value::Float { value, unit }, json, text, AnswerType::Float)
}

fn direction(frame: BearingFrame, sectors: u32, sector: u32, json: &'static str, text: &'static str) -> Sample {
    (Value::Direction { frame, sectors, sector }, json, text, AnswerType::Direction)
}

fn samples() -> Vec<Sample> {
    let [bus, person] = <[_; 2]>::try_from(terms(&["bus", "person"])).unwrap();
    let edges = BoxEdges::new(0.1, 0.25, 0.30004, 1.0);
    vec![
        (
            Value::Int { value: 3, unit: Unit::Objects },
            r#"{"type":"int","unit":"objects","value":3}"#,
            "3",
            AnswerType::Int,
        ),
        (Value::Bool { value: true }, r#"{"type":"bool","value":true}"#, "yes", AnswerType::Bool),
        (Value::Bool { value: false }, r#"{"type":"bool","value":false}"#, "no", AnswerType::Bool),
        (
            Value::Float { value: 0.0126, unit: Unit::Share },
            r#"{"type":"float","unit":"share","value":0.0126}"#,
            "0.013",
            AnswerType::Float,
        ),
        (Value::category(&bus), r#"{"any_of":["bus"],"term":"bus","type":"category"}"#, "bus", AnswerType::Category),
        (
            Value::categories([person, bus]),
            r#"{"type":"categories","values":[{"any_of":["bus"],"term":"bus"},{"any_of":["pedestrian","people"],"term":"person"}]}"#,
            "bus; person",
            AnswerType::Choices,
        ),
        (Value::categories([]), r#"{"type":"categories","values":[]}"#, "none", AnswerType::Choices),
        (
            Value::normalised_box(edges),
            r#"{"frame":"image_normalised","type":"box","x1":0.1,"x2":0.30004,"y1":0.25,"y2":1.0}"#,
            "[0.100, 0.250, 0.300, 1.000]",
            AnswerType::Box,
        ),
        (
            Value::normalised_boxes([BoxEdges::new(0.5, 0.0, 0.6, 0.1), BoxEdges::new(0.5, 0.0, 0.55, 0.1)]),
            r#"{"boxes":[{"x1":0.5,"x2":0.55,"y1":0.0,"y2":0.1},{"x1":0.5,"x2":0.6,"y1":0.0,"y2":0.1}],"frame":"image_normalised","type":"boxes"}"#,
            "[0.500, 0.000, 0.550, 0.100]; [0.500, 0.000, 0.600, 0.100]",
            AnswerType::Boxes,
        ),
        (Value::Segment { position: 1 }, r#"{"position":1,"type":"segment"}"#, "second clip", AnswerType::Segment),
        (
            Value::Order { values: vec![Term::new("van", ["van"]), Term::new("bus", ["bus"])] },
            r#"{"type":"order","values":[{"any_of":["van"],"term":"van"},{"any_of":["bus"],"term":"bus"}]}"#,
            "van, then bus",
            AnswerType::Order,
        ),
        float(12.25, Unit::Metres, r#"{"type":"float","unit":"metres","value":12.25}"#, "12.2 m"),
        float(0.04, Unit::Metres, r#"{"type":"float","unit":"metres","value":0.04}"#, "0.0 m"),
        float(120.4, Unit::SquareMetres, r#"{"type":"float","unit":"square_metres","value":120.4}"#, "120 m²"),
        float(
            8.0 + 1.0 / 3.0,
            Unit::MetresPerSecond,
            r#"{"type":"float","unit":"metres_per_second","value":8.333333333333334}"#,
            "8.3 m/s",
        ),
        direction(
            BearingFrame::Compass,
            8,
            3,
            r#"{"frame":"compass","sector":3,"sectors":8,"type":"direction"}"#,
            "south-east",
        ),
        direction(
            BearingFrame::Compass,
            4,
            3,
            r#"{"frame":"compass","sector":3,"sectors":4,"type":"direction"}"#,
            "west",
        ),
        direction(
            BearingFrame::Image,
            8,
            7,
            r#"{"frame":"image","sector":7,"sectors":8,"type":"direction"}"#,
            "top left",
        ),
        direction(
            BearingFrame::Clock,
            12,
            11,
            r#"{"frame":"clock","sector":11,"sectors":12,"type":"direction"}"#,
            "11 o'clock",
        ),
        direction(
            BearingFrame::Camera,
            4,
            2,
            r#"{"frame":"camera","sector":2,"sectors":4,"type":"direction"}"#,
            "closer to the camera",
        ),
        direction(
            BearingFrame::Heading,
            8,
            5,
            r#"{"frame":"heading","sector":5,"sectors":8,"type":"direction"}"#,
            "behind it, to its left",
        ),
        // Nothing computes it; a text that says it is shown as it is.
        direction(
            BearingFrame::Camera,
            8,
            1,
            r#"{"frame":"camera","sector":1,"sectors":8,"type":"direction"}"#,
            "sector 1 of 8",
        ),
    ]
}

#[test]
fn json_text_and_type_of_every_value() {
    for (value, json, text, answer_type) in samples() {
        assert_eq!(value.to_canonical_json(), json);
        assert_eq!(value.text(), text);
        assert_eq!(value.answer_type(), answer_type);
        assert_eq!(Value::parse(json).unwrap(), value);
    }
}

#[test]
fn unknown_fields_and_types_are_no_values() {
    for text in [
        r#"{"type":"int","unit":"objects","value":3,"note":1}"#,
        r#"{"type":"int","unit":"yards","value":3}"#,
        r#"{"type":"direction","frame":"compass","sectors":8}"#,
        r#"{"type":"direction","frame":"map","sectors":8,"sector":1}"#,
        r#"{"type":"int","value":3}"#,
        r#"{"type":"speed","value":3}"#,
        r#"{"type":"int","unit":"objects","value":3.5}"#,
    ] {
        assert!(Value::parse(text).is_err(), "{text}");
    }
}

#[test]
fn equality_is_exact() {
    let near = |x2| Value::Box { frame: ReferenceFrame::ImageNormalised, x1: 0.1, y1: 0.1, x2, y2: 0.9 };
    assert_ne!(near(0.3), near(0.1 + 0.2));
    assert_eq!(near(0.3).text(), near(0.1 + 0.2).text());
    assert_ne!(Value::Int { value: 1, unit: Unit::Objects }, Value::Int { value: 1, unit: Unit::Tracks });
}

#[test]
fn small_boxes_are_not_faithful() {
    // 8 x 8 px in 1920 x 1080, worst case: an edge moves by half a pixel in x.
    assert!(!box_text_is_faithful(&BoxEdges::new(0.10049, 0.10049, 0.10449, 0.10951)));
    assert!(box_text_is_faithful(&BoxEdges::new(0.104, 0.1, 0.108, 0.107)));
    assert!(!box_text_is_faithful(&BoxEdges::new(0.5, 0.5, 0.5, 0.5)));
    assert!(!box_text_is_faithful(&BoxEdges::new(0.9, 0.5, 1.1, 0.6)));
}

proptest! {
    #[test]
    fn exact_boxes_survive_json(x1 in 0.0..0.5f64, y1 in 0.0..0.5f64, x2 in 0.5..=1.0f64, y2 in 0.5..=1.0f64) {
        let value = Value::normalised_box(BoxEdges::new(x1, y1, x2, y2));
        prop_assert_eq!(Value::parse(&value.to_canonical_json()).unwrap(), value);
    }

    #[test]
    fn large_boxes_are_faithful(x1 in 0.0..0.4f64, y1 in 0.0..0.4f64, w in 0.03..0.6f64, h in 0.03..0.6f64) {
        prop_assert!(box_text_is_faithful(&BoxEdges::new(x1, y1, x1 + w, y1 + h)));
    }

    #[test]
    fn box_texts_read_back_as_the_quantised_box(x1 in 0.0..0.5f64, x2 in 0.5..=1.0f64) {
        let exact = BoxEdges::new(x1, x1, x2, x2);
        let numbers: Vec<f64> =
            box_text(&exact).trim_matches(['[', ']']).split(", ").map(|number| number.parse().unwrap()).collect();
        let rounded = uavgen_geometry::NormalisedBox::try_from(exact).unwrap().quantised();
        prop_assert_eq!(numbers, vec![rounded.x1(), rounded.y1(), rounded.x2(), rounded.y2()]);
    }
}
