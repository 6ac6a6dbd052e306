//! Parsing, canonical text, the checker, and the tables that describe the language.

use super::lifted;
use super::make::{FrameMaker, buses, cars, outcome, terms};
use crate::program::{MAX_DEPTH, MAX_FRAMES, MAX_NODES, ProgramError};
use crate::{
    Area, AreaName, BoxEdges, CountMargin, Expr, ExtremeBy, InsideRule, Program, Relation, Term, Type, Unit, taxonomy,
};
use std::collections::{BTreeMap, BTreeSet};

const README: &str = include_str!("../README.md");

fn problem(expr: Expr) -> String {
    Program::new(expr).unwrap_err().to_string()
}

#[test]
fn canonical_text_is_literal() {
    let program = Program::new(cars().where_region(Area::named(AreaName::LeftHalf).unwrap()).count()).unwrap();
    let text = concat!(
        r#"{"root":{"of":{"area":{"edges":{"x1":0.0,"x2":0.5,"y1":0.0,"y2":1.0},"name":"left_half"},"#,
        r#""inside":{"refuse_from":0.1,"refuse_to":0.9,"share":0.5},"#,
        r#""of":{"any_of":["car"],"of":{"frame":0,"op":"objects"},"op":"where_category"},"op":"where_region"},"#,
        r#""op":"count"},"version":1}"#
    );
    assert_eq!(program.to_canonical(), text);
    assert_eq!(Program::parse(text).unwrap(), program);
    assert_eq!(program.output(), Type::Int(Unit::Objects));
}

