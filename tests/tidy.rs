//! Layering and style.
