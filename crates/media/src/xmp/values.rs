//! The facts of a packet that a photo is catalogued by.

use lightfast_model::{CaptureTime, Flag, Gps, TimeSource};

use super::names::ns;
use super::properties::Properties;
use crate::time;

/// What a packet or sidecar says of a photo.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Xmp {
    /// Stars, 0 to 5, or -1 for rejected.
    pub rating: Option<i8>,
    /// Colour label, as the program that wrote it words it.
    pub label: Option<String>,
    /// A decision while culling.
    pub flag: Option<Flag>,
    /// Title.
    pub title: Option<String>,
    /// Caption.
    pub caption: Option<String>,
    /// Creators, joined by `; `.
    pub creator: Option<String>,
    /// Copyright.
    pub copyright: Option<String>,
    /// Keywords, leaves and parents, each once.
    pub keywords: Vec<String>,
    /// Keywords as paths, `A|B|C`.
    pub hierarchical: Vec<String>,
    /// When the picture was taken.
    pub taken: Option<CaptureTime>,
    /// Camera maker.
    pub make: Option<String>,
    /// Camera model.
    pub model: Option<String>,
    /// Serial number of the body.
    pub serial: Option<String>,
    /// Lens name.
    pub lens: Option<String>,
    /// ISO.
    pub iso: Option<u32>,
    /// Exposure time in seconds, as a fraction.
    pub exposure: Option<(u64, u64)>,
    /// F-number.
    pub aperture: Option<f64>,
    /// Millimetres.
    pub focal_length: Option<f64>,
    /// EXIF's orientation, 1 to 8.
    pub orientation: Option<u16>,
    /// The id of the further packet that the rest of this one was put into.
    pub extension: Option<String>,
    /// Pixels of the picture as stored.
    pub size: Option<(u32, u32)>,
    /// Where the picture was taken.
    pub gps: Option<Gps>,
}

impl Xmp {
    /// Reads a packet or a sidecar; see [`read`](super::read).
    pub fn read(bytes: &[u8]) -> Self {
        Self::of(&super::read(bytes))
    }

    /// Takes the facts from properties.
    pub fn of(properties: &Properties) -> Self {
        let text = |namespace, local| properties.text(namespace, local);
        let owned = |namespace, local| text(namespace, local).map(|t| t.trim().to_owned());
        let creators = properties.list(ns::DC, "creator");
        Self {
            rating: text(ns::XMP, "Rating").and_then(rating),
            label: owned(ns::XMP, "Label"),
            flag: flag(properties),
            title: owned(ns::DC, "title"),
            caption: owned(ns::DC, "description"),
            creator: (!creators.is_empty()).then(|| creators.join("; ")),
            copyright: owned(ns::DC, "rights"),
            keywords: keywords(properties),
            hierarchical: hierarchical(properties),
            taken: taken(properties),
            make: owned(ns::TIFF, "Make"),
            model: owned(ns::TIFF, "Model"),
            serial: owned(ns::EXIF_EX, "BodySerialNumber").or_else(|| owned(ns::AUX, "SerialNumber")),
            lens: owned(ns::EXIF_EX, "LensModel").or_else(|| owned(ns::AUX, "Lens")),
            iso: text(ns::EXIF, "ISOSpeedRatings")
                .or_else(|| text(ns::EXIF_EX, "PhotographicSensitivity"))
                .and_then(|t| t.trim().parse().ok())
                .filter(|&v| v > 0),
            exposure: text(ns::EXIF, "ExposureTime").and_then(exposure).or_else(|| {
                let apex = text(ns::EXIF, "ShutterSpeedValue").and_then(number)?;
                exposure(&2f64.powf(-apex).to_string())
            }),
            aperture: text(ns::EXIF, "FNumber").and_then(number).filter(|&v| v > 0.0).or_else(|| {
                let apex = text(ns::EXIF, "ApertureValue").and_then(number)?;
                Some((2f64.powf(apex / 2.0) * 100.0).round() / 100.0)
            }),
            focal_length: text(ns::EXIF, "FocalLength").and_then(number).filter(|&v| v > 0.0),
            orientation: text(ns::TIFF, "Orientation")
                .and_then(|t| t.trim().parse().ok())
                .filter(|v| (1..=8).contains(v)),
            extension: owned(ns::XMP_NOTE, "HasExtendedXMP"),
            size: side(text(ns::TIFF, "ImageWidth")).zip(side(text(ns::TIFF, "ImageLength"))),
            gps: gps(properties),
        }
    }
}

impl Xmp {
    /// Takes from another packet what this one does not say.
    pub(crate) fn fill_from(&mut self, other: Self) {
        macro_rules! fill {
            ($($field:ident),*) => { $(if self.$field.is_none() { self.$field = other.$field; })* };
        }
        fill!(rating, label, flag, title, caption, creator, copyright, taken, make, model, serial, lens, iso);
        fill!(exposure, aperture, focal_length, orientation, size, gps);
        if self.keywords.is_empty() {
            self.keywords = other.keywords;
        }
        if self.hierarchical.is_empty() {
            self.hierarchical = other.hierarchical;
        }
    }
}

/// `4`, `4.0`, `-1`; anything else is none.
fn rating(text: &str) -> Option<i8> {
    let value = text.trim().parse::<f64>().ok()?.round();
    (-1.0..=5.0).contains(&value).then_some(value as i8)
}

