//! One number for one object over the frames of a recording.
//!
//! Objects are associated in the world and not in the image, so that a camera that turns away and comes back finds them
//! again. What does not move is where it was; what moves is looked for where its motion takes it.

use crate::assign;
use uavgen_geometry::GroundBox;

/// An object of one frame, as far as association looks at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Label value of its class; objects of different classes are never one.
    pub class: u16,
    /// Where it stands.
    pub ground_box: GroundBox,
    /// Whether it may move between frames.
    pub can_move: bool,
    /// How well it is seen; the box of the best sight stands for an object that does not move. Its number of pixels
    /// will do.
    pub weight: f64,
}

/// The objects of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenFrame {
    /// Time of the frame in seconds from any origin.
    pub time_s: f64,
    /// Its objects.
    pub seen: Vec<Seen>,
}

/// Options of association.
#[derive(Debug, Clone, PartialEq)]
pub struct AssociationOptions {
    /// Centres of one object lie at most this far apart on the ground, where footprints do not overlap; metres. For
    /// what moves, that is how far it may be off the place to which its motion takes it, besides what braking and turning do.
    pub gate_m: f64,
    /// What moves is at most this fast, metres per second.
    pub max_speed_mps: f64,
    /// What moves brakes, turns and starts with at most this, metres per second and second.
    pub max_acceleration_mps2: f64,
    /// What moves is looked for this many seconds after it was last seen.
    pub max_unseen_s: f64,
}

impl Default for AssociationOptions {
    fn default() -> Self {
        Self { gate_m: 1.0, max_speed_mps: 40.0, max_acceleration_mps2: 8.0, max_unseen_s: 2.0 }
    }
}

/// How far what moves goes aside of its axis between two sights, as a share of its way: in a turn of 50°.
const TURN: f64 = 0.5;

/// What is known of an object so far.
#[derive(Debug, Clone, Copy)]
struct Track {
    best: Seen,
    last_s: f64,
    /// Metres per second east and north; `None` before a second sight.
    velocity: Option<[f64; 2]>,
}

/// The number of each object, frame by frame in the order of its objects; numbers are given from 0 on in the order of
/// first sights.
///
/// In each frame, objects and known ones of the same class that are within the gate are assigned so that the sum of the
/// costs is least; a cost is small where footprints overlap and centres are close.
pub fn associate(frames: &[SeenFrame], options: &AssociationOptions) -> Vec<Vec<u32>> {
    let mut tracks: Vec<Track> = Vec::new();
    frames.iter().map(|frame| associate_frame(frame, &mut tracks, options)).collect()
}

fn associate_frame(frame: &SeenFrame, tracks: &mut Vec<Track>, options: &AssociationOptions) -> Vec<u32> {
    let candidates: Vec<usize> =
        (0..tracks.len()).filter(|&track| is_awaited(&tracks[track], frame, options)).collect();
    let pair =
        |(seen, &track): (&Seen, &usize)| cost(seen, &tracks[track], frame.time_s, options).unwrap_or(f64::INFINITY);
    let costs: Vec<f64> =
        frame.seen.iter().flat_map(|seen| candidates.iter().map(move |track| (seen, track))).map(pair).collect();
    let assigned = assign(&costs, frame.seen.len(), candidates.len(), 1.0);
    let number = |(seen, assigned): (&Seen, Option<usize>)| {
        let track = match assigned {
            Some(candidate) => candidates[candidate],
            None => {
                tracks.push(Track { best: *seen, last_s: frame.time_s, velocity: None });
                tracks.len() - 1
            }
        };
        update(&mut tracks[track], seen, frame.time_s);
        track as u32
    };
    frame.seen.iter().zip(assigned).map(number).collect()
}

/// Whether an object may be seen in a frame.
fn is_awaited(track: &Track, frame: &SeenFrame, options: &AssociationOptions) -> bool {
    !track.best.can_move || (frame.time_s - track.last_s).abs() <= options.max_unseen_s
}

