//! The engine with toy stages: what is seen, what runs, what survives.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod bench;
mod buckets;
mod failing;
mod garbage;
mod planning;
mod publishing;
mod resuming;
mod toy;
mod verbs;
