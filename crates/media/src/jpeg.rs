//! One bounded walker for JPEG: its segments up to the first scan, and the frame header.
//!
//! It gives the places of segments, not their meaning, and reads no picture data. The size of a
//! picture always comes from its frame header, never from a tag: tags lie after editing.
//! Source of the format: ITU-T T.81, annex B.

use crate::Head;

/// The most segments before the first scan; real files have fewer than 200 (a long ICC profile).
const MAX_SEGMENTS: usize = 2_000;

/// The most bytes between two segments.
const MAX_GAP: u64 = 8 << 10;

/// A segment: its marker and where its content lies in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The byte after 0xFF.
    pub(crate) marker: u8,
    /// First byte of the content, after the length.
    pub(crate) at: u64,
    /// Bytes of the content.
    pub(crate) len: u64,
}

/// What a frame header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Pixels across.
    pub(crate) width: u32,
    /// Pixels down.
    pub(crate) height: u32,
    /// The marker: 0xC0 baseline, 0xC2 progressive, 0xC3 lossless (a RAW's data, not a picture for viewing).
    pub(crate) marker: u8,
    /// Colour components.
    pub(crate) components: u8,
}

impl Frame {
    /// Whether an ordinary JPEG decoder shows it.
    pub(crate) fn is_viewable(&self) -> bool {
        matches!(self.marker, 0xc0..=0xc2) && self.width > 0 && self.height > 0
    }
}

/// Segments of the JPEG at `start`, which ends before `end`, up to the first scan.
pub(crate) struct Segments {
    at: u64,
    end: u64,
    left: usize,
}

impl Segments {
    /// Begins after the start-of-image marker; nothing if there is none.
    pub(crate) fn open(head: &mut Head<'_>, start: u64, end: u64) -> Option<Self> {
        let end = end.min(head.len());
        (head.array(start)? == [0xff, 0xd8]).then_some(Self { at: start + 2, end, left: MAX_SEGMENTS })
    }

    /// Segments from a place on, where no mark begins them.
    pub(crate) fn without_mark(start: u64, end: u64) -> Self {
        Self { at: start, end, left: MAX_SEGMENTS }
    }

    /// The next segment; `None` at a scan, the end of the picture, or what is no segment.
    pub(crate) fn next(&mut self, head: &mut Head<'_>) -> Option<Segment> {
        while self.left > 0 && self.at + 4 <= self.end {
            self.left -= 1;
            let [ff, marker] = head.array(self.at)?;
            if ff != 0xff {
                self.at = self.next_marker(head)?;
                continue;
            }
            match marker {
                // Fill bytes before a marker.
                0xff => self.at += 1,
                // Markers without content.
                0x01 | 0xd0..=0xd8 => self.at += 2,
                0x00 | 0xd9 => return None,
                _ => {
                    let len = u64::from(u16::from_be_bytes(head.array(self.at + 2)?));
                    let content = len.checked_sub(2)?;
                    let segment = Segment { marker, at: self.at + 4, len: content };
                    self.at = segment.at + content;
                    return (marker != 0xda).then_some(segment);
                }
            }
        }
        None
    }
}

impl Segments {
    /// Where the next marker is after bytes that belong to no segment, as some programs leave between them.
    fn next_marker(&self, head: &mut Head<'_>) -> Option<u64> {
        let room = (self.end - self.at).min(MAX_GAP) as usize;
        let bytes = head.up_to(self.at, room);
        let found = bytes.windows(2).position(|pair| matches!(pair, [0xff, 0xc0..=0xfe]))?;
        Some(self.at + found as u64)
    }
}

/// Reads a frame header's content.
pub(crate) fn frame(head: &mut Head<'_>, segment: &Segment) -> Option<Frame> {
    // 0xC4, 0xC8 and 0xCC are tables, not frames.
    if !matches!(segment.marker, 0xc0..=0xcf) || matches!(segment.marker, 0xc4 | 0xc8 | 0xcc) || segment.len < 6 {
        return None;
    }
    let [_, h1, h0, w1, w0, components] = head.array(segment.at)?;
    Some(Frame {
        width: u32::from(u16::from_be_bytes([w1, w0])),
        height: u32::from(u16::from_be_bytes([h1, h0])),
        marker: segment.marker,
        components,
    })
}

/// The frame header of the JPEG at `start`, which ends before `end`.
#[cfg(test)]
pub(crate) fn frame_of(head: &mut Head<'_>, start: u64, end: u64) -> Option<Frame> {
    let mut segments = Segments::open(head, start, end)?;
    while let Some(segment) = segments.next(head) {
        if let Some(frame) = frame(head, &segment) {
            return Some(frame);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    const SMALL: &[u8] = &[
        0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc0, 0, 11, 8, 0, 120, 0, 160, 1,
        1, 0x11, 0, 0xff, 0xda, 0, 2,
    ];

    #[test]
    fn segments_end_at_the_scan() {
        let mut source = BytesSource(SMALL);
        let mut head = Head::new(&mut source);
        let mut segments = Segments::open(&mut head, 0, u64::MAX).unwrap();
        let markers: Vec<u8> = std::iter::from_fn(|| segments.next(&mut head)).map(|s| s.marker).collect();
        assert_eq!(markers, [0xe0, 0xc4, 0xc0]);
    }

    #[test]
    fn the_size_comes_from_the_frame_header() {
        let mut source = BytesSource(SMALL);
        let frame = frame_of(&mut Head::new(&mut source), 0, u64::MAX).unwrap();
        assert_eq!((frame.width, frame.height, frame.is_viewable()), (160, 120, true));
    }

    #[test]
    fn a_jpeg_cut_short_has_no_frame() {
        for len in 0..24 {
            let mut source = BytesSource(&SMALL[..len]);
            assert_eq!(frame_of(&mut Head::new(&mut source), 0, u64::MAX), None, "{len} bytes");
        }
    }
}
