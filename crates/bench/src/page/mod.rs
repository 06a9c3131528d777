//! Pages for people: one self-contained HTML file, its charts drawn as inline SVG by `plotters`.
//!
//! Nothing is loaded from elsewhere and there is no script. Colours are named in the SVG and given by the page's
//! style, so that the same chart is right on a light screen, a dark one, and paper.

mod chart;
mod html;

pub(crate) use chart::{Bar, Bars, Curve, Curves};
pub(crate) use html::Page;
