//! Hand-made scenes with literal answers, and properties over random programs and scenes.

mod language;
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
