//! Any file: what it says of itself. The JSON has the names of a photo's, and beside them what only a file has.

use std::fs::File;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_media::FileSource;
use lightfast_model::{BytePath, CaptureTime, Facts, Kind, PhotoKind, Preview, TimeSource};
use serde::Serialize;

use super::card::{camera, lines, settings, size, source};
use crate::context::Context;
use crate::error::{Error, Exit};
use crate::ui::{bytes, duration};

pub(super) fn show(path: &Path, context: &Context) -> Result<Exit, Error> {
    let failed = |error| Error::start(format!("cannot read {}", path.display())).because(error);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let mut content = FileSource::with_len(&file, metadata.len());
    let name = path.file_name().unwrap_or_default();
    let facts = lightfast_media::facts(&mut content, name);
    let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    let taken = facts.taken.map(|time| local(time, facts.taken_is_utc)).or_else(|| guess(name, modified));
    if context.ui.is_json() {
        context.ui.object(&Described::new(path, metadata.len(), &facts, taken));
    } else {
        for_people(path, metadata.len(), &facts, taken, context);
    }
    Ok(Exit::Done)
}

/// A clip's time is often an instant in UTC; it is shown as the local time here, with its offset.
fn local(time: CaptureTime, is_utc: bool) -> CaptureTime {
    match TimeZone::UTC.to_timestamp(time.local) {
        Ok(instant) if is_utc => {
            let zone = TimeZone::system();
            let utc_offset = Some(zone.to_offset(instant).seconds());
            CaptureTime { local: zone.to_datetime(instant), utc_offset, ..time }
        }
        _ => time,
    }
}

fn guess(name: &std::ffi::OsStr, modified: Option<Timestamp>) -> Option<CaptureTime> {
    lightfast_media::time_from_name(name).or_else(|| {
        let local = TimeZone::system().to_datetime(modified?);
        Some(CaptureTime { local, fraction_digits: 0, utc_offset: None, from: TimeSource::File })
    })
}

/// A file in JSON.
#[derive(Serialize)]
struct Described<'a> {
    id: Option<()>,
    kind: Option<PhotoKind>,
    #[serde(flatten)]
    path: BytePath,
    bytes: u64,
    file_kind: Kind,
    format: Option<&'a str>,
    taken: Option<String>,
    utc_offset: Option<String>,
    taken_from: Option<TimeSource>,
    camera: Option<&'a str>,
    make: Option<&'a str>,
    serial: Option<&'a str>,
    lens: Option<&'a str>,
    iso: Option<u32>,
    iso_auto: Option<bool>,
    exposure: Option<String>,
    aperture: Option<f64>,
    focal_length: Option<f64>,
    width: Option<u32>,
    height: Option<u32>,
    orientation: u8,
    duration: Option<f64>,
    rating: Option<i8>,
    label: Option<&'a str>,
    title: Option<&'a str>,
    caption: Option<&'a str>,
    creator: Option<&'a str>,
    copyright: Option<&'a str>,
    keywords: &'a [String],
    gps: Option<[f64; 2]>,
    previews: &'a [Preview],
    problems: &'a [String],
}

impl<'a> Described<'a> {
    fn new(path: &Path, bytes: u64, facts: &'a Facts, taken: Option<CaptureTime>) -> Self {
        Self {
            id: None,
            kind: photo_kind(facts.kind),
            path: path.into(),
            bytes,
            file_kind: facts.kind,
            format: facts.format,
            taken: taken.map(|time| time.taken()),
            utc_offset: taken.and_then(|time| time.offset()),
            taken_from: taken.map(|time| time.from),
            camera: facts.model.as_deref(),
            make: facts.make.as_deref(),
            serial: facts.serial.as_deref(),
            lens: facts.lens.as_deref(),
            iso: facts.iso,
            iso_auto: facts.iso_auto,
            exposure: facts.exposure.map(|ratio| ratio.exposure()),
            aperture: facts.aperture,
            focal_length: facts.focal_length,
            width: facts.width,
            height: facts.height,
            orientation: facts.orientation.value(),
            duration: facts.video.as_ref().and_then(|video| video.duration),
            rating: facts.rating,
            label: facts.label.as_deref(),
            title: facts.title.as_deref(),
            caption: facts.caption.as_deref(),
            creator: facts.creator.as_deref(),
            copyright: facts.copyright.as_deref(),
            keywords: &facts.keywords,
            gps: facts.gps.map(|gps| [gps.latitude, gps.longitude]),
            previews: &facts.previews,
            problems: &facts.problems,
        }
    }
}

fn photo_kind(kind: Kind) -> Option<PhotoKind> {
    match kind {
        Kind::Raw | Kind::Jpeg | Kind::Heif | Kind::Tiff | Kind::Image => Some(PhotoKind::Photo),
        Kind::Video => Some(PhotoKind::Video),
        Kind::Audio | Kind::Thumbnail | Kind::Sidecar | Kind::Other => None,
    }
}

fn for_people(path: &Path, length: u64, facts: &Facts, taken: Option<CaptureTime>, context: &Context) {
    let s = context.ui.styles();
    context.ui.answer(s.strong(&context.shown(path)));
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut add = |name, value: Option<String>| rows.extend(value.filter(|v| !v.is_empty()).map(|v| (name, v)));
    let format = facts.format.unwrap_or("a format that is not known here");
    add("file", Some(format!("{format}, {}", bytes(length))));
    add(
        "taken",
        taken.map(|time| {
            let offset = time.offset().map(|offset| format!(" {offset}")).unwrap_or_default();
            format!("{}{offset}{}", time.taken().replace('T', " "), source(time.from))
        }),
    );
    add("camera", camera(facts.make.as_deref(), facts.model.as_deref()));
    add("serial", facts.serial.clone());
    add("lens", facts.lens.clone());
    let time = facts.exposure.map(|ratio| ratio.exposure());
    add("exposure", settings(time.as_deref(), facts.aperture, facts.focal_length, facts.iso, facts.iso_auto));
    add("size", size(facts.width, facts.height));
    add("length", facts.video.as_ref().and_then(|video| video.duration).map(duration));
    add("place", facts.gps.map(|gps| format!("{:.6}, {:.6}", gps.latitude, gps.longitude)));
    add("title", facts.title.clone());
    add("caption", facts.caption.clone());
    add("keywords", Some(facts.keywords.join(", ")));
    add("creator", facts.creator.clone());
    add("copyright", facts.copyright.clone());
    for preview in &facts.previews {
        add("preview", Some(format!("{} × {}, {}", preview.width, preview.height, bytes(preview.length))));
    }
    for problem in &facts.problems {
        add("problem", Some(problem.clone()));
    }
    lines(&rows, context);
}
