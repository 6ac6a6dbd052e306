//! The engine with toy stages: what is seen, what runs, what survives.

mod bench;
mod failing;
mod garbage;
mod planning;
mod publishing;
mod resuming;
mod toy;
mod verbs;
