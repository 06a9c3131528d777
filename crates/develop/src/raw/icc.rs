//! The sRGB profile that renderings carry, made from the standard's numbers.
//!
//! ICC version 2.1, a display profile of three colorants and one curve, which every viewer
//! reads. Colorants are those of IEC 61966-2-1 adapted to D50 (Bradford), as ICC's own
//! profile has them.

/// Points of the curve.
const POINTS: u16 = 1024;

/// The bytes of the profile.
pub(crate) fn srgb() -> Vec<u8> {
    let mut curve = b"curv\0\0\0\0".to_vec();
    curve.extend(u32::from(POINTS).to_be_bytes());
    for i in 0..POINTS {
        let linear = super::colour::srgb_decode(f32::from(i) / f32::from(POINTS - 1));
        curve.extend(((linear * 65535.0).round() as u16).to_be_bytes());
    }
    let mut name = b"desc\0\0\0\0".to_vec();
    name.extend(5_u32.to_be_bytes());
    name.extend(b"sRGB\0");
    // No Unicode and no Macintosh names.
    name.extend([0; 4 + 4 + 2 + 1 + 67]);
    let tags: [([u8; 4], Vec<u8>); 7] = [
        (*b"desc", name),
        (*b"cprt", b"text\0\0\0\0No copyright, use freely\0".to_vec()),
        (*b"wtpt", xyz([0.9642, 1.0, 0.8249])),
        (*b"rXYZ", xyz([0.436_07, 0.222_49, 0.013_92])),
        (*b"gXYZ", xyz([0.385_15, 0.716_87, 0.097_08])),
        (*b"bXYZ", xyz([0.143_07, 0.060_61, 0.714_10])),
        (*b"rTRC", curve),
    ];
    let count = tags.len() + 2;
    let mut table = (count as u32).to_be_bytes().to_vec();
    let mut data = Vec::new();
    let begin = 128 + 4 + 12 * count;
    for (name, bytes) in &tags {
        let place = [(begin + data.len()) as u32, bytes.len() as u32].map(u32::to_be_bytes).concat();
        table.extend(name);
        table.extend(&place);
        if name == b"rTRC" {
            // Green and blue have the same curve.
            for other in [b"gTRC", b"bTRC"] {
                table.extend(other);
                table.extend(&place);
            }
        }
        data.extend(bytes);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    let mut profile = ((begin + data.len()) as u32).to_be_bytes().to_vec();
    profile.extend([0; 4]);
    profile.extend([2, 0x10, 0, 0]);
    profile.extend(b"mntrRGB XYZ ");
    // A fixed date, so that equal pictures are equal bytes: 2026-01-01.
    profile.extend([2026_u16, 1, 1, 0, 0, 0].map(u16::to_be_bytes).concat());
    profile.extend(b"acsp");
    profile.resize(68, 0);
    profile.extend([0.9642, 1.0, 0.8249].map(fixed).concat());
    profile.resize(128, 0);
    profile.extend(table);
    profile.extend(data);
    profile
}

fn fixed(v: f64) -> [u8; 4] {
    ((v * 65536.0).round() as i32).to_be_bytes()
}

fn xyz(v: [f64; 3]) -> Vec<u8> {
    let mut tag = b"XYZ \0\0\0\0".to_vec();
    tag.extend(v.map(fixed).concat());
    tag
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_profile_says_its_own_length_and_its_tags_lie_inside() {
        let profile = super::srgb();
        let number = |at: usize| u32::from_be_bytes(profile[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(number(0), profile.len());
        assert_eq!(&profile[36..40], b"acsp");
        assert_eq!(number(128), 9);
        for tag in 0..9 {
            let (offset, length) = (number(132 + 12 * tag + 4), number(132 + 12 * tag + 8));
            assert!(offset % 4 == 0 && offset >= 128 + 4 + 9 * 12 && offset + length <= profile.len());
        }
    }
}
