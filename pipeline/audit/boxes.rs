//! The boxes of an item against those that its program gives.
//!
//! People train on `boxes`, so nothing may be listed that the program does not give, and nothing left out: the areas that
//! it looks at (`region`, on each frame that it looks at there); the object that it chose (`answer` where the object's box
//! is the answer, else `reference`); the objects that it counted (`answer` where they or their number are the answer,
//! else `clue`). An object on the border of an area is not surely counted, so it is none of them. Of programs about
//! lifted objects those that the answer rests on are listed, on each frame that shows them: as `answer` where their number
//! is the answer, else as `clue`.

use crate::scene::FrameRows;
use uavgen_geometry::{Box2, ImageSize, NormalisedBox};
use uavgen_programs::{Answer, BoxEdges, Expr, ObjectKind, Program, Scene, SceneFrame, SceneObject, Value};
use uavgen_schemas::{BoxRole, ItemBox, QaItem};

/// Largest difference of two normalised edges that are the same.
const EDGE_TOLERANCE: f64 = 1e-9;

/// A box that an item shows, or may show.
struct Given<'a> {
    position: usize,
    role: BoxRole,
    object_id: Option<&'a str>,
    edges: BoxEdges,
    required: bool,
}

/// A set that a program counts, on the frames at these positions; only members of `any_of`, where that is there.
struct Counted<'p> {
    set: &'p Expr,
    positions: Vec<usize>,
    any_of: Option<Vec<String>>,
}

/// What is wrong with the boxes of an item whose program gives this answer on this scene; null when nothing is.
pub(crate) fn contradiction(item: &QaItem, program: &Program, scene: &Scene, answer: &Answer) -> Option<String> {
    let given = match program.objects() {
        ObjectKind::Annotated => given_boxes(program.root(), scene, answer),
        ObjectKind::Lifted => boxes_of_facts(program.root(), scene, answer),
    };
    let mut listed = vec![false; given.len()];
    for shown in &item.boxes {
        match given.iter().position(|given| given.is(shown)) {
            None => return Some(format!("{} is none that the program gives", described(shown))),
            Some(at) if listed[at] => return Some(format!("{} is listed twice", described(shown))),
            Some(at) => listed[at] = true,
        }
    }
    let missing = given.iter().zip(listed).find(|(given, listed)| given.required && !listed);
    missing.map(|(Given { position, role, object_id, edges, .. }, _)| {
        let what = object_id.map_or_else(|| format!("{:?}", edge_list(edges)), str::to_owned);
        format!("the {role:?} box {what} on image {position} is missing")
    })
}

/// Whether the box of an object is that of `boxes_2d`, or of `instances`.
pub(crate) fn same_box(shown: &ItemBox, id: &str, rows: &FrameRows) -> Result<(), String> {
    let frame_id = &rows.frame.frame_id;
    let annotated = rows.boxes.iter().find(|object| object.box_id == id).map(Box2::try_from);
    let lifted = || rows.instances.iter().find(|object| object.instance_id == id);
    let lifted = || lifted().map(|object| Box2::new(object.x1, object.y1, object.x2, object.y2));
    let bounds = annotated.or_else(lifted).ok_or_else(|| format!("frame {frame_id} has no box {id}"))?;
    let normalised = ImageSize::try_from(&rows.frame).and_then(|size| bounds?.normalised(size));
    let exact = BoxEdges::from(normalised.map_err(|error| format!("box {id}: {error}"))?);
    if has_edges(shown, &exact) {
        return Ok(());
    }
    let (shown, exact) = (edge_list(&edges_of(shown)), edge_list(&exact));
    Err(format!("box {id} is {shown:?} in the item, {exact:?} in its table"))
}

impl Given<'_> {
    fn is(&self, shown: &ItemBox) -> bool {
        usize::try_from(shown.image_index) == Ok(self.position)
            && shown.role == self.role
            && shown.object_id.as_deref() == self.object_id
            && has_edges(shown, &self.edges)
    }
}

