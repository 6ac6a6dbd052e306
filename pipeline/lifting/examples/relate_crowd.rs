//! Times the relations of a frame with many objects: `relate_crowd [OBJECTS] [ROUNDS]`.
//!
//! Objects of four classes are spread over a square of 300 m by a fixed sequence, and a third of them stand in rows.
#![expect(clippy::print_stdout, reason = "a command line program talks to its user")]

use std::error::Error;
use std::time::Instant;
use uavgen_geometry::Rectangle;
use uavgen_lifting::{ArrangementKind, RelationOptions, Standing, relate};

const SIDE_M: f64 = 300.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |argument| argument.parse());
    let (count, rounds) = (number(2000)?, number(9)?);
    let objects = crowd(count);
    let mut times_ms = Vec::new();
    let mut found = relate(&objects, &RelationOptions::default())?;
    for _ in 0..rounds {
        let start = Instant::now();
        found = relate(&objects, &RelationOptions::default())?;
        times_ms.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times_ms.sort_by(f64::total_cmp);
    let of = |kind| found.arrangements.iter().filter(|own| own.kind == kind).count();
    let (betweens, rows) = (of(ArrangementKind::Between), of(ArrangementKind::Row));
    let median_ms = times_ms.get(times_ms.len() / 2).copied().unwrap_or(f64::NAN);
    println!("{count} objects: {} pairs, {betweens} between, {rows} rows, median {median_ms:.1} ms", found.pairs.len());
    Ok(())
}

fn crowd(count: usize) -> Vec<Standing> {
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut objects = Vec::with_capacity(count);
    while objects.len() < count {
        let (x, y, yaw, class) = (draw() * SIDE_M, draw() * SIDE_M, draw() * 3.0, (draw() * 4.0) as u16);
        // One of every 17 places begins a row of eight, so that about a third of all stand in rows.
        let length = if draw() < 1.0 / 17.0 { 8 } else { 1 };
        let (long, wide) = if class == 0 { (18.0, 11.0) } else { (4.5, 1.8) };
        for step in 0..length {
            let way = f64::from(step) * wide * 1.5;
            let centre = [x - way * f64::sin(yaw), y + way * f64::cos(yaw)];
            let footprint = Rectangle::new(centre, long, wide, yaw);
            objects.push(Standing { class, footprint, base_m: 0.0, top_m: (class != 1).then_some(2.0) });
        }
    }
    objects.truncate(count);
    objects
}
