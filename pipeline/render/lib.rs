//! Depth from triangle meshes. [`Mesh::read`] reads PLY and OBJ files.

mod error;
mod mesh;
mod obj;
mod ply;
mod ply_header;
mod read;
mod source;
#[cfg(test)]
mod tests;

pub use error::{Place, RenderError};
pub use mesh::{Dropped, Mesh};