/// The boxes of the objects that the answer rests on.
fn boxes_of_facts<'a>(root: &Expr, scene: &'a Scene, answer: &Answer) -> Vec<Given<'a>> {
    let role = if matches!(root, Expr::Count { .. }) { BoxRole::Answer } else { BoxRole::Clue };
    let named = |object: &&SceneObject| answer.facts.objects.contains(&object.id);
    let mut given = Vec::new();
    for (position, frame) in scene.frames().iter().enumerate() {
        given.extend(frame.objects().iter().filter(named).map(|object| {
            let (object_id, edges) = (Some(object.id.as_str()), object.normalised.into());
            Given { position, role, object_id, edges, required: true }
        }));
    }
    given
}

fn given_boxes<'a>(root: &Expr, scene: &'a Scene, answer: &Answer) -> Vec<Given<'a>> {
    let mut areas = Vec::new();
    add_areas(root, &[], &mut areas);
    let region = |(position, edges)| Given { position, role: BoxRole::Region, object_id: None, edges, required: true };
    let mut given: Vec<Given> = areas.into_iter().map(region).collect();
    let mut counted = Vec::new();
    add_counted(root, &[], &answer.value, &mut counted);
    for (position, frame) in scene.frames().iter().enumerate() {
        for object in frame.objects() {
            let named = answer.facts.objects.contains(&object.id);
            let is_chosen = named && chooses(root);
            if !is_chosen && !counted.iter().any(|set| set.holds(position, frame, object)) {
                continue;
            }
            // One object proves a "yes": more than the facts name need not be listed.
            let required = named || !matches!(root, Expr::Exists { .. });
            let (object_id, edges) = (Some(object.id.as_str()), object.normalised.into());
            given.push(Given { position, role: role(root), object_id, edges, required });
        }
    }
    given
}

/// Whether the answer is about one object that the program chose.
fn chooses(root: &Expr) -> bool {
    matches!(root, Expr::BoxOf { .. } | Expr::CategoryOf { .. } | Expr::AreaShare { .. })
}

/// What the objects that a program chose or counted are to its answer.
fn role(root: &Expr) -> BoxRole {
    match root {
        Expr::BoxOf { .. }
        | Expr::BoxesOf { .. }
        | Expr::Count { .. }
        | Expr::CountTracks { .. }
        | Expr::Difference { .. } => BoxRole::Answer,
        Expr::CategoryOf { .. } | Expr::AreaShare { .. } => BoxRole::Reference,
        _ => BoxRole::Clue,
    }
}

/// The areas of an expression, each with the positions of the frames that it is looked at on. `each`: frames of the loop
/// that the expression stands in.
fn add_areas(expr: &Expr, each: &[u32], areas: &mut Vec<(usize, BoxEdges)>) {
    if let Expr::WhereRegion { area, .. } = expr {
        let found = positions(expr, each).into_iter().map(|position| (position, area.edges));
        let fresh: Vec<_> = found.filter(|found| !areas.contains(found)).collect();
        areas.extend(fresh);
    }
    let each = loop_frames(expr).unwrap_or(each);
    expr.inputs().for_each(|(_, input)| add_areas(input, each, areas));
}

/// The sets of an expression whose members are counted, or looked for.
fn add_counted<'p>(expr: &'p Expr, each: &[u32], answer: &Value, counted: &mut Vec<Counted<'p>>) {
    let mut add = |set, each, any_of| counted.push(Counted { set, positions: positions(set, each), any_of });
    match expr {
        Expr::Count { of } | Expr::Exists { of } | Expr::BoxesOf { of } => add(of, each, None),
        Expr::CountTracks { frames, each: of } => add(of, frames, None),
        Expr::PresentTerms { of, .. } => {
            let Value::Categories { values } = answer else { return };
            add(of, each, Some(values.iter().flat_map(|term| term.any_of.clone()).collect()));
        }
        Expr::MostNumerous { of, among, .. } | Expr::Fewest { of, among, .. } => {
            add(of, each, Some(among.iter().flat_map(|term| term.any_of.clone()).collect()));
        }
        _ => {
            let each = loop_frames(expr).unwrap_or(each);
            expr.inputs().for_each(|(_, input)| add_counted(input, each, answer, counted));
        }
    }
}

