//! From a mesh and a camera to depth.

use crate::clusters::{Cluster, bounds, clusters_of};
use crate::lens::Lens;
use crate::raster::draw;
use crate::rendered::{Layers, NO_SURFACE, Rendered};
use crate::target::{Band, DepthRows, FaceRows, Target};
use crate::view::{Homogeneous, NEAR_M, Projected, View, Visible};
use crate::warp::draw_through;
use crate::{Mesh, shading};
use rayon::prelude::*;
use uavgen_geometry::{Camera, Point, Transform, World};

/// Rows that one thread draws at a time: few enough to stay in its cache, enough that few faces reach over two.
const BAND_ROWS: usize = 128;

/// One over the depth below which there is nothing: 10³⁰ m.
const FARTHEST: f32 = 1e-30;

/// A mesh made ready for views of it.
#[derive(Debug)]
pub struct Renderer {
    mesh: Mesh,
    clusters: Vec<Cluster>,
}

/// What a thread keeps from one cluster to the next.
#[derive(Default)]
struct Scratch {
    homogeneous: Vec<Homogeneous>,
    projected: Vec<Projected>,
    /// Where a distorting lens shows them, in pixels.
    shown: Vec<[f64; 2]>,
}

impl Renderer {
    /// Sorts the faces into clusters of near ones. Beside the mesh this takes about 18 bytes a face where faces share
    /// vertices, 46 where none does, and 8 more while it is made.
    pub fn new(mesh: Mesh) -> Self {
        let clusters = clusters_of(&mesh);
        Self { mesh, clusters }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Lowest and highest coordinates of the vertices.
    pub fn bounds(&self) -> (Point<World>, Point<World>) {
        let (low, high) = bounds(&self.mesh.vertices);
        let point = |corner: [f32; 3]| {
            let [x, y, z] = std::array::from_fn(|axis| f64::from(corner[axis]) + self.mesh.origin[axis]);
            Point::new(x, y, z)
        };
        (point(low), point(high))
    }

    /// Renders one view; see [`Self::render_into`].
    pub fn render(&self, lens: &Lens, camera_from_world: &Transform<Camera, World>, layers: Layers) -> Rendered {
        let mut rendered = Rendered::default();
        self.render_into(lens, camera_from_world, layers, &mut rendered);
        rendered
    }

    /// Renders one view into the buffers of an earlier one. Pixels are sampled at their centres; faces are seen from both
    /// sides, from [`NEAR_M`] on. The result does not depend on the number of threads: of surfaces in one depth the lower
    /// face number wins.
    pub fn render_into(
        &self,
        lens: &Lens,
        camera_from_world: &Transform<Camera, World>,
        layers: Layers,
        rendered: &mut Rendered,
    ) {
        let layers = Layers { labels: layers.labels && self.mesh.labels.is_some(), ..layers };
        rendered.prepare(lens.width(), lens.height(), layers);
        let view = View::new(lens, camera_from_world, self.mesh.origin);
        let seen = |(number, cluster)| view.see(number, cluster);
        let visible: Vec<Visible> = self.clusters.par_iter().enumerate().with_min_len(256).filter_map(seen).collect();
        self.draw_all(&view, &visible, rendered);
        shading::shade(&self.mesh, camera_from_world, rendered);
    }

    /// Draws the visible clusters, band by band.
    fn draw_all(&self, view: &View<'_>, visible: &[Visible], rendered: &mut Rendered) {
        let width = rendered.width;
        let rows = width * BAND_ROWS;
        let band_of = |number: usize, pixels: usize| {
            let top = number * BAND_ROWS;
            Band { top, bottom: top + pixels / width, width }
        };
        let bands = rendered.depth.par_chunks_mut(rows).enumerate().with_max_len(1);
        if rendered.layers.need_faces() {
            bands.zip(rendered.faces.par_chunks_mut(rows)).for_each_init(Scratch::default, |scratch, part| {
                let ((number, inverse_z), faces) = part;
                faces.fill(NO_SURFACE);
                inverse_z.fill(0.0);
                let band = band_of(number, inverse_z.len());
                let mut target = FaceRows { width, inverse_z, faces };
                self.draw_band(view, visible, band, scratch, &mut target);
                to_depth(target.inverse_z);
            });
        } else {
            bands.for_each_init(Scratch::default, |scratch, (number, inverse_z)| {
                inverse_z.fill(0.0);
                let band = band_of(number, inverse_z.len());
                let mut target = DepthRows { width, inverse_z };
                self.draw_band(view, visible, band, scratch, &mut target);
                to_depth(target.inverse_z);
            });
        }
    }

    fn draw_band<T: Target>(
        &self,
        view: &View<'_>,
        visible: &[Visible],
        band: Band,
        scratch: &mut Scratch,
        target: &mut T,
    ) {
        let reaches = |seen: &&Visible| (seen.top as usize) < band.bottom && seen.bottom as usize > band.top;
        for seen in visible.iter().filter(reaches) {
            let cluster = &self.clusters[seen.cluster as usize];
            if seen.is_cut {
                draw_cut(view, cluster, band, scratch, target);
            } else {
                draw_whole(view, cluster, band, scratch, target);
            }
        }
    }
}

/// Draws a cluster that lies in front of the near plane.
fn draw_whole<T: Target>(view: &View<'_>, cluster: &Cluster, band: Band, scratch: &mut Scratch, target: &mut T) {
    let Scratch { projected, shown, .. } = scratch;
    projected.clear();
    projected.extend(cluster.vertices.iter().map(|&vertex| view.homogeneous(vertex.map(f64::from)).projected()));
    if view.lens.is_pinhole() {
        for (corners, &face) in cluster.corners.iter().zip(&cluster.faces) {
            draw(corners.map(|corner| &projected[corner as usize]), band, face, target);
        }
        return;
    }
    shown.clear();
    shown.extend(projected.iter().map(|vertex| view.lens.shown([vertex.x, vertex.y])));
    let curvature = view.lens.curvature(projected.iter().map(|vertex| [vertex.x, vertex.y]));
    for (corners, &face) in cluster.corners.iter().zip(&cluster.faces) {
        let vertices = corners.map(|corner| &projected[corner as usize]);
        let places = vertices.map(|vertex| [vertex.x, vertex.y]);
        let reach = view.lens.reach(places, corners.map(|corner| shown[corner as usize]), curvature);
        draw_through(vertices, reach, view.lens, band, face, target);
    }
}

/// Draws a cluster that may reach through the near plane: its faces are cut there.
fn draw_cut<T: Target>(view: &View<'_>, cluster: &Cluster, band: Band, scratch: &mut Scratch, target: &mut T) {
    let vertices = &mut scratch.homogeneous;
    vertices.clear();
    vertices.extend(cluster.vertices.iter().map(|&vertex| view.homogeneous(vertex.map(f64::from))));
    for (corners, &face) in cluster.corners.iter().zip(&cluster.faces) {
        let (polygon, length) = in_front(corners.map(|corner| vertices[corner as usize]));
        for second in 1..length.saturating_sub(1) {
            let corners = [&polygon[0], &polygon[second], &polygon[second + 1]];
            if view.lens.is_pinhole() {
                draw(corners, band, face, target);
                continue;
            }
            let places = corners.map(|corner| [corner.x, corner.y]);
            let curvature = view.lens.curvature(places.into_iter());
            let reach = view.lens.reach(places, places.map(|place| view.lens.shown(place)), curvature);
            draw_through(corners, reach, view.lens, band, face, target);
        }
    }
}

/// The part of a face in front of the near plane: up to four corners, and how many they are.
fn in_front(corners: [Homogeneous; 3]) -> ([Projected; 4], usize) {
    let mut polygon = [Projected { x: 0.0, y: 0.0, inverse_z: 0.0 }; 4];
    let mut length = 0;
    let mut push = |corner: Homogeneous| {
        polygon[length] = corner.projected();
        length += 1;
    };
    for (index, &corner) in corners.iter().enumerate() {
        let next = corners[(index + 1) % 3];
        let (is_front, is_next_front) = (corner.z >= NEAR_M, next.z >= NEAR_M);
        if is_front {
            push(corner);
        }
        match (is_front, is_next_front) {
            (true, false) => push(corner.cut_towards(next)),
            (false, true) => push(next.cut_towards(corner)),
            _ => {}
        }
    }
    (polygon, length)
}

/// One over the depth to the depth, in place.
fn to_depth(pixels: &mut [f32]) {
    for pixel in pixels {
        *pixel = if *pixel > FARTHEST { 1.0 / *pixel } else { 0.0 };
    }
}
