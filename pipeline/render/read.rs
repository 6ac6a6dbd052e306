//! The one way in for mesh files.

use crate::source::Source;
use crate::{Dropped, Mesh, RenderError, obj, ply};
use std::io::Read;

impl Mesh {
    /// Reads a PLY file (ASCII, binary of either byte order) or an OBJ file; which of them its first bytes say. Polygons
    /// become fans, labels are kept per face, and what cannot be drawn is dropped and counted.
    ///
    /// The reader needs no buffer of its own. Memory is 36 bytes a vertex and 16 a triangle while reading, up to twice that
    /// while lists grow, and 12 and 16 afterwards, whatever the header of the file claims.
    ///
    /// ```
    /// use uavgen_render::Mesh;
    /// let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf -1 -1 -2\n";
    /// let (mesh, dropped) = Mesh::read(square.as_bytes()).unwrap();
    /// assert_eq!(mesh.faces(), [[0, 1, 2], [0, 2, 3]]);
    /// assert_eq!(dropped.zero_area, 1);
    /// ```
    pub fn read(reader: impl Read) -> Result<(Self, Dropped), RenderError> {
        let mut source = Source::new(reader);
        let is_ply = matches!(source.peek(4)?, b"ply\n" | b"ply\r");
        if is_ply { ply::read(&mut source) } else { obj::read(&mut source) }
    }
}
