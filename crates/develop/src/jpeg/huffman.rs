//! Huffman tables of a JPEG scan, made for a reader that only wants the DC values.
//!
//! The AC coefficients are not wanted at all, so the table answers a different
//! question from a decoder's: given the next [`LOOK`] bits, how many bits do
//! the coefficients take that begin in them, and how far do these lead along
//! the block? One look-up then passes over several coefficients. DC codes have
//! entries of the same shape, so that one loop without branches can take both.
//! Codes longer than [`LOOK`] are found by the canonical search of ITU-T T.81,
//! F.2.2.3.

use super::JpegError;

/// Bits that one look-up sees: enough for two or three usual coefficients, few enough that the four tables of a
/// picture lie in the first-level cache together.
pub(super) const LOOK: u32 = 12;
/// Entries of one table.
pub(super) const ENTRIES: usize = 1 << LOOK;

/// A table as a DHT segment defines it: canonical codes, shortest first.
#[derive(Clone)]
pub(super) struct Codes {
    /// For each length, the first code that is longer, left-aligned in 16 bits.
    limit: [u32; 17],
    /// For each length, what to add to a code to get its symbol's place.
    offset: [i32; 17],
    symbols: Vec<u8>,
}

impl Codes {
    /// From the 16 counts and the symbols of a DHT segment.
    pub(super) fn new(counts: &[u8; 16], symbols: &[u8]) -> Result<Self, JpegError> {
        let mut codes = Self { limit: [0; 17], offset: [0; 17], symbols: symbols.to_vec() };
        let mut code = 0u32;
        let mut place = 0u32;
        let lengths = codes.limit.iter_mut().zip(codes.offset.iter_mut()).skip(1).zip(1u32..).zip(counts);
        for (((limit, offset), length), &count) in lengths {
            *offset = place as i32 - code as i32;
            place += u32::from(count);
            code += u32::from(count);
            if code > 1 << length {
                return Err(JpegError::Damaged("a huffman table with more codes than fit"));
            }
            *limit = code << (16 - length);
            code <<= 1;
        }
        if place as usize != symbols.len() {
            return Err(JpegError::Damaged("a huffman table with too few symbols"));
        }
        Ok(codes)
    }

    /// The code at the start of 16 bits: its length and symbol.
    fn find(&self, bits: u32) -> Option<(u32, u8)> {
        let length = (1..=16u32).find(|&length| self.limit.get(length as usize).is_some_and(|&limit| bits < limit))?;
        let code = (bits >> (16 - length)) as i32;
        let place = code.checked_add(*self.offset.get(length as usize)?)?;
        Some((length, *self.symbols.get(usize::try_from(place).ok()?)?))
    }

    /// The DC code at the start of 16 bits: its length, and the category (bits of the difference behind it).
    pub(super) fn dc(&self, bits: u32) -> Option<(u32, u32)> {
        let (length, category) = self.find(bits)?;
        (category <= 15).then_some((length, u32::from(category)))
    }

    /// The one AC code at the start of 16 bits, as an entry.
    pub(super) fn ac(&self, bits: u32) -> Option<Entry> {
        let (length, symbol) = self.find(bits)?;
        let (size, steps, ends) = coefficient(symbol);
        Some(Entry::new(length + size, steps, ends))
    }

    /// For each [`LOOK`] bits the code at their start; a length that never fits where there is none.
    fn each(&self) -> Vec<(u32, u8)> {
        (0..1 << LOOK).map(|bits: u32| self.find(bits << (16 - LOOK)).unwrap_or((LOOK + 1, 0))).collect()
    }
}

/// Fills the entries of a component: `at_dc` for look-ups that begin with a DC code, `at_ac` within a block.
pub(super) fn fill(dc: &Codes, ac: &Codes, at_dc: &mut [Entry], at_ac: &mut [Entry]) {
    let ac = ac.each();
    for (bits, entry) in (0..1 << LOOK).zip(at_ac) {
        *entry = Entry::from_parts(coefficients(&ac, bits, 0, 0));
    }
    for ((bits, entry), (length, category)) in (0..1 << LOOK).zip(at_dc).zip(dc.each()) {
        *entry = match u32::from(category) {
            category @ 0..=15 if length <= LOOK => Entry::from_parts(coefficients(&ac, bits, length + category, 1)),
            _ => Entry::NONE,
        };
    }
}

