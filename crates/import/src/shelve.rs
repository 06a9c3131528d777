//! Cataloguing files where they lie: listing a root, hashing what is new in it, and making photos of it.
//!
//! Shared by `rescan`, `rebuild` and `import --add`. Nothing here writes to a root.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::tz::TimeZone;
use lightfast_catalog::{Found, RootId};
use lightfast_media::groups::{GroupInput, group};
use lightfast_model::{BytePath, ContentHash, Facts, Kind, PhotoId, PhotoKind, QuickKey, Verified};

use crate::card::is_junk;
use crate::copy::{AlignedBuffer, cold_hash};
use crate::library::TEMPORARY;
use crate::plan::{LookAt, facts_in_zone, look_into, new_photo_id, taken_guess};
use crate::sys::FsClass;

/// Folders deeper than this are named and not listed.
const MAX_DEPTH: usize = 64;

/// A file that lies in a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lying {
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
}

/// What lies in a root, by its path relative to it.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) files: BTreeMap<BytePath, Lying>,
    /// Junk, with the reason.
    pub(crate) junk: Vec<(BytePath, u64, &'static str)>,
    /// What could not be listed, and why: nothing is known of what lies in it.
    pub(crate) unlisted: Vec<(BytePath, String)>,
}

impl Shelf {
    /// Whether a path lies in a folder that could not be listed.
    pub(crate) fn is_hidden(&self, path: &Path) -> bool {
        self.unlisted.iter().any(|(folder, _)| path.starts_with(folder.as_path()))
    }
}

/// Lists a folder of a root; lightfast's own folders are left out, and links to folders are not followed.
pub(crate) fn list(root: &Path, below: &Path, stop: &AtomicBool) -> Shelf {
    let mut shelf = Shelf::default();
    let mut folders = vec![(below.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if depth > MAX_DEPTH {
            shelf.unlisted.push((folder.into(), "too deep to be listed".to_owned()));
            continue;
        }
        let entries = match fs::read_dir(root.join(&folder)) {
            Ok(entries) => entries,
            Err(error) => {
                shelf.unlisted.push((folder.into(), format!("could not list the folder: {error}")));
                continue;
            }
        };
        for entry in entries {
            let Ok(entry) = entry else { continue };
            let path = folder.join(entry.file_name());
            let meta = match fs::symlink_metadata(root.join(&path)) {
                Ok(meta) => meta,
                Err(error) => {
                    shelf.unlisted.push((path.into(), format!("could not look at it: {error}")));
                    continue;
                }
            };
            let name = entry.file_name();
            if let Some(reason) = is_junk(&name, meta.is_dir()) {
                if meta.is_file() {
                    shelf.junk.push((path.into(), meta.len(), reason));
                }
            } else if meta.is_dir() {
                if name != ".lightfast" && name != "ascmhl" {
                    folders.push((path, depth + 1));
                }
            } else if meta.is_file() && !name.to_string_lossy().ends_with(TEMPORARY) {
                let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
                shelf.files.insert(path.into(), Lying { size: meta.len(), mtime_ns });
            }
        }
    }
    shelf
}

/// A file that was hashed where it lies.
#[derive(Clone, Debug)]
pub(crate) struct Stranger {
    pub(crate) path: BytePath,
    pub(crate) size: u64,
    pub(crate) mtime_ns: i64,
    pub(crate) hash: ContentHash,
    pub(crate) verified: Verified,
}

/// Hashes a file whole, past the cache where that is possible.
pub(crate) fn hashed(
    root: &Path,
    class: FsClass,
    path: &BytePath,
    lying: &Lying,
    buffer: &mut AlignedBuffer,
) -> Result<Stranger, String> {
    let full = root.join(path.as_path());
    let (hash, verified) =
        cold_hash(&full, lying.size, class, buffer).map_err(|error| format!("could not read it: {error}"))?;
    Ok(Stranger { path: path.clone(), size: lying.size, mtime_ns: lying.mtime_ns, hash, verified })
}

/// A file beside the new ones that is catalogued already, and its photo.
#[derive(Clone, Debug)]
pub(crate) struct Neighbour {
    pub(crate) path: BytePath,
    pub(crate) photo: PhotoId,
}

/// Changes what a file says before it is catalogued: what a person gives photos on the way in.
pub(crate) type Amend<'a> = dyn Fn(&mut Facts) + 'a;

/// What is needed to make photos of files.
pub(crate) struct Shelving<'a> {
    pub(crate) root: RootId,
    pub(crate) folder: &'a Path,
    pub(crate) zone: &'a TimeZone,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) amend: &'a Amend<'a>,
    /// The photo's id that a sidecar gives, where it may be used.
    pub(crate) id_of: &'a dyn Fn(&Path) -> Option<PhotoId>,
}

