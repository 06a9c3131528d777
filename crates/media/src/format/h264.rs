//! What an H.264 stream says of its picture's size: the first sequence parameter set. Source: ITU-T H.264, 7.3.2.1.

/// Takes out the bytes that keep start codes from appearing in data.
pub(super) fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut zeros = 0;
    for &byte in bytes {
        if zeros >= 2 && byte == 3 {
            zeros = 0;
            continue;
        }
        zeros = if byte == 0 { zeros + 1 } else { 0 };
        plain.push(byte);
    }
    plain
}

/// The cropped size of the first parameter set in a stream.
pub(super) fn size(stream: &[u8]) -> Option<(u32, u32)> {
    let at = stream.windows(4).position(|w| matches!(w, [0, 0, 1, kind] if kind & 0x1f == 7))?;
    let rest = stream.get(at + 4..)?;
    let plain = unescape(rest.get(..rest.len().min(256))?);
    let mut bits = Bits { bytes: &plain, at: 0 };
    parameter_set(&mut bits)
}

fn parameter_set(bits: &mut Bits<'_>) -> Option<(u32, u32)> {
    let profile = bits.take(8)?;
    bits.take(16)?;
    bits.number()?;
    let mut chroma = 1;
    let mut separate = false;
    if matches!(profile, 100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128) {
        chroma = bits.number()?;
        if chroma == 3 {
            separate = bits.take(1)? == 1;
        }
        bits.number()?;
        bits.number()?;
        bits.take(1)?;
        if bits.take(1)? == 1 {
            for list in 0..if chroma == 3 { 12 } else { 8 } {
                if bits.take(1)? == 1 {
                    scaling_list(bits, if list < 6 { 16 } else { 64 })?;
                }
            }
        }
    }
    bits.number()?;
    match bits.number()? {
        0 => {
            bits.number()?;
        }
        1 => {
            bits.take(1)?;
            bits.number()?;
            bits.number()?;
            for _ in 0..bits.number()?.min(255) {
                bits.number()?;
            }
        }
        _ => {}
    }
    bits.number()?;
    bits.take(1)?;
    let (columns, rows) = (bits.number()?.checked_add(1)?, bits.number()?.checked_add(1)?);
    let frames = bits.take(1)?;
    if frames == 0 {
        bits.take(1)?;
    }
    bits.take(1)?;
    let (mut width, mut height) = (columns.checked_mul(16)?, rows.checked_mul(16)?.checked_mul(2 - frames)?);
    if bits.take(1)? == 1 {
        let (left, right, top, bottom) = (bits.number()?, bits.number()?, bits.number()?, bits.number()?);
        let across = if matches!(chroma, 1 | 2) && !separate { 2 } else { 1 };
        let down = (if chroma == 1 && !separate { 2 } else { 1 }) * (2 - frames);
        width = width.checked_sub(left.checked_add(right)?.checked_mul(across)?)?;
        height = height.checked_sub(top.checked_add(bottom)?.checked_mul(down)?)?;
    }
    (width > 0 && height > 0 && width <= 16_384 && height <= 16_384).then_some((width, height))
}

fn scaling_list(bits: &mut Bits<'_>, len: usize) -> Option<()> {
    let (mut last, mut next) = (8i64, 8i64);
    for _ in 0..len {
        if next != 0 {
            let code = i64::from(bits.number()?);
            let delta = if code % 2 == 0 { -(code / 2) } else { (code + 1) / 2 };
            next = (last + delta + 256) % 256;
        }
        last = if next == 0 { last } else { next };
    }
    Some(())
}

/// Bits from the highest.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    /// An Exp-Golomb number.
    fn number(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while self.take(1)? == 0 {
            zeros += 1;
            if zeros > 31 {
                return None;
            }
        }
        Some((1u32 << zeros) - 1 + self.take(zeros)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a baseline parameter set.
    fn baseline(columns: u32, rows: u32, crop_bottom: u32) -> Vec<u8> {
        let mut bits = String::new();
        let number = |value: u32| {
            let code = format!("{:b}", value + 1);
            "0".repeat(code.len() - 1) + &code
        };
        bits += &format!("{:08b}{:016b}", 66, 30);
        for value in [0, 0, 2, 1] {
            bits += &number(value);
        }
        bits += "0";
        bits += &(number(columns - 1) + &number(rows - 1));
        bits += "111";
        for value in [0, 0, 0, crop_bottom] {
            bits += &number(value);
        }
        bits += "10000000";
        let bytes =
            bits.as_bytes().chunks_exact(8).map(|c| u8::from_str_radix(std::str::from_utf8(c).unwrap(), 2).unwrap());
        [0, 0, 1, 0x67].into_iter().chain(bytes).collect()
    }

    #[test]
    fn the_cropped_size_counts() {
        assert_eq!(size(&baseline(120, 68, 4)), Some((1920, 1080)));
        assert_eq!(size(&baseline(40, 30, 0)), Some((640, 480)));
        assert_eq!(size(&baseline(1, 1, 9)), None, "cropped to less than nothing");
    }

    #[test]
    fn escapes_are_taken_out() {
        assert_eq!(unescape(&[0, 0, 3, 1, 0, 0, 3, 0, 3]), [0, 0, 1, 0, 0, 0, 3]);
    }

    #[test]
    fn anything_else_has_no_size() {
        for len in 0..64 {
            let bytes: Vec<u8> = [0, 0, 1, 0x67].into_iter().chain((0..len).map(|i| (i * 37) as u8)).collect();
            let _ = size(&bytes);
        }
        assert_eq!(size(&[0, 0, 1, 0x67, 66, 0, 30]), None);
    }
}
