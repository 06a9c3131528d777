//! Makes the plan: lists the cards, asks what is known, looks into what is new, names it, and weighs the space.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lightfast_catalog::CatalogError;
use lightfast_model::{BytePath, DestinationPlan, Kind, PhotoId, PhotoKind, Role};

use super::known::Knowledge;
use super::look::{Look, LookAt, look_into};
use super::naming::{Naming, Unnamed, name_all};
use super::{Action, Amendments, Plan, PlannedFile, PlannedSource, Target, hash_of};
use crate::copy::AlignedBuffer;
use crate::error::{At, IoError, Step};
use crate::names::Namer;
use crate::options::Options;
use crate::sys;

/// Room kept beside the originals: for the catalogue, and for thumbnails.
const MARGIN: u64 = 8 << 20;
const MARGIN_PER_FILE: u64 = 96 << 10;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(transparent)]
    Io(#[from] IoError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

/// Plans the import of listed sources.
pub(crate) fn build(
    options: &Options,
    amendments: &Amendments<'_>,
    ffprobe: Option<&Path>,
    sources: Vec<PlannedSource>,
    known: &Knowledge<'_>,
    stop: &AtomicBool,
) -> Result<Plan, PlanError> {
    let mut files = settle(options, &sources, known)?;
    let paths: Vec<PathBuf> = files.iter().map(|file| absolute(&sources, file)).collect();
    let open: Vec<usize> = (0..files.len()).filter(|&i| files.get(i).is_some_and(is_open)).collect();
    let quick = quick_needed(&files, &open, known)?;
    let questions: Vec<LookAt<'_>> = open
        .iter()
        .filter_map(|&i| Some(LookAt { path: paths.get(i)?, size: files.get(i)?.file.size, quick: quick.contains(&i) }))
        .collect();
    let slow = sources.iter().any(|source| sys::has_seek_cost(&source.card.source));
    let looks = if options.without.metadata {
        questions.iter().map(|_| Some(Look::default())).collect()
    } else {
        look_into(&questions, if slow { 1 } else { 4 }, ffprobe, stop)
    };
    drop(questions);

    let limit = sys::file_size_limit(nearest_existing(&options.library));
    let mut compare = HashSet::new();
    let mut first: HashSet<(u64, u128)> = HashSet::new();
    let mut unnamed = Vec::new();
    for (&index, look) in open.iter().zip(looks) {
        let Some(file) = files.get_mut(index) else { continue };
        let Some(Look { mut facts, quick, refused }) = look else {
            file.action = Action::Refused("interrupted before it was looked at".into());
            continue;
        };
        if let Some(reason) = refused {
            file.action = Action::Refused(reason);
            continue;
        }
        if let Some(limit) = limit.filter(|limit| file.file.size > *limit) {
            file.action =
                Action::Refused(format!("too large for the destination's file system ({limit} bytes at most)"));
            continue;
        }
        if let Some(quick) = quick {
            let twin = !first.insert((file.file.size, quick.0));
            if twin || known.may_be_known(quick, file.file.size)? {
                compare.insert(index);
            }
        }
        amendments.apply(&mut facts);
        if options.previews == crate::Previews::None && !options.thumbnails {
            facts.previews.clear();
        }
        let key = sources.get(file.source).map(|s| (s.card.identity.id.clone(), file.file.path.as_bytes().to_vec()));
        let resumes = key
            .and_then(|key| known.interrupted.get(&key))
            .filter(|earlier| earlier.intent.size == file.file.size && earlier.intent.mtime_ns == file.file.mtime_ns);
        unnamed.push(Unnamed { index, facts, resumes: resumes.cloned() });
    }

    let cards: Vec<String> = sources.iter().map(|source| source.card.name()).collect();
    let here = |file: &PlannedFile| photo_here(known, file);
    let mut buffer = AlignedBuffer::new();
    let mut hash = |index: usize| {
        let file = files.get(index)?;
        hash_of(paths.get(index)?, file.file.size, &mut buffer).ok().map(|(hash, _)| hash)
    };
    let is_recorded = |path: &Path| known.is_recorded(path);
    let mut namer = Namer::new(&options.library, &is_recorded);
    let naming = Naming { options, amendments, files: &files, cards: &cards, here: &here };
    let targets = name_all(&naming, unnamed, &mut namer, &mut hash);
    let new_photos = new_photos(&targets, &compare);
    for (index, target) in targets {
        if let Some(file) = files.get_mut(index) {
            let target = Box::new(target);
            // A sidecar goes with its photo, even where another photo has one of the same bytes.
            let goes_along = target.role == Role::Sidecar && new_photos.contains(&target.group);
            file.action =
                if compare.contains(&index) && !goes_along { Action::Compare(target) } else { Action::Copy(target) };
        }
    }
    for file in &mut files {
        file.also_target = also_target(known, amendments, file).map(Box::new);
    }
    let destinations = destinations(options, &files)?;
    Ok(Plan { sources, files, destinations })
}

/// The photos, by their group, that come in now and of whose pictures none may be here already.
fn new_photos(targets: &[(usize, Target)], compare: &HashSet<usize>) -> HashSet<u32> {
    let pictures = || targets.iter().filter(|(_, target)| target.role != Role::Sidecar);
    let known: HashSet<u32> =
        pictures().filter(|(index, _)| compare.contains(index)).map(|(_, target)| target.group).collect();
    pictures().map(|(_, target)| target.group).filter(|group| !known.contains(group)).collect()
}

/// A file about which nothing is decided yet.
const OPEN: &str = "";

fn is_open(file: &PlannedFile) -> bool {
    matches!(&file.action, Action::Refused(reason) if reason.is_empty())
}

fn absolute(sources: &[PlannedSource], file: &PlannedFile) -> PathBuf {
    let source = sources.get(file.source).map_or(Path::new(""), |source| &source.card.source);
    source.join(file.file.path.as_path())
}

/// Decides what needs no look into the file: junk, what could not be listed, what this very card's history settles.
fn settle(options: &Options, sources: &[PlannedSource], known: &Knowledge<'_>) -> Result<Vec<PlannedFile>, PlanError> {
    let mut files = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let history = known.card_history(&source.card.identity.id)?;
        for file in &source.listing.files {
            let entry = history.get(file.path.as_bytes());
            let same = entry.filter(|entry| entry.size == file.size && entry.mtime_ns == file.mtime_ns);
            let mut elsewhere = Vec::new();
            let action = if let Some(reason) = file.junk {
                Action::Ignored(reason)
            } else if let Some(entry) = same.filter(|entry| entry.trashed && !options.again) {
                Action::Trashed(entry.hash)
            } else if let Some((entry, copy)) = same.and_then(|entry| Some((entry, known.standing_entry(0, entry)?))) {
                elsewhere = (1..known.roots.len()).map(|dest| known.standing_entry(dest, entry)).collect();
                Action::Duplicate(copy)
            } else {
                Action::Refused(OPEN.into())
            };
            files.push(PlannedFile { source: index, file: file.clone(), action, elsewhere, also_target: None });
        }
        for refused in &source.listing.unlisted {
            let file = crate::card::SourceFile { path: refused.path.clone(), size: 0, mtime_ns: 0, junk: None };
            let action = Action::Refused(refused.reason.clone());
            files.push(PlannedFile { source: index, file, action, elsewhere: Vec::new(), also_target: None });
        }
    }
    Ok(files)
}

