//! The files of the town, in the form that the source `posed-mesh` reads.

use crate::town::class::TownClass;
use crate::town::flight::{Convention, Flight, seconds};
use crate::town::surface::Surface;
use serde_json::{Value, json};
use uavgen_geometry::camera_from_opengl;

/// `mesh.ply`: binary, with the class of each face.
pub(crate) fn ply(surface: &Surface) -> Vec<u8> {
    let (vertices, faces) = (surface.vertices(), surface.faces());
    let header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment synthetic town, metres, x east, y north, z up\n\
         element vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar uint vertex_indices\nproperty uchar label\nend_header\n",
        vertices.len(),
        faces.len()
    );
    let mut bytes = header.into_bytes();
    for vertex in vertices {
        vertex.iter().for_each(|&coordinate| bytes.extend((coordinate as f32).to_le_bytes()));
    }
    for (corners, skin) in faces {
        bytes.push(3);
        corners.iter().for_each(|corner| bytes.extend(corner.to_le_bytes()));
        bytes.push(skin.class.value());
    }
    bytes
}

/// Path of the image of a frame below the folder of its recording.
pub(crate) fn image_path(frame: u32) -> String {
    format!("images/{frame:03}.jpg")
}

/// Path of the mask of a frame below the folder of its recording.
pub(crate) fn mask_path(frame: u32) -> String {
    format!("labels/{frame:03}.png")
}

/// `cameras.json` of a flight.
pub(crate) fn cameras_json(flight: &Flight) -> String {
    let (axes, pose, first_pixel) = match flight.convention {
        Convention::OpenCvCameraToWorld => ("opencv", "camera-to-world", "half"),
        Convention::OpenGlWorldToCamera => ("opengl", "world-to-camera", "zero"),
    };
    let classes =
        TownClass::ALL.map(|class| json!({"value": class.value(), "name": class.name(), "kind": class.kind()}));
    let frames = (0u32..).zip(&flight.poses).map(|(frame, world_from_camera)| {
        let matrix = match flight.convention {
            Convention::OpenCvCameraToWorld => matrix_of(world_from_camera.rotation(), world_from_camera.translation()),
            Convention::OpenGlWorldToCamera => {
                let opengl_from_world = (*world_from_camera * camera_from_opengl()).inverse();
                matrix_of(opengl_from_world.rotation(), opengl_from_world.translation())
            }
        };
        json!({"image": image_path(frame), "mask": mask_path(frame), "time_s": seconds(frame), "matrix": matrix})
    });
    let file = [
        ("axes", json!(axes)),
        ("pose", json!(pose)),
        ("world", json!("enu")),
        ("first_pixel", json!(first_pixel)),
        ("mesh", json!("../mesh.ply")),
        ("classes", lines(classes)),
        ("cameras", json!({"main": camera_of(flight)})),
        ("frames", lines(frames)),
    ];
    let file = file.map(|(key, value)| format!("  \"{key}\": {}", laid_out(&value)));
    format!("{{\n{}\n}}\n", file.join(",\n"))
}

fn lines(values: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(values.into_iter().collect())
}

/// An array with an element to a line, anything else on one line.
fn laid_out(value: &Value) -> String {
    let Value::Array(elements) = value else { return value.to_string() };
    let elements: Vec<String> = elements.iter().map(|element| format!("    {element}")).collect();
    format!("[\n{}\n  ]", elements.join(",\n"))
}

fn camera_of(flight: &Flight) -> Value {
    let camera = &flight.camera;
    let shift = match flight.convention {
        Convention::OpenCvCameraToWorld => 0.0,
        Convention::OpenGlWorldToCamera => 0.5,
    };
    json!({
        "width": camera.size().width_px() as u32,
        "height": camera.size().height_px() as u32,
        "fx": camera.fx(),
        "fy": camera.fy(),
        "cx": camera.cx() - shift,
        "cy": camera.cy() - shift,
        "distortion": camera.distortion().coefficients(),
    })
}

/// A rotation and a translation as a 4x4 matrix by rows.
fn matrix_of(rotation: [[f64; 3]; 3], translation: [f64; 3]) -> [[f64; 4]; 4] {
    // Adding 0 makes -0 a 0.
    let row = |row: usize| {
        let [x, y, z] = rotation[row];
        [x, y, z, translation[row]].map(|number| number + 0.0)
    };
    [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
}
