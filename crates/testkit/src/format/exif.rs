//! EXIF directories of a [`Shot`].
//!
//! Tags and types are those of EXIF 2.31 (CIPA DC-008). The same values go
//! into a RAW's directories, a JPEG's APP1 segment and a HEIF item.

use lightfast_model::Ratio;

use super::canon;
use super::tiff::{Ifd, Placed, TiffWriter};
use crate::Shot;

const EXIF_IFD: u16 = 0x8769;
const GPS_IFD: u16 = 0x8825;
const MAKER_NOTE: u16 = 0x927c;

/// Whether Canon's maker note is written too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MakerNote {
    /// As the sensor that took it says.
    Canon(canon::Sensor),
    /// None: serial number and lens are in EXIF's own tags only.
    None,
}

/// Directory 0 of any made file, without what says where its picture lies.
pub(crate) fn ifd0(shot: &Shot) -> Ifd {
    let mut ifd = Ifd::default()
        .ascii(0x10f, &shot.make)
        .ascii(0x110, &shot.model)
        .short(0x112, u16::from(shot.orientation.value()))
        .rational(0x11a, Ratio { num: 72, den: 1 })
        .rational(0x11b, Ratio { num: 72, den: 1 })
        .short(0x128, 2)
        .ascii(0x132, &date_time(shot))
        .long(EXIF_IFD, 0);
    if !shot.creator.is_empty() {
        ifd = ifd.ascii(0x13b, &shot.creator);
    }
    if !shot.copyright.is_empty() {
        ifd = ifd.ascii(0x8298, &shot.copyright);
    }
    if shot.gps.is_some() {
        ifd = ifd.long(GPS_IFD, 0);
    }
    ifd
}

/// Puts down what directory 0 points to: EXIF, the maker note, GPS.
pub(crate) fn put_below(writer: &mut TiffWriter, ifd0: &Placed, shot: &Shot, maker_note: MakerNote) {
    let mut exif = exif_ifd(shot);
    match maker_note {
        MakerNote::Canon(_) => exif = exif.undefined(MAKER_NOTE, &[0; 4]),
        MakerNote::None => exif = exif.ascii(0xa431, &shot.serial),
    }
    let exif = writer.put(&exif);
    writer.set_value(ifd0, EXIF_IFD, exif.offset);
    if let MakerNote::Canon(sensor) = maker_note {
        let (at, length) = canon::put(writer, shot, sensor);
        writer.set_entry(&exif, MAKER_NOTE, length, at);
    }
    if let Some(gps) = gps_ifd(shot) {
        let gps = writer.put(&gps);
        writer.set_value(ifd0, GPS_IFD, gps.offset);
    }
}

/// A whole EXIF block (a TIFF of its own), as APP1 and HEIF have it, with a thumbnail if there is one.
pub(crate) fn block(shot: &Shot, maker_note: MakerNote, thumbnail: Option<&[u8]>) -> Vec<u8> {
    let mut writer = TiffWriter::new(b"II*\0\x08\0\0\0");
    let first = writer.put(&ifd0(shot).short(0x213, 2));
    put_below(&mut writer, &first, shot, maker_note);
    if let Some(thumbnail) = thumbnail {
        let ifd1 = Ifd::default()
            .short(0x103, 6)
            .rational(0x11a, Ratio { num: 72, den: 1 })
            .rational(0x11b, Ratio { num: 72, den: 1 })
            .short(0x128, 2)
            .long(0x201, 0)
            .long(0x202, thumbnail.len() as u32);
        let placed = writer.put(&ifd1);
        writer.chain(&first, &placed);
        let at = writer.append(thumbnail);
        writer.set_value(&placed, 0x201, at);
    }
    writer.finish()
}

/// One directory of a made file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// What directory 0 says of camera and time.
    Main,
    /// EXIF.
    Exif,
    /// Canon's maker note.
    Canon(canon::Sensor),
    /// The place; nothing if the shot has none.
    Gps,
}

/// A TIFF whose only directory is this part, as the boxes of a CR3 hold it.
pub(crate) fn part(shot: &Shot, part: Part) -> Vec<u8> {
    let mut writer = TiffWriter::new(b"II*\0\x08\0\0\0");
    let ifd = match part {
        Part::Main => ifd0(shot).without(EXIF_IFD).without(GPS_IFD),
        Part::Exif => exif_ifd(shot),
        Part::Gps => gps_ifd(shot).unwrap_or_default(),
        Part::Canon(sensor) => {
            canon::put(&mut writer, shot, sensor);
            return writer.finish();
        }
    };
    writer.put(&ifd);
    writer.finish()
}

