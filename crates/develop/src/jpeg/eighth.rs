//! A baseline JPEG decoded to an eighth of its size, from the DC values alone.
//!
//! The mean of each 8x8 block is its DC value, so an eighth needs no inverse
//! transform and no AC coefficient: those are passed over by table. What comes
//! out equals libjpeg's own 1/8 scale. Files that are not plain 8-bit baseline
//! with one interleaved scan are refused ([`JpegError::Unsupported`]), damaged
//! ones too, and left to libjpeg-turbo, which does more and takes longer.

use std::hint::select_unpredictable;

use super::bits::{Bits, Cursor, Window};
use super::header::{Component, Header, Process, ScanComponent};
use super::huffman::{Codes, Differences, ENTRIES, Entry, LOOK, fill};
use super::planes::{Plane, Planes};
use super::{JpegError, Limits};

/// Look-ups in a row without a check of the window; each takes at most four bytes.
const STRIDE: usize = 2048;
/// Blocks of one MCU, at most (T.81, B.2.3).
const MCU_BLOCKS: usize = 10;
/// Tables in the order of their use: DC and AC of each scan component.
const TABLES: usize = 8;

/// One component while it is decoded.
struct Channel {
    differences: Differences,
    quantization: i32,
    /// Blocks across and down in an MCU.
    across: usize,
    down: usize,
    /// Samples in a row: all MCUs' blocks.
    stride: usize,
    samples: Vec<u8>,
    prediction: i32,
}

/// One block of an MCU, packed: where its AC table begins (16 bits), and the DC table of the block after it (16);
/// the block after it (8); its component in the scan (8).
#[derive(Clone, Copy, Default)]
struct Block(u64);

impl Block {
    fn new(channel: usize, channel_after: usize, after: usize) -> Self {
        let (ac, dc_after) = ((2 * channel + 1) * ENTRIES, 2 * channel_after * ENTRIES);
        Self(ac as u64 | (dc_after as u64) << 16 | (after as u64) << 32 | (channel as u64) << 40)
    }

    #[inline(always)]
    fn ac(self) -> u32 {
        self.0 as u32 & 0xffff
    }

    #[inline(always)]
    fn dc_after(self) -> u32 {
        self.0 as u32 >> 16
    }

    #[inline(always)]
    fn after(self) -> usize {
        (self.0 >> 32) as usize % 16
    }

    fn channel(self) -> usize {
        (self.0 >> 40) as usize
    }
}

/// Where a run of look-ups stands.
#[derive(Clone, Copy)]
struct State {
    cursor: Cursor,
    /// Place of the next coefficient in the block; 0 for the DC value.
    place: u32,
    /// Where the table of the next look-up begins.
    table: u32,
    block: Block,
    /// DC values kept so far.
    written: usize,
}

type Tables = [Entry; TABLES * ENTRIES];

