//! Which components are objects.

use crate::components::Component;
use crate::{FragmentReason, LiftOptions};

/// For each component the reason why it is dropped, `None` for those that stay.
///
/// Non-maximum suppression is on boxes, since components of one class are disjoint: a large loose region that surrounds
/// smaller objects of its class goes, a tight one stays.
pub(crate) fn reasons(components: &[&Component], options: &LiftOptions) -> Vec<Option<FragmentReason>> {
    let mut reasons: Vec<Option<FragmentReason>> = components.iter().map(|own| own_reason(own, options)).collect();
    let mut standing: Vec<usize> = (0..components.len()).filter(|&place| reasons[place].is_none()).collect();
    // By class, then from the left, so that only boxes near each other are compared.
    standing.sort_by_key(|&place| (components[place].class, components[place].columns.start, place));
    for &outer in &standing {
        let own = components[outer];
        if f64::from(own.pixels) >= options.nms_tightness * own.box_px2() {
            continue;
        }
        let from = standing.partition_point(|&place| components[place].class < own.class);
        let others = standing[from..].iter().map(|&place| components[place]);
        let same_class = others.take_while(|other| other.class == own.class);
        let near = same_class.take_while(|other| other.columns.start < own.columns.end);
        if near.into_iter().any(|other| is_inside(other, own, options.nms_inside_share)) {
            reasons[outer] = Some(FragmentReason::LooseRegion);
        }
    }
    reasons
}

fn own_reason(component: &Component, options: &LiftOptions) -> Option<FragmentReason> {
    if component.pixels < options.min_pixels {
        Some(FragmentReason::TooSmall)
    } else if component.thickness_px() < options.min_thickness_px {
        Some(FragmentReason::TooThin)
    } else {
        None
    }
}

/// Whether a share of the smaller one's box lies in the other's.
fn is_inside(smaller: &Component, larger: &Component, share: f64) -> bool {
    let common = |a: &std::ops::Range<u32>, b: &std::ops::Range<u32>| {
        f64::from(a.end.min(b.end)) - f64::from(a.start.max(b.start))
    };
    let columns = common(&smaller.columns, &larger.columns).max(0.0);
    let rows = common(&smaller.rows, &larger.rows).max(0.0);
    smaller.box_px2() < larger.box_px2() && columns * rows >= share * smaller.box_px2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(columns: std::ops::Range<u32>, rows: std::ops::Range<u32>, pixels: u32) -> Component {
        let outline_px = 2 * (columns.len() + rows.len()) as u32;
        Component { class: 3, runs: 0..0, pixels, columns, rows, outline_px }
    }

    #[test]
    fn a_loose_region_round_an_object_goes_and_a_tight_one_stays() {
        let object = component(20..40, 20..40, 400);
        let loose = component(0..100, 0..100, 1500);
        let tight = component(0..100, 0..100, 6000);
        let elsewhere = component(200..240, 0..100, 500);
        let options = LiftOptions::default();
        let of = |components: &[Component]| reasons(&components.iter().collect::<Vec<_>>(), &options);
        assert_eq!(of(&[object.clone(), loose.clone()]), [None, Some(FragmentReason::LooseRegion)]);
        assert_eq!(of(&[object.clone(), tight]), [None, None]);
        assert_eq!(of(&[elsewhere.clone(), loose.clone()]), [None, None]);
        // Of another class it does not matter.
        assert_eq!(of(&[Component { class: 4, ..object.clone() }, loose.clone()]), [None, None]);
        // 79 % of the smaller box inside are too few, 80 % are enough.
        let mostly = |inside: u32| component(100 - inside..200 - inside, 0..50, 4000);
        assert_eq!(of(&[mostly(79), loose.clone()]), [None, None]);
        assert_eq!(of(&[mostly(80), loose]), [None, Some(FragmentReason::LooseRegion)]);
    }

    #[test]
    fn specks_and_rims_go() {
        let speck = component(0..10, 0..11, 110);
        let rim = Component { outline_px: 402, ..component(0..200, 0..1, 200) };
        let reasons = reasons(&[&speck, &rim], &LiftOptions::default());
        assert_eq!(reasons, [Some(FragmentReason::TooSmall), Some(FragmentReason::TooThin)]);
    }
}