fn exif_ifd(shot: &Shot) -> Ifd {
    let taken = date_time(shot);
    let mut ifd = Ifd::default()
        .rational(0x829a, shot.exposure)
        .rational(0x829d, shot.aperture)
        .short(0x8822, 3)
        .short(0x8827, shot.iso as u16)
        .undefined(0x9000, if shot.taken.utc_offset.is_some() { b"0231" } else { b"0230" })
        .ascii(0x9003, &taken)
        .ascii(0x9004, &taken)
        .undefined(0x9101, &[1, 2, 3, 0])
        .signed_rationals(0x9201, &[(log2_in_32nds(shot.exposure.den, shot.exposure.num) * 2048, 65536)])
        .rational(0x9202, Ratio { num: log2_in_32nds(shot.aperture.num, shot.aperture.den) as u64 * 4096, den: 65536 })
        .signed_rationals(0x9204, &[(0, 1)])
        .short(0x9207, 5)
        .short(0x9209, 16)
        .rational(0x920a, shot.focal_length)
        .undefined(0x9286, &[0; 264])
        .undefined(0xa000, b"0100")
        .short(0xa001, 1)
        .long(0xa002, shot.width)
        .long(0xa003, shot.height)
        .rational(0xa20e, dots_per_inch(shot.width, 1417))
        .rational(0xa20f, dots_per_inch(shot.height, 945))
        .short(0xa210, 2)
        .short(0xa401, 0)
        .short(0xa402, 0)
        .short(0xa403, 0)
        .short(0xa406, 0);
    if !shot.lens.is_empty() {
        ifd = ifd.ascii(0xa434, &shot.lens);
    }
    let fraction = fraction(shot);
    if !fraction.is_empty() {
        ifd = ifd.ascii(0x9290, &fraction).ascii(0x9291, &fraction).ascii(0x9292, &fraction);
    }
    if let Some(offset) = shot.taken.offset() {
        ifd = ifd.ascii(0x9010, &offset).ascii(0x9011, &offset).ascii(0x9012, &offset);
    }
    ifd
}

fn gps_ifd(shot: &Shot) -> Option<Ifd> {
    let gps = shot.gps?;
    let mut ifd = Ifd::default()
        .bytes(0, &[2, 2, 0, 0])
        .ascii(1, if gps.latitude < 0.0 { "S" } else { "N" })
        .rationals(2, &degrees(gps.latitude))
        .ascii(3, if gps.longitude < 0.0 { "W" } else { "E" })
        .rationals(4, &degrees(gps.longitude));
    if let Some(altitude) = gps.altitude {
        ifd = ifd.bytes(5, &[u8::from(altitude < 0.0)]);
        ifd = ifd.rational(6, Ratio { num: (altitude.abs() * 100.0).round() as u64, den: 100 });
    }
    Some(ifd)
}

/// Degrees, minutes and ten-thousandths of a second.
fn degrees(value: f64) -> [Ratio; 3] {
    let total = (value.abs() * 36_000_000.0).round() as u64;
    let (degrees, rest) = (total / 36_000_000, total % 36_000_000);
    let (minutes, seconds) = (rest / 600_000, rest % 600_000);
    [Ratio { num: degrees, den: 1 }, Ratio { num: minutes, den: 1 }, Ratio { num: seconds, den: 10_000 }]
}

/// How many pixels lie on an inch of a sensor that is `thousandths` of an inch long.
fn dots_per_inch(pixels: u32, thousandths: u64) -> Ratio {
    Ratio { num: u64::from(pixels) * 1000, den: thousandths }
}

/// `2009:07:12 14:03:22`.
pub(crate) fn date_time(shot: &Shot) -> String {
    shot.taken.local.strftime("%Y:%m:%d %H:%M:%S").to_string()
}

/// The digits after the point, as many as the shot has.
fn fraction(shot: &Shot) -> String {
    let nanos = format!("{:09}", shot.taken.local.subsec_nanosecond());
    nanos.chars().take(usize::from(shot.taken.fraction_digits)).collect()
}

/// The binary logarithm of `num / den` in 32nds, rounded, by integers alone: 32nds are the step of Canon's
/// maker note, and floating-point logarithms differ between machines.
pub(crate) fn log2_in_32nds(num: u64, den: u64) -> i32 {
    let (num, den) = (num.clamp(1, 1 << 40), den.clamp(1, 1 << 40));
    let mut whole = 0i32;
    // Scaled so that 1 <= mantissa < 2, in 1/2^30.
    let mut mantissa = (u128::from(num) << 60) / u128::from(den);
    while mantissa >= 1 << 61 {
        mantissa >>= 1;
        whole += 1;
    }
    while mantissa < 1 << 60 {
        mantissa <<= 1;
        whole -= 1;
    }
    let mut mantissa = (mantissa >> 30) as u64;
    let mut fraction = 0i32;
    for _ in 0..6 {
        mantissa = ((u128::from(mantissa) * u128::from(mantissa)) >> 30) as u64;
        fraction *= 2;
        if mantissa >= 1 << 31 {
            mantissa >>= 1;
            fraction += 1;
        }
    }
    whole * 32 + (fraction + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_match_floating_point() {
        for (num, den) in [(1, 1), (2, 1), (1, 2), (56, 10), (4, 1), (250, 1), (1, 250), (30, 1), (6400, 100), (18, 10)]
        {
            let exact = (num as f64 / den as f64).log2() * 32.0;
            let ours = f64::from(log2_in_32nds(num, den));
            assert!((ours - exact).abs() < 0.6, "{num}/{den}: {ours} for {exact}");
        }
    }

    #[test]
    fn degrees_keep_a_hundredth_of_a_metre() {
        let [d, m, s] = degrees(-46.537_812_3);
        let back = d.as_f64() + m.as_f64() / 60.0 + s.as_f64() / 3600.0;
        assert!((back - 46.537_812_3).abs() < 1e-7);
    }
}
