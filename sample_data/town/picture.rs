//! From a rendered view to a picture that looks like a place.

use crate::plane::{Point as GroundPoint, point};
use crate::raster::{Rgb, noise};
use crate::town::class::TownClass;
use crate::town::ground::to_town;
use crate::town::surface::Skin;
use uavgen_geometry::{Camera, Direction, Intrinsics, Pixel, Point, Transform, World};
use uavgen_render::{Layers, Lens, Rendered, Renderer};

/// Unit vector to the sun: in the south-west, 53 degrees up.
const SUN: [f64; 3] = [-0.36, -0.48, 0.8];
/// Share of the light that comes from the sky all around.
const SKY_LIGHT: f64 = 0.5;
/// Colour past the edge of the mesh.
const HAZE: Rgb = [198, 204, 208];

/// The shadows of a moment: a picture from so far off in the direction of the sun that its rays are all but parallel.
pub(crate) struct Shadows {
    sun_from_world: Transform<Camera, World>,
    lens: Lens,
    view: Rendered,
}

impl Shadows {
    const DISTANCE_M: f64 = 4000.0;
    const SIDE_PX: i64 = 1400;
    /// Metres that a surface must lie behind another one to be in its shadow.
    const MARGIN_M: f64 = 0.25;

    pub(crate) fn new(renderer: &Renderer) -> Shadows {
        let [x, y, z] = SUN;
        let level = (x * x + y * y).sqrt();
        // Right, down and ahead of one who looks from the sun, by columns.
        let [right, ahead] = [[-y / level, x / level, 0.0], [-x, -y, -z]];
        let down = cross(ahead, right);
        let rotation = std::array::from_fn(|row| [right[row], down[row], ahead[row]]);
        let world_from_sun = Transform::new(rotation, SUN.map(|part| part * Self::DISTANCE_M));
        let sun_from_world = world_from_sun.expect("the columns are a rotation").inverse();
        let side = Self::SIDE_PX as f64;
        let size = uavgen_geometry::ImageSize::new(Self::SIDE_PX, Self::SIDE_PX).expect("sides are positive");
        // Five pixels to the metre in the middle of the town.
        let focal = 5.0 * Self::DISTANCE_M;
        let camera = Intrinsics::new(size, focal, focal, side / 2.0, side / 2.0, uavgen_geometry::Distortion::NONE);
        let lens = Lens::new(&camera.expect("a long focal length, centred"));
        let view = renderer.render(&lens, &sun_from_world, Layers::DEPTH);
        Shadows { sun_from_world, lens, view }
    }

    /// Whether something stands between a place and the sun.
    fn cover(&self, place: Point<World>) -> bool {
        let seen = self.sun_from_world * place;
        let Some(pixel) = self.lens.intrinsics().project(seen) else { return false };
        let (column, row) = (pixel.x as usize, pixel.y as usize);
        if pixel.x < 0.0 || pixel.y < 0.0 || column >= self.view.width() || row >= self.view.height() {
            return false;
        }
        let depth = f64::from(self.view.depth()[row * self.view.width() + column]);
        depth > 0.0 && depth + Self::MARGIN_M < seen.z()
    }
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// The directions of all pixels of a camera, row by row.
pub(crate) fn rays_of(camera: &Intrinsics) -> Vec<Direction<Camera>> {
    let (width, height) = (camera.size().width_px() as u32, camera.size().height_px() as u32);
    let centres = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let ray = |(column, row)| camera.ray(Pixel { x: f64::from(column) + 0.5, y: f64::from(row) + 0.5 });
    centres.map(|centre| ray(centre).expect("the lens shows something on each of its pixels")).collect()
}

/// What a picture is made of.
pub(crate) struct Scene<'a> {
    pub(crate) view: &'a Rendered,
    pub(crate) world_from_camera: &'a Transform<World, Camera>,
    pub(crate) rays: &'a [Direction<Camera>],
    pub(crate) skins: &'a [Skin],
    pub(crate) shadows: &'a Shadows,
    pub(crate) texture: u32,
}

