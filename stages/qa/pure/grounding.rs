//! Where is …?

use super::asker::{Asker, Candidate};
use super::presence::places;
use super::question::{Evidence, Options};
use super::subject::Subject;
use super::words::{Place, all_terms, categories};
use crate::qa::task::Task;
use uavgen_geometry::{Box2, ImageSize, NormalisedBox};
use uavgen_programs::taxonomy::TermEntry;
use uavgen_programs::{BoxEdges, Expr, ExtremeBy, ExtremeMargin, InsideRule, Value, box_text_is_faithful};
use uavgen_schemas::BoxRole;

/// Superlatives with their words. Positions are those of box centres, sizes those of boxes: image terms, all stated.
const SUPERLATIVES: [ExtremeBy; 7] = [
    ExtremeBy::Left,
    ExtremeBy::Right,
    ExtremeBy::Top,
    ExtremeBy::Bottom,
    ExtremeBy::Largest,
    ExtremeBy::Smallest,
    ExtremeBy::NearestToCentre,
];

/// How one object is told from all others.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// The only one of its kind in a place.
    Only(&'static TermEntry, Place),
    /// The one of its kind that is furthest in some respect.
    Extreme(&'static TermEntry, ExtremeBy),
}

impl Target {
    /// The target as a question names it.
    fn phrase(&self) -> String {
        match self {
            Self::Only(term, place) => format!("the only {} {}", term.word, place.phrase()),
            Self::Extreme(term, by) => superlative(term.word, *by),
        }
    }
}

/// Asks for the boxes of objects that a phrase tells apart.
pub(super) fn ask_grounding(asker: &mut Asker, subject: &Subject) {
    let task = Task::ObjectGrounding;
    let key = subject.key();
    for ordinal in 0..asker.wanted(task) {
        let ordinal = ordinal.to_string();
        let targets = targets(asker, subject, &ordinal);
        let mut ordered = asker.draw.shuffled(targets, &["target", &key, &ordinal], Target::phrase);
        ordered.sort_by_key(|target| is_doubtful(asker, subject, target));
        for target in ordered.into_iter().take(asker.tries()) {
            if ask_one(asker, subject, target) {
                break;
            }
        }
    }
}

/// Phrases that, by the labels, have a chance to single one object out.
fn targets(asker: &Asker, subject: &Subject, ordinal: &str) -> Vec<Target> {
    let task = Task::ObjectGrounding;
    let inside = asker.margins(task).inside();
    let mut targets = Vec::new();
    for term in all_terms() {
        let any_of = categories(term);
        let all = subject.count(&any_of, Place::WHOLE, inside);
        if all > 1 {
            targets.extend(SUPERLATIVES.map(|by| Target::Extreme(term, by)));
        }
        // One place per term, so that areas do not crowd out the rest; an area that leaves none out would be idle.
        let is_used = |place: &Place| place.area.is_none() || all > 1;
        let mut places = places(asker, subject, task, ordinal).into_iter().filter(is_used);
        let alone = places.find(|&place| subject.count(&any_of, place, inside) == 1);
        targets.extend(alone.map(|place| Target::Only(term, place)));
    }
    targets
}

/// Whether a target is likely to be refused: something unknown may be one of its kind, an object lies on the border of
/// its place, or the labels show a near tie. Such targets are tried last.
fn is_doubtful(asker: &Asker, subject: &Subject, target: &Target) -> bool {
    let margins = asker.margins(Task::ObjectGrounding);
    match target {
        Target::Only(term, place) => subject.is_doubtful(&categories(term), *place, margins.inside()),
        Target::Extreme(term, by) => {
            let any_of = categories(term);
            let tie = near_tie(subject, &any_of, *by, &margins.extreme());
            tie || subject.is_doubtful(&any_of, Place::WHOLE, margins.inside())
        }
    }
}

/// Whether, by the labels, the first two in some respect are close.
fn near_tie(subject: &Subject, any_of: &[String], by: ExtremeBy, margin: &ExtremeMargin) -> bool {
    let size = subject.first().size();
    let members = subject.members(any_of, Place::WHOLE, InsideRule::default());
    let mut scores: Vec<f64> = members.iter().map(|(_, object)| score(by, &object.bounds, size)).collect();
    scores.sort_by(f64::total_cmp);
    let [first, second, ..] = scores[..] else { return false };
    let limit = match by {
        ExtremeBy::Largest | ExtremeBy::Smallest => margin.area_share * first.abs().max(second.abs()),
        _ => margin.side_share,
    };
    second - first < limit
}

/// Place in the order, the smallest first: positions in shares of a side, sizes in square pixels.
fn score(by: ExtremeBy, bounds: &Box2, size: ImageSize) -> f64 {
    let (x, y) = bounds.centre();
    let (middle_x, middle_y) = size.centre_px();
    match by {
        ExtremeBy::Left => x / size.width_px(),
        ExtremeBy::Right => -x / size.width_px(),
        ExtremeBy::Top => y / size.height_px(),
        ExtremeBy::Bottom => -y / size.height_px(),
        ExtremeBy::Largest => -bounds.area(),
        ExtremeBy::Smallest => bounds.area(),
        ExtremeBy::NearestToCentre => (x - middle_x).hypot(y - middle_y) / size.longer_side_px(),
    }
}

fn ask_one(asker: &mut Asker, subject: &Subject, target: Target) -> bool {
    let task = Task::ObjectGrounding;
    let margins = asker.margins(task);
    let (object, place) = match target {
        Target::Only(term, place) => {
            let set = Expr::objects(0).where_category(term.any_of.iter().copied());
            (place.narrow(set, margins.inside()).unique(), place)
        }
        Target::Extreme(term, by) => {
            let of = Box::new(Expr::objects(0).where_category(term.any_of.iter().copied()));
            (Expr::Extreme { of, by, margin: margins.extreme() }, Place::WHOLE)
        }
    };
    let slots = vec![("target", target.phrase())];
    let candidate = Candidate { task, form: "box", slots, place, root: object.box_of() };
    let Some(answered) = asker.answer(subject, candidate) else { return false };
    let Value::Box { x1, y1, x2, y2, .. } = answered.answer.value else { return false };
    let edges = BoxEdges::new(x1, y1, x2, y2);
    if !box_text_is_faithful(&edges) {
        let iou = NormalisedBox::try_from(edges).ok().map(|exact| exact.iou(&exact.quantised()));
        let detail = "three decimals do not stand for so small a box";
        asker.refuse(subject, &answered.question, "box_text_coarse", iou, Some(0.9), detail);
        return false;
    }
    asker.keep(subject, answered, Options::Open, &Evidence::Chosen(BoxRole::Answer));
    true
}

fn superlative(word: &str, by: ExtremeBy) -> String {
    match by {
        ExtremeBy::Left => format!("the leftmost {word} in the image (by box centre)"),
        ExtremeBy::Right => format!("the rightmost {word} in the image (by box centre)"),
        ExtremeBy::Top => format!("the {word} nearest to the top edge of the image (by box centre)"),
        ExtremeBy::Bottom => format!("the {word} nearest to the bottom edge of the image (by box centre)"),
        ExtremeBy::Largest => format!("the {word} that takes up the largest area of the image (by bounding box)"),
        ExtremeBy::Smallest => format!("the {word} that takes up the smallest area of the image (by bounding box)"),
        ExtremeBy::NearestToCentre => format!("the {word} nearest to the centre of the image (by box centre)"),
    }
}
