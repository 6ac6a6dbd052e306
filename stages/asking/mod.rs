//! What stages that ask questions share: wordings, places, options, and the way from a candidate to an item or a reject. No
//! stage of its own: it reads and writes nothing.

pub mod boxes;
pub mod inquiry;
mod limit;
pub mod options;
pub mod question;
pub mod templates;
pub mod words;

pub use limit::limit;
