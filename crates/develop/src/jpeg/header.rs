//! The headers of a JPEG up to its first scan (ITU-T T.81, annex B).
//!
//! One bounded walk collects what the decoders need: the frame, the tables,
//! the restart interval, the ICC profile and Adobe's colour transform. It
//! decodes nothing and allocates little.

use super::JpegError;
use super::huffman::Codes;

/// Segments before the first scan, at most: far more than any writer makes.
const MAX_SEGMENTS: usize = 4096;

/// How a frame is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Sequential, Huffman, 8 bits a sample, four tables at most.
    Baseline,
    /// Sequential, Huffman, otherwise.
    Extended,
    /// Progressive, Huffman.
    Progressive,
    /// Lossless, hierarchical or arithmetic.
    Other,
}

/// One component of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its number in the file.
    pub id: u8,
    /// Horizontal sampling factor, 1 to 4.
    pub across: u32,
    /// Vertical sampling factor, 1 to 4.
    pub down: u32,
    /// Its quantisation table's place.
    pub(super) quantization: usize,
}

/// One component of a scan: its place in the frame and its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanComponent {
    pub(super) component: usize,
    pub(super) dc: usize,
    pub(super) ac: usize,
}

/// What the segments before the first scan say.
#[derive(Clone)]
pub struct Header<'a> {
    /// How it is coded.
    pub process: Process,
    /// Bits a sample.
    pub precision: u8,
    /// Pixels across as stored.
    pub width: u32,
    /// Pixels down as stored.
    pub height: u32,
    /// One to four.
    pub components: Vec<Component>,
    /// Adobe's colour transform, where the file has its segment.
    pub adobe_transform: Option<u8>,
    /// The ICC profile, put together from its segments.
    pub icc: Option<Vec<u8>>,
    /// DC entries of the quantisation tables.
    pub(super) dc_quantization: [Option<u16>; 4],
    pub(super) dc_codes: [Option<Codes>; 4],
    pub(super) ac_codes: [Option<Codes>; 4],
    /// MCUs between restart markers; 0 for none.
    pub(super) restart_interval: u32,
    pub(super) scan: Vec<ScanComponent>,
    /// What follows the first scan's header.
    pub(super) entropy: &'a [u8],
}

impl std::fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}x{} {:?}", self.process, self.width, self.height, self.components)
    }
}

const TRUNCATED: JpegError = JpegError::Damaged("it ends inside a header");

/// Takes big-endian numbers from the front of a segment.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn u8(&mut self) -> Result<u8, JpegError> {
        let (&first, rest) = self.0.split_first().ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(first)
    }

    fn u16(&mut self) -> Result<u16, JpegError> {
        Ok(u16::from(self.u8()?) << 8 | u16::from(self.u8()?))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], JpegError> {
        let (front, rest) = self.0.split_at_checked(length).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(front)
    }
}

impl<'a> Header<'a> {
    /// Walks the segments of `jpeg` from its first byte.
    pub fn parse(jpeg: &'a [u8]) -> Result<Self, JpegError> {
        let mut reader = Reader(jpeg);
        if reader.u16() != Ok(0xffd8) {
            return Err(JpegError::Damaged("no start-of-image marker"));
        }
        let mut header = Self {
            process: Process::Other,
            precision: 0,
            width: 0,
            height: 0,
            components: Vec::new(),
            adobe_transform: None,
            icc: None,
            dc_quantization: [None; 4],
            dc_codes: [const { None }; 4],
            ac_codes: [const { None }; 4],
            restart_interval: 0,
            scan: Vec::new(),
            entropy: &[],
        };
        let mut profile = Vec::new();
        for _ in 0..MAX_SEGMENTS {
            let marker = next_marker(&mut reader)?;
            if matches!(marker, 0x01 | 0xd0..=0xd8) {
                continue;
            }
            if marker == 0xd9 {
                return Err(JpegError::Damaged("no scan"));
            }
            let length = usize::from(reader.u16()?);
            let mut segment = Reader(reader.take(length.checked_sub(2).ok_or(TRUNCATED)?)?);
            match marker {
                0xc4 => header.huffman(&mut segment)?,
                0xcc => {}
                0xc0..=0xcf => header.frame(marker, &mut segment)?,
                0xdb => header.quantization(&mut segment)?,
                0xdd => header.restart_interval = u32::from(segment.u16()?),
                0xe2 => profile.extend(segment.0.strip_prefix(b"ICC_PROFILE\0")),
                0xee => header.adobe(segment.0),
                0xda => {
                    header.scan(&mut segment)?;
                    header.entropy = reader.0;
                    header.icc = joined(&profile);
                    return Ok(header);
                }
                _ => {}
            }
        }
        Err(JpegError::Damaged("too many segments"))
    }

