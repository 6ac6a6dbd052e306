//! Views with depths from closed forms, layers, and what must not change a result.

use super::scenes::{camera, looking, soup, town};
use crate::{Layers, Lens, Mesh, NEAR_M, NO_SURFACE, Rendered, Renderer};
use proptest::prelude::*;
use uavgen_geometry::{Pixel, Transform};

/// Ground at height 0 that reaches a kilometre in each direction, label 5.
fn ground() -> Mesh {
    let corners = [[-1e3, -1e3, 0.0], [1e3, -1e3, 0.0], [1e3, 1e3, 0.0], [-1e3, 1e3, 0.0]];
    Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]], Some(&[5, 5])).unwrap().0
}

#[test]
fn ground_seen_level_from_two_metres_is_as_deep_as_similar_triangles_say() {
    // The faces reach behind the camera and are cut at the near plane. At z = 1 a ray that is y below the axis meets the
    // ground 2 m below at z = 2 / y.
    let lens = Lens::new(&camera(200, 160, 150.0, [0.0; 5]));
    let view = Renderer::new(ground()).render(&lens, &looking([0.0, 0.0, 2.0], [0.0, 500.0, 2.0]), Layers::ALL);
    for (index, &depth) in view.depth().iter().enumerate() {
        let pixel = Pixel { x: (index % 200) as f64 + 0.5, y: (index / 200) as f64 + 0.5 };
        let ray = lens.intrinsics().ray(pixel).unwrap();
        let expected = 2.0 / ray.y();
        let is_ground = ray.y() > 0.0 && expected < 1e3 && (ray.x() * expected).abs() < 1e3;
        if is_ground {
            assert!((f64::from(depth) - expected).abs() < 1e-5 * expected, "{pixel:?}: {depth}, not {expected}");
            let [x, y, z] = view.normals().unwrap()[index];
            assert!(x == 0.0 && y == 0.0 && z == 1.0);
            assert_eq!(view.labels().unwrap()[index], 5);
        } else {
            assert_eq!(
                (depth, view.faces().unwrap()[index], view.labels().unwrap()[index]),
                (0.0, NO_SURFACE, NO_SURFACE)
            );
            assert_eq!(view.normals().unwrap()[index], [0.0; 3]);
        }
    }
}

#[test]
fn ground_seen_aslant_through_lenses_is_where_the_rays_meet_it() {
    for coefficients in [[0.0; 5], [-0.12, 0.11, 0.0016, 0.0005, -0.06], [0.25, -0.1, -0.004, 0.003, 0.02]] {
        let lens = Lens::new(&camera(400, 300, 260.0, coefficients));
        let pose = looking([3.0, -4.0, 30.0], [25.0, 60.0, 0.0]);
        let view = Renderer::new(ground()).render(&lens, &pose, Layers::DEPTH);
        for (index, &depth) in view.depth().iter().enumerate() {
            let pixel = Pixel { x: (index % 400) as f64 + 0.5, y: (index / 400) as f64 + 0.5 };
            let ray = lens.intrinsics().ray(pixel).unwrap();
            let expected = -30.0 / (pose.inverse() * ray).z();
            let place = pose.inverse() * lens.intrinsics().unproject(pixel, expected).unwrap();
            if expected > 0.0 && place.x().abs() < 999.0 && place.y().abs() < 999.0 {
                assert!((f64::from(depth) - expected).abs() < 1e-5 * expected, "{pixel:?}: {depth}, not {expected}");
            } else if expected < 0.0 {
                assert_eq!(depth, 0.0, "{pixel:?}");
            }
        }
    }
}

#[test]
fn depth_is_along_the_axis_and_not_along_the_ray() {
    let lens = Lens::new(&camera(100, 80, 60.0, [0.0; 5]));
    let view = Renderer::new(ground()).render(&lens, &looking([7.0, 3.0, 40.0], [7.0, 3.0, 0.0]), Layers::DEPTH);
    assert!(view.depth().iter().all(|depth| (depth - 40.0).abs() < 1e-5), "{:?}", &view.depth()[..3]);
    assert_eq!((view.faces(), view.labels(), view.normals()), (None, None, None));
    assert_eq!((view.width(), view.height(), view.covered_share()), (100, 80, 1.0));
}

#[test]
fn from_below_and_above_the_same_ground_is_seen() {
    let lens = Lens::new(&camera(40, 30, 20.0, [0.0; 5]));
    for (height, up) in [(25.0, 1.0), (-25.0, -1.0)] {
        let view = Renderer::new(ground()).render(&lens, &looking([0.0, 0.0, height], [0.0, 0.0, 0.0]), Layers::ALL);
        assert_eq!(view.covered_share(), 1.0);
        assert!(view.normals().unwrap().iter().all(|normal| *normal == [0.0, 0.0, up]));
    }
}