/// Does `count` look-ups; gives true where it stopped before one that leads nowhere.
fn look_up(
    state: &mut State,
    window: &Window,
    tables: &Tables,
    blocks: &[Block; 16],
    kept: &mut [u64],
    count: usize,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("movbe") {
        // Sound: the processor was just seen to have what the function is compiled for.
        #[allow(unsafe_code)]
        return unsafe { look_up_bmi2(state, window, tables, blocks, kept, count) };
    }
    look_up_any(state, window, tables, blocks, kept, count)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,movbe")]
fn look_up_bmi2(
    state: &mut State,
    window: &Window,
    tables: &Tables,
    blocks: &[Block; 16],
    kept: &mut [u64],
    count: usize,
) -> bool {
    look_up_any(state, window, tables, blocks, kept, count)
}

/// There is one loop for DC and AC look-ups, and what depends on the bits is chosen without a branch: the end of a
/// block cannot be predicted, and guessing it wrong costs more than a look-up.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "both indices are taken modulo the length of their array")]
fn look_up_any(
    state: &mut State,
    window: &Window,
    tables: &Tables,
    blocks: &[Block; 16],
    kept: &mut [u64],
    count: usize,
) -> bool {
    let mut local = *state;
    let mut step = |local: &mut State| {
        let word = local.cursor.word();
        let look = (local.table | (word >> (64 - LOOK)) as u32) as usize;
        let entry = tables[look % (TABLES * ENTRIES)];
        let reached = local.place.wrapping_add(entry.steps());
        if reached > 63 {
            return false;
        }
        local.cursor.skip(entry.bits());
        // Written at each look-up, but kept only at a DC one: the others write where the next DC will.
        if let Some(kept) = kept.get_mut(local.written) {
            *kept = word;
        }
        local.written = local.written.wrapping_add(usize::from(local.place == 0));
        let ends = entry.ends();
        local.place = select_unpredictable(ends, 0, reached);
        local.table = select_unpredictable(ends, local.block.dc_after(), local.block.ac());
        let after = blocks[local.block.after()].0;
        local.block = Block(select_unpredictable(ends, after, local.block.0));
        true
    };
    // One refill is enough for two look-ups: of at most 27 bits each.
    let mut stopped = false;
    for _ in 0..count / 2 {
        local.cursor.refill(window);
        if !step(&mut local) || !step(&mut local) {
            stopped = true;
            break;
        }
    }
    if !stopped && count % 2 == 1 {
        local.cursor.refill(window);
        stopped = !step(&mut local);
    }
    *state = local;
    stopped
}

/// Decodes to an eighth: each plane has a sample for each block of 8x8.
pub fn eighth(header: &Header<'_>, limits: Limits) -> Result<Planes, JpegError> {
    check(header, limits)?;
    let widest = header.components.iter().map(|component| component.across).max().unwrap_or(1);
    let highest = header.components.iter().map(|component| component.down).max().unwrap_or(1);
    let single = header.components.len() == 1;
    let (mcu_width, mcu_height) = if single { (8, 8) } else { (8 * widest, 8 * highest) };
    let mcus_across = header.width.div_ceil(mcu_width) as usize;
    let mcus_down = header.height.div_ceil(mcu_height) as usize;
    let mut channels = Vec::new();
    for scan in &header.scan {
        channels.push(channel(header, scan, mcus_across, mcus_down)?);
    }
    let mut decoder = Decoder::new(header, channels)?;
    decoder.picture(mcus_across, mcus_down)?;
    let planes = header.scan.iter().zip(decoder.channels).filter_map(|(scan, channel)| {
        let component = header.components.get(scan.component)?;
        Some(channel.into_plane(header, component, widest, highest))
    });
    Planes::new(planes.collect()).ok_or(JpegError::Damaged("a missing component"))
}

fn check(header: &Header<'_>, limits: Limits) -> Result<(), JpegError> {
    limits.check(header.width, header.height)?;
    if !matches!(header.process, Process::Baseline | Process::Extended) || header.precision != 8 {
        return Err(JpegError::Unsupported("other than 8-bit baseline"));
    }
    if !matches!(header.components.len(), 1 | 3) {
        return Err(JpegError::Unsupported("other than grey or three colours"));
    }
    if header.scan.len() != header.components.len() || header.scan.iter().zip(0..).any(|(s, i)| s.component != i) {
        return Err(JpegError::Unsupported("other than one scan of all colours"));
    }
    let is_rgb = header.components.iter().map(|component| component.id).eq(*b"RGB");
    if header.components.len() == 3 && (header.adobe_transform == Some(0) || is_rgb) {
        return Err(JpegError::Unsupported("a JPEG of RGB"));
    }
    let blocks: u32 = header.components.iter().map(|component| component.across * component.down).sum();
    if blocks as usize > MCU_BLOCKS {
        return Err(JpegError::Damaged("too many blocks in an MCU"));
    }
    Ok(())
}

const BAD_CODE: JpegError = JpegError::Damaged("a code that is in no huffman table");

fn codes(all: &[Option<Codes>; 4], which: usize) -> Result<&Codes, JpegError> {
    all.get(which).and_then(Option::as_ref).ok_or(JpegError::Damaged("a missing huffman table"))
}

fn channel(
    header: &Header<'_>,
    scan: &ScanComponent,
    mcus_across: usize,
    mcus_down: usize,
) -> Result<Channel, JpegError> {
    let component = header.components.get(scan.component).ok_or(JpegError::Damaged("a missing component"))?;
    let quantization = header.dc_quantization.get(component.quantization).copied().flatten();
    let quantization = i32::from(quantization.ok_or(JpegError::Damaged("a missing quantisation table"))?);
    let single = header.components.len() == 1;
    let (across, down) = if single { (1, 1) } else { (component.across as usize, component.down as usize) };
    let stride = mcus_across * across;
    let samples = vec![128; stride * mcus_down * down];
    let differences = Differences::new(codes(&header.dc_codes, scan.dc)?);
    Ok(Channel { differences, quantization, across, down, stride, samples, prediction: 0 })
}

struct Decoder<'a> {
    header: &'a Header<'a>,
    channels: Vec<Channel>,
    tables: Box<[Entry; TABLES * ENTRIES]>,
    /// The MCU's blocks.
    blocks: [Block; 16],
    blocks_in_mcu: usize,
    /// What DC kept are taken from, one a block of a run of MCUs; one more is scribbled over.
    kept: Vec<u64>,
}

