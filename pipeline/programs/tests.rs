//! Hand-made scenes with literal answers, and properties over random programs and scenes.

mod language;
mod lifted;
mod lifted_ops;
mod lifted_properties;
mod lifted_records;
mod lifted_refusals;
mod lifted_wording;
mod make;
mod properties;
mod random;
mod refusals;
mod relation_steps;
mod scenes;
mod segments;
mod unknowns;
mod values;
mod wording;
