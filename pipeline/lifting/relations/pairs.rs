//! How two objects lie to each other.

use super::places::distance_m;
use super::{Line, Pair, RelationOptions, Standing, Vertical, bearing_rad};

pub(super) fn pair(objects: &[Standing], subject: usize, object: usize, options: &RelationOptions) -> Pair {
    let (own, other) = (&objects[subject], &objects[object]);
    let ground_distance_m = distance_m(own.centre(), other.centre());
    let beside_m = own.footprint.distance_to(&other.footprint);
    let gap_m = height_gap_m(own, other).map(|up_m| beside_m.hypot(up_m));
    let limit_m = options.near_sizes * (own.footprint.length() * other.footprint.length()).sqrt();
    let is_near = match gap_m {
        Some(gap_m) => Some(gap_m <= limit_m),
        // Whatever the heights are, the gap is no smaller than that of the footprints.
        None => (beside_m > limit_m).then_some(false),
    };
    Pair {
        subject,
        object,
        centre_distance_m: middle_m(own).zip(middle_m(other)).map(|(a, b)| ground_distance_m.hypot(a - b)),
        ground_distance_m,
        gap_m,
        bearing_rad: Line::new(own.centre(), other.centre()).map(|line| bearing_rad(line.along)),
        vertical: vertical(own, other),
        is_near,
    }
}

/// Height of the middle of a box.
fn middle_m(own: &Standing) -> Option<f64> {
    own.top_m.map(|top_m| f64::midpoint(own.base_m, top_m))
}

/// How far the base of one box is above the top of another, 0 where it is not; `None` where that hangs on an unknown top.
fn rise_m(high: &Standing, low: &Standing) -> Option<f64> {
    match low.top_m {
        Some(top_m) => Some((high.base_m - top_m).max(0.0)),
        // Whatever its top is, it is not below its base.
        None => (high.base_m <= low.base_m).then_some(0.0),
    }
}

fn height_gap_m(own: &Standing, other: &Standing) -> Option<f64> {
    Some(rise_m(own, other)?.max(rise_m(other, own)?))
}

fn vertical(own: &Standing, other: &Standing) -> Option<Vertical> {
    match (rise_m(own, other), rise_m(other, own)) {
        (Some(rise), _) if rise > 0.0 => Some(Vertical::Above),
        (_, Some(rise)) if rise > 0.0 => Some(Vertical::Below),
        (Some(_), Some(_)) => Some(Vertical::Level),
        _ => None,
    }
}