impl<'a> Decoder<'a> {
    fn new(header: &'a Header<'a>, channels: Vec<Channel>) -> Result<Self, JpegError> {
        let mut tables = Box::new([Entry::NONE; TABLES * ENTRIES]);
        let mut order = Vec::new();
        let pairs = header.scan.iter().zip(tables.chunks_exact_mut(2 * ENTRIES));
        for (place, (scan, table)) in pairs.enumerate() {
            let (dc, ac) = table.split_at_mut(ENTRIES);
            fill(codes(&header.dc_codes, scan.dc)?, codes(&header.ac_codes, scan.ac)?, dc, ac);
            let channel = channels.get(place).ok_or(JpegError::Damaged("a missing component"))?;
            order.extend(std::iter::repeat_n(place, channel.across * channel.down));
        }
        let mut blocks = [Block::default(); 16];
        let after = order.iter().cycle().skip(1).zip((1..order.len()).chain([0]));
        for ((block, &channel), (&channel_after, after)) in blocks.iter_mut().zip(&order).zip(after) {
            *block = Block::new(channel, channel_after, after);
        }
        Ok(Self { header, channels, tables, blocks, blocks_in_mcu: order.len(), kept: Vec::new() })
    }

    /// Decodes all MCUs, in runs that end with a row or at a restart marker.
    fn picture(&mut self, mcus_across: usize, mcus_down: usize) -> Result<(), JpegError> {
        self.kept = vec![0; mcus_across * self.blocks_in_mcu + 1];
        let interval = self.header.restart_interval as usize;
        let mut bits = Bits::new(self.header.entropy);
        let mut until_restart = if interval == 0 { usize::MAX } else { interval };
        for row in 0..mcus_down {
            let mut column = 0;
            while column < mcus_across {
                if until_restart == 0 {
                    self.restart(&mut bits)?;
                    until_restart = interval;
                }
                let run = (mcus_across - column).min(until_restart);
                self.run(&mut bits, run * self.blocks_in_mcu)?;
                self.place(row, column, run);
                column += run;
                until_restart -= run;
            }
            if bits.overrun() {
                return Err(JpegError::Damaged("a scan that ends too early"));
            }
        }
        Ok(())
    }

    fn restart(&mut self, bits: &mut Bits<'_>) -> Result<(), JpegError> {
        if bits.overrun() {
            return Err(JpegError::Damaged("a segment that ends too early"));
        }
        if !matches!(bits.next_segment(), Some(0xd0..=0xd7)) {
            return Err(JpegError::Damaged("a missing restart marker"));
        }
        self.channels.iter_mut().for_each(|channel| channel.prediction = 0);
        Ok(())
    }

    /// Reads `count` blocks: keeps what their DC values are taken from.
    fn run(&mut self, bits: &mut Bits<'_>, count: usize) -> Result<(), JpegError> {
        let last = self.blocks.get(self.blocks_in_mcu - 1).copied().unwrap_or_default();
        let mut state =
            State { cursor: bits.cursor(), place: 0, table: last.dc_after(), block: self.blocks[0], written: 0 };
        loop {
            // A block takes one look-up at least, so that so many never lead past the last.
            let left = count - state.written + usize::from(state.place > 0);
            if left == 0 {
                bits.set(state.cursor);
                return Ok(());
            }
            bits.set(state.cursor);
            bits.reserve(4 * STRIDE);
            state.cursor = bits.cursor();
            let stopped =
                look_up(&mut state, bits.window(), &self.tables, &self.blocks, &mut self.kept, left.min(STRIDE));
            if stopped {
                self.single(&mut state, bits)?;
            }
        }
    }

