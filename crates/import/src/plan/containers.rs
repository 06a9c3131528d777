//! Where trees of clips go: whole, unrenamed, each in a container folder of its own.
//!
//! The container lies in the template's folder and is called by the time of its first clip and the kind of tree
//! (`14-03-22-AVCHD`); where that is taken, the container gets `-2`, never a file inside. Clips of a tree that
//! are here already keep theirs, and new ones of the same tree join them as long as no name is taken.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use lightfast_model::Role;

use super::naming::{Naming, Unnamed};
use super::shots::Shot;
use crate::names::{Namer, numbered};

/// A tree: its source and its folder there.
type Key = (usize, PathBuf);

/// The containers of one plan.
#[derive(Default)]
pub(super) struct Containers {
    of: HashMap<Key, PathBuf>,
}

impl Containers {
    /// Chooses them. `shots` are in the order of their times; `rendered` is where the template would put a shot.
    pub(super) fn choose(
        naming: &Naming<'_>,
        shots: &[Shot],
        unnamed: &[Unnamed],
        namer: &mut Namer<'_>,
        rendered: &dyn Fn(&Shot) -> PathBuf,
    ) -> Self {
        let mut trees: BTreeMap<Key, Vec<&Shot>> = BTreeMap::new();
        for shot in shots {
            if let Some(tree) = &shot.tree {
                trees.entry((shot.source, tree.root.clone())).or_default().push(shot);
            }
        }
        let mut given = HashSet::new();
        let mut of = HashMap::new();
        for (key, shots) in trees {
            let files: Vec<(PathBuf, u64)> = new_files(naming, &shots, unnamed, &key.1);
            let is_clip = |shot: &&&Shot| shot.members.first().is_some_and(|(_, role)| *role == Role::Video);
            let Some(first) = shots.iter().find(is_clip).or(shots.first()) else { continue };
            let name = first.tree.as_ref().map_or("clips", |tree| tree.name);
            let folder = rendered(first).parent().unwrap_or(Path::new("")).to_owned();
            let stem = folder.join(format!("{}-{name}", first.taken.local.strftime("%H-%M-%S")));
            let earlier = earlier(naming, &shots, unnamed, &key);
            let container = match earlier.filter(|folder| namer.take_tree(folder, &files, true)) {
                Some(container) => Some(container),
                None => (1u32..10_000)
                    .map(|number| numbered(&stem, number, "".as_ref()))
                    .find(|folder| !given.contains(folder) && namer.take_tree(folder, &files, false)),
            };
            let container = container.unwrap_or(stem);
            given.insert(container.clone());
            of.insert(key, container);
        }
        Self { of }
    }

    /// Where a file of a tree goes.
    pub(super) fn place(&self, shot: &Shot, path: &Path) -> Option<PathBuf> {
        let root = &shot.tree.as_ref()?.root;
        let container = self.of.get(&(shot.source, root.clone()))?;
        Some(container.join(inside(path, root)))
    }
}

/// A file's place inside its container: with the tree's own folder, without those above it.
fn inside<'a>(path: &'a Path, root: &Path) -> &'a Path {
    path.strip_prefix(root.parent().unwrap_or(Path::new(""))).unwrap_or(path)
}

/// The files of a tree that need a place and have none from an interrupted import.
fn new_files(naming: &Naming<'_>, shots: &[&Shot], unnamed: &[Unnamed], root: &Path) -> Vec<(PathBuf, u64)> {
    let members = shots.iter().flat_map(|shot| &shot.members).filter_map(|(at, _)| unnamed.get(*at));
    let file = |member: &Unnamed| {
        let file = &naming.files.get(member.index)?.file;
        Some((inside(file.path.as_path(), root).to_owned(), file.size))
    };
    members.filter(|member| member.resumes.is_none()).filter_map(file).collect()
}

/// The container that an earlier session made, told by where it put a file of this tree.
fn earlier(naming: &Naming<'_>, shots: &[&Shot], unnamed: &[Unnamed], key: &Key) -> Option<PathBuf> {
    let (source, root) = key;
    let without = |path: &Path, tail: &Path| -> Option<PathBuf> {
        let depth = path.components().count().checked_sub(tail.components().count())?;
        path.ends_with(tail).then(|| path.components().take(depth).collect())
    };
    let members = shots.iter().flat_map(|shot| &shot.members).filter_map(|(at, _)| unnamed.get(*at));
    let resumed = members.filter_map(|member| {
        let path = member.resumes.as_ref()?.intent.path.as_path();
        without(path, inside(naming.files.get(member.index)?.file.path.as_path(), root))
    });
    let of_tree = naming.files.iter().filter(|f| f.source == *source && f.file.path.as_path().starts_with(root));
    let known = of_tree.filter_map(|file| {
        let (_, path) = (naming.here)(file)?;
        without(&path, inside(file.file.path.as_path(), root))
    });
    resumed.chain(known).find(|container| !container.as_os_str().is_empty())
}
