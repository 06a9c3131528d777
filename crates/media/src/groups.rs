//! Which files are one photo: what one press of the button made.
//!
//! A pure function from a list of files to groups; it reads nothing. Files belong together by folder and stem (RAW, JPEG,
//! HEIF, THM, WAV and sidecars of the same number), by the naming rules of `data/group_names.tsv` (edits, chapters, proxies,
//! covers), and by the content identifier of a Live Photo. Names alone never join pictures taken at different
//! times, and never files of two folders, except where a rule says so. Trees of clips that refer to each other
//! (`data/group_trees.tsv`) are told as such, so that they are kept whole. Frames of a burst stay photos of their own.

mod names;
mod split;
mod trees;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lightfast_model::{CaptureTime, Kind, Role};

use names::Place;
pub use trees::Tree;

/// What grouping needs to know of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupInput {
    /// Where it lies, relative to the card.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// When it was taken, if known.
    pub taken: Option<CaptureTime>,
    /// The content identifier that joins the two files of a Live Photo.
    pub content_id: Option<String>,
}

/// A file of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its place in the list that was given.
    pub index: usize,
    /// What it is to the photo.
    pub role: Role,
}

/// One photo, or files that stay together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its files; the one that stands for the photo comes first, chapters in their order.
    pub members: Vec<Member>,
    /// The tree in which it lies, if it does: its files keep their names and places below the tree's root.
    pub tree: Option<Tree>,
}

/// Groups files into photos. Every file is in exactly one group; groups are in the order of their first file in the list.
pub fn group(files: &[GroupInput]) -> Vec<Group> {
    let places = places(files);
    let mut buckets: BTreeMap<&(PathBuf, OsString), Vec<usize>> = BTreeMap::new();
    for (index, place) in places.iter().enumerate() {
        buckets.entry(&place.key).or_default().push(index);
    }
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for bucket in buckets.values() {
        clusters.extend(split::split(files, &places, bucket));
    }
    let trees = trees::Trees::of(files);
    let mut clusters = trees.gather(files, split::join_live_photos(files, clusters));
    for cluster in &mut clusters {
        cluster.sort_by_key(|&index| places.get(index).map(|place| rank(files, place, index)));
    }
    clusters.sort_by_key(|cluster| cluster.iter().min().copied());
    let member = |&index: &usize| Some(Member { index, role: role_of(files.get(index)?) });
    let groups = clusters.iter().map(|cluster| Group {
        members: cluster.iter().filter_map(member).collect(),
        tree: cluster.first().and_then(|&index| trees.around(files.get(index)?)),
    });
    groups.collect()
}

/// Where each file stands by its name: a rule that needs an original falls back to the name itself where there is none.
fn places(files: &[GroupInput]) -> Vec<Place> {
    let plain: HashMap<(PathBuf, OsString), ()> =
        files.iter().filter(|file| stands(file)).map(|file| (Place::plain(file).key, ())).collect();
    let place = |file: &GroupInput| {
        let place = Place::of(file);
        if place.needs_original && !plain.contains_key(&place.key) { Place::plain(file) } else { place }
    };
    files.iter().map(place).collect()
}

/// Whether a file is a picture or a clip by itself, not a companion of one.
fn is_primary(kind: Kind) -> bool {
    matches!(kind, Kind::Raw | Kind::Jpeg | Kind::Heif | Kind::Tiff | Kind::Image | Kind::Video)
}

/// Whether a file can stand for a photo, rather than only go with one.
fn stands(file: &GroupInput) -> bool {
    is_primary(file.kind) && !is_proxy(&file.path) && !is_thumbnail(&file.path)
}

/// Whether the folder around a file has one of these names.
fn lies_in(path: &Path, names: &[&str]) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| names.iter().any(|name| folder.eq_ignore_ascii_case(name)))
}

/// Whether a clip is only a small copy or a part of another, made by the camera.
fn is_proxy(path: &Path) -> bool {
    let is = |name: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(name));
    let in_p2 = path.parent().is_some_and(|folder| lies_in(folder, &["CONTENTS"]));
    is("lrv") || is("lrf") || lies_in(path, &["SUB"]) || (in_p2 && lies_in(path, &["AUDIO", "VOICE", "ICON", "PROXY"]))
}

/// Whether a picture is only a clip's thumbnail, in the folder for those.
fn is_thumbnail(path: &Path) -> bool {
    lies_in(path, &["THMBNL", "AVCHDTN"])
}

fn role_of(file: &GroupInput) -> Role {
    match file.kind {
        _ if is_thumbnail(&file.path) => Role::Thumbnail,
        Kind::Raw => Role::Raw,
        Kind::Jpeg => Role::Jpeg,
        Kind::Heif => Role::Heif,
        Kind::Tiff | Kind::Image => Role::Tiff,
        Kind::Video if is_proxy(&file.path) => Role::Other,
        Kind::Video => Role::Video,
        Kind::Audio => Role::Audio,
        Kind::Thumbnail => Role::Thumbnail,
        Kind::Sidecar => Role::Sidecar,
        Kind::Other => Role::Other,
    }
}

/// Which member stands for the photo, and in which order the others follow: originals before edits, chapters in order.
fn rank(files: &[GroupInput], place: &Place, index: usize) -> (bool, usize, String, usize) {
    let role = files.get(index).map(role_of);
    let role = role.and_then(|role| Role::ALL.iter().position(|&r| r == role)).unwrap_or(usize::MAX);
    (place.needs_original && role < 5, role, place.order.clone(), index)
}

#[cfg(test)]
mod tests;
