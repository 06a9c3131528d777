//! What may be asked of the renderer. Values only; the defaults are the product's.

use super::error::DevelopError;

/// How much work goes into a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quality {
    /// Edge-aware interpolation in four directions of the green, in two of the colours.
    #[default]
    Fast,
    /// Four directions for every channel: less colour noise along edges, about twice the time.
    Best,
}

/// Where neutral lies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum WhiteBalance {
    /// As the camera had it when it took the picture (daylight where the file does not say).
    #[default]
    AsShot,
    /// Daylight (D65), from the camera's matrix.
    Daylight,
    /// Light of a black body or daylight of this temperature in kelvin, 2000 to 25000.
    Temperature(f32),
    /// Multipliers of red, green, blue before the matrix; their scale does not matter.
    Multipliers([f32; 3]),
}

/// How linear light becomes what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Curves fitted to the JPEG that the camera put into the file; the maker's where there is none.
    #[default]
    Camera,
    /// The curve of the camera's maker, learned from other files (`tone/makers.tsv`); a general one for other makers.
    Maker,
    /// The sRGB curve alone: twice the light is twice the linear value.
    Linear,
}

/// Where the tone of a rendering came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToneSource {
    /// Fitted to the camera's own picture in the file.
    Camera,
    /// Learned from other files of the maker.
    Maker,
    /// The general curve, for want of both.
    General,
    /// None was asked for.
    Linear,
}

/// What a file may cost. Checked before memory is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the sensor, with its masked borders.
    pub pixels: u64,
    /// Pixels of the longer side.
    pub side: u32,
}

impl Default for Limits {
    /// 200 megapixels and sides of 30,000: twice what cameras make.
    fn default() -> Self {
        Self { pixels: 200_000_000, side: 30_000 }
    }
}

/// Everything that may be asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DevelopOptions {
    /// Speed against finesse.
    pub quality: Quality,
    /// Pixels of the longer side of the result; none, or more than there is, means full size.
    pub size: Option<u32>,
    /// Stops of light more (or, below zero, less), -8 to 8.
    pub exposure_ev: f32,
    /// Where neutral lies.
    pub white_balance: WhiteBalance,
    /// Whether detail is sharpened a little, as a lens and a filter before the sensor blur it.
    pub sharpen: bool,
    /// How linear light becomes what is shown.
    pub tone: Tone,
    /// Of the JPEG, 1 to 100.
    pub jpeg_quality: u8,
    /// What the file may cost.
    pub limits: Limits,
}

impl Default for DevelopOptions {
    fn default() -> Self {
        Self {
            quality: Quality::default(),
            size: None,
            exposure_ev: 0.0,
            white_balance: WhiteBalance::default(),
            sharpen: true,
            tone: Tone::default(),
            jpeg_quality: 90,
            limits: Limits::default(),
        }
    }
}

impl DevelopOptions {
    /// Refuses what cannot be.
    pub(crate) fn check(&self) -> Result<(), DevelopError> {
        let refused = |option, detail: &str| Err(DevelopError::Option { option, detail: detail.into() });
        if !(-8.0..=8.0).contains(&self.exposure_ev) {
            return refused("exposure", "it goes from -8 to 8 stops");
        }
        match self.white_balance {
            WhiteBalance::Temperature(kelvin) if !(2000.0..=25_000.0).contains(&kelvin) => {
                refused("white balance", "temperatures go from 2000 to 25000 kelvin")
            }
            WhiteBalance::Multipliers(of) if !of.iter().all(|v| (0.01..=100.0).contains(v)) => {
                refused("white balance", "multipliers go from 0.01 to 100")
            }
            _ if !(1..=100).contains(&self.jpeg_quality) => refused("jpeg quality", "it goes from 1 to 100"),
            _ if self.size == Some(0) => refused("size", "a picture has at least one pixel"),
            _ => Ok(()),
        }
    }
}
