//! MD5, only to compare the digest by which Photoshop tells whether IPTC and XMP are in step. Source: RFC 1321.

/// The digest of some bytes.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in padded.chunks_exact(64) {
        let words: Vec<u32> =
            block.chunks_exact(4).filter_map(|w| Some(u32::from_le_bytes(w.try_into().ok()?))).collect();
        round(&mut state, &words);
    }
    let mut result = [0; 16];
    for (slot, byte) in result.iter_mut().zip(state.iter().flat_map(|word| word.to_le_bytes())) {
        *slot = byte;
    }
    result
}

fn round(state: &mut [u32; 4], words: &[u32]) {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64usize {
        let (mixed, index) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), 7 * step % 16),
        };
        let constant = ((step as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32;
        let word = words.get(index).copied().unwrap_or(0);
        let shift = SHIFTS.get(step / 16).and_then(|row| row.get(step % 4)).copied().unwrap_or(0);
        let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(shift)));
    }
    let [s0, s1, s2, s3] = state;
    *s0 = s0.wrapping_add(a);
    *s1 = s1.wrapping_add(b);
    *s2 = s2.wrapping_add(c);
    *s3 = s3.wrapping_add(d);
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_digests_of_rfc_1321() {
        let shown = |text: &[u8]| super::digest(text).iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(shown(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(shown(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(
            shown(b"12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }
}