/// Goes along the AC coefficients whose codes lie in [`LOOK`] bits, from those `used` and the `steps` done before:
/// bits used, steps, and whether the block ends.
fn coefficients(codes: &[(u32, u8)], bits: u32, mut used: u32, mut steps: u32) -> (u32, u32, bool) {
    while used < LOOK {
        let next = codes.get(((bits << used) & ((1 << LOOK) - 1)) as usize);
        let Some(&(length, symbol)) = next.filter(|&&(length, _)| used + length <= LOOK) else { break };
        let (size, more, ends) = coefficient(symbol);
        if steps + more > 63 {
            break;
        }
        used += length + size;
        steps += more;
        if ends {
            return (used, steps, true);
        }
    }
    (used, steps, false)
}

/// Bits of a coefficient behind its code, its places in the block, and whether it ends the block.
fn coefficient(symbol: u8) -> (u32, u32, bool) {
    let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
    match (run, size) {
        (15, 0) => (0, 16, false),
        // A size of 0 with another run ends the block too, as in libjpeg.
        (_, 0) => (0, 0, true),
        _ => (size, run + 1, false),
    }
}

/// What a look-up leads over: bits, and places in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(u16);

impl Entry {
    /// No code. So many steps that they lead out of every block.
    pub(super) const NONE: Self = Self(127 << 6);

    fn new(bits: u32, steps: u32, ends: bool) -> Self {
        Self((bits | steps << 6 | u32::from(ends) << 15) as u16)
    }

    fn from_parts((bits, steps, ends): (u32, u32, bool)) -> Self {
        if bits == 0 { Self::NONE } else { Self::new(bits, steps, ends) }
    }

    /// Bits, with what follows the codes, in the low six bits; more above.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        u32::from(self.0)
    }

    /// Places in the block; below 128.
    #[inline(always)]
    pub(super) fn steps(self) -> u32 {
        u32::from(self.0) >> 6 & 127
    }

    /// Whether the block ends here.
    #[inline(always)]
    pub(super) fn ends(self) -> bool {
        self.0 as i16 <= -1
    }
}

/// Takes DC differences from the bits at the start of their blocks.
pub(super) struct Differences {
    /// `length << 4 | category`; 0 where the code is longer than [`LOOK`].
    fast: Box<[u8; ENTRIES]>,
    codes: Codes,
}

impl Differences {
    pub(super) fn new(codes: &Codes) -> Self {
        let mut fast = Box::new([0; ENTRIES]);
        for (entry, (length, category)) in fast.iter_mut().zip(codes.each()) {
            if length <= LOOK && category <= 15 {
                *entry = (length << 4) as u8 | category;
            }
        }
        Self { fast, codes: codes.clone() }
    }

    /// The difference in the bits at the top of `word` (T.81, F.2.2.1).
    #[inline(always)]
    pub(super) fn find(&self, word: u64) -> i32 {
        let entry = self.fast.get((word >> (64 - LOOK)) as usize).copied().unwrap_or(0);
        let (length, category) =
            if entry == 0 { self.long(word) } else { (u32::from(entry >> 4), u32::from(entry & 15)) };
        let bits = word << (length & 63);
        // A shift by 64 is none in hardware, hence two.
        let value = (bits >> 1 >> (63 - category)) as i32;
        let offset = (1i32 << category).wrapping_sub(1);
        let below_zero = ((bits >> 63) as i32).wrapping_sub(1);
        value.wrapping_sub(offset & below_zero)
    }

    #[cold]
    fn long(&self, word: u64) -> (u32, u32) {
        self.codes.dc((word >> 48) as u32).unwrap_or((0, 0))
    }
}