impl Shelving<'_> {
    /// Makes photos of new files; those of one press of the button, and neighbours with them, are one photo.
    pub(crate) fn found(&self, strangers: Vec<Stranger>, neighbours: &[Neighbour]) -> Vec<Found> {
        let paths: Vec<PathBuf> = strangers.iter().map(|s| self.folder.join(s.path.as_path())).collect();
        let questions: Vec<LookAt<'_>> =
            strangers.iter().zip(&paths).map(|(s, path)| LookAt { path, size: s.size, quick: true }).collect();
        let looks = look_into(&questions, 4, None, self.stop);
        let mut facts: Vec<(Facts, Option<QuickKey>)> = Vec::with_capacity(strangers.len());
        for look in looks {
            let (mut facts_of, quick) = look.map_or_else(Default::default, |look| (look.facts, look.quick));
            facts_in_zone(&mut facts_of, self.zone);
            (self.amend)(&mut facts_of);
            facts.push((facts_of, quick));
        }
        let photos = self.photos(&strangers, &facts, neighbours);
        let mut found = Vec::with_capacity(strangers.len());
        for ((stranger, (facts, quick)), (photo, role, kind)) in strangers.into_iter().zip(facts).zip(photos) {
            let name = stranger.path.as_path().file_name().unwrap_or_default().to_owned();
            found.push(Found {
                root: self.root,
                hash: stranger.hash,
                changed: false,
                quick,
                size: stranger.size,
                mtime_ns: stranger.mtime_ns,
                verified: Some(stranger.verified),
                taken: facts.taken.unwrap_or_else(|| taken_guess(&name, stranger.mtime_ns, self.zone)),
                facts: Some(facts),
                kind,
                photo,
                role,
                path: stranger.path,
            });
        }
        found
    }

    /// The photo of each new file, what the file is to it, and what the photo is to a person.
    fn photos(
        &self,
        strangers: &[Stranger],
        facts: &[(Facts, Option<QuickKey>)],
        neighbours: &[Neighbour],
    ) -> Vec<(PhotoId, lightfast_model::Role, PhotoKind)> {
        let new = strangers.iter().zip(facts).map(|(stranger, (facts, _))| GroupInput {
            path: stranger.path.as_path().to_owned(),
            kind: facts.kind,
            taken: facts.taken,
            content_id: facts.content_id.clone(),
        });
        let known = neighbours.iter().map(|neighbour| {
            let path = neighbour.path.as_path().to_owned();
            let kind = lightfast_media::kind_of(&[], path.file_name().unwrap_or_default()).0;
            GroupInput { path, kind, ..GroupInput::default() }
        });
        let inputs: Vec<GroupInput> = new.chain(known).collect();
        let mut photos = vec![None; strangers.len()];
        for group in group(&inputs) {
            let neighbour = group
                .members
                .iter()
                .find_map(|m| neighbours.get(m.index.checked_sub(strangers.len())?))
                .map(|n| &n.photo);
            let sidecar = || {
                let members = group.members.iter().filter_map(|m| strangers.get(m.index));
                members.filter_map(|s| (self.id_of)(s.path.as_path())).next()
            };
            let photo = neighbour.cloned().or_else(sidecar).unwrap_or_else(new_photo_id);
            let is_clip =
                group.members.first().and_then(|m| inputs.get(m.index)).is_some_and(|i| i.kind == Kind::Video);
            let kind = if is_clip { PhotoKind::Video } else { PhotoKind::Photo };
            for member in &group.members {
                if let Some(slot) = photos.get_mut(member.index) {
                    *slot = Some((photo.clone(), member.role, kind));
                }
            }
        }
        // Every file is in a group.
        let alone = || (new_photo_id(), lightfast_model::Role::Other, PhotoKind::Photo);
        photos.into_iter().map(|photo| photo.unwrap_or_else(alone)).collect()
    }
}

/// The recorded files that lie in the folders of new ones, and so may belong to the same photos.
pub(crate) fn neighbours<'a>(
    strangers: &[Stranger],
    recorded: impl Iterator<Item = (&'a BytePath, &'a PhotoId)>,
) -> Vec<Neighbour> {
    let folders: HashSet<PathBuf> =
        strangers.iter().filter_map(|s| Some(s.path.as_path().parent()?.to_owned())).collect();
    let here = recorded.filter(|(path, _)| path.as_path().parent().is_some_and(|folder| folders.contains(folder)));
    here.map(|(path, photo)| Neighbour { path: path.clone(), photo: photo.clone() }).collect()
}

/// Files by their folder and the stem of their name, for finding what a sidecar belongs to.
pub(crate) fn by_stem<'a>(paths: impl Iterator<Item = &'a BytePath>) -> HashMap<(PathBuf, OsString), Vec<BytePath>> {
    let mut all: HashMap<(PathBuf, OsString), Vec<BytePath>> = HashMap::new();
    for path in paths {
        let folder = path.as_path().parent().unwrap_or(Path::new("")).to_owned();
        let stem = path.as_path().file_stem().unwrap_or_default().to_ascii_lowercase();
        all.entry((folder, stem)).or_default().push(path.clone());
    }
    all
}
