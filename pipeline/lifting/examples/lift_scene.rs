//! Lifts all views of a generated scene and writes the boxes as JSON.
//!
//! `lift_scene FOLDER OUT [ROUNDS]`: the folder holds `poses.json` (`views` with `K` and `cam_to_world`, axes of
//! OpenCV, pixel centres at .5), `labels/NAME.png` and `depth/NAME.npy` (float32, row by row). Each view is lifted so
//! many rounds; the time is the median.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;
use uavgen_geometry::{Camera, Distortion, ImageSize, Intrinsics, Transform, World};
use uavgen_lifting::{AssociationOptions, Seen, SeenFrame, associate};
use uavgen_lifting::{Classes, LiftOptions, Lifted, Raster, Role, View, lift_view};

/// Label values of the scene's ground, and of what has true boxes.
const GROUND: [usize; 8] = [1, 2, 8, 9, 13, 14, 16, 17];
const THINGS: [usize; 5] = [3, 4, 5, 6, 12];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, out, rounds @ ..] = &arguments[..] else { return Err("lift_scene FOLDER OUT [ROUNDS]".into()) };
    let rounds: usize = rounds.first().map_or(Ok(1), |rounds| rounds.parse())?;
    let poses: Value = serde_json::from_slice(&std::fs::read(format!("{folder}/poses.json"))?)?;
    let roles = (0..18).map(|class| match class {
        class if GROUND.contains(&class) => Role::Ground,
        class if THINGS.contains(&class) => Role::Fixed,
        _ => Role::Other,
    });
    let classes = Classes::new(roles.collect(), true);
    let (mut views, mut times_ms) = (Vec::new(), Vec::new());
    let cpu_before = cpu_ms()?;
    let mut cpu_of_files = 0.0;
    for pose in poses["views"].as_array().ok_or("no views")? {
        let cpu_start = cpu_ms()?;
        let name = pose["name"].as_str().ok_or("no name")?;
        let image = image::open(format!("{folder}/labels/{name}.png"))?.into_luma8();
        let size = ImageSize::new(image.width().into(), image.height().into())?;
        let depth = read_depth(&std::fs::read(format!("{folder}/depth/{name}.npy"))?)?;
        let (intrinsics, world_from_camera) = camera(pose, size)?;
        let view = View {
            labels: Raster::new(size, image.as_raw())?,
            depth: Raster::new(size, &depth)?,
            intrinsics: &intrinsics,
            world_from_camera,
            ground: None,
        };
        cpu_of_files += cpu_ms()? - cpu_start;
        let mut lifted = Lifted::default();
        for _ in 0..rounds {
            let start = Instant::now();
            lifted = lift_view(&view, &classes, &LiftOptions::default())?;
            times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        views.push(lifted);
    }
    let lifted = (views.len() * rounds) as f64;
    let cpu = (cpu_ms()? - cpu_before - cpu_of_files) / lifted;
    times_ms.sort_by(f64::total_cmp);
    let tracks = associate(&views.iter().enumerate().map(seen).collect::<Vec<_>>(), &AssociationOptions::default());
    let views: Vec<Value> = views.iter().zip(&tracks).map(|(lifted, tracks)| written(lifted, tracks)).collect();
    let report = json!({ "views": views, "ms_per_view": times_ms[times_ms.len() / 2], "cpu_ms_per_view": cpu });
    std::fs::write(out, serde_json::to_vec(&report)?)?;
    Ok(())
}

/// Values of a NumPy file of little-endian float32 in row order.
fn read_depth(bytes: &[u8]) -> Result<Vec<f32>, Box<dyn Error>> {
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes.get(10 + header..).ok_or("depth file is cut short")?;
    Ok(values.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
}

/// A camera without distortion and its pose.
fn camera(pose: &Value, size: ImageSize) -> Result<(Intrinsics, Transform<World, Camera>), Box<dyn Error>> {
    let k: [[f64; 3]; 3] = serde_json::from_value(pose["K"].clone())?;
    let rows: [[f64; 4]; 4] = serde_json::from_value(pose["cam_to_world"].clone())?;
    let intrinsics = Intrinsics::new(size, k[0][0], k[1][1], k[0][2], k[1][2], Distortion::NONE)?;
    Ok((intrinsics, Transform::from_matrix(rows)?))
}

/// The instances of a view as association takes them.
fn seen((number, lifted): (usize, &Lifted)) -> SeenFrame {
    let seen = lifted.instances.iter().map(|instance| Seen {
        class: instance.class,
        ground_box: instance.ground_box,
        can_move: false,
        weight: f64::from(instance.pixels),
    });
    SeenFrame { time_s: number as f64, seen: seen.collect() }
}

fn written(lifted: &Lifted, tracks: &[u32]) -> Value {
    let instances = lifted.instances.iter().zip(tracks).map(|(instance, track)| {
        let own = instance.ground_box;
        json!({
            "class": instance.class,
            "centre": own.centre().coordinates(),
            "length": own.length_m(),
            "width": own.width_m(),
            "height": own.height_m(),
            "axis_yaw": own.axis_yaw_rad(),
            "track": track,
            "height_above_ground": instance.height_m,
            "distance": instance.distance_m,
            "visibility": instance.visibility,
            "truncated": instance.is_truncated,
            "pixels": instance.pixels,
            "runs": instance.runs.iter().map(|run| [run.row, run.start, run.end]).collect::<Vec<_>>(),
        })
    });
    let mut fragments: BTreeMap<String, u32> = BTreeMap::new();
    for fragment in &lifted.fragments {
        let owned = if fragment.part_of.is_some() { " of an instance" } else { "" };
        *fragments.entry(format!("{:?}{owned}", fragment.reason)).or_default() += 1;
    }
    json!({ "instances": instances.collect::<Vec<_>>(), "fragments": fragments })
}

/// Time that this process has had on all processors, in milliseconds.
fn cpu_ms() -> Result<f64, Box<dyn Error>> {
    let tasks = std::fs::read_dir("/proc/self/task")?;
    let mut nanoseconds = 0.0;
    for task in tasks {
        let stat = std::fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += stat.split_whitespace().next().ok_or("empty schedstat")?.parse::<f64>()?;
    }
    Ok(nanoseconds / 1e6)
}
