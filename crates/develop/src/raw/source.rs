//! The seam to the RAW decoder: the only file that names it.
//!
//! Bytes in, a [`Sensor`] out. Limits are set before the file is opened; the decoder
//! runs on this thread alone and never maps a file. Sensors that the renderer has no
//! interpolation of its own for (four colours, stacked, staggered or oblong pixels) come
//! out of the decoder as plain linear RGB.

use flashraw::{CfaColor, DecodeOptions, FlashRaw, OutputFormat, PreviewEncoding, Rect, SensorLayout};
use lightfast_model::Orientation;

use super::error::DevelopError;
use super::options::Limits;
use super::sensor::{Area, Black, Embedded, Layout, Sensor, Shot};

/// Embedded pictures looked at, at most.
const MOST_EMBEDDED: usize = 16;

/// Decodes a RAW from the bytes of its file.
pub(crate) fn decode(bytes: &[u8], limits: &Limits) -> Result<Sensor, DevelopError> {
    let most = limits.pixels;
    let limits =
        flashraw::Limits::default().with_max_samples(limits.pixels.saturating_mul(3)).with_max_dimension(limits.side);
    let file = FlashRaw::open_with(bytes, limits)?;
    let info = file.frame_info();
    limits.check_dims(info.width, info.height, info.cpp)?;
    if u64::from(info.width) * u64::from(info.height) > most {
        let detail = format!("{}x{} pixels: {most} are allowed", info.width, info.height);
        return Err(DevelopError::TooLarge { detail });
    }
    let own = layout(info);
    let mut options = DecodeOptions { threads: Some(1), limits, ..Default::default() };
    // Gain maps and the like of a DNG work on linear values, which this output has.
    let corrected = info.opcodes.as_ref().is_some_and(|lists| lists.lists[1].len() > 4);
    options.output = match own {
        None => OutputFormat::LinearRgb16,
        Some(_) if corrected => OutputFormat::NormalizedF32,
        Some(_) => OutputFormat::RawU16,
    };
    options.crop = true;
    // A picture that the camera made is not what the sensor saw.
    options.preview_fallback = false;
    let frame = file.decode(options)?;
    if frame.source != flashraw::FrameSource::Sensor {
        return Err(DevelopError::Unsupported { detail: "only an embedded picture could be decoded".into() });
    }
    let (width, height) = (frame.width as usize, frame.height as usize);
    let whole = Area { x: 0, y: 0, width, height };
    let shot = shot(file.metadata());
    let embedded = embedded(&file, bytes.len());
    let orientation = orientation(frame.orientation);
    let flat = Black { rows: 1, columns: 1, samples: 1, values: vec![0.0], by_row: vec![], by_column: vec![] };
    let mut sensor = Sensor {
        samples: Vec::new(),
        width,
        layout: own.unwrap_or(Layout::Rgb),
        active: whole,
        crop: whole,
        black: flat,
        white: [65535.0; 3],
        as_shot: Some([1.0; 3]),
        is_balanced: true,
        from_xyz: None,
        orientation,
        embedded,
        shot,
    };
    if own.is_some() {
        sensor.active = area(frame.active_area, width, height).unwrap_or(whole);
        sensor.crop = area(frame.crop, width, height).unwrap_or(sensor.active);
        sensor.from_xyz = matrix(&frame.color_matrices);
        sensor.is_balanced = frame.white_balance_applied;
        sensor.as_shot = match frame.white_balance {
            _ if frame.white_balance_applied => Some([1.0; 3]),
            Some(balance) => usable([balance.coeffs[0], balance.coeffs[1], balance.coeffs[2]]),
            None => None,
        };
        if !corrected {
            let white = |c: usize| frame.white_level.at(if frame.white_level.values.len() > 2 { c } else { 0 }) as f32;
            sensor.white = [white(0), white(1), white(2)];
            let black = frame.black_level.clone();
            sensor.black = Black {
                rows: usize::from(black.rows),
                columns: usize::from(black.cols),
                samples: usize::from(black.samples),
                values: black.values,
                by_row: black.row_deltas,
                by_column: black.col_deltas,
            };
        }
    }
    sensor.samples = samples(frame.data, corrected)?;
    let expected = width.checked_mul(height).and_then(|n| n.checked_mul(sensor.layout.samples()));
    if expected != Some(sensor.samples.len()) || sensor.samples.is_empty() {
        return Err(DevelopError::Damaged { detail: format!("a buffer that is not {width}x{height}") });
    }
    Ok(sensor)
}

