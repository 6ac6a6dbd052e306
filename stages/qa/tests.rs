//! Hand-made frames with the items that they give, properties over many drawn ones, and the sample data against its
//! truth table.

mod examples;
mod fixtures;
mod properties;
mod refusals;
mod sample;
mod settings;
mod truth_check;
mod wordings;
