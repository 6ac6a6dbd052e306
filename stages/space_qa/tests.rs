//! The taxonomy, and questions about hand-made frames.

mod taxonomy;
