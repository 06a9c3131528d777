//! Gives every file of a photo its final name, the same stem for all of them, and never one that is taken.
//!
//! Names are compared without regard to case, so that a library can move to a disk that knows none. A name
//! that is taken, in this plan or on the disk, gets `-2`, `-3`, … before its extension.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The longest name that file systems allow, in bytes.
const MAX_NAME: usize = 255;

/// Whether the catalogue knows a file under this path, relative to the destination.
pub(crate) type IsRecorded<'a> = dyn Fn(&Path) -> bool + 'a;

/// A file that needs a name: what follows its photo's stem (`.CR2`, `.CR2.xmp`), and its bytes.
pub(crate) struct Tail {
    pub(crate) text: OsString,
    pub(crate) size: u64,
}

/// Names given so far, over what lies in the destination.
pub(crate) struct Namer<'a> {
    root: &'a Path,
    is_recorded: &'a IsRecorded<'a>,
    given: HashSet<Vec<u8>>,
    folders: HashMap<PathBuf, HashSet<Vec<u8>>>,
}

impl<'a> Namer<'a> {
    /// Over a destination, which need not exist yet.
    pub(crate) fn new(root: &'a Path, is_recorded: &'a IsRecorded<'a>) -> Self {
        Self { root, is_recorded, given: HashSet::new(), folders: HashMap::new() }
    }

    /// Reserves names that an interrupted import gave; they are not given again.
    pub(crate) fn reserve(&mut self, path: &Path) {
        self.given.insert(folded(path.as_os_str()));
    }

    /// A folder that is not there and was not given before: the name, or the name with a number.
    pub(crate) fn new_folder(&mut self, name: &str) -> PathBuf {
        for number in 1u32.. {
            let path = numbered(Path::new(name), number, OsStr::new(""));
            if self.root.join(&path).symlink_metadata().is_err() && self.given.insert(folded(path.as_os_str())) {
                return path;
            }
        }
        PathBuf::from(name)
    }

