//! Rows of how the instances of a frame lie to each other, and of their boxes at any angle.

use super::instance_id;
use uavgen_lifting::{ArrangementKind as LiftedKind, Instance as Lifted, Relations, Vertical as LiftedVertical};
use uavgen_schemas::{Arrangement, ArrangementKind, Frame, OrientedBox, Relation, Vertical};

/// The rows of the pairs of a frame, in their order.
pub(in crate::lift) fn relation_rows(frame: &Frame, found: &Relations) -> Vec<Relation> {
    let row = |pair: &uavgen_lifting::Pair| Relation {
        relation_id: format!("{}#{}-{}", frame.frame_id, pair.subject, pair.object),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        subject: instance_id(frame, pair.subject),
        object: instance_id(frame, pair.object),
        centre_distance_m: pair.centre_distance_m,
        ground_distance_m: pair.ground_distance_m,
        gap_m: pair.gap_m,
        bearing_rad: pair.bearing_rad,
        vertical: pair.vertical.map(|vertical| match vertical {
            LiftedVertical::Above => Vertical::Above,
            LiftedVertical::Below => Vertical::Below,
            LiftedVertical::Level => Vertical::Level,
        }),
        near: pair.is_near,
    };
    found.pairs.iter().map(row).collect()
}

/// The rows of what lies between others and of the rows of a frame, in their order.
pub(in crate::lift) fn arrangement_rows(frame: &Frame, found: &Relations) -> Vec<Arrangement> {
    let row = |(position, own): (usize, &uavgen_lifting::Arrangement)| Arrangement {
        arrangement_id: format!("{}#arrangement{position}", frame.frame_id),
        frame_id: frame.frame_id.clone(),
        recording_id: frame.recording_id.clone(),
        kind: match own.kind {
            LiftedKind::Between => ArrangementKind::Between,
            LiftedKind::Row => ArrangementKind::Row,
        },
        members: own.members.iter().map(|&member| instance_id(frame, member)).collect(),
        length_m: own.length_m,
        bearing_rad: own.bearing_rad,
        deviation_m: own.deviation_m,
        spacing_m: own.spacing_m,
        spacing_deviation_m: own.spacing_deviation_m,
    };
    found.arrangements.iter().enumerate().map(row).collect()
}

/// The rows of the boxes at any angle, of those instances that have one.
pub(in crate::lift) fn oriented_box_rows(frame: &Frame, instances: &[Lifted]) -> Vec<OrientedBox> {
    let row = |(position, own): (usize, &Lifted)| {
        let found = own.oriented_box?;
        let ([length_m, width_m, thickness_m], [qx, qy, qz, qw]) = (found.sides_m(), found.quaternion());
        let [x, y, z] = found.centre().coordinates();
        let (instance_id, frame_id) = (instance_id(frame, position), frame.frame_id.clone());
        let recording_id = frame.recording_id.clone();
        Some(OrientedBox {
            instance_id,
            frame_id,
            recording_id,
            x,
            y,
            z,
            length_m,
            width_m,
            thickness_m,
            qx,
            qy,
            qz,
            qw,
        })
    };
    instances.iter().enumerate().filter_map(row).collect()
}
