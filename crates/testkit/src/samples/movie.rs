//! Clips: QuickTime as a 5D Mark II writes it, its thumbnail, MP4.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::Shot;
use crate::format::exif::{self, MakerNote};
use crate::format::jpeg::with_exif;
use crate::samples::jpeg::thumbnail;
use crate::scene;
use crate::video::h264::Size;
use crate::video::movie::{Clip, Container};

/// Pictures in a sample clip: one second.
const PICTURES: u32 = 30;

/// A QuickTime clip of one second with Canon's user data, the index before the data. Size and time are the shot's
/// (the time as the camera's clock shows it, written where UTC should be, as the camera does); orientations 3, 6 and 8
/// are in its track's matrix.
pub fn mov(shot: &Shot) -> Vec<u8> {
    clip(shot).file(shot, Container::Canon, &thm(shot))
}

/// An MP4 of one second: the shot's size, time (as UTC, its offset taken off if it has one), turn and place.
pub fn mp4(shot: &Shot) -> Vec<u8> {
    clip(shot).file(shot, Container::Mp4, &[])
}

/// The `.THM` beside a clip: a JPEG of 160x120 with the shot's EXIF.
pub fn thm(shot: &Shot) -> Vec<u8> {
    let shot = Shot { width: 160, height: 120, ..shot.clone() };
    with_exif(&thumbnail(&shot), &exif::block(&shot, MakerNote::None, None))
}

/// Writes a QuickTime clip of `length` bytes to `path` (which must not exist): its data is mostly a hole, so that it
/// takes next to no space, and its index lies at the very end.
pub fn sparse_mov(path: &Path, shot: &Shot, length: u64) -> io::Result<()> {
    clip(shot).sparse_file(&mut File::create_new(path)?, shot, length)
}

fn clip(shot: &Shot) -> Clip {
    let size = Size { width: shot.width.next_multiple_of(2), height: shot.height.next_multiple_of(2) };
    let wide = size.width + Clip::travel(PICTURES);
    let scene = scene::draw(shot.seed, wide, size.height);
    Clip::pan(&scene, wide as usize, size, PICTURES, shot.seed)
}
