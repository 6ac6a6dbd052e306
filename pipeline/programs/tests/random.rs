//! Random scenes and programs. Coordinates lie on a coarse grid, so that ties, shared edges and straddling come up.

use super::make::{Edges, FrameMaker, terms};
use crate::{Area, AreaName, BoxEdges, Expr, ExtremeBy, Relation, Term, TimeMargin};
use proptest::prelude::*;
use uavgen_schemas::RegionKind;

pub(super) const CATEGORIES: [&str; 5] = ["bus", "car", "pedestrian", "people", "van"];

/// One thing on a frame.
#[derive(Debug, Clone)]
pub(super) enum Thing {
    Object { category: &'static str, annotated: &'static str, track: Option<u32>, edges: Edges },
    Dropped { may_be: Vec<&'static str>, track: Option<u32>, edges: Edges },
    Ignored { track: Option<u32>, edges: Edges },
    Others { edges: Edges },
    UnknownObject { track: Option<u32>, edges: Edges },
}

/// Frames as lists of things; ids follow from the positions.
pub(super) type Things = Vec<Vec<Thing>>;

pub(super) fn edges() -> impl Strategy<Value = Edges> {
    (0..19u32, 0..9u32, 1..6u32, 1..4u32).prop_map(|(x, y, w, h)| {
        let at = |cells: u32, limit: f64| (f64::from(cells) * 50.0).min(limit);
        [at(x, 950.0), at(y, 450.0), at(x + w, 1000.0), at(y + h, 500.0)]
    })
}

fn category() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&CATEGORIES[..])
}

fn track() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![1 => Just(None), 9 => (0..4u32).prop_map(Some)]
}

pub(super) fn object() -> impl Strategy<Value = Thing> {
    (category(), category(), prop::bool::weighted(0.1), track(), edges()).prop_map(
        |(category, other, flips, track, edges)| {
            let annotated = if flips { other } else { category };
            Thing::Object { category, annotated, track, edges }
        },
    )
}

pub(super) fn unknown() -> impl Strategy<Value = Thing> {
    let may_be = prop::sample::subsequence(&CATEGORIES[..], 0..3);
    prop_oneof![
        3 => (may_be, track(), edges()).prop_map(|(may_be, track, edges)| Thing::Dropped { may_be, track, edges }),
        1 => (track(), edges()).prop_map(|(track, edges)| Thing::Ignored { track, edges }),
        1 => edges().prop_map(|edges| Thing::Others { edges }),
        1 => (track(), edges()).prop_map(|(track, edges)| Thing::UnknownObject { track, edges }),
    ]
}

/// Three frames with few objects and fewer unknowns.
pub(super) fn things() -> impl Strategy<Value = Things> {
    let frame = (prop::collection::vec(object(), 0..6), prop::collection::vec(unknown(), 0..2));
    prop::collection::vec(frame.prop_map(|(objects, unknowns)| [objects, unknowns].concat()), 3)
}

/// The records of the frames.
pub(super) fn frames(things: &Things) -> Vec<FrameMaker> {
    let number = |track: &Option<u32>| track.map(|track| format!("r#{track}"));
    let frame = |(index, things): (usize, &Vec<Thing>)| {
        things.iter().enumerate().fold(FrameMaker::new(&format!("r/{index}")), |frame, (position, thing)| {
            let id = format!("{index}:{position}");
            match thing {
                Thing::Object { category, annotated, track, edges } => {
                    frame.kept(&id, category, annotated, number(track).as_deref(), *edges)
                }
                Thing::Dropped { may_be, track, edges } => frame.dropped(&id, may_be, number(track).as_deref(), *edges),
                Thing::Ignored { track, edges } => {
                    frame.tracked_region(&id, RegionKind::Ignored, number(track).as_deref(), *edges)
                }
                Thing::Others { edges } => frame.others(&id, *edges),
                Thing::UnknownObject { track, edges } => {
                    frame.tracked_region(&id, RegionKind::UnknownObject, number(track).as_deref(), *edges)
                }
            }
        })
    };
    things.iter().enumerate().map(frame).collect()
}

pub(super) fn area() -> impl Strategy<Value = Area> {
    let named = prop::sample::select([&AreaName::HALVES[..], &AreaName::GRID[..]].concat());
    prop_oneof![
        named.prop_map(|name| Area::named(name).unwrap()),
        edges().prop_map(|[x1, y1, x2, y2]| {
            Area::custom(BoxEdges::new(x1 / 1000.0, y1 / 500.0, x2 / 1000.0, y2 / 500.0))
        }),
    ]
}

pub(super) fn any_of() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(&CATEGORIES[..], 1..4)
}

/// Narrows a set by up to two steps.
fn narrowed(base: impl Strategy<Value = Expr> + 'static) -> BoxedStrategy<Expr> {
    (base, prop::option::of(any_of()), prop::option::weighted(0.4, area()))
        .prop_map(|(set, any_of, area)| {
            let set = any_of.into_iter().fold(set, Expr::where_category);
            area.into_iter().fold(set, Expr::where_region)
        })
        .boxed()
}

