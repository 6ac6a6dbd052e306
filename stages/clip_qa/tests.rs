//! Hand-made clips with the items that they give, properties over many drawn ones, the shell, and the sample data against its
//! truth table.

mod examples;
mod films;
mod properties;
mod sample;
mod shell;
mod wordings;