fn flag(properties: &Properties) -> Option<Flag> {
    match properties.text(ns::XMP_DM, "pick").map(str::trim) {
        Some("1") => Some(Flag::Pick),
        Some("-1") => Some(Flag::Reject),
        _ => match properties.text(ns::XMP_DM, "good").map(str::trim) {
            Some("True" | "true") => Some(Flag::Pick),
            Some("False" | "false") => Some(Flag::Reject),
            _ => None,
        },
    }
}

fn keywords(properties: &Properties) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in properties.list(ns::DC, "subject") {
        let word = word.trim();
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn hierarchical(properties: &Properties) -> Vec<String> {
    let lightroom = properties.list(ns::LIGHTROOM, "hierarchicalSubject");
    let digikam = properties.list(ns::DIGIKAM, "TagsList");
    if lightroom.is_empty() {
        digikam.into_iter().map(|path| path.trim().replace('/', "|")).collect()
    } else {
        lightroom.into_iter().map(|path| path.trim().to_owned()).collect()
    }
}

fn taken(properties: &Properties) -> Option<CaptureTime> {
    let places = [
        (ns::EXIF, "DateTimeOriginal"),
        (ns::PHOTOSHOP, "DateCreated"),
        (ns::EXIF, "DateTimeDigitized"),
        (ns::XMP, "CreateDate"),
    ];
    let parsed = places.iter().find_map(|(namespace, local)| time::parse(properties.text(namespace, local)?))?;
    Some(parsed.from(TimeSource::Xmp))
}

/// `28/10`, `2.8`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = match text.split_once('/') {
        Some((num, den)) => num.trim().parse::<f64>().ok()? / den.trim().parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

fn side(text: Option<&str>) -> Option<u32> {
    text.and_then(|t| t.trim().parse().ok()).filter(|&v| v > 0)
}

fn exposure(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let (num, den) = match text.split_once('/') {
        Some((num, den)) => (num.trim().parse().ok()?, den.trim().parse().ok()?),
        None => ((number(text).filter(|v| (0.0..1e6).contains(v))? * 1e6).round() as u64, 1_000_000),
    };
    (num > 0 && den > 0).then_some((num, den))
}

/// `DD,MM.mmmmN` or `DD,MM,SSN`.
fn gps(properties: &Properties) -> Option<Gps> {
    let degrees = |local: &str, positive: char, negative: char, most: f64| {
        let text = properties.text(ns::EXIF, local)?.trim();
        let side = text.chars().last()?.to_ascii_uppercase();
        let parts = text.get(..text.len() - side.len_utf8())?.split(',').map(|p| p.trim().parse::<f64>().ok());
        let value = parts.zip([1.0, 60.0, 3600.0]).try_fold(0.0, |sum, (part, unit)| Some(sum + part? / unit))?;
        let sign = if side == negative { -1.0 } else { 1.0 };
        ((side == positive || side == negative) && (0.0..=most).contains(&value)).then_some(sign * value)
    };
    let latitude = degrees("GPSLatitude", 'N', 'S', 90.0)?;
    let longitude = degrees("GPSLongitude", 'E', 'W', 180.0)?;
    let below = properties.text(ns::EXIF, "GPSAltitudeRef").is_some_and(|t| t.trim() == "1");
    let altitude = properties.text(ns::EXIF, "GPSAltitude").and_then(number).map(|v| if below { -v } else { v });
    Some(Gps { latitude, longitude, altitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xmp(attributes: &str) -> Xmp {
        let text = format!(
            r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:xmp="{}" xmlns:exif="{}" xmlns:xmpDM="{}" {attributes}/></rdf:RDF>"#,
            ns::XMP,
            ns::EXIF,
            ns::XMP_DM
        );
        Xmp::read(text.as_bytes())
    }

    #[test]
    fn ratings_flags_and_places() {
        assert_eq!(xmp("xmp:Rating='-1'").rating, Some(-1));
        assert_eq!(xmp("xmp:Rating='3.0'").rating, Some(3));
        assert_eq!(xmp("xmp:Rating='17'").rating, None);
        assert_eq!(xmp("xmpDM:pick='1'").flag, Some(Flag::Pick));
        assert_eq!(xmp("xmpDM:pick='0' xmpDM:good='false'").flag, Some(Flag::Reject));
        let gps = xmp("exif:GPSLatitude='46,30.5S' exif:GPSLongitude='7,15,36E'").gps.unwrap();
        assert!((gps.latitude + 46.508_333).abs() < 1e-5 && (gps.longitude - 7.26).abs() < 1e-9);
        assert_eq!(xmp("exif:GPSLatitude='95,0N' exif:GPSLongitude='7,0E'").gps, None);
        assert_eq!(xmp("exif:GPSLatitude='é' exif:GPSLongitude='7,0E'").gps, None);
    }

    #[test]
    fn numbers_and_times() {
        let found =
            xmp("exif:ExposureTime='1/250' exif:FNumber='28/10' exif:DateTimeOriginal='2009-07-12T14:03:22.45+02:00'");
        assert_eq!((found.exposure, found.aperture), (Some((1, 250)), Some(2.8)));
        assert_eq!(
            found.taken.map(|t| (t.taken(), t.offset())),
            Some(("2009-07-12T14:03:22.45".to_owned(), Some("+02:00".to_owned())))
        );
        assert_eq!(xmp("exif:FNumber='28/0'").aperture, None);
    }
}