/// The samples as 16-bit numbers; normalised ones with 65535 as one.
fn samples(data: flashraw::RawPixelData, normalised: bool) -> Result<Vec<u16>, DevelopError> {
    match data {
        flashraw::RawPixelData::U16(samples) => Ok(samples),
        flashraw::RawPixelData::F32(samples) if normalised => {
            Ok(samples.iter().map(|v| (v.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16).collect())
        }
        _ => Err(DevelopError::Unsupported { detail: "samples that are not 16-bit numbers".into() }),
    }
}

/// The layout, where the renderer has an interpolation for it.
fn layout(info: &flashraw::FrameInfo) -> Option<Layout> {
    if (info.pixel_aspect - 1.0).abs() > 0.01 {
        return None;
    }
    let colour = |x: usize, y: usize| match info.cfa?.color_at(x, y) {
        CfaColor::Red => Some(0),
        CfaColor::Green => Some(1),
        CfaColor::Blue => Some(2),
        _ => None,
    };
    match (info.layout, info.cpp) {
        (SensorLayout::Bayer, 1) if info.cfa.is_some_and(|cfa| cfa.is_bayer()) => {
            let rows = [[colour(0, 0)?, colour(1, 0)?], [colour(0, 1)?, colour(1, 1)?]];
            // Greens must lie on a diagonal.
            (usize::from(rows[0][0] == 1) + usize::from(rows[1][1] == 1))
                .is_multiple_of(2)
                .then_some(Layout::Bayer(rows))
        }
        (SensorLayout::XTrans, 1) if info.cfa.is_some_and(|cfa| cfa.is_xtrans()) => {
            let mut rows = [[0; 6]; 6];
            for (y, row) in rows.iter_mut().enumerate() {
                for (x, cell) in row.iter_mut().enumerate() {
                    *cell = colour(x, y)?;
                }
            }
            Some(Layout::XTrans(rows))
        }
        (SensorLayout::Monochrome, 1) => Some(Layout::Grey),
        (SensorLayout::Linear, 3) => Some(Layout::Rgb),
        _ => None,
    }
}

/// A rectangle that lies inside and holds at least a pixel.
fn area(rect: Rect, width: usize, height: usize) -> Option<Area> {
    let (x, y) = ((rect.x as usize).min(width), (rect.y as usize).min(height));
    let area =
        Area { x, y, width: (rect.width as usize).min(width - x), height: (rect.height as usize).min(height - y) };
    (area.width > 0 && area.height > 0).then_some(area)
}

/// The matrix for daylight, if it is one of three channels.
fn matrix(matrices: &flashraw::ColorMatrices) -> Option<[[f32; 3]; 3]> {
    let values = &matrices.preferred()?.values;
    let [a, b, c] = values.as_chunks::<3>().0 else { return None };
    let rows = [*a, *b, *c];
    rows.iter().flatten().all(|v| v.is_finite()).then_some(rows)
}

/// Multipliers that can be divided by.
fn usable(balance: [f32; 3]) -> Option<[f32; 3]> {
    balance.iter().all(|v| v.is_finite() && (0.01..100.0).contains(v)).then_some(balance)
}

fn embedded(file: &FlashRaw<'_>, length: usize) -> Vec<Embedded> {
    file.previews()
        .iter()
        .take(MOST_EMBEDDED)
        .filter_map(|preview| {
            let start = usize::try_from(preview.offset).ok()?;
            let end = start.checked_add(usize::try_from(preview.length).ok()?)?;
            let plain = match preview.encoding {
                PreviewEncoding::Jpeg => false,
                PreviewEncoding::Rgb8 => true,
                _ => return None,
            };
            (end <= length).then_some(Embedded {
                range: start..end,
                width: preview.width as usize,
                height: preview.height as usize,
                orientation: orientation(preview.orientation),
                plain,
            })
        })
        .collect()
}

fn orientation(of: flashraw::Orientation) -> Orientation {
    u16::try_from(of.exif()).ok().and_then(Orientation::new).unwrap_or_default()
}

fn shot(of: &flashraw::RawMetadata) -> Shot {
    Shot {
        make: of.make.clone(),
        model: of.model.clone(),
        lens: of.lens.model.clone(),
        artist: of.artist.clone(),
        copyright: of.copyright.clone(),
        taken: of.capture_time.clone(),
        seconds: of.exposure.exposure_time,
        f_number: of.exposure.f_number.map(f64::from),
        focal_length: of.exposure.focal_length.map(f64::from),
        bias: of.exposure.exposure_bias.map(f64::from),
        iso: of.exposure.iso,
        flash: of.exposure.flash,
        place: of.gps.as_ref().and_then(|gps| Some((gps.latitude?, gps.longitude?))),
    }
}

impl From<flashraw::Error> for DevelopError {
    fn from(error: flashraw::Error) -> Self {
        use flashraw::Error as E;
        let detail = error.to_string();
        match error {
            E::UnsupportedFormat(_)
            | E::UnsupportedCompression { .. }
            | E::CameraUnsupported { .. }
            | E::NotAvailable(_) => Self::Unsupported { detail },
            E::LimitExceeded(_) | E::OutOfMemory(_) => Self::TooLarge { detail },
            _ => Self::Damaged { detail },
        }
    }
}
