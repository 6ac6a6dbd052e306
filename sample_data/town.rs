//! A small town in three dimensions with known answers, in the form of the source `posed-mesh`.
//!
//! A slope with roads, houses, containers, trees and vehicles is laid out (`plan`), put into triangles (`ground`, `shape`,
//! `surface`), flown over twice (`flight`), rendered and shaded (`picture`) and written (`files`). Its mesh holds what stands
//! still, parked vehicles too, and nothing that moves, as a real survey's does. The truth (`table`) comes from the state of the
//! town and from renderings with a number for each object.

mod class;
mod files;
mod flight;
mod ground;
mod picture;
mod plan;
mod route;
mod shape;
mod state;
mod surface;
mod table;
#[cfg(test)]
mod tests;

pub use class::TownClass;
pub use table::{TownPlace, TownRow, TownTruth};

use crate::layout::{SampleError, create_folder, encode, write_file};
use flight::{FRAME_COUNT, Flight, flights, seconds};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use picture::{Scene, Shadows, rays_of};
use state::TownWorld;
use std::path::Path;
use surface::Surface;
use table::FrameViews;
use uavgen_render::{Layers, Lens, Rendered, Renderer};

const QUALITY: u8 = 72;

/// Writes the town to `town/` below `dir` (made when missing; files of the same names are replaced) and returns what is in
/// it: `mesh.ply`, and the recordings `nadir` and `oblique` with `cameras.json`, images and masks.
///
/// Every seed writes the same set of file names. The bytes depend on the seed alone.
///
/// # Errors
///
/// When a folder or file cannot be written.
pub fn write_town(dir: &Path, seed: u64) -> Result<TownTruth, SampleError> {
    let folder = create_folder(dir.join("town"))?;
    let town = plan::town(seed);
    let still = town.still_surface();
    write_file(&folder.join("mesh.ply"), &files::ply(&still))?;
    write_file(&folder.join("README.txt"), readme(seed).as_bytes())?;
    let moments: Vec<Moment> = (0..FRAME_COUNT).map(|frame| Moment::new(&town, &still, frame)).collect();
    let ground = Renderer::new(town.ground_surface().to_mesh());
    let mut rows = Vec::new();
    for flight in flights() {
        rows.extend(write_flight(&folder.join(flight.name), &flight, &town, &moments, &ground)?);
    }
    Ok(TownTruth { rows, places: table::places(&town) })
}

/// The town as it is when a frame is taken, by whichever flight.
struct Moment {
    surface: Surface,
    renderer: Renderer,
    shadows: Shadows,
}

impl Moment {
    fn new(town: &TownWorld, still: &Surface, frame: u32) -> Moment {
        let surface = town.surface_at(still, seconds(frame));
        let renderer = Renderer::new(surface.to_mesh());
        let shadows = Shadows::new(&renderer);
        Moment { surface, renderer, shadows }
    }
}

fn write_flight(
    folder: &Path,
    flight: &Flight,
    town: &TownWorld,
    moments: &[Moment],
    ground: &Renderer,
) -> Result<Vec<TownRow>, SampleError> {
    create_folder(folder.join("images"))?;
    create_folder(folder.join("labels"))?;
    write_file(&folder.join("cameras.json"), files::cameras_json(flight).as_bytes())?;
    let (lens, rays) = (Lens::new(&flight.camera), rays_of(&flight.camera));
    let (mut whole, mut bare) = (Rendered::default(), Rendered::default());
    let mut rows = Vec::new();
    for ((frame, moment), world_from_camera) in (0..).zip(moments).zip(&flight.poses) {
        let camera_from_world = world_from_camera.inverse();
        let layers = Layers { faces: false, labels: true, normals: true };
        moment.renderer.render_into(&lens, &camera_from_world, layers, &mut whole);
        ground.render_into(&lens, &camera_from_world, Layers::DEPTH, &mut bare);
        let (view, skins) = (&whole, moment.surface.skins());
        let (shadows, texture) = (&moment.shadows, town.texture);
        let scene = Scene { view, world_from_camera, rays: &rays, skins, shadows, texture };
        write_picture(&folder.join(files::image_path(frame)), &scene)?;
        write_mask(&folder.join(files::mask_path(frame)), &scene)?;
        let surface = &moment.surface;
        let views = FrameViews { flight, lens: &lens, frame, whole: view, surface, ground: &bare };
        rows.extend(views.rows(town));
    }
    Ok(rows)
}

fn write_picture(path: &Path, scene: &Scene<'_>) -> Result<(), SampleError> {
    let pixels = scene.picture();
    let (width, height) = (scene.view.width() as u32, scene.view.height() as u32);
    encode(path, |bytes| {
        JpegEncoder::new_with_quality(bytes, QUALITY).encode(&pixels, width, height, ExtendedColorType::Rgb8)
    })
}

fn write_mask(path: &Path, scene: &Scene<'_>) -> Result<(), SampleError> {
    use image::ImageEncoder;
    let pixels = scene.mask();
    let (width, height) = (scene.view.width() as u32, scene.view.height() as u32);
    encode(path, |bytes| PngEncoder::new(bytes).write_image(&pixels, width, height, ExtendedColorType::L8))
}

fn readme(seed: u64) -> String {
    format!(
        "Synthetic sample town: a mesh, two flights over it, and masks\n\n\
         These pictures are rendered and these masks are computed: nothing here was photographed.\n\
         Made by uavgen (uavgen-sample-data {} --town) with seed {seed}.\n\n\
         Licence: CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)\n",
        env!("CARGO_PKG_VERSION")
    )
}