    fn frame(&mut self, marker: u8, segment: &mut Reader<'a>) -> Result<(), JpegError> {
        if !self.components.is_empty() {
            return Err(JpegError::Damaged("two frame headers"));
        }
        self.precision = segment.u8()?;
        self.height = u32::from(segment.u16()?);
        self.width = u32::from(segment.u16()?);
        self.process = match marker {
            0xc0 => Process::Baseline,
            0xc1 => Process::Extended,
            0xc2 => Process::Progressive,
            _ => Process::Other,
        };
        let count = segment.u8()?;
        if !(1..=4).contains(&count) {
            return Err(JpegError::Damaged("a frame of no or too many components"));
        }
        for _ in 0..count {
            let (id, sampling, table) = (segment.u8()?, segment.u8()?, segment.u8()?);
            let (across, down) = (u32::from(sampling >> 4), u32::from(sampling & 15));
            if !(1..=4).contains(&across) || !(1..=4).contains(&down) {
                return Err(JpegError::Damaged("a sampling factor that cannot be"));
            }
            self.components.push(Component { id, across, down, quantization: usize::from(table) });
        }
        if self.width == 0 || self.height == 0 {
            return Err(JpegError::Unsupported("a frame without a size"));
        }
        Ok(())
    }

    fn quantization(&mut self, segment: &mut Reader<'a>) -> Result<(), JpegError> {
        while !segment.0.is_empty() {
            let which = segment.u8()?;
            let dc = if which >> 4 == 0 {
                u16::from(*segment.take(64)?.first().ok_or(TRUNCATED)?)
            } else {
                let entries = segment.take(128)?;
                Reader(entries).u16()?
            };
            let slot = self.dc_quantization.get_mut(usize::from(which & 15));
            *slot.ok_or(JpegError::Damaged("a quantisation table beyond the fourth"))? = Some(dc);
        }
        Ok(())
    }

    fn huffman(&mut self, segment: &mut Reader<'a>) -> Result<(), JpegError> {
        while !segment.0.is_empty() {
            let which = segment.u8()?;
            let counts: &[u8; 16] = segment.take(16)?.first_chunk().ok_or(TRUNCATED)?;
            let symbols = segment.take(counts.iter().map(|&count| usize::from(count)).sum())?;
            let codes = Codes::new(counts, symbols)?;
            let tables = if which >> 4 == 0 { &mut self.dc_codes } else { &mut self.ac_codes };
            let slot = tables.get_mut(usize::from(which & 15));
            *slot.ok_or(JpegError::Damaged("a huffman table beyond the fourth"))? = Some(codes);
        }
        Ok(())
    }

    fn adobe(&mut self, segment: &[u8]) {
        if let Some(rest) = segment.strip_prefix(b"Adobe") {
            self.adobe_transform = rest.get(6).copied();
        }
    }

    fn scan(&mut self, segment: &mut Reader<'a>) -> Result<(), JpegError> {
        for _ in 0..segment.u8()? {
            let (id, tables) = (segment.u8()?, segment.u8()?);
            let component = self.components.iter().position(|component| component.id == id);
            let component = component.ok_or(JpegError::Damaged("a scan of an unknown component"))?;
            self.scan.push(ScanComponent { component, dc: usize::from(tables >> 4), ac: usize::from(tables & 15) });
        }
        Ok(())
    }
}

/// The next marker's second byte; what stands before it is passed over, as decoders do.
fn next_marker(reader: &mut Reader<'_>) -> Result<u8, JpegError> {
    let start = memchr::memchr(0xff, reader.0).ok_or(JpegError::Damaged("no scan"))?;
    reader.take(start)?;
    loop {
        match reader.u8()? {
            0xff => {}
            0x00 => {
                let start = memchr::memchr(0xff, reader.0).ok_or(JpegError::Damaged("no scan"))?;
                reader.take(start)?;
            }
            marker => return Ok(marker),
        }
    }
}

/// An ICC profile from its segments, in the order of their numbers; `None` where one is missing.
fn joined(segments: &[&[u8]]) -> Option<Vec<u8>> {
    let total = *segments.first()?.get(1)?;
    let mut profile = Vec::new();
    for number in 1..=total {
        let part = segments.iter().find(|segment| segment.first() == Some(&number))?;
        profile.extend_from_slice(part.get(2..)?);
    }
    (!profile.is_empty()).then_some(profile)
}
