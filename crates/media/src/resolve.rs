//! Which source counts for each fact: from what was found to [`Facts`].
//!
//! Pure: no reading here. EXIF wins where it is not blank; texts follow the rules of the Metadata Working Group
//! (EXIF, then XMP or IPTC, whichever is in step); a clip's own header counts for a clip. Each fact notes where it came from.

mod place;
mod times;

use lightfast_model::{Facts, Kind, Orientation, Origin, Preview, Ratio, Video};

use crate::found::{Candidate, Exif, Found, Iptc};
use crate::maker;

/// The longest side that can be a picture's; more is a damaged header.
const MAX_SIDE: u32 = 1 << 20;

/// Decides each fact.
pub(crate) fn resolve(found: Found, kind: Kind, format: Option<&'static str>) -> Facts {
    let mut origins = Vec::new();
    let mut facts = Facts { kind, format, ..Facts::default() };
    camera(&found, &mut facts, &mut origins);
    shot(&found, &mut facts, &mut origins);
    texts(&found, &mut facts, &mut origins);
    picture(&found, &mut facts, &mut origins);
    let taken = times::taken(&found);
    facts.taken = pick("taken", &mut origins, [taken.map(|t| (t.origin, t.time))]);
    facts.taken_is_utc = taken.is_some_and(|t| t.is_utc);
    facts.gps = pick(
        "gps",
        &mut origins,
        [
            tag(Origin::Exif, place::exif(&found.exif.gps)),
            tag(Origin::Xmp, found.xmp.as_ref().and_then(|x| x.gps)),
            tag(Origin::Container, found.clip.place.as_deref().and_then(place::iso_6709)),
        ],
    );
    if kind == Kind::Video {
        let clip = &found.clip;
        facts.video = Some(Video {
            duration: clip.duration,
            frame_rate: clip.frame_rate,
            codec: clip.codec.clone(),
            rotation: clip.rotation,
        });
    }
    facts.frames = found.frames;
    facts.origins = origins;
    facts.problems = found.problems;
    facts
}

fn tag<T>(origin: Origin, value: Option<T>) -> Option<(Origin, T)> {
    value.map(|value| (origin, value))
}

