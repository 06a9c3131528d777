//! `[picture info]` in words, as early digital cameras put it into a JPEG's APP12 segment.

use lightfast_model::Ratio;

use crate::found::Found;
use crate::text;

/// Reads the words: `Name=value` on lines of their own.
pub(super) fn read(bytes: &[u8], found: &mut Found) {
    let text = text::decode(bytes);
    for line in text.split(['\r', '\n', '\0']) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = value.trim();
        let number = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
        let maker = &mut found.maker;
        match name.trim() {
            "TimeDate" => {
                let time = value.parse().ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
                let local =
                    time.map(|t| jiff::tz::TimeZone::UTC.to_datetime(t).strftime("%Y:%m:%d %H:%M:%S").to_string());
                maker.time.text = local.or(maker.time.text.take());
            }
            // Microseconds.
            "Shutter" | "shtr" => {
                maker.exposure = number(value).map(|v| Ratio { num: v.round() as u64, den: 1_000_000 })
            }
            "FNumber" => maker.aperture = number(value.trim_start_matches(['F', 'f'])),
            "SerialNo" | "SerialNumber" | "Serial#" => maker.serial = Some(value.to_owned()).filter(|v| !v.is_empty()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_early_camera() {
        let mut found = Found::default();
        read(
            b"[picture info]\r\nTimeDate=909698819\r\nShutter=33363\r\nFNumber=F2.8\r\nSerial#=#00000001\r\n",
            &mut found,
        );
        assert_eq!(found.maker.time.text.as_deref(), Some("1998:10:29 22:06:59"));
        assert_eq!(found.maker.aperture, Some(2.8));
        assert_eq!(found.maker.serial.as_deref(), Some("#00000001"));
    }
}
