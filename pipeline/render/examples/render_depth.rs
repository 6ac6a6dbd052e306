//! Renders the views of a `poses.json` (`width`, `height`, `views` of `name`, `K`, `cam_to_world` in OpenCV axes, first pixel
//! centre at 0.5, and `distortion` of k1, k2, p1, p2, k3 where there is any) from a mesh file and prints one JSON line of timings. With a third argument the depth of each view is
//! written there as `<name>.f32`: little-endian, row by row. With `faces` as a fourth, face numbers are rendered as well.
//!
//! `cargo run --release -p uavgen-render --example render_depth -- mesh.ply poses.json [folder [faces]]`

use serde_json::{Value, json};
use std::time::Instant;
use uavgen_geometry::{Camera, Distortion, ImageSize, Intrinsics, Transform, World};
use uavgen_render::{Layers, Lens, Mesh, Rendered, Renderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, mesh_path, poses_path, options @ ..] = &arguments[..] else {
        return Err("usage: render_depth MESH POSES [FOLDER [faces]]".into());
    };
    let started = Instant::now();
    let (mesh, dropped) = Mesh::read(std::fs::File::open(mesh_path)?)?;
    let load_s = started.elapsed().as_secs_f64();
    let faces = mesh.faces().len();
    let renderer = Renderer::new(mesh);
    let build_s = started.elapsed().as_secs_f64() - load_s;
    let poses: Value = serde_json::from_slice(&std::fs::read(poses_path)?)?;
    let size = ImageSize::new(whole(&poses["width"])?, whole(&poses["height"])?)?;
    let layers = if options.len() > 1 { Layers { faces: true, ..Layers::DEPTH } } else { Layers::DEPTH };
    let mut milliseconds = Vec::new();
    let mut rendered = Rendered::default();
    let mut lens: Option<Lens> = None;
    for view in poses["views"].as_array().ok_or("no views")? {
        let (camera, camera_from_world) = (camera_of(size, view)?, pose_of(view)?.inverse());
        let start = Instant::now();
        // Views of one camera share its lens; finding its rays counts for the first of them.
        let lens = match lens.take().filter(|lens| *lens.intrinsics() == camera) {
            Some(known) => lens.insert(known),
            None => lens.insert(Lens::new(&camera)),
        };
        renderer.render_into(lens, &camera_from_world, layers, &mut rendered);
        milliseconds.push(start.elapsed().as_secs_f64() * 1000.0);
        if let Some(folder) = options.first().filter(|folder| folder.as_str() != "-") {
            let bytes: Vec<u8> = rendered.depth().iter().flat_map(|depth| depth.to_le_bytes()).collect();
            std::fs::write(format!("{folder}/{}.f32", view["name"].as_str().ok_or("no name")?), bytes)?;
        }
    }
    let in_order = milliseconds.clone();
    milliseconds.sort_by(f64::total_cmp);
    let total_s = load_s + build_s + milliseconds.iter().sum::<f64>() / 1000.0;
    let summary = json!({
        "faces": faces, "dropped": dropped.total(), "load_s": load_s, "build_s": build_s,
        "ms_per_view": milliseconds[milliseconds.len() / 2], "ms": in_order, "total_s": total_s,
    });
    #[expect(clippy::print_stdout, reason = "the result of the program")]
    {
        println!("{summary}");
    }
    Ok(())
}

fn whole(value: &Value) -> Result<i64, &'static str> {
    value.as_i64().ok_or("not a whole number")
}

fn matrix<const N: usize>(value: &Value) -> Result<[[f64; N]; N], &'static str> {
    let mut rows = [[0.0; N]; N];
    for (row, numbers) in rows.iter_mut().enumerate() {
        for (column, number) in numbers.iter_mut().enumerate() {
            *number = value[row][column].as_f64().ok_or("not a matrix")?;
        }
    }
    Ok(rows)
}

fn camera_of(size: ImageSize, view: &Value) -> Result<Intrinsics, Box<dyn std::error::Error>> {
    let [[fx, _, cx], [_, fy, cy], _] = matrix::<3>(&view["K"])?;
    let coefficients = view["distortion"].as_array().map_or([0.0; 5], |numbers| {
        std::array::from_fn(|index| numbers.get(index).and_then(Value::as_f64).unwrap_or(0.0))
    });
    Ok(Intrinsics::new(size, fx, fy, cx, cy, Distortion::from_opencv(coefficients))?)
}

fn pose_of(view: &Value) -> Result<Transform<World, Camera>, Box<dyn std::error::Error>> {
    Ok(Transform::from_matrix(matrix::<4>(&view["cam_to_world"])?)?)
}
