//! Values of directory entries: bytes, numbers, fractions and texts.
//!
//! A value whose type is unknown, whose place is outside the structure, or which is longer
//! than the walker allows is not there. Texts end at their first NUL and lose blanks at the
//! end, as ExifTool has them.

use super::{Entry, MAX_VALUE, Tiff};
use crate::Head;
use crate::text;

/// One number of a value, of whatever type it has in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// BYTE, SHORT, LONG, IFD, LONG8.
    Unsigned(u64),
    /// SBYTE, SSHORT, SLONG, SLONG8.
    Signed(i64),
    /// RATIONAL, SRATIONAL.
    Fraction(i64, i64),
    /// FLOAT, DOUBLE.
    Real(f64),
}

impl Number {
    /// As a floating-point number; a fraction with denominator 0 is none.
    pub(crate) fn real(self) -> Option<f64> {
        let value = match self {
            Self::Unsigned(value) => value as f64,
            Self::Signed(value) => value as f64,
            Self::Fraction(_, 0) => return None,
            Self::Fraction(num, den) => num as f64 / den as f64,
            Self::Real(value) => value,
        };
        value.is_finite().then_some(value)
    }

    /// As a whole number that is not negative.
    pub(crate) fn unsigned(self) -> Option<u64> {
        match self {
            Self::Unsigned(value) => Some(value),
            Self::Signed(value) => u64::try_from(value).ok(),
            _ => self.real().filter(|v| (0.0..9e15).contains(v)).map(|v| v as u64),
        }
    }
}

/// A value that stands at a position of the source, outside a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    kind: u16,
    at: u64,
    /// After the value.
    pub(crate) end: u64,
}

/// Bytes of one number of this type.
pub(super) fn width(kind: u16) -> Option<u64> {
    match kind {
        1 | 2 | 6 | 7 | 129 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16 | 17 | 18 => Some(8),
        _ => None,
    }
}

impl Tiff {
    /// Where an entry's value lies in the source: position and length, inside the structure.
    pub(crate) fn span(&self, entry: &Entry) -> Option<(u64, u64)> {
        let len = width(entry.kind)?.checked_mul(entry.count)?;
        let room = if self.big { 8 } else { 4 };
        if len <= room {
            return Some((entry.slot, len));
        }
        let [a, b, c, d, ..] = entry.inline;
        let offset = if self.big { self.order.u64(entry.inline) } else { u64::from(self.order.u32([a, b, c, d])) };
        let at = self.position(offset)?;
        (at.checked_add(len)? <= self.end).then_some((at, len))
    }

    /// Where a value that does not fit into its entry is said to lie, from the base, whether or not it can; and its length.
    pub(crate) fn claimed(&self, entry: &Entry) -> Option<(u64, u64)> {
        let len = width(entry.kind)?.checked_mul(entry.count)?;
        let [a, b, c, d, ..] = entry.inline;
        (len > 4).then(|| (u64::from(self.order.u32([a, b, c, d])), len))
    }

    /// An entry's value as bytes, at most as many as the walker allows.
    pub(crate) fn data<'h>(&self, head: &'h mut Head<'_>, entry: &Entry) -> Option<&'h [u8]> {
        let (at, len) = self.span(entry)?;
        let len = len.min(MAX_VALUE);
        let bytes = head.up_to(at, usize::try_from(len).ok()?);
        (!bytes.is_empty()).then_some(bytes)
    }

    /// The numbers of a value, at most `most` of them.
    pub(crate) fn numbers(&self, head: &mut Head<'_>, entry: &Entry, most: usize) -> Vec<Number> {
        let Some(each) = width(entry.kind).and_then(|width| usize::try_from(width).ok()) else { return Vec::new() };
        let (order, kind) = (*self, entry.kind);
        let Some(bytes) = self.data(head, entry) else { return Vec::new() };
        bytes.chunks_exact(each).take(most).filter_map(|chunk| order.decode(kind, chunk)).collect()
    }

    /// The first number of a value.
    pub(crate) fn number(&self, head: &mut Head<'_>, entry: &Entry) -> Option<Number> {
        self.numbers(head, entry, 1).first().copied()
    }

    /// The first number of a value, whole and not negative.
    pub(crate) fn unsigned(&self, head: &mut Head<'_>, entry: &Entry) -> Option<u64> {
        self.number(head, entry)?.unsigned()
    }

    /// The numbers of a value as floating point; what is none is left out.
    pub(crate) fn reals(&self, head: &mut Head<'_>, entry: &Entry, most: usize) -> Vec<f64> {
        self.numbers(head, entry, most).into_iter().filter_map(Number::real).collect()
    }

    /// A value as text.
    pub(crate) fn text(&self, head: &mut Head<'_>, entry: &Entry) -> Option<String> {
        if !matches!(entry.kind, 1 | 2 | 7 | 129) {
            return None;
        }
        text::trimmed(self.data(head, entry)?)
    }

    /// Where a value of a type and count lies that stands at a position itself.
    pub(crate) fn record(&self, kind: u16, count: u64, at: u64) -> Option<Record> {
        let len = width(kind)?.checked_mul(count)?;
        let end = at.checked_add(len)?;
        (end <= self.end).then_some(Record { kind, at, end })
    }

    /// A record's value as text.
    pub(crate) fn record_text(&self, head: &mut Head<'_>, record: &Record) -> Option<String> {
        text::trimmed(head.up_to(record.at, (record.end - record.at).min(MAX_VALUE) as usize))
    }

    /// The first number of a record's value.
    pub(crate) fn record_number(&self, head: &mut Head<'_>, record: &Record) -> Option<Number> {
        self.decode(record.kind, head.up_to(record.at, (record.end - record.at).min(8) as usize))
    }

    fn decode(&self, kind: u16, chunk: &[u8]) -> Option<Number> {
        let order = self.order;
        let word = |at: usize| Some(order.u32(chunk.get(at..at + 4)?.try_into().ok()?));
        let short = || Some(order.u16(chunk.get(..2)?.try_into().ok()?));
        let long = || Some(order.u64(chunk.get(..8)?.try_into().ok()?));
        Some(match kind {
            1 | 2 | 7 | 129 => Number::Unsigned(u64::from(*chunk.first()?)),
            6 => Number::Signed(i64::from(*chunk.first()? as i8)),
            3 => Number::Unsigned(u64::from(short()?)),
            8 => Number::Signed(i64::from(short()? as i16)),
            4 | 13 => Number::Unsigned(u64::from(word(0)?)),
            9 => Number::Signed(i64::from(word(0)? as i32)),
            5 => Number::Fraction(i64::from(word(0)?), i64::from(word(4)?)),
            10 => Number::Fraction(i64::from(word(0)? as i32), i64::from(word(4)? as i32)),
            11 => Number::Real(f64::from(f32::from_bits(word(0)?))),
            12 => Number::Real(f64::from_bits(long()?)),
            16 | 18 => Number::Unsigned(long()?),
            17 => Number::Signed(long()? as i64),
            _ => return None,
        })
    }
}
