//! Rendered depth against rays cast at every face.

use super::rays::cast;
use super::scenes::{camera, looking, soup, town};
use crate::{Layers, Lens, Mesh, NO_SURFACE, Renderer};
use proptest::prelude::*;
use uavgen_geometry::{Camera, Intrinsics, Transform, World};

/// Pixels that are not as deep as the truth to a hundred-thousandth (1 mm at 100 m).
fn differing(depths: &[f32], truth: &[(f64, u32)]) -> usize {
    let differs = |(got, right): &(&f32, &(f64, u32))| (f64::from(**got) - right.0).abs() > 1e-5 * right.0;
    depths.iter().zip(truth).filter(differs).count()
}

const LENSES: [[f64; 5]; 3] = [[0.0; 5], [-0.12, 0.11, 0.0016, 0.0005, -0.06], [0.25, -0.1, -0.004, 0.003, 0.02]];

/// Compares a view with the truth: at most one pixel in a thousand may see another surface.
fn agrees(mesh: &Mesh, camera: &Intrinsics, pose: &Transform<Camera, World>, case: &str) {
    let rendered = Renderer::new(mesh.clone()).render(&Lens::new(camera), pose, Layers::ALL);
    let truth = cast(mesh, camera, pose);
    let covered = truth.iter().filter(|(_, face)| *face != NO_SURFACE).count();
    assert!(covered * 10 > truth.len(), "{case}: only {covered} of {} pixels see the mesh", truth.len());
    let others = differing(rendered.depth(), &truth);
    assert!(others * 1000 <= truth.len(), "{case}: {others} of {} pixels differ in depth", truth.len());
    // Faces that share an edge are equally deep there, so a few more pixels may name the other one.
    let named = rendered.faces().unwrap().iter().zip(&truth).filter(|(face, (_, right))| *face != right).count();
    assert!(named * 500 <= truth.len(), "{case}: {named} of {} pixels name another face", truth.len());
}

#[test]
fn a_town_from_above_aslant_and_level() {
    let mesh = town(30, 3);
    let poses = [
        ("nadir", looking([10.0, -5.0, 90.0], [10.0, -5.0, 0.0])),
        ("oblique", looking([-90.0, -70.0, 60.0], [10.0, 5.0, 0.0])),
        ("level", looking([-99.0, 3.0, 14.0], [100.0, 20.0, 10.0])),
    ];
    for (name, pose) in poses {
        for coefficients in LENSES {
            agrees(&mesh, &camera(80, 64, 60.0, coefficients), &pose, &format!("{name} {coefficients:?}"));
        }
    }
}

#[test]
fn a_camera_amid_triangles_of_every_shape() {
    // Many faces reach through the near plane and behind the camera.
    for seed in 0..4 {
        let mesh = soup(1000, seed);
        let pose = looking([1.0, 2.0, 3.0], [20.0 - 7.0 * seed as f64, 9.0, 1.0]);
        for coefficients in LENSES {
            agrees(&mesh, &camera(64, 48, 40.0, coefficients), &pose, &format!("soup {seed} {coefficients:?}"));
        }
    }
}

#[test]
fn slivers_seen_nearly_edge_on_stay_within_their_corners() {
    let mut numbers = super::scenes::Numbers(5);
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for number in 0..800u32 {
        let x = numbers.between(-40.0, 40.0);
        // Walls of no thickness that the camera looks along, from 20 m to 80 m below it.
        for _ in 0..3 {
            vertices.push([x * 1.0, numbers.between(-40.0, 40.0), numbers.between(20.0, 80.0)]);
        }
        vertices.last_mut().unwrap()[0] += 1e-4 * numbers.next();
        faces.push([3 * number, 3 * number + 1, 3 * number + 2]);
    }
    let (mesh, _) = Mesh::new(&vertices, &faces, None).unwrap();
    let pose = looking([0.0, 0.0, 100.0], [0.0, 0.0, 0.0]);
    let view = Renderer::new(mesh).render(&Lens::new(&camera(400, 300, 300.0, [0.0; 5])), &pose, Layers::DEPTH);
    let depths: Vec<f32> = view.depth().iter().copied().filter(|&depth| depth != 0.0).collect();
    assert!(depths.len() > 1000 && depths.iter().all(|depth| (19.99..=80.01).contains(depth)));
}

#[test]
fn large_coordinates_are_as_exact_as_small_ones() {
    let shift = [576_705.0, 5_188_170.0, 200.0];
    let near = town(20, 8);
    let vertices: Vec<[f64; 3]> = near
        .vertices()
        .iter()
        .map(|vertex| std::array::from_fn(|axis| f64::from(vertex[axis]) + shift[axis]))
        .collect();
    let (far, _) = Mesh::new(&vertices, near.faces(), None).unwrap();
    let lens = Lens::new(&camera(96, 80, 70.0, [0.0; 5]));
    let pose = looking([-90.0, -70.0, 60.0], [10.0, 5.0, 0.0]);
    let moved =
        looking([-90.0 + shift[0], -70.0 + shift[1], 60.0 + shift[2]], [10.0 + shift[0], 5.0 + shift[1], shift[2]]);
    let near = Renderer::new(near).render(&lens, &pose, Layers::DEPTH);
    let far = Renderer::new(far).render(&lens, &moved, Layers::DEPTH);
    let off = near.depth().iter().zip(far.depth()).filter(|(a, b)| (*a - *b).abs() > 1e-3).count();
    assert!(off * 1000 <= near.depth().len(), "{off} pixels differ");
}

proptest! {
    #[test]
    fn any_lens_sees_what_its_rays_meet(
        seed in any::<u64>(),
        (k1, k2, k3) in (-0.5..0.5f64, -0.3..0.3f64, -0.1..0.1f64),
        (p1, p2) in (-0.02..0.02f64, -0.02..0.02f64),
        focal in 15.0..80.0f64,
    ) {
        let (mesh, camera) = (soup(40, seed), camera(48, 36, focal, [k1, k2, p1, p2, k3]));
        let pose = looking([25.0, 1.0, 2.0], [0.0, 0.0, 0.0]);
        let view = Renderer::new(mesh.clone()).render(&Lens::new(&camera), &pose, Layers::DEPTH);
        prop_assert!(differing(view.depth(), &cast(&mesh, &camera, &pose)) <= 2);
    }
}
