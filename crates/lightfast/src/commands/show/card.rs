//! One photo of the library, for a person.

use lightfast_model::Photo;

use super::super::list::marks;
use crate::context::Context;
use crate::ui::{bytes, duration, harmless};

pub(super) fn show(photo: &Photo, context: &Context) {
    let ui = &context.ui;
    let s = ui.styles();
    ui.answer(s.strong(&super::super::list::name(photo)));
    let mut rows: Vec<(&str, String)> = vec![("photo", photo.id.to_string())];
    let mut add = |name, value: Option<String>| rows.extend(value.filter(|v| !v.is_empty()).map(|v| (name, v)));
    add("taken", taken(photo));
    add("camera", camera(photo.make.as_deref(), photo.camera.as_deref()));
    add("serial", photo.serial.clone());
    add("lens", photo.lens.clone());
    add("exposure", exposure(photo));
    add("size", size(photo.width, photo.height));
    add("length", photo.duration.map(duration));
    add("place", photo.gps.map(|[latitude, longitude]| format!("{latitude:.6}, {longitude:.6}")));
    add("marks", Some(marks(photo)));
    add("title", photo.title.clone());
    add("caption", photo.caption.clone());
    add("keywords", Some(photo.keywords.join(", ")));
    add("creator", photo.creator.clone());
    add("copyright", photo.copyright.clone());
    add("job", photo.job.clone());
    add("imported", photo.imported.clone());
    lines(&rows, context);
    for file in &photo.files {
        ui.answer(format!("  {:<9} {}  {}", file.role.as_str(), bytes(file.bytes), s.faint(&file.hash.to_string())));
        for copy in &file.copies {
            let proof = match (copy.verified, &copy.verified_at) {
                (Some(how), Some(when)) => format!("verified {how} {when}"),
                _ => "not verified".to_owned(),
            };
            ui.answer(format!("            {}  {}", copy.path.shown(), s.faint(&proof)));
        }
    }
}

/// Rows of a name and a value.
pub(super) fn lines(rows: &[(&str, String)], context: &Context) {
    let s = context.ui.styles();
    for (name, value) in rows {
        context.ui.answer(format!("  {} {}", s.faint(&format!("{name:<9}")), harmless(value)));
    }
}

fn taken(photo: &Photo) -> Option<String> {
    let time = photo.taken.as_ref()?.replace('T', " ");
    let offset = photo.utc_offset.as_deref().map(|offset| format!(" {offset}")).unwrap_or_default();
    let from = photo.taken_from.map(source).unwrap_or_default();
    Some(format!("{time}{offset}{from}"))
}

/// Where a time came from, where that is not the camera's own record.
pub(super) fn source(from: lightfast_model::TimeSource) -> &'static str {
    use lightfast_model::TimeSource as From;
    match from {
        From::Exif | From::Quicktime => "",
        From::Sidecar => " (from a companion file)",
        From::Xmp => " (from XMP)",
        From::Name => " (from the file's name)",
        From::File => " (a guess: when the file was last changed)",
    }
}

/// Maker and model, without the maker's name twice.
pub(super) fn camera(make: Option<&str>, model: Option<&str>) -> Option<String> {
    match (make, model) {
        (Some(make), Some(model)) => {
            let first = make.split_whitespace().next().unwrap_or(make);
            let twice = model.to_lowercase().starts_with(&first.to_lowercase());
            Some(if twice { model.to_owned() } else { format!("{make} {model}") })
        }
        (make, model) => model.or(make).map(str::to_owned),
    }
}

fn exposure(photo: &Photo) -> Option<String> {
    settings(photo.exposure.as_deref(), photo.aperture, photo.focal_length, photo.iso, photo.iso_auto)
}

/// `1/250 s, f/5.6, 105 mm, ISO 400 (auto)`.
pub(super) fn settings(
    time: Option<&str>,
    aperture: Option<f64>,
    focal: Option<f64>,
    iso: Option<u32>,
    auto: Option<bool>,
) -> Option<String> {
    let tenths = |value: f64| (value * 10.0).round() / 10.0;
    let mut parts = Vec::new();
    parts.extend(time.map(|time| format!("{time} s")));
    parts.extend(aperture.map(|value| format!("f/{}", tenths(value))));
    parts.extend(focal.map(|value| format!("{} mm", tenths(value))));
    let auto = if auto == Some(true) { " (auto)" } else { "" };
    parts.extend(iso.map(|iso| format!("ISO {iso}{auto}")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `5616 × 3744 (21.0 megapixels)`.
pub(super) fn size(width: Option<u32>, height: Option<u32>) -> Option<String> {
    let (width, height) = (width?, height?);
    let megapixels = f64::from(width) * f64::from(height) / 1e6;
    Some(format!("{width} × {height} ({megapixels:.1} megapixels)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makers_name_is_not_said_twice() {
        let said = |make, model| camera(Some(make), Some(model)).unwrap();
        assert_eq!(said("Canon", "Canon EOS 5D Mark II"), "Canon EOS 5D Mark II");
        assert_eq!(said("NIKON CORPORATION", "NIKON D90"), "NIKON D90");
        assert_eq!(said("SONY", "ILCE-7M3"), "SONY ILCE-7M3");
    }

    #[test]
    fn settings_read_as_photographers_say_them() {
        let said = settings(Some("1/250"), Some(5.6), Some(105.0), Some(400), Some(true));
        assert_eq!(said.unwrap(), "1/250 s, f/5.6, 105 mm, ISO 400 (auto)");
        assert_eq!(settings(None, None, None, None, None), None);
        assert_eq!(size(Some(5616), Some(3744)).unwrap(), "5616 × 3744 (21.0 megapixels)");
    }
}