/// The first candidate that has a value; notes where it came from.
fn pick<T, const N: usize>(
    field: &'static str,
    origins: &mut Vec<(&'static str, Origin)>,
    candidates: [Option<(Origin, T)>; N],
) -> Option<T> {
    let (origin, value) = candidates.into_iter().flatten().next()?;
    origins.push((field, origin));
    Some(value)
}

fn camera(found: &Found, facts: &mut Facts, origins: &mut Vec<(&'static str, Origin)>) {
    let Found { exif, maker, clip, .. } = found;
    let xmp = found.xmp.as_ref();
    facts.make = pick(
        "make",
        origins,
        [
            tag(Origin::Exif, exif.make.clone()),
            tag(Origin::Maker, maker.make.clone()),
            tag(Origin::Container, clip.make.clone()),
            tag(Origin::Xmp, xmp.and_then(|x| x.make.clone())),
        ],
    );
    facts.model = pick(
        "model",
        origins,
        [
            tag(Origin::Exif, exif.model.clone()),
            tag(Origin::Maker, maker.model.clone()),
            tag(Origin::Container, clip.model.clone()),
            tag(Origin::Container, clip.maker_model.clone()),
            tag(Origin::Xmp, xmp.and_then(|x| x.model.clone())),
        ],
    );
    facts.serial = pick(
        "serial",
        origins,
        [
            tag(Origin::Exif, exif.serial.clone()),
            tag(Origin::Maker, maker.serial.clone()),
            tag(Origin::Exif, exif.dng_serial.clone()),
            tag(Origin::Container, clip.serial.clone()),
            tag(Origin::Xmp, xmp.and_then(|x| x.serial.clone())),
        ],
    );
    facts.lens = pick(
        "lens",
        origins,
        [
            tag(Origin::Exif, exif.lens.clone().filter(|name| maker::is_lens_name(name))),
            tag(Origin::Maker, maker.lens.clone().filter(|name| maker::is_lens_name(name))),
            tag(Origin::Maker, maker::lens_name(found)),
            tag(Origin::Container, clip.lens.clone()),
            tag(Origin::Xmp, xmp.and_then(|x| x.lens.clone())),
        ],
    );
    facts.file_number = maker.file_number;
    facts.shutter_count = maker.shutter_count;
}

fn shot(found: &Found, facts: &mut Facts, origins: &mut Vec<(&'static str, Origin)>) {
    let Found { exif, maker, clip, .. } = found;
    let xmp = found.xmp.as_ref();
    facts.iso = pick(
        "iso",
        origins,
        [tag(Origin::Exif, iso(exif)), tag(Origin::Maker, maker.iso), tag(Origin::Xmp, xmp.and_then(|x| x.iso))],
    );
    facts.iso_auto = maker.iso_auto;
    facts.exposure = pick(
        "exposure",
        origins,
        [
            tag(Origin::Exif, exif.exposure),
            tag(Origin::Maker, maker.exposure),
            tag(Origin::Exif, exif.shutter_speed.and_then(seconds)),
            tag(Origin::Xmp, xmp.and_then(|x| x.exposure).map(|(num, den)| Ratio { num, den })),
        ],
    );
    facts.aperture = pick(
        "aperture",
        origins,
        [
            tag(Origin::Exif, exif.aperture),
            tag(Origin::Maker, maker.aperture),
            tag(Origin::Exif, exif.aperture_value.and_then(f_number)),
            tag(Origin::Xmp, xmp.and_then(|x| x.aperture)),
        ],
    );
    facts.focal_length = pick(
        "focal_length",
        origins,
        [
            tag(Origin::Exif, exif.focal_length),
            tag(Origin::Maker, maker.focal_length.map(|length| length / maker.focal_unit.unwrap_or(1.0))),
            tag(Origin::Xmp, xmp.and_then(|x| x.focal_length)),
        ],
    );
    facts.flash = exif.flash;
    facts.exposure_compensation = exif.compensation.or(maker.compensation);
    facts.metering = exif.metering;
    facts.program = exif.program;
    facts.content_id = maker.content_id.clone().or_else(|| clip.content_id.clone());
    facts.burst_id = maker.burst_id.clone();
}

/// EXIF's ISO; where its 16 bits are full, the recommended exposure index has the true one.
fn iso(exif: &Exif) -> Option<u32> {
    match exif.iso {
        Some(65_535) => exif.recommended_iso.or(exif.iso),
        iso => iso,
    }
}

/// Seconds from APEX.
fn seconds(apex: f64) -> Option<Ratio> {
    let value = 2f64.powf(-apex);
    if !(1e-7..1e5).contains(&value) {
        return None;
    }
    Some(if value < 1.0 {
        Ratio { num: 1_000_000, den: (1e6 / value).round() as u64 }
    } else {
        Ratio { num: (value * 1e6).round() as u64, den: 1_000_000 }
    })
}

/// F-number from APEX, to two digits as it is engraved.
fn f_number(apex: f64) -> Option<f64> {
    let value = 2f64.powf(apex / 2.0);
    (0.5..1000.0).contains(&value).then(|| (value * 100.0).round() / 100.0)
}

fn texts(found: &Found, facts: &mut Facts, origins: &mut Vec<(&'static str, Origin)>) {
    let Found { exif, maker, clip, .. } = found;
    let xmp = found.xmp.as_ref();
    let none = Iptc::default();
    let iptc = found.iptc.as_ref().unwrap_or(&none);
    // XMP counts before IPTC unless the record was changed by a program that knew only IPTC.
    let before = |xmp: Option<String>, iptc: Option<String>| {
        let (xmp, iptc) = (tag(Origin::Xmp, xmp), tag(Origin::Iptc, iptc));
        if found.iptc.is_none() || iptc_in_step(found) { [xmp, iptc] } else { [iptc, xmp] }
    };
    let [first, second] = before(xmp.and_then(|x| x.title.clone()), iptc.title.clone());
    facts.title = pick(
        "title",
        origins,
        [first, second, tag(Origin::Exif, exif.windows_title.clone()), tag(Origin::Container, clip.title.clone())],
    );
    let [first, second] = before(xmp.and_then(|x| x.caption.clone()), iptc.caption.clone());
    facts.caption = pick(
        "caption",
        origins,
        [tag(Origin::Exif, exif.description.clone()), first, second, tag(Origin::Container, clip.caption.clone())],
    );
    let by = (!iptc.creators.is_empty()).then(|| iptc.creators.join("; "));
    let [first, second] = before(xmp.and_then(|x| x.creator.clone()), by);
    facts.creator = pick(
        "creator",
        origins,
        [tag(Origin::Exif, exif.artist.clone()), first, second, tag(Origin::Container, clip.creator.clone())],
    );
    let [first, second] = before(xmp.and_then(|x| x.copyright.clone()), iptc.copyright.clone());
    facts.copyright = pick(
        "copyright",
        origins,
        [tag(Origin::Exif, exif.copyright.clone()), first, second, tag(Origin::Container, clip.copyright.clone())],
    );
    facts.keywords = keywords(found, iptc, origins);
    facts.rating = pick(
        "rating",
        origins,
        [
            tag(Origin::Xmp, xmp.and_then(|x| x.rating)),
            tag(Origin::Exif, stars(exif.rating)),
            tag(Origin::Maker, stars(maker.rating)),
            tag(Origin::Container, stars(clip.rating.map(|v| v.round() as i64))),
        ],
    );
    facts.label = pick("label", origins, [tag(Origin::Xmp, xmp.and_then(|x| x.label.clone()))]);
    facts.flag = pick("flag", origins, [tag(Origin::Xmp, xmp.and_then(|x| x.flag))]);
}

fn iptc_in_step(found: &Found) -> bool {
    found.iptc.as_ref().is_none_or(|iptc| iptc.in_step)
}

fn stars(value: Option<i64>) -> Option<i8> {
    value.and_then(|v| i8::try_from(v).ok()).filter(|v| (0..=5).contains(v))
}

fn keywords(found: &Found, iptc: &Iptc, origins: &mut Vec<(&'static str, Origin)>) -> Vec<String> {
    let xmp = found.xmp.as_ref().map(|x| x.keywords.clone()).filter(|k| !k.is_empty());
    let record = Some(iptc.keywords.clone()).filter(|k| !k.is_empty());
    let windows = found
        .exif
        .windows_keywords
        .as_ref()
        .map(|all| all.split(';').map(|k| k.trim().to_owned()).filter(|k| !k.is_empty()).collect::<Vec<_>>());
    let windows = tag(Origin::Exif, windows.filter(|k| !k.is_empty()));
    let (xmp, record) = (tag(Origin::Xmp, xmp), tag(Origin::Iptc, record));
    let [first, second] = if iptc_in_step(found) { [xmp, record] } else { [record, xmp] };
    pick("keywords", origins, [first, second, windows]).unwrap_or_default()
}

fn picture(found: &Found, facts: &mut Facts, origins: &mut Vec<(&'static str, Origin)>) {
    let Found { exif, maker, clip, .. } = found;
    let xmp = found.xmp.as_ref().and_then(|x| x.orientation).and_then(Orientation::new);
    let orientation = pick(
        "orientation",
        origins,
        [
            tag(Origin::Container, found.turn),
            tag(Origin::Exif, exif.orientation),
            tag(Origin::Maker, maker.orientation),
            tag(Origin::Xmp, xmp),
        ],
    );
    facts.orientation = orientation.unwrap_or(Orientation::UPRIGHT);
    facts.decoder_turns = found.turn.is_some();
    let size = pick(
        "size",
        origins,
        [
            tag(Origin::Container, found.stored),
            tag(Origin::Maker, maker.size),
            tag(Origin::Xmp, found.xmp.as_ref().and_then(|x| x.size).filter(|_| facts.kind == Kind::Sidecar)),
        ],
    );
    let size = size.filter(|&(width, height)| width <= MAX_SIDE && height <= MAX_SIDE);
    let swapped = facts.orientation.swaps_sides() || matches!(clip.rotation, 90 | 270);
    let (width, height) =
        size.map_or((None, None), |(w, h)| if swapped { (Some(h), Some(w)) } else { (Some(w), Some(h)) });
    (facts.width, facts.height) = (width, height);
    facts.previews = previews(&found.previews, facts.orientation, size);
}

/// Previews, largest first. One without a word of its own lies as the main picture does, unless its sides show that it was
/// turned already.
fn previews(candidates: &[Candidate], main: Orientation, stored: Option<(u32, u32)>) -> Vec<Preview> {
    let is_turned = |c: &Candidate| match stored {
        Some((width, height)) if main.swaps_sides() && width != height => (width > height) != (c.width > c.height),
        _ => false,
    };
    let follow = |c: &Candidate| if is_turned(c) && c.width != c.height { Orientation::UPRIGHT } else { main };
    let mut found: Vec<Preview> = candidates
        .iter()
        .map(|candidate| Preview {
            source: candidate.source,
            offset: candidate.offset,
            length: candidate.length,
            width: candidate.width,
            height: candidate.height,
            orientation: candidate.orientation.unwrap_or_else(|| follow(candidate)),
        })
        .collect();
    found.sort_by_key(|p| std::cmp::Reverse((p.long_edge(), p.length)));
    found
}
