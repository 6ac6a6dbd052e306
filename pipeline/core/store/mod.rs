//! The store: where results live, and the only code that commits them.
//!
//! ```text
//! store/<stage>/<partition>/<fingerprint>/<attempt>/frames.parquet, blobs/…
//! store/<stage>/<partition>/<fingerprint>/manifest.json      <- names the one attempt that counts
//! ```
//!
//! A result becomes visible by one create-if-absent of `manifest.json`, last, after its files and folders are on disk.
//! Attempts without a manifest are garbage that any `gc` may remove. Two processes may work in one store: the first
//! commit wins, the second drops its attempt.

pub mod commit;
mod decoded_size;
pub mod features;
pub mod layout;
pub mod proof;
mod properties;
pub mod schema;
mod table_reader;
#[cfg(test)]
mod table_tests;
mod table_writer;

pub use commit::CommitOutcome;
pub use layout::Store;
pub use proof::Proof;
pub use properties::ENCODING;
pub use table_reader::TableReader;
pub use table_writer::{TableOptions, TableWriter, WrittenTable};
