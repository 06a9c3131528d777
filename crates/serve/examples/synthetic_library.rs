//! Makes a library of photos that exist only in its catalogue, with real thumbnails for some of them: for measuring
//! the app at sizes that nobody has at hand.
//!
//! `synthetic_library DIR PHOTOS [THUMBNAILS]`: the newest, the oldest and those in the middle have thumbnails, all
//! of them different.
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

use std::error::Error;
use std::path::PathBuf;

use lightfast_catalog::{Catalog, Place, Query, Sort, SortKey, Thumbnails, synthetic};
use lightfast_import::Library;

/// Thumbnails written in one transaction.
const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "synthetic_library DIR PHOTOS [THUMBNAILS]";
    let dir = PathBuf::from(arguments.next().ok_or(usage)?);
    let photos: u32 = arguments.next().ok_or(usage)?.parse()?;
    let thumbnails: usize = arguments.next().map_or(Ok(50_000), |n| n.parse())?;
    Library::create(&dir, "synthetic")?;
    let place = Place::in_library(&dir);
    let mut catalog = Catalog::create(&place, "2026-11-30T12:00:00Z".parse()?)?;
    synthetic::fill(&mut catalog, photos, 7)?;
    let index = catalog.index(&Query::all(), Sort { key: SortKey::Taken, descending: true }, None)?;
    let mut store = Thumbnails::open(place.dir())?;
    let all = index.rows.len();
    let mut bytes = 0;
    let chosen = chosen(all, thumbnails);
    for batch in chosen.chunks(BATCH) {
        let mut made = Vec::with_capacity(batch.len());
        for &position in batch {
            let row = index.rows[position];
            let (width, height) = if index.aspect[position] < 1000 { (341, 512) } else { (512, 341) };
            let hash = *catalog.contents_of_row(row)?.first().ok_or("a photo without a file")?;
            made.push((hash, picture(u64::from(row), width, height)?, width as u32, height as u32));
        }
        let rows: Vec<_> = made.iter().map(|(hash, jpeg, w, h)| (*hash, jpeg.as_slice(), *w, *h)).collect();
        bytes += rows.iter().map(|row| row.1.len()).sum::<usize>();
        store.put(&rows)?;
    }
    println!("{{\"photos\": {all}, \"thumbnails\": {}, \"thumbnail_bytes\": {bytes}}}", chosen.len());
    Ok(())
}

/// Positions from the newest, the middle and the oldest.
fn chosen(all: usize, thumbnails: usize) -> Vec<usize> {
    if thumbnails >= all {
        return (0..all).collect();
    }
    let part = thumbnails / 3;
    let middle = all / 2 - part / 2;
    (0..part).chain(middle..middle + part).chain(all - (thumbnails - 2 * part)..all).collect()
}

/// A landscape of its own for each seed: sky, hills, a sun, a little grain.
fn picture(seed: u64, width: usize, height: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let unit = |n: u64| (n >> 40) as f32 / (1u64 << 24) as f32;
    let sky = [unit(next()) * 120.0 + 60.0, unit(next()) * 100.0 + 90.0, unit(next()) * 80.0 + 150.0];
    let ground = [unit(next()) * 90.0 + 20.0, unit(next()) * 90.0 + 40.0, unit(next()) * 60.0 + 10.0];
    let (sun_x, sun_y, sun) = (unit(next()), unit(next()) * 0.4 + 0.05, unit(next()) * 0.08 + 0.03);
    let waves = [unit(next()) * 6.0 + 2.0, unit(next()) * 14.0 + 6.0, unit(next()) * 6.0];
    let mut pixels = vec![0u8; width * height * 3];
    for (y, line) in pixels.chunks_exact_mut(width * 3).enumerate() {
        let v = y as f32 / height as f32;
        for (x, pixel) in line.chunks_exact_mut(3).enumerate() {
            let u = x as f32 / width as f32;
            let hill = 0.62 + 0.07 * (u * waves[0] + waves[2]).sin() + 0.03 * (u * waves[1]).sin();
            let away = ((u - sun_x) * width as f32 / height as f32).hypot(v - sun_y);
            let glow = if v < hill { (1.0 - away / (sun * 5.0)).max(0.0) * 90.0 } else { 0.0 };
            let grain = (next() & 15) as f32;
            for (channel, value) in pixel.iter_mut().enumerate() {
                let base = if v < hill { sky[channel] * (0.75 + 0.5 * v) } else { ground[channel] * (1.6 - v) };
                let disc = if v < hill && away < sun { 235.0 } else { base + glow };
                *value = (disc + grain).clamp(0.0, 255.0) as u8;
            }
        }
    }
    let image = turbojpeg::Image {
        pixels: pixels.as_slice(),
        width,
        pitch: width * 3,
        height,
        format: turbojpeg::PixelFormat::RGB,
    };
    Ok(turbojpeg::compress(image, 82, turbojpeg::Subsamp::Sub2x2)?.to_vec())
}
