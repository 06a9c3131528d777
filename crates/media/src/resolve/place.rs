//! Places: EXIF's degrees, minutes and seconds, and ISO 6709 as clips have it.

use lightfast_model::Gps;

use crate::found::GpsTags;

/// Degrees from EXIF's parts with their hemispheres; nothing where a part is missing or impossible.
pub(super) fn exif(tags: &GpsTags) -> Option<Gps> {
    let degrees = |parts: &[f64], hemisphere: &Option<String>, negative: char, most: f64| {
        let first = parts.first()?;
        let value = first + parts.get(1).unwrap_or(&0.0) / 60.0 + parts.get(2).unwrap_or(&0.0) / 3600.0;
        let south_or_west = hemisphere.as_deref()?.to_ascii_uppercase().starts_with(negative);
        (0.0..=most).contains(&value).then_some(if south_or_west { -value } else { value })
    };
    let latitude = degrees(&tags.latitude, &tags.latitude_ref, 'S', 90.0)?;
    let longitude = degrees(&tags.longitude, &tags.longitude_ref, 'W', 180.0)?;
    let altitude = tags.altitude.map(|metres| if tags.below_sea { -metres } else { metres });
    Some(Gps { latitude, longitude, altitude })
}

/// `+27.5916+086.5640+8850/`: degrees, degrees and minutes, or degrees, minutes and seconds, told by their digits.
pub(super) fn iso_6709(text: &str) -> Option<Gps> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while let Some(sign) = rest.chars().next().filter(|c| matches!(c, '+' | '-')) {
        let digits = rest.get(1..)?;
        let len = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
        parts.push((sign, digits.get(..len)?));
        rest = digits.get(len..)?;
    }
    let degrees = |part: Option<&(char, &str)>, whole: usize, most: f64| {
        let (sign, digits) = part?;
        let number = digits.parse::<f64>().ok()?;
        let len = digits.find('.').unwrap_or(digits.len());
        let value = if len <= whole {
            number
        } else if len <= whole + 2 {
            (number / 100.0).trunc() + number % 100.0 / 60.0
        } else {
            (number / 10_000.0).trunc() + (number % 10_000.0 / 100.0).trunc() / 60.0 + number % 100.0 / 3600.0
        };
        (value <= most).then_some(if *sign == '-' { -value } else { value })
    };
    let latitude = degrees(parts.first(), 2, 90.0)?;
    let longitude = degrees(parts.get(1), 3, 180.0)?;
    let altitude = parts.get(2).and_then(|(sign, digits)| {
        let metres = digits.parse::<f64>().ok()?;
        Some(if *sign == '-' { -metres } else { metres })
    });
    Some(Gps { latitude, longitude, altitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_6709_in_its_three_forms() {
        let place =
            |text| iso_6709(text).map(|g| ((g.latitude * 1e4).round(), (g.longitude * 1e4).round(), g.altitude));
        assert_eq!(place("+27.5916+086.5640+8850/"), Some((275_916.0, 865_640.0, Some(8850.0))));
        assert_eq!(place("-2730.00+08630.00/"), Some((-275_000.0, 865_000.0, None)));
        assert_eq!(place("+273000-0863000/"), Some((275_000.0, -865_000.0, None)));
        for text in ["", "+", "+95.0+10.0/", "27.5", "+12.5", "+1.2.3+4/"] {
            assert_eq!(iso_6709(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_place_without_its_hemisphere_is_none() {
        let mut tags = GpsTags { latitude: vec![48.0, 30.0, 0.0], longitude: vec![9.0, 0.0], ..GpsTags::default() };
        assert_eq!(exif(&tags), None);
        tags.latitude_ref = Some("S".to_owned());
        tags.longitude_ref = Some("e".to_owned());
        assert_eq!(exif(&tags).map(|g| (g.latitude, g.longitude)), Some((-48.5, 9.0)));
        tags.latitude = vec![148.0];
        assert_eq!(exif(&tags), None);
    }
}