/// 0 for the same box, up to below 1 at the gate; `None` beyond it.
fn cost(seen: &Seen, track: &Track, time_s: f64, options: &AssociationOptions) -> Option<f64> {
    let known = &track.best;
    if known.class != seen.class || known.can_move != seen.can_move {
        return None;
    }
    if known.can_move { cost_of_moving(seen, track, time_s, options) } else { cost_of_standing(seen, known, options) }
}

fn cost_of_standing(seen: &Seen, known: &Seen, options: &AssociationOptions) -> Option<f64> {
    let [east, north] = step(known, seen);
    let by_distance = east.hypot(north) / options.gate_m;
    let overlap = overlap_share(seen, known);
    let cost = if overlap > 0.0 { (1.0 - overlap).min(by_distance) } else { by_distance };
    (cost < 1.0).then_some(cost)
}

/// The distance from where its motion takes an object, in the same measure for all: else one of which little is known, and which may
/// be anywhere, would take the place of one that was sure to be there.
fn cost_of_moving(seen: &Seen, track: &Track, time_s: f64, options: &AssociationOptions) -> Option<f64> {
    let elapsed_s = time_s - track.last_s;
    let widest = options.gate_m + options.max_speed_mps * elapsed_s.abs();
    let [east, north] = step(&track.best, seen);
    let (distance, gate) = match track.velocity {
        Some([v_east, v_north]) => {
            let swerve = 0.5 * options.max_acceleration_mps2 * elapsed_s * elapsed_s;
            ((east - v_east * elapsed_s).hypot(north - v_north * elapsed_s), options.gate_m + swerve)
        }
        // Before a second sight nothing is known of a motion but its limit, and that it goes along the axis.
        None => {
            let (sin, cos) = track.best.ground_box.axis_yaw_rad().sin_cos();
            let (along, across) = ((east * cos + north * sin).abs(), (north * cos - east * sin).abs());
            (east.hypot(north), if across <= options.gate_m + TURN * along { widest } else { 0.0 })
        }
    };
    (distance < gate.min(widest)).then(|| distance / widest)
}

/// How far the centre went, east and north in metres.
fn step(from: &Seen, to: &Seen) -> [f64; 2] {
    let (from, to) = (from.ground_box.footprint().centre(), to.ground_box.footprint().centre());
    [to[0] - from[0], to[1] - from[1]]
}

/// Share of the smaller footprint that lies in the other: 1 where one box is what is visible of the other.
fn overlap_share(a: &Seen, b: &Seen) -> f64 {
    let smaller = a.ground_box.footprint_area_m2().min(b.ground_box.footprint_area_m2());
    if smaller > 0.0 { (a.ground_box.common_footprint_m2(&b.ground_box) / smaller).min(1.0) } else { 0.0 }
}

fn update(track: &mut Track, seen: &Seen, time_s: f64) {
    if track.best.can_move {
        let elapsed_s = time_s - track.last_s;
        if elapsed_s > 0.0 {
            track.velocity = Some(step(&track.best, seen).map(|way| way / elapsed_s));
        }
        track.best = *seen;
    } else if seen.weight > track.best.weight {
        track.best = *seen;
    }
    track.last_s = time_s;
}

#[cfg(test)]
mod tests {
    use super::*;
    use uavgen_geometry::Rectangle;

    fn seen(x: f64, y: f64, length: f64, can_move: bool) -> Seen {
        let footprint = Rectangle::new([x, y], length, 2.0, 0.0);
        Seen { class: 4, ground_box: GroundBox::new(footprint, 0.0, 1.5), can_move, weight: length }
    }

    fn frames(all: &[&[Seen]]) -> Vec<SeenFrame> {
        let frame = |(number, seen): (usize, &&[Seen])| SeenFrame { time_s: number as f64 * 0.5, seen: seen.to_vec() };
        all.iter().enumerate().map(frame).collect()
    }