fn loop_frames(expr: &Expr) -> Option<&[u32]> {
    match expr {
        Expr::CountTracks { frames, .. } | Expr::CountFramesWhere { frames, .. } => Some(frames),
        _ => None,
    }
}

/// Positions of the frames that a set is taken from.
fn positions(set: &Expr, each: &[u32]) -> Vec<usize> {
    match set {
        Expr::Objects { frame } => vec![*frame as usize],
        Expr::FrameObjects {} => each.iter().map(|frame| *frame as usize).collect(),
        _ => set.inputs().flat_map(|(_, input)| positions(input, each)).collect(),
    }
}

impl Counted<'_> {
    fn holds(&self, position: usize, frame: &SceneFrame, object: &SceneObject) -> bool {
        self.positions.contains(&position)
            && self.any_of.as_ref().is_none_or(|any_of| object.is_any_of(any_of))
            && is_in_set(self.set, frame.size(), object)
    }
}

/// Whether an object of the set's frame, an image of this size, is surely a member.
fn is_in_set(set: &Expr, size: ImageSize, object: &SceneObject) -> bool {
    match set {
        Expr::WhereCategory { of, any_of } => object.is_any_of(any_of) && is_in_set(of, size, object),
        Expr::WhereRegion { of, area, inside } => {
            let area = NormalisedBox::try_from(area.edges).map(|area| area.in_pixels(size));
            let share = area.map_or(0.0, |area| object.bounds.share_inside(&area));
            share >= inside.share && share > inside.refuse_to && is_in_set(of, size, object)
        }
        _ => true,
    }
}

fn edges_of(shown: &ItemBox) -> BoxEdges {
    BoxEdges::new(shown.x1, shown.y1, shown.x2, shown.y2)
}

fn edge_list(edges: &BoxEdges) -> [f64; 4] {
    [edges.x1, edges.y1, edges.x2, edges.y2]
}

fn has_edges(shown: &ItemBox, edges: &BoxEdges) -> bool {
    // Written so that NaN differs from everything.
    edge_list(&edges_of(shown)).iter().zip(edge_list(edges)).all(|(a, b)| (a - b).abs() <= EDGE_TOLERANCE)
}

fn described(shown: &ItemBox) -> String {
    let what = shown.object_id.clone().unwrap_or_else(|| format!("{:?}", edge_list(&edges_of(shown))));
    format!("the {:?} box {what} on image {}", shown.role, shown.image_index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_programs::{Area, AreaName};

    #[test]
    fn what_lies_on_the_border_of_an_area_is_not_surely_a_member() {
        let size = ImageSize::new(100, 100).unwrap();
        // Ten pixels wide, across the right edge of the left half.
        let car = |inside: f64, annotated: &str| {
            let bounds = Box2::new(50.0 - inside, 0.0, 60.0 - inside, 10.0).unwrap();
            SceneObject {
                id: "car".into(),
                track_id: None,
                category: "car".into(),
                annotated_category: annotated.into(),
                bounds,
                normalised: bounds.normalised(size).unwrap(),
                image_share: 0.01,
                solid: None,
            }
        };
        let left = Area::named(AreaName::LeftHalf).unwrap();
        let set = Expr::objects(0).where_category(["car"]).where_region(left);
        for (inside, expected) in [(10.0, true), (9.5, true), (9.0, false), (5.0, false), (0.0, false)] {
            assert_eq!(is_in_set(&set, size, &car(inside, "car")), expected, "{inside} of 10 px");
        }
        assert!(!is_in_set(&set, size, &car(10.0, "van")), "of two categories");
        assert!(is_in_set(&Expr::objects(0), size, &car(0.0, "van")));
    }
}