fn set() -> BoxedStrategy<Expr> {
    narrowed((0..3u32).prop_map(Expr::objects))
}

fn by() -> impl Strategy<Value = ExtremeBy> {
    use ExtremeBy::{Bottom, Largest, Left, NearestToCentre, Right, Smallest, Top};
    prop::sample::select(vec![Left, Right, Top, Bottom, Largest, Smallest, NearestToCentre])
}

fn chosen() -> BoxedStrategy<Expr> {
    let at = edges().prop_map(|[x1, y1, x2, y2]| BoxEdges::new(x1 / 1000.0, y1 / 500.0, x2 / 1000.0, y2 / 500.0));
    prop_oneof![
        set().prop_map(Expr::unique),
        (set(), by()).prop_map(|(set, by)| set.extreme(by)),
        (0..3u32, at).prop_map(|(frame, at)| Expr::object_at(frame, at)),
    ]
    .boxed()
}

fn number() -> BoxedStrategy<Expr> {
    set().prop_map(Expr::count).boxed()
}

fn looped() -> BoxedStrategy<Expr> {
    let each = || narrowed(Just(Expr::frame_objects()));
    let frames = || prop::sample::subsequence(vec![0u32, 1, 2], 1..=3);
    prop_oneof![
        (frames(), each()).prop_map(|(frames, each)| Expr::count_tracks(frames, each)),
        (frames(), each()).prop_map(|(frames, each)| Expr::count_frames_where(frames, each.exists())),
    ]
    .boxed()
}

fn among() -> impl Strategy<Value = Vec<Term>> {
    prop::sample::subsequence(vec!["bus", "car", "person", "van"], 2..=4).prop_map(|words| terms(&words))
}

/// Programs about a clip, each on a set made of these steps.
pub(super) fn of_clip(each: impl Fn() -> BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let seconds = prop::sample::select(vec![0.0, 0.5, 1.0]);
    prop_oneof![
        (0..3u32, each()).prop_map(|(segment, each)| Expr::count_at_start(segment, each)),
        (0..3u32, each()).prop_map(|(segment, each)| Expr::count_segment_tracks(segment, each)),
        each().prop_map(Expr::segment_with),
        (each(), among(), seconds).prop_map(|(each, among, seconds)| Expr::FirstAppearances {
            each: Box::new(each),
            among,
            margin: TimeMargin { seconds },
        }),
    ]
    .boxed()
}

/// Well-typed programs of every kind.
pub(super) fn expr() -> BoxedStrategy<Expr> {
    prop_oneof![
        number(),
        set().prop_map(Expr::exists),
        set().prop_map(Expr::boxes_of),
        chosen().prop_map(Expr::box_of),
        chosen().prop_map(Expr::area_share),
        (chosen(), among()).prop_map(|(object, among)| object.category_of(among)),
        (set(), among()).prop_map(|(set, among)| set.present_terms(among)),
        (set(), among()).prop_map(|(set, among)| set.most_numerous(among)),
        (set(), among()).prop_map(|(set, among)| set.fewest(among)),
        (number(), number()).prop_map(|(left, right)| left.difference(right)),
        (number(), number()).prop_map(|(left, right)| left.compare(Relation::Greater, right)),
        (number(), number(), number()).prop_map(|(a, b, c)| a.difference(b).compare(Relation::Less, c)),
        looped(),
        of_clip(|| narrowed(Just(Expr::frame_objects()))),
    ]
    .boxed()
}

/// Trees of ops without regard to types, frames or bounds.
pub(super) fn any_tree() -> BoxedStrategy<Expr> {
    let edge = || prop_oneof![Just(f64::NAN), Just(f64::INFINITY), -1.0..2.0f64];
    let anywhere = (edge(), edge(), edge(), edge()).prop_map(|(x1, y1, x2, y2)| BoxEdges::new(x1, y1, x2, y2));
    let leaf = prop_oneof![
        any::<u32>().prop_map(Expr::objects),
        Just(Expr::frame_objects()),
        (any::<u32>(), anywhere).prop_map(|(frame, at)| Expr::object_at(frame, at)),
    ];
    leaf.prop_recursive(6, 24, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Expr::count),
            inner.clone().prop_map(Expr::exists),
            inner.clone().prop_map(Expr::box_of),
            (inner.clone(), any_of()).prop_map(|(of, any_of)| of.where_category(any_of)),
            (inner.clone(), by()).prop_map(|(of, by)| of.extreme(by)),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| left.difference(right)),
            (prop::collection::vec(any::<u32>(), 0..3), inner.clone())
                .prop_map(|(frames, each)| { Expr::count_tracks(frames, each) }),
            (any::<u32>(), inner.clone()).prop_map(|(segment, each)| Expr::count_at_start(segment, each)),
            inner.prop_map(Expr::segment_with),
        ]
    })
    .boxed()
}
