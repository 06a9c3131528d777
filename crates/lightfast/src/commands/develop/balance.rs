//! White balance as it is typed.

use lightfast_worker::WhiteBalance;

const FORMS: &str =
    "write as-shot, daylight, a temperature from 2000K to 25000K, or three multipliers such as 2.1,1,1.6";

/// `as-shot`, `daylight`, `5200K` or `5200`, `2.1,1,1.6`.
pub(super) fn parse(text: &str) -> Result<WhiteBalance, String> {
    match text {
        "as-shot" => return Ok(WhiteBalance::AsShot),
        "daylight" => return Ok(WhiteBalance::Daylight),
        _ => {}
    }
    let numbers: Result<Vec<f32>, _> =
        text.trim_end_matches(['K', 'k']).split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([kelvin]) if (2000.0..=25_000.0).contains(kelvin) => Ok(WhiteBalance::Temperature(*kelvin)),
        Ok([red, green, blue]) if [red, green, blue].iter().all(|v| (0.01..=100.0).contains(*v)) => {
            Ok(WhiteBalance::Multipliers([*red, *green, *blue]))
        }
        _ => Err(FORMS.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_nonsense_is_not() {
        assert_eq!(parse("as-shot"), Ok(WhiteBalance::AsShot));
        assert_eq!(parse("daylight"), Ok(WhiteBalance::Daylight));
        assert_eq!(parse("5200K"), Ok(WhiteBalance::Temperature(5200.0)));
        assert_eq!(parse("2.1, 1,1.6"), Ok(WhiteBalance::Multipliers([2.1, 1.0, 1.6])));
        for wrong in ["", "warm", "1K", "1,2", "0,1,1", "NaN,1,1", "99999"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