#[test]
fn what_is_behind_beside_or_too_near_is_not_seen() {
    let lens = Lens::new(&camera(40, 30, 20.0, [0.0; 5]));
    let empty = |pose: &Transform<_, _>| {
        let view = Renderer::new(town(10, 1)).render(&lens, pose, Layers::ALL);
        view.covered_share() == 0.0 && view.faces().unwrap().iter().all(|&face| face == NO_SURFACE)
    };
    assert!(empty(&looking([0.0, 0.0, 90.0], [0.0, 0.0, 900.0])));
    assert!(empty(&looking([5000.0, 0.0, 90.0], [9000.0, 1.0, 90.0])));
    let near = 0.5 * NEAR_M;
    let view = Renderer::new(ground()).render(&lens, &looking([0.0, 0.0, near], [0.0, 0.0, 0.0]), Layers::DEPTH);
    assert_eq!(view.covered_share(), 0.0);
}

#[test]
fn of_two_faces_in_one_place_the_first_is_seen() {
    let vertices = [[-50.0, -50.0, 0.0], [50.0, -50.0, 0.0], [0.0, 60.0, 0.0]];
    let (mesh, _) = Mesh::new(&vertices, &[[2, 0, 1], [0, 1, 2], [1, 0, 2]], Some(&[9, 8, 7])).unwrap();
    let lens = Lens::new(&camera(40, 30, 20.0, [0.0; 5]));
    let view = Renderer::new(mesh).render(&lens, &looking([0.0, 0.0, 30.0], [0.0, 0.0, 0.0]), Layers::ALL);
    let seen: Vec<u32> = view.labels().unwrap().iter().copied().filter(|&label| label != NO_SURFACE).collect();
    assert!(seen.len() > 500 && seen.iter().all(|&label| label == 9));
}

#[test]
fn threads_and_used_buffers_change_nothing() {
    let renderer = Renderer::new(town(60, 2));
    let lenses = [[0.0; 5], [-0.1, 0.02, 0.001, 0.0, 0.0]].map(|lens| Lens::new(&camera(300, 260, 240.0, lens)));
    let pose = looking([-90.0, -70.0, 60.0], [10.0, 5.0, 0.0]);
    for lens in &lenses {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Renderer::new(town(60, 2)).render(lens, &pose, Layers::ALL))
        };
        let first = with(1);
        assert_eq!(first, with(5));
        let mut used = Rendered::default();
        renderer.render_into(&lenses[0], &looking([0.0, 0.0, 50.0], [1.0, 0.0, 0.0]), Layers::DEPTH, &mut used);
        renderer.render_into(lens, &pose, Layers::ALL, &mut used);
        assert_eq!(first, used);
        renderer.render_into(lens, &pose, Layers::DEPTH, &mut used);
        assert_eq!((first.depth(), used.faces(), used.normals()), (used.depth(), None, None));
    }
}

#[test]
fn a_lens_shows_nothing_beyond_its_fold() {
    // r (1 - 0.6 r²) grows up to r = 0.745, which is 0.497 focal lengths from the middle.
    let lens = Lens::new(&camera(120, 90, 60.0, [-0.6, 0.0, 0.0, 0.0, 0.0]));
    let view = Renderer::new(ground()).render(&lens, &looking([0.0, 0.0, 30.0], [0.0, 0.0, 0.0]), Layers::DEPTH);
    let (cx, cy) = (lens.intrinsics().cx(), lens.intrinsics().cy());
    for (index, &depth) in view.depth().iter().enumerate() {
        let radius = (((index % 120) as f64 + 0.5 - cx) / 60.0).hypot(((index / 120) as f64 + 0.5 - cy) / 60.6);
        if radius < 0.495 {
            assert!((depth - 30.0).abs() < 1e-4, "{radius}: {depth}");
        } else if radius > 0.499 {
            assert_eq!(depth, 0.0, "{radius}");
        }
    }
}

proptest! {
    #[test]
    fn coordinates_of_any_size_give_a_depth_or_none(
        coordinates in prop::collection::vec(prop::num::f32::ANY, 36),
        scale in prop::sample::select(vec![1.0, 1e-30, 1e30]),
        k1 in prop::sample::select(vec![0.0, -0.1]),
    ) {
        let vertices: Vec<[f64; 3]> =
            coordinates.chunks(3).map(|c| [0, 1, 2].map(|axis| f64::from(c[axis]) * scale)).collect();
        let faces: Vec<[u32; 3]> = (0..10).map(|first| [first, first + 1, first + 2]).collect();
        let Ok((mesh, _)) = Mesh::new(&vertices, &faces, None) else { return Ok(()) };
        let lens = Lens::new(&camera(24, 18, 20.0, [k1, 0.0, 0.0, 0.0, 0.0]));
        let view = Renderer::new(mesh).render(&lens, &looking([0.1, 0.2, 0.3], [1.0, 2.0, 0.5]), Layers::ALL);
        prop_assert!(view.depth().iter().all(|depth| depth.is_finite() && *depth >= 0.0));
        prop_assert!(view.normals().unwrap().as_flattened().iter().all(|part| part.is_finite()));
    }

    #[test]
    fn a_face_is_there_exactly_where_a_depth_is(seed in 0..1000u64) {
        let lens = Lens::new(&camera(40, 30, 30.0, [0.0; 5]));
        let view = Renderer::new(soup(60, seed)).render(&lens, &looking([40.0, 0.0, 0.0], [0.0, 0.0, 0.0]), Layers::ALL);
        for (depth, face) in view.depth().iter().zip(view.faces().unwrap()) {
            prop_assert_eq!(*depth > 0.0, *face != NO_SURFACE);
        }
    }
}