    /// Whether a path is neither given nor on the disk. A file of the same size there that the catalogue does not know
    /// may be this very one (the catalogue was lost): the path may be tried, and the contents will be compared.
    fn is_free(&mut self, path: &Path, size: u64) -> bool {
        if self.given.contains(&folded(path.as_os_str())) {
            return false;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        if !self.folders.contains_key(folder) {
            let names = std::fs::read_dir(self.root.join(folder))
                .map(|entries| entries.flatten().map(|entry| folded(&entry.file_name())).collect())
                .unwrap_or_default();
            self.folders.insert(folder.to_owned(), names);
        }
        let name = folded(path.file_name().unwrap_or_default());
        if !self.folders.get(folder).is_some_and(|names| names.contains(&name)) {
            return true;
        }
        let there = std::fs::symlink_metadata(self.root.join(path));
        there.is_ok_and(|meta| meta.is_file() && meta.len() == size && size > 0) && !(self.is_recorded)(path)
    }

    /// Names the files of one photo; `stem` is what the template made.
    pub(crate) fn name(&mut self, stem: &Path, tails: &[Tail]) -> Vec<PathBuf> {
        for number in 1u32.. {
            let paths: Vec<PathBuf> = tails.iter().map(|tail| numbered(stem, number, &tail.text)).collect();
            let distinct: HashSet<_> = paths.iter().map(|path| folded(path.as_os_str())).collect();
            if distinct.len() == paths.len()
                && paths.iter().zip(tails).all(|(path, tail)| self.is_free(path, tail.size))
            {
                self.given.extend(distinct);
                return paths;
            }
            if distinct.len() < paths.len() {
                // Two files of one photo with one name (a card that knows case): each is named by itself.
                return tails.iter().flat_map(|tail| self.name(stem, std::slice::from_ref(tail))).collect();
            }
        }
        Vec::new()
    }
}

/// The next name by rule where a planned one was taken meanwhile: `a.CR2`, `a-2.CR2`, `a-3.CR2`.
pub(crate) fn alternative(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let dot = name.iter().skip(1).position(|b| *b == b'.').map_or(name.len(), |at| at + 1);
    let (stem, tail) = name.split_at(dot);
    let stem = path.with_file_name(OsStr::from_bytes(stem));
    numbered(&stem, number, OsStr::from_bytes(tail))
}

fn numbered(stem: &Path, number: u32, tail: &OsStr) -> PathBuf {
    let suffix = if number > 1 { format!("-{number}") } else { String::new() };
    let mut name = stem.file_name().unwrap_or_default().as_bytes().to_vec();
    let room = MAX_NAME.saturating_sub(suffix.len() + tail.len()).max(1);
    while name.len() > room {
        name.pop();
        // Never a character cut in two.
        while std::str::from_utf8(&name).is_err_and(|e| e.error_len().is_none()) && !name.is_empty() {
            name.pop();
        }
    }
    name.extend_from_slice(suffix.as_bytes());
    name.extend_from_slice(tail.as_bytes());
    let mut out = PathBuf::new();
    for part in stem.parent().into_iter().flat_map(Path::components) {
        let part = part.as_os_str().as_bytes();
        out.push(OsStr::from_bytes(part.get(..MAX_NAME).unwrap_or(part)));
    }
    out.push(OsString::from_vec(name));
    out
}

/// What follows a photo's stem in the name of one of its files; its extension where the stem is another.
pub(crate) fn tail_of(name: &OsStr, stem: &OsStr) -> OsString {
    let (name, stem) = (name.as_bytes(), stem.as_bytes());
    let head = name.get(..stem.len()).filter(|head| head.eq_ignore_ascii_case(stem));
    let follows = head.and_then(|_| name.get(stem.len()..)).filter(|tail| tail.is_empty() || tail.starts_with(b"."));
    if let Some(tail) = follows {
        return OsStr::from_bytes(tail).to_owned();
    }
    let extension = Path::new(OsStr::from_bytes(name)).extension();
    let mut tail = OsString::from(if extension.is_some() { "." } else { "" });
    tail.push(extension.unwrap_or_default());
    tail
}

/// Bytes that are equal for names which a file system without case would take for one.
fn folded(name: &OsStr) -> Vec<u8> {
    match name.to_str() {
        Some(text) => text.to_lowercase().into_bytes(),
        None => name.as_bytes().to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tails(list: &[&str]) -> Vec<Tail> {
        list.iter().map(|text| Tail { text: text.into(), size: 7 }).collect()
    }

    fn unrecorded(_: &Path) -> bool {
        false
    }

    #[test]
    fn a_file_of_the_same_size_that_no_catalogue_knows_may_be_this_very_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.jpg"), "7 bytes").unwrap();
        std::fs::write(dir.path().join("b.jpg"), "other").unwrap();
        let name = |stem: &str, known: bool| {
            let is_recorded = move |_: &Path| known;
            Namer::new(dir.path(), &is_recorded).name(Path::new(stem), &tails(&[".jpg"]))
        };
        assert_eq!(name("a", false), [PathBuf::from("a.jpg")]);
        assert_eq!(name("a", true), [PathBuf::from("a-2.jpg")]);
        assert_eq!(name("b", false), [PathBuf::from("b-2.jpg")]);
    }

    #[test]
    fn burst_that_shares_a_second_gets_distinct_names() {
        let dir = tempfile::tempdir().unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let names: Vec<_> = (0..3).flat_map(|_| namer.name(Path::new("a/20090712"), &tails(&[".CR2"]))).collect();
        assert_eq!(names, ["a/20090712.CR2", "a/20090712-2.CR2", "a/20090712-3.CR2"].map(PathBuf::from));
    }

    #[test]
    fn a_pair_whose_jpeg_name_is_taken_moves_together() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("20230401_0001.JPG"), "A").unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let names = namer.name(Path::new("20230401_0001"), &tails(&[".CR2", ".jpg"]));
        assert_eq!(names, ["20230401_0001-2.CR2", "20230401_0001-2.jpg"].map(PathBuf::from));
    }

    #[test]
    fn names_that_differ_only_in_case_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        assert_eq!(namer.name(Path::new("É"), &tails(&[".jpg"])), [PathBuf::from("É.jpg")]);
        assert_eq!(namer.name(Path::new("é"), &tails(&[".JPG"])), [PathBuf::from("é-2.JPG")]);
        let both = namer.name(Path::new("x"), &tails(&[".jpg", ".JPG"]));
        assert_eq!(both, ["x.jpg", "x-2.JPG"].map(PathBuf::from));
    }

    #[test]
    fn tails_follow_the_stem_and_keep_both_extensions_of_a_sidecar() {
        let tail = |name: &str, stem: &str| tail_of(OsStr::new(name), OsStr::new(stem)).into_string().unwrap();
        assert_eq!(tail("IMG_0001.CR2", "IMG_0001"), ".CR2");
        assert_eq!(tail("IMG_0001.CR2.xmp", "IMG_0001"), ".CR2.xmp");
        assert_eq!(tail("img_0001.jpg", "IMG_0001"), ".jpg");
        assert_eq!(tail("C0001M01.XML", "C0001"), ".XML");
        assert_eq!(tail("README", "README"), "");
        assert_eq!(tail(".hidden", ".hidden"), "");
    }

    #[test]
    fn a_very_long_name_is_cut_before_its_extension() {
        let long = "é".repeat(200);
        let path = numbered(Path::new(&long), 12, OsStr::new(".CR2"));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.len() <= 255 && name.ends_with("é-12.CR2"));
    }

    #[test]
    fn an_alternative_keeps_the_whole_tail() {
        assert_eq!(alternative(Path::new("a/b.CR2.xmp"), 2), Path::new("a/b-2.CR2.xmp"));
        assert_eq!(alternative(Path::new("a/README"), 3), Path::new("a/README-3"));
    }
}