/// The files whose quick key is worth three reads: those of a size that the library knows, or that several files
/// of this import share.
fn quick_needed(files: &[PlannedFile], open: &[usize], known: &Knowledge<'_>) -> Result<HashSet<usize>, PlanError> {
    let mut by_size: HashMap<u64, u32> = HashMap::new();
    let size_of = |index: &usize| files.get(*index).map_or(0, |file| file.file.size);
    for index in open {
        *by_size.entry(size_of(index)).or_default() += 1;
    }
    let sizes: Vec<u64> = by_size.keys().copied().collect();
    let known_sizes = known.sizes_known(&sizes)?;
    let needs = |index: &&usize| {
        let size = size_of(index);
        known_sizes.contains(&size) || by_size.get(&size).is_some_and(|count| *count > 1)
    };
    Ok(open.iter().filter(needs).copied().collect())
}

/// The photo and the library path of a file that is here already.
fn photo_here(known: &Knowledge<'_>, file: &PlannedFile) -> Option<(PhotoId, PathBuf)> {
    let Action::Duplicate(copy) = &file.action else { return None };
    let photo = known.catalog?.photo_at(known.library_root()?, &copy.path).ok()??;
    Some((photo, copy.path.as_path().to_owned()))
}

/// A duplicate that a further destination lacks goes there under its name in the library.
fn also_target(known: &Knowledge<'_>, amendments: &Amendments<'_>, file: &PlannedFile) -> Option<Target> {
    let (photo, path) = photo_here(known, file)?;
    if file.elsewhere.iter().all(Option::is_some) {
        return None;
    }
    let name = file.file.path.as_path().file_name()?;
    let (kind, _) = lightfast_media::kind_of(&[], name);
    Some(Target {
        path,
        photo,
        role: role_of(kind),
        group: u32::MAX,
        seq: 0,
        facts: None,
        taken: amendments.guess(name, file.file.mtime_ns),
        kind: if kind == Kind::Video { PhotoKind::Video } else { PhotoKind::Photo },
        thumbnail_from: None,
        poster: false,
        note: None,
        resumes: None,
    })
}

/// What a file of a kind is to its photo, where nothing else of the photo is known.
fn role_of(kind: Kind) -> Role {
    match kind {
        Kind::Raw => Role::Raw,
        Kind::Jpeg => Role::Jpeg,
        Kind::Heif => Role::Heif,
        Kind::Tiff | Kind::Image => Role::Tiff,
        Kind::Video => Role::Video,
        Kind::Audio => Role::Audio,
        Kind::Thumbnail => Role::Thumbnail,
        Kind::Sidecar => Role::Sidecar,
        Kind::Other => Role::Other,
    }
}

fn destinations(options: &Options, files: &[PlannedFile]) -> Result<Vec<DestinationPlan>, PlanError> {
    let mut plans = Vec::new();
    for (dest, folder) in crate::destination::folders(options).enumerate() {
        let wanted = |file: &&PlannedFile| file.wants(dest);
        let sizes: Vec<u64> = files.iter().filter(wanted).map(|f| f.file.size).collect();
        let originals: u64 = sizes.iter().sum();
        let margin = if sizes.is_empty() { 0 } else { MARGIN + MARGIN_PER_FILE.saturating_mul(sizes.len() as u64) };
        let place = nearest_existing(folder);
        let free = sys::free_space(place).at(Step::Open, place)?;
        plans.push(DestinationPlan { path: BytePath(folder.clone()), free, needed: originals.saturating_add(margin) });
    }
    Ok(plans)
}

/// The path itself, or the nearest folder above it that exists: where its file system is asked.
pub(crate) fn nearest_existing(path: &Path) -> &Path {
    path.ancestors().find(|p| !p.as_os_str().is_empty() && p.exists()).unwrap_or(Path::new("/"))
}
