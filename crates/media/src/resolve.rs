//! Which source counts for each fact: from what was found to [`Facts`].
//!
//! Pure: no reading here. EXIF wins over a maker note where it has the fact; a time keeps its
//! offset only if the file gives one.

use lightfast_model::{CaptureTime, Facts, Gps, Kind, Orientation, Preview, Ratio, TimeSource};

use crate::found::{Candidate, Exif, Found, GpsTags, TimeTag};
use crate::time::{self, Parsed};

/// Decides each fact.
pub(crate) fn resolve(found: Found, kind: Kind, format: Option<&'static str>) -> Facts {
    let Found { exif, maker, .. } = &found;
    let orientation = exif.orientation.unwrap_or(Orientation::UPRIGHT);
    let (width, height) = upright_size(&found, orientation);
    let mut facts = Facts {
        kind,
        format,
        taken: taken(&found),
        make: exif.make.clone(),
        model: exif.model.clone().or_else(|| maker.model.clone()),
        serial: exif.serial.clone().or_else(|| maker.serial.clone()),
        lens: exif.lens.clone().or_else(|| maker.lens.clone()),
        iso: iso(exif).or(maker.iso),
        iso_auto: maker.iso_auto,
        exposure: exposure(exif),
        aperture: exif.aperture,
        focal_length: exif.focal_length,
        width,
        height,
        orientation,
        gps: found.gps.or_else(|| gps(&exif.gps)),
        file_number: maker.file_number,
        rating: exif.rating.and_then(|v| i8::try_from(v).ok()).filter(|v| (0..=5).contains(v)),
        title: exif.windows_title.clone(),
        caption: exif.description.clone(),
        creator: exif.artist.clone(),
        copyright: exif.copyright.clone(),
        keywords: exif.windows_keywords.iter().flat_map(|all| all.split(';')).map(|k| k.trim().to_owned()).collect(),
        ..Facts::default()
    };
    facts.previews = previews(&found.previews, orientation);
    facts.problems = found.problems;
    facts
}

/// EXIF's ISO; where its 16 bits are full, the recommended exposure index has the true one.
fn iso(exif: &Exif) -> Option<u32> {
    match exif.iso {
        Some(65_535) => exif.recommended_iso.or(exif.iso),
        Some(iso) => Some(iso),
        None => None,
    }
}

fn exposure(exif: &Exif) -> Option<Ratio> {
    exif.exposure
}

fn upright_size(found: &Found, orientation: Orientation) -> (Option<u32>, Option<u32>) {
    let Some((width, height)) = found.stored.or_else(|| found.exif.width.zip(found.exif.height)) else {
        return (None, None);
    };
    if orientation.swaps_sides() { (Some(height), Some(width)) } else { (Some(width), Some(height)) }
}

fn taken(found: &Found) -> Option<CaptureTime> {
    let exif = &found.exif;
    let time = tag_time(&exif.original).or_else(|| tag_time(&exif.digitized));
    if let Some(time) = time {
        return Some(time.from(TimeSource::Exif));
    }
    found.clip_time.map(|time| time.from(TimeSource::Quicktime))
}

fn tag_time(tag: &TimeTag) -> Option<Parsed> {
    let mut parsed = time::parse(tag.text.as_deref()?)?;
    if let Some(fraction) = &tag.fraction {
        parsed = time::with_fraction(parsed, fraction);
    }
    if let Some(offset) = tag.offset.as_deref().and_then(time::offset) {
        parsed.utc_offset = Some(offset);
    }
    Some(parsed)
}

/// Degrees from degrees, minutes and seconds with their hemisphere; nothing where a part is missing or impossible.
fn gps(tags: &GpsTags) -> Option<Gps> {
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

/// Previews, largest first, each place once.
fn previews(candidates: &[Candidate], main: Orientation) -> Vec<Preview> {
    let mut found: Vec<Preview> = Vec::new();
    for candidate in candidates {
        if !found.iter().any(|p| p.offset == candidate.offset) {
            found.push(Preview {
                source: candidate.source,
                offset: candidate.offset,
                length: candidate.length,
                width: candidate.width,
                height: candidate.height,
                orientation: candidate.orientation.unwrap_or(main),
            });
        }
    }
    found.sort_by_key(|p| std::cmp::Reverse((p.long_edge(), p.length)));
    found
}
