//! RAWs: CR2 and DNG.

use crate::Shot;
use crate::format::canon::DAYLIGHT;
use crate::raw::cr2::{self, Pictures};
use crate::raw::dng;
use crate::raw::grain::Grain;
use crate::raw::lossless;
use crate::raw::mosaic::{Exposure, Mosaic};
use crate::raw::sensor::{APRON, Filter, Geometry};
use crate::raw::tone;
use crate::samples::jpeg::{picture, thumbnail};
use crate::scene::{self, Canvas};

/// A CR2 as a 5D Mark II writes it, but of the shot's size: 720x480 makes about half a megabyte. The width is taken
/// down to a multiple of four, the height to an even number (720x480 if that leaves nothing).
pub fn cr2(shot: &Shot) -> Vec<u8> {
    let shot = &even(shot);
    let geometry = Geometry::new(shot.width, shot.height);
    let (left, top) = (APRON.0 as usize, APRON.1 as usize);
    let canvas = Canvas::around(&scene::draw(shot.seed, shot.width, shot.height), shot.width as usize, (left, top));
    let mosaic = Mosaic::of(&canvas, &geometry, DAYLIGHT, 1);
    let grain = Grain::new();
    let exposure = Exposure::new(&geometry, &mosaic, &grain, (left, top), (shot.seed, 256, shot.iso));
    let small = cr2::small_size(&geometry);
    let pictures = Pictures {
        jpeg: picture(shot.width, shot.height, shot.seed),
        thumbnail: thumbnail(shot),
        small: linear(&scene::draw(shot.seed, small.0, small.1)),
        sensor: lossless::compress(&geometry, |column, row, out| exposure.read_out(column, row, out)),
    };
    let mut bytes = cr2::head(shot, &geometry, DAYLIGHT, &pictures);
    bytes.extend(pictures.sensor);
    bytes
}

/// A DNG of the shot's size (both sides even; 720x480 if they are not at least 64): a small uncompressed picture in
/// directory 0, the photosites uncompressed and a full-size JPEG below it.
pub fn dng(shot: &Shot) -> Vec<u8> {
    let shot = &even(shot);
    let geometry = Geometry::new(shot.width, shot.height);
    let canvas = Canvas::around(&scene::draw(shot.seed, shot.width, shot.height), shot.width as usize, (0, 0));
    let mosaic = Mosaic::of(&canvas, &geometry, DAYLIGHT, 1);
    let grain = Grain::new();
    let exposure = Exposure::new(&geometry, &mosaic, &grain, (0, 0), (shot.seed, 256, shot.iso));
    let (left, top) = geometry.origin();
    let mut row = vec![0; shot.width as usize];
    let mut levels = Vec::new();
    for y in 0..shot.height {
        exposure.read_out(left as usize, (top + y) as usize, &mut row);
        levels.extend(row.iter().flat_map(|level| level.to_le_bytes()));
    }
    let colours = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| match geometry.filter(left + x, top + y) {
        Filter::Red => 0,
        Filter::Green => 1,
        Filter::Blue => 2,
    });
    let pictures = dng::Pictures {
        small: &scene::draw(shot.seed, 120, 80),
        small_size: (120, 80),
        levels: &levels,
        colours,
        jpeg: &picture(shot.width, shot.height, shot.seed),
    };
    dng::assemble(shot, DAYLIGHT, &pictures)
}

/// The same values as linear light of 14 bits, in 16.
pub(crate) fn linear(pixels: &[u8]) -> Vec<u8> {
    pixels.iter().flat_map(|value| ((tone::light(*value) >> 2) as u16).to_le_bytes()).collect()
}

fn even(shot: &Shot) -> Shot {
    let (width, height) = (shot.width / 4 * 4, shot.height / 2 * 2);
    let (width, height) = if width < 64 || height < 64 { (720, 480) } else { (width, height) };
    Shot { width, height, ..shot.clone() }
}
