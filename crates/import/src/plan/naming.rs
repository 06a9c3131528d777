//! From groups of files to targets: the photo's id, its number, its final names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, Time};
use lightfast_model::{ContentHash, Facts, Kind, PhotoId, PhotoKind, Preview, Role};

use super::containers::Containers;
use super::shots::{Shot, guess, shots};
use super::{Amendments, PlannedFile, Target};
use crate::names::{Named, Namer, own_stem};
use crate::options::Options;
use crate::template::{Values, harmless};

/// A file that needs a name.
pub(crate) struct Unnamed {
    /// Its place in the plan's files.
    pub(crate) index: usize,
    pub(crate) facts: Facts,
    pub(crate) resumes: Option<lightfast_catalog::UnfinishedIntent>,
}

/// What is asked about a photo whose other files are here already.
pub(crate) type PhotoHere<'a> = dyn Fn(&PlannedFile) -> Option<(PhotoId, PathBuf)> + 'a;

/// What all photos of one plan are named by.
pub(crate) struct Naming<'a> {
    pub(crate) options: &'a Options,
    pub(crate) amendments: &'a Amendments<'a>,
    pub(crate) files: &'a [PlannedFile],
    /// The cards' names, by source.
    pub(crate) cards: &'a [String],
    pub(crate) here: &'a PhotoHere<'a>,
}

/// Names all files of one plan. `hash` gives the content of a file where the template asks for it.
pub(crate) fn name_all(
    naming: &Naming<'_>,
    mut unnamed: Vec<Unnamed>,
    namer: &mut Namer<'_>,
    hash: &mut dyn FnMut(usize) -> Option<ContentHash>,
) -> Vec<(usize, Target)> {
    let Naming { options, amendments, files, cards, .. } = *naming;
    let mut shots = shots(naming, &unnamed);
    shots.sort_by(|a, b| {
        (a.taken.local, a.source, &a.folder, &a.stem).cmp(&(b.taken.local, b.source, &b.folder, &b.stem))
    });
    for intent in unnamed.iter().filter_map(|file| file.resumes.as_ref()) {
        namer.reserve(intent.intent.path.as_path());
    }
    let trees = if options.mirror {
        // The cards' own trees are kept whole anyway.
        Containers::default()
    } else {
        let nothing = Facts::default();
        let rendered = |shot: &Shot| {
            let first = shot.members.first().and_then(|(at, _)| unnamed.get(*at)).map_or(&nothing, |file| &file.facts);
            let card = cards.get(shot.source).map_or("card", String::as_str);
            options.name.render(&values(shot, first, options, 0, card, None))
        };
        Containers::choose(naming, &shots, &unnamed, namer, &rendered)
    };
    let mut seq = unnamed.iter().filter_map(|file| file.resumes.as_ref()?.intent.seq).max().unwrap_or(0);
    let mirrors = if options.mirror { containers(naming, &shots, &unnamed, namer) } else { Vec::new() };
    let mut targets = Vec::new();
    for (group, shot) in shots.iter().enumerate() {
        let resumed = shot.members.iter().find_map(|(at, _)| unnamed.get(*at)?.resumes.clone());
        let number = resumed.as_ref().and_then(|r| r.intent.seq).unwrap_or_else(|| {
            seq += 1;
            seq
        });
        let photo = match (&resumed, &shot.here) {
            (Some(resumed), _) => resumed.intent.photo.clone(),
            (None, Some(here)) => here.photo.clone(),
            (None, None) => new_photo_id(),
        };
        let primary = shot.members.first().and_then(|(at, _)| unnamed.get(*at));
        let Some(primary) = primary else { continue };
        let content = if options.name.uses("hash") { hash(primary.index) } else { None };
        let card = cards.get(shot.source).map_or("card", String::as_str);
        let parts = values(shot, &primary.facts, options, number, card, content);
        let stem_for = |own: &OsStr| match &shot.here {
            Some(here) => renamed(stem_of(&here.path, &here.tail), &here.own, own),
            None => options.name.render(&Values { stem: own, ..parts.clone() }),
        };
        let names = match mirrors.get(shot.source) {
            Some(container) => mirrored(container, shot, &unnamed, files),
            None => names_for(shot, &unnamed, files, &trees, &stem_for, namer),
        };
        let kind = if primary.facts.kind == Kind::Video { PhotoKind::Video } else { PhotoKind::Photo };
        let thumbnail = thumbnail_member(shot, &unnamed);
        let poster = poster_member(shot, &unnamed, thumbnail.map(|(_, preview)| preview));
        for ((at, role), path) in shot.members.iter().zip(names) {
            let Some(file) = unnamed.get_mut(*at) else { continue };
            let preview = thumbnail.filter(|(member, _)| member == at).map(|(_, preview)| preview);
            let Some(planned) = files.get(file.index) else { continue };
            targets.push((
                file.index,
                Target {
                    path,
                    photo: photo.clone(),
                    role: *role,
                    group: group as u32,
                    seq: number,
                    taken: file.facts.taken.unwrap_or_else(|| guess(&planned.file, amendments)),
                    facts: Some(std::mem::take(&mut file.facts)),
                    kind,
                    thumbnail_from: preview,
                    poster: poster == Some(*at),
                    note: shot.is_orphan.then_some(ORPHAN),
                    resumes: file.resumes.as_ref().map(|resumed| resumed.id),
                },
            ));
        }
    }
    targets
}