    /// Takes a single code, where a look-up sees none whole, or several that lead past the end of the block.
    #[cold]
    fn single(&mut self, state: &mut State, bits: &Bits<'_>) -> Result<(), JpegError> {
        state.cursor.refill(bits.window());
        let word = state.cursor.word();
        let start = (word >> 48) as u32;
        let scan = self.header.scan.get(state.block.channel()).ok_or(BAD_CODE)?;
        if state.place == 0 {
            let (length, category) = codes(&self.header.dc_codes, scan.dc)?.dc(start).ok_or(BAD_CODE)?;
            state.cursor.skip(length + category);
            if let Some(kept) = self.kept.get_mut(state.written) {
                *kept = word;
            }
            (state.written, state.place, state.table) = (state.written + 1, 1, state.block.ac());
            return Ok(());
        }
        let entry = codes(&self.header.ac_codes, scan.ac)?.ac(start).ok_or(BAD_CODE)?;
        state.cursor.skip(entry.bits());
        state.place += entry.steps();
        if entry.ends() || state.place > 63 {
            (state.place, state.table) = (0, state.block.dc_after());
            state.block = self.blocks.get(state.block.after()).copied().unwrap_or_default();
        }
        Ok(())
    }

    /// Turns a run's DC values into samples.
    fn place(&mut self, row: usize, column: usize, run: usize) {
        let kept = self.kept.get(..run * self.blocks_in_mcu).unwrap_or_default();
        let mut first = 0;
        for channel in &mut self.channels {
            let per_mcu = channel.across * channel.down;
            let mcus = kept.chunks_exact(self.blocks_in_mcu).filter_map(|mcu| mcu.get(first..first + per_mcu));
            match (channel.across, channel.down) {
                (1, 1) => channel.place::<1, 1>(row, column, mcus),
                (2, 1) => channel.place::<2, 1>(row, column, mcus),
                (1, 2) => channel.place::<1, 2>(row, column, mcus),
                (2, 2) => channel.place::<2, 2>(row, column, mcus),
                _ => channel.place::<0, 0>(row, column, mcus),
            }
            first += per_mcu;
        }
    }
}

impl Channel {
    /// Adds up the DC differences of a run of MCUs. `ACROSS` and `DOWN` are the channel's own, or 0 for any, so that the
    /// usual samplings get a loop of known lengths.
    #[inline(always)]
    fn place<'d, const ACROSS: usize, const DOWN: usize>(
        &mut self,
        row: usize,
        column: usize,
        mcus: impl Iterator<Item = &'d [u64]>,
    ) {
        let (across, down) = if ACROSS == 0 { (self.across, self.down) } else { (ACROSS, DOWN) };
        let (stride, quantization, mut prediction) = (self.stride, self.quantization, self.prediction);
        let rows = self.samples.get_mut(row * down * stride..).unwrap_or_default();
        for (at, mcu) in (column * across..).step_by(across).zip(mcus) {
            for line in 0..down {
                let Some(samples) = rows.get_mut(line * stride + at..line * stride + at + across) else { break };
                let Some(words) = mcu.get(line * across..line * across + across) else { break };
                for (sample, &word) in samples.iter_mut().zip(words) {
                    prediction = prediction.wrapping_add(self.differences.find(word));
                    *sample = mean(prediction, quantization);
                }
            }
        }
        self.prediction = prediction;
    }

    /// The samples, with how many of them the picture covers.
    fn into_plane(self, header: &Header<'_>, component: &Component, widest: u32, highest: u32) -> Plane {
        let covered =
            |pixels: u32, factor: u32, most: u32| f64::from(pixels) * f64::from(factor) / f64::from(most) / 8.0;
        let covered =
            (covered(header.width, component.across, widest), covered(header.height, component.down, highest));
        let rows = self.samples.len().checked_div(self.stride).unwrap_or(0);
        Plane { stride: self.stride as u32, rows: rows as u32, samples: self.samples, covered }
    }
}

/// A block's mean as libjpeg's 1x1 inverse transform has it.
#[inline(always)]
fn mean(prediction: i32, quantization: i32) -> u8 {
    let value = prediction.wrapping_mul(quantization);
    (value.wrapping_add(4) >> 3).saturating_add(128).clamp(0, 255) as u8
}

#[cfg(test)]
#[path = "eighth_tests.rs"]
mod tests;
