//! A track of a clip: what it is, how large, how long, how turned, and where its first sample lies.

use super::Atom;
use crate::Head;
use crate::cursor::Cursor;

/// The longest table of sample times that is read.
const MAX_TIMES: usize = 64 << 10;

/// What a `trak` box says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// `vide`, `soun`, `meta`, …
    pub(crate) handler: [u8; 4],
    /// The sample entry's four characters.
    pub(crate) codec: Option<[u8; 4]>,
    /// Pixels as the track is to be shown, before turning.
    pub(crate) shown: Option<(u32, u32)>,
    /// Pixels as coded.
    pub(crate) coded: Option<(u32, u32)>,
    /// Degrees clockwise.
    pub(crate) rotation: u16,
    /// When the media was made, in seconds since 1904.
    pub(crate) created: Option<u64>,
    /// Units of time a second.
    pub(crate) timescale: u32,
    /// Samples altogether.
    pub(crate) samples: Option<u32>,
    /// Samples and units of time, for the frame rate.
    pub(crate) times: Option<(u64, u64)>,
    /// Offset in the file and length.
    pub(crate) first_sample: Option<(u64, u64)>,
}

impl Track {
    /// Reads a `trak` box.
    pub(crate) fn read(head: &mut Head<'_>, trak: &Atom) -> Self {
        let mut track = Self::default();
        if let Some(tkhd) = trak.child(head, 0, b"tkhd") {
            let _ = track.header(head, &tkhd);
        }
        let Some(mdia) = trak.child(head, 0, b"mdia") else { return track };
        let mut boxes = mdia.children(0);
        while let Some(atom) = boxes.next(head) {
            match &atom.kind {
                b"mdhd" => {
                    let _ = track.media(head, &atom);
                }
                b"hdlr" => track.handler = head.array(atom.at + 8).unwrap_or_default(),
                b"minf" => {
                    if let Some(table) = atom.child(head, 0, b"stbl") {
                        track.table(head, &table);
                    }
                }
                _ => {}
            }
        }
        track
    }

    fn header(&mut self, head: &mut Head<'_>, tkhd: &Atom) -> Option<()> {
        let content = head.up_to(tkhd.at, tkhd.len().min(128) as usize);
        let mut cursor = Cursor::new(content);
        let version = cursor.u32()? >> 24;
        cursor.take(if version == 1 { 32 } else { 20 })?;
        // Reserved, layer, group, volume, reserved.
        cursor.take(16)?;
        let mut matrix = [0i32; 9];
        for cell in &mut matrix {
            *cell = cursor.u32()? as i32;
        }
        let (width, height) = (cursor.u32()?, cursor.u32()?);
        self.shown = Some((width >> 16, height >> 16)).filter(|&(w, h)| w > 0 && h > 0);
        let [a, b, _, c, d, ..] = matrix;
        self.rotation = match (a.signum(), b.signum(), c.signum(), d.signum()) {
            (0, 1, -1, 0) => 90,
            (-1, 0, 0, -1) => 180,
            (0, -1, 1, 0) => 270,
            _ => 0,
        };
        Some(())
    }

    fn media(&mut self, head: &mut Head<'_>, mdhd: &Atom) -> Option<()> {
        let mut cursor = Cursor::new(head.up_to(mdhd.at, mdhd.len().min(64) as usize));
        let wide = cursor.u32()? >> 24 == 1;
        let created = cursor.sized(if wide { 8 } else { 4 })?;
        cursor.sized(if wide { 8 } else { 4 })?;
        self.created = Some(created);
        self.timescale = cursor.u32()?;
        Some(())
    }

    fn table(&mut self, head: &mut Head<'_>, table: &Atom) {
        let mut boxes = table.children(0);
        let (mut offset, mut length) = (None, None);
        while let Some(atom) = boxes.next(head) {
            match &atom.kind {
                b"stsd" => {
                    let _ = self.description(head, &atom);
                }
                b"stts" => {
                    let mut cursor = Cursor::new(head.up_to(atom.at, (atom.len() as usize).min(MAX_TIMES)));
                    self.times = times(&mut cursor);
                }
                b"stsz" => {
                    let mut cursor = Cursor::new(head.up_to(atom.at, 16));
                    let _version = cursor.u32();
                    let (same, count, first) = (cursor.u32(), cursor.u32(), cursor.u32());
                    self.samples = count;
                    length = same.filter(|&len| len > 0).or(first);
                }
                b"co64" => offset = head.array(atom.at + 8).map(u64::from_be_bytes),
                b"stco" => offset = head.array(atom.at + 8).map(|b| u64::from(u32::from_be_bytes(b))),
                _ => {}
            }
        }
        self.first_sample = offset.zip(length.map(u64::from));
    }

    fn description(&mut self, head: &mut Head<'_>, stsd: &Atom) -> Option<()> {
        let mut cursor = Cursor::new(head.up_to(stsd.at, 64));
        cursor.take(12)?;
        self.codec = Some(cursor.array()?);
        // Reserved, data reference, and what a visual entry says before its size.
        cursor.take(8 + 16)?;
        let (width, height) = (cursor.u16()?, cursor.u16()?);
        self.coded = Some((u32::from(width), u32::from(height))).filter(|&(w, h)| w > 0 && h > 0);
        Some(())
    }
}

fn times(cursor: &mut Cursor<'_>) -> Option<(u64, u64)> {
    let _version = cursor.u32()?;
    let entries = cursor.u32()?;
    let (mut samples, mut units) = (0u64, 0u64);
    for _ in 0..entries {
        let (Some(count), Some(each)) = (cursor.u32(), cursor.u32()) else { break };
        samples = samples.saturating_add(u64::from(count));
        units = units.saturating_add(u64::from(count) * u64::from(each));
    }
    (samples > 0 && units > 0).then_some((samples, units))
}