/// The day that a photo counts to.
fn day(shot: &Shot, options: &Options) -> Date {
    let start = options.day_start.duration_since(Time::midnight());
    shot.taken.local.saturating_sub(start).date()
}

/// The folders into which the cards' own trees go: `{date}-{card}` each, with the date of the earliest file that comes
/// in now; one that an interrupted import had begun is taken up, any other that is there gets a number.
fn containers(naming: &Naming<'_>, shots: &[Shot], unnamed: &[Unnamed], namer: &mut Namer<'_>) -> Vec<PathBuf> {
    let container = |(source, card): (usize, &String)| {
        let of_source = |shot: &&Shot| shot.source == source;
        let resumed = shots.iter().filter(of_source).flat_map(|shot| &shot.members).find_map(|(at, _)| {
            let intent = &unnamed.get(*at)?.resumes.as_ref()?.intent;
            let begun = intent.path.as_path().components().next()?;
            (intent.path.as_path().strip_prefix(begun).ok()? == intent.source.as_path())
                .then(|| PathBuf::from(begun.as_os_str()))
        });
        let first = shots.iter().filter(of_source).map(|shot| day(shot, naming.options)).min();
        resumed.unwrap_or_else(|| {
            let date = first.map(|day| day.strftime("%Y-%m-%d").to_string()).unwrap_or_default();
            namer.new_folder(&format!("{date}-{}", harmless(card)))
        })
    };
    naming.cards.iter().enumerate().map(container).collect()
}

/// The paths that the files of a shot have on their card, inside a container.
fn mirrored(container: &Path, shot: &Shot, unnamed: &[Unnamed], files: &[PlannedFile]) -> Vec<PathBuf> {
    let path = |(at, _): &(usize, Role)| {
        let file = unnamed.get(*at).and_then(|file| files.get(file.index));
        file.map_or_else(|| container.to_owned(), |file| container.join(file.file.path.as_path()))
    };
    shot.members.iter().map(path).collect()
}

/// What is said of a sidecar that is alone.
const ORPHAN: &str = "a sidecar without its photo";

fn values<'a>(
    shot: &'a Shot,
    facts: &'a Facts,
    options: &'a Options,
    seq: u32,
    card: &'a str,
    hash: Option<ContentHash>,
) -> Values<'a> {
    let digits = usize::from(shot.taken.fraction_digits.min(9));
    let nanos = format!("{:09}", shot.taken.local.subsec_nanosecond());
    Values {
        taken: shot.taken.local,
        subsec: nanos.get(..digits).filter(|digits| !digits.is_empty()).map(str::to_owned),
        day: day(shot, options),
        stem: &shot.stem,
        folder: &shot.folder,
        model: facts.model.as_deref(),
        make: facts.make.as_deref(),
        serial: facts.serial.as_deref(),
        lens: facts.lens.as_deref(),
        iso: facts.iso,
        job: options.job.as_deref(),
        seq,
        card,
        kind: if facts.kind == Kind::Video { "video" } else { "photo" },
        hash,
    }
}