    #[test]
    fn what_stands_still_keeps_its_number_through_gaps_and_half_sights() {
        let (a, b) = (seen(0.0, 0.0, 4.0, false), seen(0.0, 2.7, 4.0, false));
        // Of the first one only the front half is seen.
        let half = seen(1.0, 0.1, 2.0, false);
        let found = associate(&frames(&[&[a, b], &[], &[b], &[half, b], &[b, a]]), &AssociationOptions::default());
        assert_eq!(found, [vec![0, 1], vec![], vec![1], vec![0, 1], vec![1, 0]]);
    }

    #[test]
    fn another_class_or_place_is_another_object() {
        let a = seen(0.0, 0.0, 4.0, false);
        let other = Seen { class: 5, ..a };
        let found =
            associate(&frames(&[&[a], &[other], &[seen(9.0, 0.0, 4.0, false)]]), &AssociationOptions::default());
        assert_eq!(found, [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn what_moves_is_found_where_its_motion_takes_it() {
        // Two cars meet and pass each other in lanes 3 m apart, 20 m/s each.
        let at = |frame: i32| {
            let x = f64::from(frame) * 10.0;
            [seen(x - 40.0, 0.0, 4.0, true), seen(40.0 - x, 3.0, 4.0, true)]
        };
        let all: Vec<[Seen; 2]> = (0..9).map(at).collect();
        let mut input: Vec<&[Seen]> = all.iter().map(|both| &both[..]).collect();
        let swapped = [all[4][1], all[4][0]];
        input[4] = &swapped;
        let found = associate(&frames(&input), &AssociationOptions::default());
        for (number, ids) in found.iter().enumerate() {
            assert_eq!(ids, if number == 4 { &[1, 0] } else { &[0, 1] }, "frame {number}");
        }
    }

    #[test]
    fn what_moves_is_forgotten_after_a_while() {
        let a = seen(0.0, 0.0, 4.0, true);
        let found = associate(&frames(&[&[a], &[], &[], &[], &[], &[], &[a]]), &AssociationOptions::default());
        assert_eq!(found.concat(), [0, 1]);
    }

    /// Two lanes of opposite ways, 3.5 m apart, in which cars follow each other at 8 m; half a second between frames.
    #[test]
    fn cars_in_two_lanes_are_not_taken_for_each_other() {
        let lanes = |frame: usize| {
            let way = 5.0 * frame as f64;
            let forth = [0.0, 8.0, 16.0].map(|start| seen(start + way, 0.0, 4.5, true));
            let back = [40.0, 48.0, 56.0].map(|start| seen(start - way, 3.5, 4.5, true));
            [forth, back].concat()
        };
        let all: Vec<Vec<Seen>> = (0..10).map(lanes).collect();
        let slices: Vec<&[Seen]> = all.iter().map(Vec::as_slice).collect();
        let found = associate(&frames(&slices), &AssociationOptions::default());
        assert!(found.iter().all(|numbers| numbers == &[0, 1, 2, 3, 4, 5]), "{found:?}");
    }

    #[test]
    fn braking_and_turning_is_still_one_motion() {
        // From 12 m/s to a halt at 6 m/s²; and a quarter of a circle of 12 m at 6 m/s.
        let braked = |time: f64| 12.0 * time.min(2.0) - 3.0 * time.min(2.0).powi(2);
        let turned = |time: f64| ((0.5 * time).sin() * 12.0, 40.0 + 12.0 - (0.5 * time).cos() * 12.0);
        let at = |time_s: f64| {
            let (x, y) = turned(time_s);
            SeenFrame { time_s, seen: vec![seen(braked(time_s), 0.0, 4.5, true), seen(x, y, 4.5, true)] }
        };
        let frames: Vec<SeenFrame> = (0..7).map(|number| at(0.5 * f64::from(number))).collect();
        assert!(associate(&frames, &AssociationOptions::default()).iter().all(|numbers| numbers == &[0, 1]));
    }
}