#[test]
fn equal_questions_have_equal_texts() {
    let text = r#"{"version": 1, "root": {"op": "most_numerous", "of": {"frame": 0, "op": "objects"},
        "among": [{"term": "person", "any_of": ["people", "pedestrian"]}, {"any_of": ["bus"], "term": "bus"}]}}"#;
    let built = Program::new(Expr::objects(0).most_numerous(terms(&["bus", "person"]))).unwrap();
    assert_eq!(Program::parse(text).unwrap().to_canonical(), built.to_canonical());
    assert!(built.to_canonical().contains(r#""margin":{"absolute":1,"relative":0.05}"#), "defaults are written out");
}

#[test]
fn grid_cells_survive_their_text() {
    for name in AreaName::GRID.into_iter().chain(AreaName::HALVES) {
        let program = Program::new(cars().where_region(Area::named(name).unwrap()).count()).unwrap();
        assert_eq!(Program::parse(&program.to_canonical()).unwrap(), program, "{name:?}");
        assert!(name.phrase().is_some());
    }
}

#[test]
fn texts_that_are_no_programs() {
    let count = |root: &str| format!(r#"{{"version":1,"root":{root}}}"#);
    for (text, expected) in [
        (count(r#"{"op":"count","of":{"op":"objects","frame":0},"note":1}"#), "unknown field `note`"),
        (count(r#"{"op":"count","of":{"op":"objects","frame":0,"x":1}}"#), "unknown field `x`"),
        (
            count(
                r#"{"op":"count_frames_where","frames":[0],"each":{"op":"exists","of":{"op":"frame_objects","x":1}}}"#,
            ),
            "unknown field `x`",
        ),
        (count(r#"{"op":"sum","of":{"op":"objects","frame":0}}"#), "unknown variant `sum`"),
        (count(r#"{"op":"count"}"#), "missing field `of`"),
        (count(r#"{"op":"count","op":"count","of":{"op":"objects","frame":0}}"#), "duplicate field `op`"),
        (count(r#"{"op":"count","of":{"op":"objects","frame":-1}}"#), "invalid value"),
        (count(r#"{"op":"count","of":{"op":"objects","frame":0.5}}"#), "invalid type"),
        (
            r#"{"version":1,"root":{"op":"count","of":{"op":"objects","frame":0}},"note":1}"#.into(),
            "unknown field `note`",
        ),
        (r#"{"root":{"op":"count","of":{"op":"objects","frame":0}}}"#.into(), "missing field `version`"),
        (r#"{"version":2,"root":{"op":"count","of":{"op":"objects","frame":0}}}"#.into(), "program of version 2"),
        (count(r#"{"op":"count","of":{"op":"objects","frame":NaN}}"#), "expected value"),
        (" ".repeat(70_000), "70000 bytes"),
        ("[".repeat(10_000), "read a program"),
    ] {
        let error = Program::parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn types_are_checked() {
    assert_eq!(problem(cars()), "check `root`: expected an answer, found set");
    assert_eq!(problem(cars().unique()), "check `root`: expected an answer, found object");
    assert_eq!(problem(cars().count().count()), "check `root.of`: expected set, found int (Objects)");
    assert_eq!(problem(cars().box_of()), "check `root.of`: expected object, found set");
    assert_eq!(
        problem(cars().unique().where_category(["car"]).count()),
        "check `root.of.of`: expected set, found object"
    );
    assert_eq!(problem(cars().exists().difference(cars().count())), "check `root.left`: expected int, found bool");
}

#[test]
fn units_are_checked() {
    let tracks = Expr::count_tracks([0], Expr::frame_objects());
    assert_eq!(
        problem(cars().count().compare(Relation::Greater, tracks)),
        "check `root.right`: expected int (Objects), found int (Tracks)"
    );
}

#[test]
fn loops_are_checked() {
    let each = || Expr::frame_objects().where_category(["car"]);
    assert!(problem(each().count()).contains("outside a loop"));
    let nested = Expr::count_frames_where([0], Expr::count_tracks([0], each()).compare(Relation::Less, cars().count()));
    assert!(problem(nested).contains("a loop stands inside a loop"));
    assert!(problem(Expr::count_tracks([], each())).contains("`frames` has 0 entries"));
    assert!(problem(Expr::count_tracks([1, 0, 1], each())).contains("`frames` names a frame twice"));
    assert!(problem(Expr::count_tracks(0..=MAX_FRAMES as u32, each())).contains("allowed are 1 to 256"));
    assert!(problem(Expr::count_tracks([0], each()).difference(each().count())).contains("outside a loop"));
}

#[test]
fn fields_are_checked() {
    assert!(problem(Expr::objects(0).where_category(Vec::<String>::new()).count()).contains("`any_of` has 0 entries"));
    assert!(problem(Expr::objects(0).where_category(["car", "car"]).count()).contains("names a category twice"));
    assert!(problem(Expr::objects(0).where_category([""]).count()).contains("a word of 0 bytes"));
    assert!(problem(Expr::objects(0).present_terms(terms(&["car"]))).contains("`among` has 1 terms"));
    assert!(problem(Expr::objects(0).present_terms(terms(&["car", "vehicle"]))).contains("share the category `car`"));
    let twice = [Term::new("car", ["car"]), Term::new("car", ["van"])];
    assert!(problem(Expr::objects(0).present_terms(twice)).contains("names `car` twice"));
    let region = |area| cars().where_region(area).count();
    assert!(problem(region(Area::custom(BoxEdges::new(0.0, 0.0, 1.5, 1.0)))).contains("leave the image"));
    assert!(problem(region(Area::custom(BoxEdges::new(0.5, 0.0, 0.5, 1.0)))).contains("no area"));
    assert!(problem(region(Area::custom(BoxEdges::new(f64::NAN, 0.0, 0.5, 1.0)))).contains("not all finite"));
    let mislabelled = Area { name: AreaName::RightHalf, edges: BoxEdges::new(0.0, 0.0, 0.5, 1.0) };
    assert!(problem(region(mislabelled)).contains("named RightHalf but has other edges"));
}

#[test]
fn margins_are_checked() {
    let rule = |share, refuse_from, refuse_to| Expr::WhereRegion {
        of: Box::new(cars()),
        area: Area::named(AreaName::LeftHalf).unwrap(),
        inside: InsideRule { share, refuse_from, refuse_to },
    };
    assert!(problem(rule(0.5, 0.6, 0.9).count()).contains("`inside` needs"));
    assert!(problem(rule(f64::NAN, 0.1, 0.9).count()).contains("`inside` needs"));
    let compare = |absolute, relative| Expr::Compare {
        left: Box::new(cars().count()),
        relation: Relation::Greater,
        right: Box::new(buses().count()),
        margin: CountMargin { absolute, relative },
    };
    assert!(problem(compare(0, 0.05)).contains("absolute >= 1"));
    assert!(problem(compare(1, 1.0)).contains("relative < 1"));
    assert!(problem(compare(1, f64::INFINITY)).contains("relative < 1"));
}

#[test]
fn size_is_bounded() {
    let deep = |steps: usize| (0..steps).fold(Expr::objects(0), |set, _| set.where_category(["car"])).count();
    assert!(Program::new(deep(MAX_DEPTH - 2)).is_ok());
    assert_eq!(Program::new(deep(MAX_DEPTH - 1)), Err(ProgramError::TooLarge));
    assert_eq!(Program::new(deep(5_000)), Err(ProgramError::TooLarge));
    fn balanced(depth: u32) -> Expr {
        if depth == 0 { cars().count() } else { balanced(depth - 1).difference(balanced(depth - 1)) }
    }
    assert!(4 * 64 <= MAX_NODES && Program::new(balanced(5)).is_ok());
    assert_eq!(Program::new(balanced(8)), Err(ProgramError::TooLarge));
}

/// One program per op.
fn one_of_each() -> Vec<Program> {
    let object = || cars().extreme(ExtremeBy::Left);
    let among = || terms(&["bus", "car"]);
    let each = || Expr::frame_objects().where_category(["car"]);
    let annotated = [
        cars().where_region(Area::named(AreaName::TopHalf).unwrap()).exists(),
        cars().unique().area_share(),
        object().category_of(among()),
        Expr::object_at(0, BoxEdges::new(0.0, 0.0, 0.5, 0.5)).box_of(),
        cars().boxes_of(),
        Expr::objects(0).present_terms(among()),
        Expr::objects(0).most_numerous(among()),
        Expr::objects(0).fewest(among()),
        cars().count().difference(buses().count()),
        cars().count().compare(Relation::Less, buses().count()),
        Expr::count_tracks([0], each()),
        Expr::count_frames_where([0], each().exists()),
        Expr::count_at_start(0, each()),
        Expr::count_segment_tracks(0, each()),
        Expr::segment_with(each()),
        Expr::first_appearances(Expr::frame_objects(), among()),
    ];
    let annotated = annotated.into_iter().map(|expr| Program::new(expr).unwrap());
    annotated.chain(lifted::one_of_each().into_iter().map(lifted::program)).collect()
}

fn op_names(expr: &Expr) -> Vec<&'static str> {
    std::iter::once(expr.op()).chain(expr.inputs().flat_map(|(_, input)| op_names(input))).collect()
}

/// The rows of the tables of ops in README.md, as their cells.
fn table_of_ops() -> Vec<Vec<&'static str>> {
    let tables = README.split("\n| op |").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
    rows.map(|row| row.split('|').map(str::trim).collect()).collect()
}

#[test]
fn the_table_of_ops_is_the_language() {
    let programs = one_of_each();
    let used: BTreeSet<&str> = programs.iter().flat_map(|program| op_names(program.root())).collect();
    let table = table_of_ops();
    let listed: BTreeSet<&str> = table.iter().map(|row| row[1].trim_matches('`')).collect();
    assert_eq!(used, listed);
    assert_eq!(table.len(), listed.len(), "an op has one row");
    for program in programs {
        let op = format!("`{}`", program.root().op());
        assert!(program.to_canonical().contains(&format!(r#""op":"{}""#, op.trim_matches('`'))));
        let gives = table.iter().find(|row| row[1] == op).unwrap()[3];
        assert!(program.output().to_string().starts_with(gives), "{op}");
    }
}

/// The numbers of `{degrees 10, least_m 2}`, if a text has any.
fn listed_numbers(text: &str) -> Option<BTreeMap<String, f64>> {
    let (_, list) = text.split_once('{')?;
    let (list, _) = list.split_once('}')?;
    let number = |entry: &str| {
        let (name, number) = entry.trim().split_once(' ').unwrap();
        (name.to_owned(), number.parse().unwrap())
    };
    Some(list.split(',').map(number).collect())
}

/// What the column of margins says about an op, without the letters that stand for lists.
fn margin_of_row(row: &[&str]) -> Option<BTreeMap<String, f64>> {
    let line = |start: &str| README.lines().find_map(|line| line.split(start).nth(1)).and_then(listed_numbers).unwrap();
    match row[5] {
        "" => None,
        cell if cell.starts_with('M') => Some(line("`M` is `margin` ")),
        cell if cell.starts_with('A') => Some(line("`A` is `margin` ")),
        "`margin` as above" => {
            listed_numbers(table_of_ops().iter().find(|row| row[1] == "`most_numerous`").unwrap()[5])
        }
        cell => Some(listed_numbers(cell).unwrap_or_else(|| panic!("{cell}: no margin"))),
    }
}

/// The margins of the ops of a program as its text has them, with the names of the ops.
fn written_margins(json: &serde_json::Value, found: &mut BTreeMap<String, BTreeMap<String, f64>>) {
    let Some(fields) = json.as_object() else { return };
    let margin = ["margin", "inside", "rule"].iter().find_map(|name| fields.get(*name));
    if let (Some(op), Some(margin)) = (fields.get("op"), margin.and_then(|margin| margin.as_object())) {
        let numbers = margin.iter().map(|(name, number)| (name.clone(), number.as_f64().unwrap())).collect();
        found.insert(op.as_str().unwrap().to_owned(), numbers);
    }
    fields.values().for_each(|value| written_margins(value, found));
}

#[test]
fn the_margins_of_the_table_are_the_defaults() {
    let mut written = BTreeMap::new();
    for program in one_of_each() {
        written_margins(&serde_json::from_str(&program.to_canonical()).unwrap(), &mut written);
    }
    for row in table_of_ops() {
        let (listed, written) = (margin_of_row(&row), written.get(row[1].trim_matches('`')));
        let (Some(listed), Some(written)) = (&listed, written) else {
            assert_eq!(listed.as_ref(), written, "{row:?}");
            continue;
        };
        // A row names the numbers that its op reads.
        assert!(!listed.is_empty() && listed.iter().all(|(name, number)| written.get(name) == Some(number)), "{row:?}");
        assert!(!row[5].starts_with(['M', 'A']) || listed == written, "{row:?}");
    }
}

#[test]
fn the_examples_of_the_readme_are_programs() {
    let examples: Vec<&str> = README.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 8);
    for example in examples {
        Program::parse(example).unwrap();
    }
}

#[test]
fn refusals_of_the_table_are_reasons() {
    let codes: BTreeSet<&str> = crate::Reason::ALL.iter().map(|reason| reason.code()).collect();
    let table = table_of_ops();
    let mut listed: BTreeSet<&str> =
        table.iter().flat_map(|row| row[6].split_whitespace()).map(|code| code.trim_matches('`')).collect();
    assert!(README.contains("\nAny op refuses with `other_objects` "));
    listed.insert("other_objects");
    assert_eq!(listed, codes, "every reason belongs to an op");
}

#[test]
fn every_refusal_of_ops_over_places_comes_up() {
    let table = table_of_ops();
    let rows = table.iter().skip_while(|row| row[1] != "`where_whole`");
    let listed: BTreeSet<(&str, &str)> = rows
        .flat_map(|row| row[6].split_whitespace().map(|code| (row[1].trim_matches('`'), code.trim_matches('`'))))
        .collect();
    assert_eq!(super::lifted_refusals::refused(), listed);
}

#[test]
fn terms_cover_visdrone_and_what_shares_a_category_never_stands_together() {
    let categories: BTreeSet<&str> = taxonomy::TERMS.iter().flat_map(|entry| entry.any_of.iter().copied()).collect();
    let visdrone =
        ["awning-tricycle", "bicycle", "bus", "car", "motor", "pedestrian", "people", "tricycle", "truck", "van"];
    assert_eq!(categories.into_iter().collect::<Vec<_>>(), visdrone);
    for one in taxonomy::TERMS {
        for other in taxonomy::TERMS.iter().filter(|other| other.word != one.word) {
            let together = Program::new(Expr::objects(0).present_terms([one.term(), other.term()]));
            assert!(together.is_ok() || taxonomy::confusable(&one.term(), &other.term()), "{one:?} {other:?}");
        }
    }
}

#[test]
fn an_awning_tricycle_is_a_tricycle() {
    let street = FrameMaker::new("r/1").object("a", "tricycle", [0.0, 0.0, 40.0, 40.0]).object(
        "b",
        "awning-tricycle",
        [100.0, 0.0, 140.0, 40.0],
    );
    let of = |word: &str| Expr::objects(0).where_category(taxonomy::by_word(word).unwrap().any_of.iter().copied());
    assert_eq!(outcome(of("tricycle").count(), &street.scene()), "2");
    assert_eq!(outcome(of("tricycle").unique().box_of(), &street.scene()), "not_unique");
    assert_eq!(outcome(of("awning-tricycle").count(), &street.scene()), "1");
}

#[test]
fn confusable_terms() {
    let confusable = |a, b| {
        let [a, b] = <[Term; 2]>::try_from(terms(&[a, b])).unwrap();
        assert_eq!(taxonomy::confusable(&a, &b), taxonomy::confusable(&b, &a));
        taxonomy::confusable(&a, &b)
    };
    assert!(confusable("car", "van"));
    assert!(confusable("tricycle", "awning-tricycle"));
    assert!(confusable("vehicle", "car"));
    assert!(!confusable("person", "vehicle"));
    assert!(!confusable("car", "truck"));
    let alone = |category: &str| Term::new(category, [category]);
    assert!(taxonomy::confusable(&alone("pedestrian"), &alone("people")));
    assert_eq!(taxonomy::by_category("people").unwrap().plural, "people");
    assert_eq!(taxonomy::by_category("others"), None);
    assert_eq!(taxonomy::confusable_with("van").collect::<Vec<_>>(), ["car"]);
}