/// Names for the members of a shot: as journalled where an interrupted import had named them all, inside its container
/// for a file of a tree, else new ones. `stem_for` is where the template puts a file of a certain name.
fn names_for(
    shot: &Shot,
    unnamed: &[Unnamed],
    files: &[PlannedFile],
    containers: &Containers,
    stem_for: &dyn Fn(&OsStr) -> PathBuf,
    namer: &mut Namer<'_>,
) -> Vec<PathBuf> {
    let resumed = |at: usize| Some(unnamed.get(at)?.resumes.as_ref()?.intent.path.as_path().to_owned());
    let journalled: Option<Vec<PathBuf>> = shot.members.iter().map(|(at, _)| resumed(*at)).collect();
    if let Some(paths) = journalled {
        return paths;
    }
    let file = |at: usize| Some(&files.get(unnamed.get(at)?.index)?.file);
    if shot.tree.is_some() {
        let place = |at: usize| resumed(at).or_else(|| containers.place(shot, file(at)?.path.as_path()));
        return shot.members.iter().filter_map(|(at, _)| place(*at)).collect();
    }
    let mut named = Vec::new();
    for (at, role) in &shot.members {
        let Some(file) = file(*at) else { continue };
        let name = file.path.as_path().file_name().unwrap_or_default();
        let (own, text) = own_stem(name, &shot.stem, *role == Role::Sidecar);
        named.push(Named { stem: stem_for(&own), own, text, size: file.size });
    }
    namer.name(&named)
}

/// A stem of the library for another file of the same photo: the name that the photo had on the card gives way to the
/// file's own.
fn renamed(stem: PathBuf, of_photo: &OsStr, own: &OsStr) -> PathBuf {
    let name = stem.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (of_photo.to_str(), own.to_str()) {
        (Some(from), Some(to)) if from != to && name.contains(from) => stem.with_file_name(name.replacen(from, to, 1)),
        _ => stem,
    }
}

/// The stem of a path that ends with a known tail.
fn stem_of(path: &Path, tail: &OsStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let stem = name.len().checked_sub(tail.len()).and_then(|len| name.get(..len)).unwrap_or(name);
    path.with_file_name(OsStr::from_bytes(stem))
}

/// The member whose embedded JPEG gives the thumbnail: the first that has one large enough, else the largest.
fn thumbnail_member(shot: &Shot, unnamed: &[Unnamed]) -> Option<(usize, Preview)> {
    let edge = crate::THUMBNAIL_EDGE;
    let best = |(at, _): &(usize, Role)| Some((*at, *unnamed.get(*at)?.facts.preview_for(edge)?));
    let all: Vec<(usize, Preview)> = shot.members.iter().filter_map(best).collect();
    let enough = all.iter().find(|(_, preview)| preview.long_edge() >= edge);
    enough.or_else(|| all.iter().max_by_key(|(_, preview)| preview.long_edge())).copied()
}

/// The clip of which a frame is wanted: of a photo that is a clip, and has no picture large enough for a thumbnail.
fn poster_member(shot: &Shot, unnamed: &[Unnamed], thumbnail: Option<Preview>) -> Option<usize> {
    let (at, _) = shot.members.first()?;
    let is_clip = unnamed.get(*at)?.facts.kind == Kind::Video;
    (is_clip && thumbnail.is_none_or(|preview| preview.long_edge() < crate::THUMBNAIL_EDGE)).then_some(*at)
}

/// A photo's id is random, so that it never depends on what a card holds.
pub(crate) fn new_photo_id() -> PhotoId {
    let mut bytes = [0; 10];
    // The system's source of randomness does not fail after boot; zeros would only make ids collide, which the
    // catalogue refuses.
    let _ = getrandom::fill(&mut bytes);
    PhotoId::from_random(bytes)
}
