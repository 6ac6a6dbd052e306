//! The town against closed forms, brute force over its files, and its own promises.

mod by_hand;
mod files;
mod motion;
mod truth;

use crate::{DEFAULT_SEED, TownTruth, write_town};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The town of the default seed, written once.
fn town() -> &'static (TempDir, TownTruth) {
    static TOWN: OnceLock<(TempDir, TownTruth)> = OnceLock::new();
    TOWN.get_or_init(|| {
        let dir = TempDir::new().expect("a temporary folder");
        let truth = write_town(dir.path(), DEFAULT_SEED).expect("a writable folder");
        (dir, truth)
    })
}