impl Scene<'_> {
    /// Rows of interleaved 8-bit RGB.
    pub(crate) fn picture(&self) -> Vec<u8> {
        (0..self.rays.len()).flat_map(|pixel| self.colour(pixel)).collect()
    }

    /// Values of the classes, one byte per pixel.
    pub(crate) fn mask(&self) -> Vec<u8> {
        let class = |&label: &u32| self.skins.get(label as usize).map_or(TownClass::Background, |skin| skin.class);
        self.view.labels().unwrap_or_default().iter().map(|label| class(label).value()).collect()
    }

    fn colour(&self, pixel: usize) -> Rgb {
        let labels = self.view.labels().unwrap_or_default();
        let normals = self.view.normals().unwrap_or_default();
        let (Some(skin), Some(normal)) = (self.skins.get(labels[pixel] as usize), normals.get(pixel)) else {
            return HAZE;
        };
        let depth = f64::from(self.view.depth()[pixel]);
        let place = *self.world_from_camera * (Point::new(0.0, 0.0, 0.0) + self.rays[pixel] * depth);
        let normal = normal.map(f64::from);
        let towards_sun = normal.iter().zip(SUN).map(|(a, b)| a * b).sum::<f64>().max(0.0);
        let sunlight = if towards_sun > 0.0 && !self.shadows.cover(place) { towards_sun } else { 0.0 };
        let light = (SKY_LIGHT + (1.0 - SKY_LIGHT) * sunlight / 0.8) as f32;
        let (colour, grain) = self.surface(skin, place, normal);
        colour.map(|channel| ((f32::from(channel) + grain) * light).round().clamp(0.0, 255.0) as u8)
    }

    /// Colour of the surface itself, and levels by which its grain moves it.
    fn surface(&self, skin: &Skin, place: Point<World>, normal: [f64; 3]) -> (Rgb, f32) {
        let ground = point(place.x(), place.y());
        let grain = |cell: f64, levels: f32| levels * (noise(ground * (1.0 / cell), self.texture) * 2.0 - 1.0);
        match skin.class {
            TownClass::Grass => (skin.colour, grain(6.0, 12.0) + grain(0.7, 7.0)),
            TownClass::Road | TownClass::Crosswalk => {
                (markings(skin, to_town(ground)), grain(3.0, 4.0) + grain(0.5, 3.0))
            }
            TownClass::Pavement => (skin.colour, grain(2.0, 5.0)),
            TownClass::Building => (facade(skin.colour, place, normal), grain(1.5, 4.0)),
            TownClass::Container => (ribs(skin.colour, ground, normal), 0.0),
            TownClass::Tree => (skin.colour, grain(0.6, 16.0)),
            _ => (skin.colour, 0.0),
        }
    }
}

/// White lines of roads, and the stripes of crosswalks, in the axes of the town.
fn markings(skin: &Skin, town: GroundPoint) -> Rgb {
    const WHITE: Rgb = [214, 214, 208];
    let is_main = town.y.abs() < 4.0;
    let (along, across) = if is_main { (town.x, town.y) } else { (town.y, town.x + 10.0) };
    let is_junction = is_main && (-14.0..-6.0).contains(&town.x);
    let is_white = match skin.class {
        TownClass::Crosswalk => (across + 4.0).rem_euclid(1.0) < 0.5,
        _ => {
            !is_junction && ((across.abs() < 0.12 && along.rem_euclid(6.0) < 3.0) || (3.6..3.8).contains(&across.abs()))
        }
    };
    if is_white { WHITE } else { skin.colour }
}

/// Rows of windows on walls, courses of tiles on slopes.
fn facade(colour: Rgb, place: Point<World>, normal: [f64; 3]) -> Rgb {
    const GLASS: Rgb = [58, 70, 84];
    let level = point(normal[0], normal[1]);
    if normal[2].abs() < 0.1 {
        let along = point(place.x(), place.y()).dot(level.left());
        let is_window = (1.1..2.4).contains(&place.z().rem_euclid(3.0)) && (0.7..2.0).contains(&along.rem_euclid(2.7));
        return if is_window { GLASS } else { colour };
    }
    let is_course = level.length() > 0.1 && place.z().rem_euclid(0.4) < 0.1;
    if is_course { colour.map(|channel| channel - channel / 6) } else { colour }
}

/// Corrugated sides.
fn ribs(colour: Rgb, ground: GroundPoint, normal: [f64; 3]) -> Rgb {
    let along = ground.dot(point(normal[0], normal[1]).left());
    let is_groove = normal[2].abs() < 0.1 && along.rem_euclid(0.6) < 0.3;
    if is_groove { colour.map(|channel| channel - channel / 6) } else { colour }
}
