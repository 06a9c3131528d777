//! Looks as text, for learning what makers do and for measuring how near a rendering comes.
//!
//! The product's own way needs none of this: the table of makers (`tone/makers.tsv`) is made
//! with it, and the report of looks (`examples/look.rs`) leaves a file's own look out with it.

use super::colour;
use super::develop::{self, Developer, Pixels, Stages};
use super::error::DevelopError;
use super::options::{DevelopOptions, Tone};
use super::tone::{Curve, Look, maker, own};

/// What one file's own picture says about the look of its camera.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The camera's maker, as the file has it.
    pub make: String,
    /// The camera's model.
    pub model: String,
    /// The look, as a line of the table of makers.
    pub line: String,
    /// Mean distance to the picture, in 255ths, after the fit.
    pub distance: f32,
}

/// The look that a file's own picture shows; none where it has none to believe.
pub fn learn(bytes: &[u8]) -> Result<Option<Learned>, DevelopError> {
    let options = DevelopOptions { tone: Tone::Linear, ..DevelopOptions::default() };
    let ready = develop::ready(bytes, &options, &mut Stages::default())?;
    let as_shot = colour::normalised(develop::neutral(&ready.sensor));
    let fitted = own(bytes, &ready.sensor, &ready.camera, as_shot, &Look::linear());
    let shot = &ready.sensor.shot;
    Ok(fitted.map(|fitted| Learned {
        make: shot.make.clone(),
        model: shot.model.clone(),
        line: maker::line(&shot.make.to_lowercase(), &fitted.look),
        distance: fitted.distance,
    }))
}

/// The mean of several looks, as a line with this name; none where there is none.
pub fn mean<'a>(name: &str, lines: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let looks: Vec<Look> = lines.into_iter().filter_map(maker::read).collect();
    let count = looks.len() as f32;
    let first = looks.first()?;
    let mut mix = first.mix;
    for (i, row) in mix.iter_mut().enumerate() {
        for (j, part) in row.iter_mut().enumerate() {
            *part = looks.iter().filter_map(|look| look.mix.get(i)?.get(j)).sum::<f32>() / count;
        }
    }
    let height = |k: usize| looks.iter().filter_map(|look| look.curves[0].0.get(k)).sum::<f32>() / count;
    let curve = Curve(std::array::from_fn(height));
    Some(maker::line(name, &Look { mix, curves: [curve.clone(), curve.clone(), curve] }))
}

impl Developer {
    /// The file as pixels, with the look of a line instead of its own.
    pub fn pixels_with(&mut self, bytes: &[u8], options: &DevelopOptions, line: &str) -> Result<Pixels, DevelopError> {
        let look =
            maker::read(line).ok_or(DevelopError::Option { option: "look", detail: "the line is not whole".into() })?;
        let options = DevelopOptions { tone: Tone::Linear, ..*options };
        let mut ready = develop::ready(bytes, &options, &mut Stages::default())?;
        ready.look = look;
        self.finished_pixels(&ready, &options)
    }
}
