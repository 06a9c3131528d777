//! Our side: a file's facts, and each field of them as text.

use std::fs::File;
use std::path::Path;

use lightfast_media::FileSource;
use lightfast_model::Facts;

/// Reads a file's facts.
pub(crate) fn read(path: &Path) -> Option<Facts> {
    let file = File::open(path).ok()?;
    let mut source = FileSource::new(&file).ok()?;
    Some(lightfast_media::facts(&mut source, path.file_name()?))
}

/// A field as text, in the form that the rules expect.
pub(crate) fn value(facts: &Facts, field: &str) -> Option<String> {
    let taken = facts.taken.filter(|t| t.from != lightfast_model::TimeSource::Name);
    match field {
        "make" => facts.make.clone(),
        "model" => facts.model.clone(),
        "serial" => facts.serial.clone(),
        "lens" => facts.lens.clone(),
        "iso" => facts.iso.map(|v| v.to_string()),
        "exposure" => facts.exposure.map(|v| v.as_f64().to_string()),
        "aperture" => facts.aperture.map(|v| v.to_string()),
        "focal_length" => facts.focal_length.map(|v| v.to_string()),
        "taken" => taken.map(|t| t.local.strftime("%Y:%m:%d %H:%M:%S").to_string()),
        "fraction" => taken.filter(|t| t.fraction_digits > 0).map(|t| t.taken()),
        "offset" => taken.filter(|_| !facts.taken_is_utc).and_then(|t| t.offset()),
        "orientation" => (facts.orientation.value() != 1).then(|| facts.orientation.value().to_string()),
        "size" => facts.width.zip(facts.height).map(|(w, h)| format!("{w} {h}")),
        "gps" => facts.gps.map(|g| format!("{} {}", g.latitude, g.longitude)),
        "rating" => facts.rating.map(|v| v.to_string()),
        "title" => facts.title.clone(),
        "caption" => facts.caption.clone(),
        "creator" => facts.creator.clone(),
        "copyright" => facts.copyright.clone(),
        "keywords" => (!facts.keywords.is_empty()).then(|| facts.keywords.join("; ")),
        "duration" => facts.video.as_ref().and_then(|v| v.duration).map(|v| v.to_string()),
        _ => None,
    }
}
