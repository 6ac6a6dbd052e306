//! Mesh files as they should not be, and as they are.

use crate::{Dropped, Mesh, Place, RenderError};
use proptest::prelude::*;

const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
                      property list uchar int vertex_indices\nproperty uchar label\nend_header\n";
const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.5], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];

/// The square as one polygon of label 7, in either byte order.
fn binary(is_big: bool) -> Vec<u8> {
    let name = if is_big { "big" } else { "little" };
    let mut file = format!("ply\r\nformat binary_{name}_endian 1.0\r\ncomment from a test\n{HEADER}").into_bytes();
    let order = |mut word: [u8; 4]| {
        if is_big {
            word.reverse();
        }
        word
    };
    file.extend(SQUARE.as_flattened().iter().flat_map(|coordinate| order(coordinate.to_le_bytes())));
    file.push(4);
    file.extend([0i32, 1, 2, 3].into_iter().flat_map(|corner| order(corner.to_le_bytes())));
    file.push(7);
    file
}

fn ascii() -> Vec<u8> {
    let rows = "0 0 0\n2 0 0.5\n2 2 0\n0 2 0\n4 0 1 2 3 7\n";
    format!("ply\nformat ascii 1.0\n{HEADER}{rows}").into_bytes()
}

#[test]
fn one_square_in_every_encoding_is_one_mesh() {
    for file in [binary(false), binary(true), ascii()] {
        let (mesh, dropped) = Mesh::read(file.as_slice()).unwrap();
        assert_eq!((mesh.vertices(), mesh.origin()), (&SQUARE[..], [0.0; 3]));
        assert_eq!(mesh.faces(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.labels(), Some(&[7, 7][..]));
        assert_eq!(dropped, Dropped::default());
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_with_its_place() {
    let whole = binary(false);
    let body = whole.len() - (4 * 12 + 1 + 16 + 1);
    for length in body..whole.len() {
        let refused = Mesh::read(&whole[..length]);
        let expected_element = if length < body + 48 { "vertex" } else { "face" };
        match refused {
            Err(RenderError::Truncated { place: Place::Byte(byte), element, .. }) => {
                assert!(byte <= length as u64 && byte + 16 > length as u64, "{byte} of {length}");
                assert_eq!(element, expected_element);
            }
            other => panic!("{length}: {other:?}"),
        }
    }
    for length in 4..body - 1 {
        assert!(matches!(Mesh::read(&whole[..length]), Err(RenderError::Header { .. })), "{length}");
    }
    let text = ascii();
    let short = &text[..text.len() - 12];
    assert!(matches!(Mesh::read(short), Err(RenderError::Truncated { place: Place::Line(14), row: 0, .. })));
}

#[test]
fn counts_that_the_file_does_not_hold_cost_no_memory() {
    let absurd = String::from_utf8(ascii()).unwrap().replace("vertex 4", "vertex 18446744073709551615");
    assert!(matches!(Mesh::read(absurd.as_bytes()), Err(RenderError::Number { place: Place::Line(15), .. })));
    let mut other_order = binary(false);
    let at = other_order.len() - 18;
    other_order[at] = 200; // corners of the polygon
    assert!(matches!(Mesh::read(other_order.as_slice()), Err(RenderError::Truncated { .. })));
    let long = String::from_utf8(ascii()).unwrap().replace("4 0 1 2 3 7", "2000000000 0 1 2");
    let refused = Mesh::read(long.as_bytes());
    assert!(matches!(refused, Err(RenderError::ListLength { place: Place::Line(15), .. })), "{refused:?}");
}

#[test]
fn triangles_that_cannot_be_drawn_are_dropped_by_reason() {
    let rows = "0 0 0\n2 0 nan\n2 2 0\n0 2 0\n";
    let faces = "3 0 2 3 1\n3 0 1 2 2\n3 0 2 2 3\n3 0 2 9 4\n3 0 2 -1 5\n2 0 2 6\n3 3 2 0 7\n";
    let header = HEADER.replace("face 1", "face 7");
    let file = format!("ply\nformat ascii 1.0\n{header}{rows}{faces}");
    let (mesh, dropped) = Mesh::read(file.as_bytes()).unwrap();
    assert_eq!(mesh.faces(), [[0, 2, 3], [3, 2, 0]]);
    assert_eq!(mesh.labels(), Some(&[1, 7][..]));
    assert_eq!(dropped, Dropped { too_few_corners: 1, index_out_of_range: 2, non_finite: 1, zero_area: 1 });
    assert_eq!(mesh.vertices()[1], [0.0; 3]);
}

#[test]
fn a_point_cloud_is_no_mesh() {
    let cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\n\
                 end_header\n1 2 3\n";
    assert!(matches!(Mesh::read(cloud.as_bytes()), Err(RenderError::NoFaces { vertices: 1, .. })));
    assert!(matches!(Mesh::read(&b""[..]), Err(RenderError::NoFaces { vertices: 0, .. })));
}

#[test]
fn columns_that_do_not_matter_are_passed_over() {
    let file = "ply\nformat ascii 1.0\nelement camera 1\nproperty list int float t\nproperty float f\n\
                element face 2\nproperty list uchar uint vertex_index\nelement vertex 4\nproperty double z\n\
                property double y\nproperty float quality\nproperty double x\nproperty int label\n\
                property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n\
                2 1.5 2.5 9\n3 0 1 2\n3 0 2 3\n0 0 9 0 5 1 2 3\n0 0 9 1 6 0 0 0\n0 1 9 1 6 0 0 0\n0 1 9 0 7 0 0 255\n";
    let (mesh, _) = Mesh::read(file.as_bytes()).unwrap();
    assert_eq!(mesh.vertices(), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    // Corners 5 6 6: two are equal. Corners 5 6 7: the first.
    assert_eq!(mesh.labels(), Some(&[6, 5][..]));
    assert_eq!(mesh.colours().unwrap()[3], [0, 0, 255]);
}

#[test]
fn headers_that_break_the_rules_say_where() {
    for (bad, line) in [
        ("ply\nformat ascii 1.0\nelement vertex x\n", 3),
        ("ply\nformat binary 1.0\n", 2),
        ("ply\nformat ascii 1.0\nproperty float x\n", 3),
        ("ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n", 4),
        ("ply\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n", 6),
        ("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", 5),
    ] {
        match Mesh::read(bad.as_bytes()) {
            Err(RenderError::Header { line: at, .. }) => assert_eq!(at, line, "{bad}"),
            other => panic!("{bad}: {other:?}"),
        }
    }
}

#[test]
fn obj_corners_of_every_form_and_materials_as_labels() {
    let file = "# made by hand\nmtllib a.mtl\nv 0 0 0 1\nv 1 0 0\nvt 0 0\nvn 0 0 1\nv 1 1 0\nv 0 1 0\n\
                f 1/1 2/1 3/1\nusemtl roof\nf -4//1 -2//1 -1//1\nusemtl wall\nf 1/1/1 \\\n 2/1/1 4/1/1\nusemtl roof\nf 2 3 4\n";
    let (mesh, dropped) = Mesh::read(file.as_bytes()).unwrap();
    assert_eq!(mesh.faces(), [[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]]);
    assert_eq!((mesh.labels(), dropped.total()), (Some(&[0, 1, 2, 1][..]), 0));
    assert_eq!(mesh.label_names(), ["", "roof", "wall"]);
    let broken = "v 0 0 0\nv 1 0 0\nv 1 1 zero\n";
    assert!(matches!(Mesh::read(broken.as_bytes()), Err(RenderError::Number { place: Place::Line(3), .. })));
    let ahead = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 0\nf 1 2 -9\nf 1 2 4\nf 1 2 3\nv 5 5 5\n";
    // A corner may come before its vertex: only the file as a whole says what is out of range.
    let (mesh, dropped) = Mesh::read(ahead.as_bytes()).unwrap();
    assert_eq!((mesh.faces(), dropped.index_out_of_range), (&[[0, 1, 3], [0, 1, 2]][..], 2));
}

#[test]
fn large_coordinates_keep_millimetres() {
    let file =
        "v 576705.123 5188170.456 201.001\nv 576805.123 5188170.456 201\nv 576805.123 5188270.456 201\nf 1 2 3\n";
    let (mesh, _) = Mesh::read(file.as_bytes()).unwrap();
    let back: Vec<f64> = (0..3).map(|axis| mesh.origin()[axis] + f64::from(mesh.vertices()[0][axis])).collect();
    for (got, right) in back.iter().zip([576_705.123, 5_188_170.456, 201.001]) {
        assert!((got - right).abs() < 1e-5, "{back:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_give_a_mesh_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), form in 0..4usize) {
        let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf ".to_vec();
        let start = [Vec::new(), binary(false)[..240].to_vec(), binary(true)[..240].to_vec(), text];
        let file = [start[form].as_slice(), &bytes].concat();
        if let Ok((mesh, _)) = Mesh::read(file.as_slice()) {
            prop_assert!(mesh.faces().as_flattened().iter().all(|&corner| (corner as usize) < mesh.vertices().len()));
            prop_assert!(mesh.vertices().as_flattened().iter().all(|coordinate| coordinate.is_finite()));
        }
    }
}
