//! The largest JPEG that lies inside each file: ours against ExifTool's and exiv2's.
//!
//! `cargo run --release -p lightfast-media --example compare_previews -- FOLDER`
//!
//! A preview's size is that of its frame header, read here once more and by itself. The file that is a JPEG is not counted as a
//! preview of its own, nor are texts in sidecars that hold one. Differences that were looked into stand in `known.tsv`.
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lightfast_media::FileSource;
use lightfast_model::{Kind, PreviewSource};
use serde_json::Value;

/// ExifTool's names of JPEGs inside a file.
const TAGS: [&str; 8] = [
    "-PreviewImage",
    "-JpgFromRaw",
    "-JpgFromRaw2",
    "-ThumbnailImage",
    "-OtherImage",
    "-MPImage2",
    "-MPImage3",
    "-PreviewTIFF",
];

type Size = (u32, u32);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: compare_previews FOLDER")?;
    let known: Vec<(&str, &str)> = include_str!("known.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let output = Command::new("exiftool")
        .args(["-r", "-q", "-q", "-a", "-G1", "-json", "-b"])
        .args(TAGS)
        .arg(folder)
        .output()?;
    let objects: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let (mut with, mut equal, mut more, mut fewer, mut explained) = (0, 0, 0, 0, 0);
    for object in objects.iter().filter_map(Value::as_object) {
        let Some(path) = object.get("SourceFile").and_then(Value::as_str) else { continue };
        let Some((kind, ours)) = ours(Path::new(path)) else { continue };
        if kind == Kind::Sidecar {
            continue;
        }
        let theirs = object.values().filter_map(Value::as_str).filter_map(picture).max_by_key(long_edge);
        let exiv2 = exiv2(path);
        let largest = theirs.into_iter().chain(exiv2).max_by_key(long_edge);
        let edge = |size: Option<Size>| size.as_ref().map_or(0, long_edge);
        if ours.is_none() && largest.is_none() {
            continue;
        }
        with += 1;
        if edge(ours) == edge(largest) {
            equal += 1;
            continue;
        }
        let reason = known.iter().find(|(end, _)| path.ends_with(end)).map(|(_, reason)| *reason);
        match (edge(ours) > edge(largest), reason) {
            (true, _) => more += 1,
            (false, None) => fewer += 1,
            (false, Some(_)) => explained += 1,
        }
        println!("{path}\tours {ours:?}\texiftool {theirs:?}\texiv2 {exiv2:?}\t{}", reason.unwrap_or_default());
    }
    println!(
        "{with} files with a JPEG inside: {equal} with the same largest, {more} where ours is larger, {fewer} where it is \
         smaller or missing, {explained} smaller and explained"
    );
    Ok(())
}

fn ours(path: &Path) -> Option<(Kind, Option<Size>)> {
    let file = File::open(path).ok()?;
    let facts = lightfast_media::facts(&mut FileSource::new(&file).ok()?, path.file_name()?);
    let inside = facts.previews.iter().filter(|p| p.source == PreviewSource::Jpeg);
    Some((facts.kind, inside.map(|p| (p.width, p.height)).max_by_key(long_edge)))
}

fn long_edge(size: &Size) -> u32 {
    size.0.max(size.1)
}

/// What exiv2 lists: `Preview 1: image/jpeg, 160x120 pixels, 6555 bytes`.
fn exiv2(path: &str) -> Option<Size> {
    let output = Command::new("timeout").args(["10", "exiv2", "-pp", path]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let sizes = text.lines().filter_map(|line| {
        let size = line.split_once("image/jpeg, ")?.1.split_once(" pixels")?.0;
        let (width, height) = size.split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    });
    sizes.max_by_key(long_edge)
}

/// The size of a JPEG that an ordinary decoder shows, from ExifTool's `base64:…`.
fn picture(text: &str) -> Option<Size> {
    let bytes = STANDARD.decode(text.strip_prefix("base64:")?).ok()?;
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
    loop {
        match rest {
            [0xff, 0xff, ..] => rest = &rest[1..],
            [0xff, 0x01 | 0xd0..=0xd8, after @ ..] => rest = after,
            [0xff, 0xc0..=0xc2, _, _, _, h1, h0, w1, w0, ..] => {
                return Some((u16::from_be_bytes([*w1, *w0]).into(), u16::from_be_bytes([*h1, *h0]).into()));
            }
            [0xff, _, l1, l0, ..] => rest = rest.get(2 + usize::from(u16::from_be_bytes([*l1, *l0]))..)?,
            _ => return None,
        }
    }
}
