//! Trees of clips whose files refer to each other: kept whole and unrenamed.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::{GroupInput, stands};

/// A tree in which a file lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// `AVCHD`, `XAVC`, `P2`, `XDCAM`, `RED`, `BRAW`.
    pub name: &'static str,
    /// The folder that is kept whole, relative to the card.
    pub root: PathBuf,
}

/// A row of `data/group_trees.tsv`.
struct Row {
    mark: &'static str,
    root: &'static str,
    name: &'static str,
}

/// The trees of a list of files.
pub(super) struct Trees {
    found: Vec<Tree>,
}

impl Trees {
    /// Finds them. A folder above several marks is one tree, named by the first row that fits.
    pub(super) fn of(files: &[GroupInput]) -> Self {
        let rows: Vec<Row> = rows().collect();
        let mut found: Vec<(usize, Tree)> = Vec::new();
        for file in files {
            let Some((row, tree)) = tree_of(&file.path, &rows) else { continue };
            match found.iter_mut().find(|(_, known)| known.root == tree.root) {
                Some(known) if row < known.0 => *known = (row, tree),
                Some(_) => {}
                None => found.push((row, tree)),
            }
        }
        Self { found: found.into_iter().map(|(_, tree)| tree).collect() }
    }

    /// Gives what is no clip by itself (indexes, playlists, a recorder's status) to the clip that its name begins with, else
    /// to the first clip of its tree, so that nobody meets an index among the photos.
    pub(super) fn gather(&self, files: &[GroupInput], clusters: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let is_clip = |cluster: &Vec<usize>| cluster.iter().filter_map(|&i| files.get(i)).any(stands);
        let root = |cluster: &[usize]| Some(self.around(files.get(*cluster.first()?)?)?.root);
        let (mut kept, rest): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            clusters.into_iter().partition(|cluster| is_clip(cluster) || root(cluster).is_none());
        let stem = |i: &usize| files.get(*i).and_then(|f| f.path.file_stem()).map(OsStr::to_ascii_uppercase);
        for cluster in rest {
            let (own, name) = (root(&cluster), cluster.first().and_then(stem).unwrap_or_default());
            let of_tree: Vec<usize> =
                (0..kept.len()).filter(|&at| kept.get(at).is_some_and(|k| is_clip(k) && root(k) == own)).collect();
            let names = |at: &usize| {
                let clip = kept.get(*at).and_then(|k| stem(k.first()?)).unwrap_or_default();
                name.as_encoded_bytes().starts_with(clip.as_encoded_bytes()).then_some((clip.len(), *at))
            };
            let named = of_tree.iter().filter_map(names).max_by_key(|(len, at)| (*len, std::cmp::Reverse(*at)));
            let first = || of_tree.iter().copied().min_by_key(|&at| kept.get(at).and_then(|k| k.iter().min().copied()));
            let place = named.map(|(_, at)| at).or_else(first);
            match place.and_then(|at| kept.get_mut(at)) {
                Some(clip) => clip.extend(cluster),
                None => kept.push(cluster),
            }
        }
        kept
    }

    /// The tree around a file.
    pub(super) fn around(&self, file: &GroupInput) -> Option<Tree> {
        self.found.iter().find(|tree| file.path.starts_with(&tree.root)).cloned()
    }
}

fn rows() -> impl Iterator<Item = Row> {
    let rows = include_str!("../../data/group_trees.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut columns = line.split('\t');
        Some(Row { mark: columns.next()?, root: columns.next()?, name: columns.next()? })
    })
}

fn tree_of(path: &Path, rows: &[Row]) -> Option<(usize, Tree)> {
    // A clip of Blackmagic's cameras makes a tree of its folder.
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("braw"))
        && let Some(root) = path.parent().filter(|root| !root.as_os_str().is_empty())
    {
        return Some((usize::MAX, Tree { name: "BRAW", root: root.to_owned() }));
    }
    let folders: Vec<&OsStr> = path
        .parent()?
        .components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    for (depth, folder) in folders.iter().enumerate() {
        let fits = |row: &&Row| match row.mark.strip_prefix('*') {
            Some(end) => folder.to_string_lossy().to_ascii_uppercase().ends_with(end),
            None => folder.eq_ignore_ascii_case(row.mark),
        };
        let Some(at) = rows.iter().position(|row| fits(&row)) else { continue };
        let row = rows.get(at)?;
        let root_depth = match row.root {
            "itself" => depth,
            above => folders.iter().take(depth).rposition(|name| name.eq_ignore_ascii_case(above)).unwrap_or(depth),
        };
        return Some((at, Tree { name: row.name, root: folders.iter().take(root_depth + 1).collect() }));
    }
    None
}
