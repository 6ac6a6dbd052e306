//! Area of a union of boxes.

use crate::Box2;

/// Area in square pixels of the union of boxes, exact up to rounding.
///
/// Sweep over x: between two neighbouring edges the boxes that span the slab are fixed, so the slab's covered height is
/// the length of a union of intervals. O(n² log n); regions of a frame are few.
pub(crate) fn union_area(boxes: Vec<Box2>) -> f64 {
    let mut edges: Vec<f64> = boxes.iter().flat_map(|b| [b.x1(), b.x2()]).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    edges.windows(2).map(|slab| (slab[1] - slab[0]) * covered_height(&boxes, slab[0], slab[1])).sum()
}

/// Length of the union of the y intervals of those boxes that span the slab from `left` to `right`.
fn covered_height(boxes: &[Box2], left: f64, right: f64) -> f64 {
    let spans = |b: &&Box2| b.x1() <= left && right <= b.x2();
    let mut intervals: Vec<(f64, f64)> = boxes.iter().filter(spans).map(|b| (b.y1(), b.y2())).collect();
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut covered = 0.0;
    let mut reached = f64::NEG_INFINITY;
    for (top, bottom) in intervals {
        let start = top.max(reached);
        if bottom > start {
            covered += bottom - start;
            reached = bottom;
        }
    }
    covered
}
