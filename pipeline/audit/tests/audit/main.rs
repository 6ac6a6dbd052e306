//! Audits of a tiny release that is written here by hand, whole and broken in every way that has a code.
//!
//! Its answers are written down, not computed: what the programs must give is known from the boxes.

#![expect(clippy::unwrap_used, reason = "the makers of the test release fail the test that calls them")]

mod broken_clip_items;
mod broken_clips;
mod broken_columns;
mod broken_files;
mod broken_generation;
mod broken_items;
mod broken_joins;
mod broken_scenes;
mod broken_space;
mod questions;
mod release;
mod whole;
mod writer;
