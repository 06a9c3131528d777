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

/// A file that needs a name.
pub(crate) struct Named {
    /// Where the template puts it, without what follows.
    pub(crate) stem: PathBuf,
    /// Its own stem on the card, by which the files of one recording's parts stay together.
    pub(crate) own: OsString,
    /// What follows the stem: `.CR2`, `.CR2.xmp`.
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

    /// Names the files of one photo: all with one number, where one is needed at all.
    pub(crate) fn name(&mut self, files: &[Named]) -> Vec<PathBuf> {
        let tails = tails(files);
        for number in 1u32.. {
            let paths: Vec<PathBuf> =
                files.iter().zip(&tails).map(|(file, tail)| numbered(&file.stem, number, tail)).collect();
            let distinct: HashSet<_> = paths.iter().map(|path| folded(path.as_os_str())).collect();
            if distinct.len() == paths.len()
                && paths.iter().zip(files).all(|(path, file)| self.is_free(path, file.size))
            {
                self.given.extend(distinct);
                return paths;
            }
            if distinct.len() < paths.len() {
                // Two files of one photo with one name (a card that knows case): each is named by itself.
                return files.iter().flat_map(|file| self.name(std::slice::from_ref(file))).collect();
            }
        }
        Vec::new()
    }

    /// Takes a folder for a tree of files (paths inside it, and bytes), if all their names are free there. A folder that is
    /// on the disk already counts only where it is this tree's (`is_ours`, or one of its files lies in it).
    pub(crate) fn take_tree(&mut self, folder: &Path, files: &[(PathBuf, u64)], is_ours: bool) -> bool {
        let paths: Vec<(PathBuf, u64)> = files.iter().map(|(path, size)| (folder.join(path), *size)).collect();
        let exists = |path: &Path| self.root.join(path).symlink_metadata().is_ok();
        let may = is_ours || !exists(folder) || paths.iter().any(|(path, _)| exists(path));
        let free = may && paths.iter().all(|(path, size)| self.is_free(path, *size));
        if free {
            self.given.extend(paths.iter().map(|(path, _)| folded(path.as_os_str())));
        }
        free
    }
}

/// What follows the stem of each file. Where the template gives the parts of one recording the same stem, the files of the
/// second part get `-2` in front of theirs, and so on.
fn tails(files: &[Named]) -> Vec<OsString> {
    let mut used: HashSet<Vec<u8>> = HashSet::new();
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    for file in files {
        let own = folded(&file.own);
        if numbers.contains_key(&own) {
            continue;
        }
        let same: Vec<&Named> = files.iter().filter(|other| folded(&other.own) == own).collect();
        let key = |other: &Named, number| folded(numbered(&other.stem, number, &other.text).as_os_str());
        let free = |number: &u32| same.iter().all(|other| !used.contains(&key(other, *number)));
        let number = (1..=files.len() as u32 + 1).find(free).unwrap_or(1);
        let keys: Vec<Vec<u8>> = same.iter().map(|other| key(other, number)).collect();
        used.extend(keys);
        numbers.insert(own, number);
    }
    let tail = |file: &Named| {
        let number = numbers.get(&folded(&file.own)).copied().unwrap_or(1);
        let mut tail = OsString::from(if number > 1 { format!("-{number}") } else { String::new() });
        tail.push(&file.text);
        tail
    };
    files.iter().map(tail).collect()
}

/// The next name by rule where a planned one was taken meanwhile: `a.CR2`, `a-2.CR2`, `a-3.CR2`.
pub(crate) fn alternative(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let dot = name.iter().skip(1).position(|b| *b == b'.').map_or(name.len(), |at| at + 1);
    let (stem, tail) = name.split_at(dot);
    let stem = path.with_file_name(OsStr::from_bytes(stem));
    numbered(&stem, number, OsStr::from_bytes(tail))
}

/// A stem with the number of a name that is taken, and what follows it.
pub(crate) fn numbered(stem: &Path, number: u32, tail: &OsStr) -> PathBuf {
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

/// A file's own stem on the card, and what follows it: that of its photo where the name begins with it, also with both
/// extensions of a sidecar; else its own.
pub(crate) fn own_stem(name: &OsStr, of_photo: &OsStr, is_sidecar: bool) -> (OsString, OsString) {
    let (bytes, stem) = (name.as_bytes(), of_photo.as_bytes());
    let head = bytes.get(..stem.len()).filter(|head| head.eq_ignore_ascii_case(stem));
    let follows = head.and_then(|_| bytes.get(stem.len()..)).filter(|tail| tail.is_empty() || tail.starts_with(b"."));
    if let Some(tail) = follows {
        return (of_photo.to_owned(), OsStr::from_bytes(tail).to_owned());
    }
    let own = Path::new(name).file_stem().unwrap_or_default();
    let inner = Path::new(own);
    let is_short = |extension: &OsStr| {
        (2..=4).contains(&extension.len()) && extension.as_bytes().iter().all(u8::is_ascii_alphanumeric)
    };
    let own = match inner.file_stem() {
        Some(stem) if is_sidecar && inner.extension().is_some_and(is_short) => stem,
        _ => own,
    };
    let tail = bytes.get(own.len()..).unwrap_or_default();
    (own.to_owned(), OsStr::from_bytes(tail).to_owned())
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

    fn files(stem: &str, list: &[&str]) -> Vec<Named> {
        let file = |text: &&str| Named { stem: stem.into(), own: "x".into(), text: text.into(), size: 7 };
        list.iter().map(file).collect()
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
            Namer::new(dir.path(), &is_recorded).name(&files(stem, &[".jpg"]))
        };
        assert_eq!(name("a", false), [PathBuf::from("a.jpg")]);
        assert_eq!(name("a", true), [PathBuf::from("a-2.jpg")]);
        assert_eq!(name("b", false), [PathBuf::from("b-2.jpg")]);
    }

    #[test]
    fn burst_that_shares_a_second_gets_distinct_names() {
        let dir = tempfile::tempdir().unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let names: Vec<_> = (0..3).flat_map(|_| namer.name(&files("a/20090712", &[".CR2"]))).collect();
        assert_eq!(names, ["a/20090712.CR2", "a/20090712-2.CR2", "a/20090712-3.CR2"].map(PathBuf::from));
    }

    #[test]
    fn a_pair_whose_jpeg_name_is_taken_moves_together() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("20230401_0001.JPG"), "A").unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let names = namer.name(&files("20230401_0001", &[".CR2", ".jpg"]));
        assert_eq!(names, ["20230401_0001-2.CR2", "20230401_0001-2.jpg"].map(PathBuf::from));
    }

    #[test]
    fn names_that_differ_only_in_case_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        assert_eq!(namer.name(&files("É", &[".jpg"])), [PathBuf::from("É.jpg")]);
        assert_eq!(namer.name(&files("é", &[".JPG"])), [PathBuf::from("é-2.JPG")]);
        let both = namer.name(&files("x", &[".jpg", ".JPG"]));
        assert_eq!(both, ["x.jpg", "x-2.JPG"].map(PathBuf::from));
    }

    #[test]
    fn a_stem_is_the_photos_own_and_a_sidecar_keeps_both_extensions() {
        let of = |name: &str, photo: &str| {
            let is_sidecar = name.ends_with("xmp") || name.ends_with("XML");
            let (own, tail) = own_stem(OsStr::new(name), OsStr::new(photo), is_sidecar);
            format!("{}|{}", own.to_string_lossy(), tail.to_string_lossy())
        };
        assert_eq!(of("IMG_0001.CR2", "IMG_0001"), "IMG_0001|.CR2");
        assert_eq!(of("IMG_0001.CR2.xmp", "IMG_0001"), "IMG_0001|.CR2.xmp");
        assert_eq!(of("img_0001.jpg", "IMG_0001"), "IMG_0001|.jpg");
        assert_eq!(of("IMG_E0001.JPG.xmp", "IMG_0001"), "IMG_E0001|.JPG.xmp");
        assert_eq!(of("C0001M01.XML", "C0001"), "C0001M01|.XML");
        assert_eq!(of("PXL_1.RAW-01.COVER.jpg", "PXL_1.RAW-02.ORIGINAL"), "PXL_1.RAW-01.COVER|.jpg");
        assert_eq!(of("README", "README"), "README|");
        assert_eq!(of(".hidden", ".hidden"), ".hidden|");
    }

    #[test]
    fn the_parts_of_one_recording_are_numbered_with_what_belongs_to_each() {
        let dir = tempfile::tempdir().unwrap();
        let part = |own: &str, text: &str| Named { stem: "a/0001".into(), own: own.into(), text: text.into(), size: 7 };
        let files = [part("GX01", ".MP4"), part("GX02", ".MP4"), part("GX01", ".THM"), part("GX02", ".THM")];
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let names = ["a/0001.MP4", "a/0001-2.MP4", "a/0001.THM", "a/0001-2.THM"].map(PathBuf::from);
        assert_eq!(namer.name(&files), names);
    }

    #[test]
    fn a_tree_takes_a_folder_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("t/PRIVATE")).unwrap();
        std::fs::write(dir.path().join("t/PRIVATE/INDEX.BDM"), "another card's").unwrap();
        let mut namer = Namer::new(dir.path(), &unrecorded);
        let files = [(PathBuf::from("PRIVATE/INDEX.BDM"), 7), (PathBuf::from("PRIVATE/00000.MTS"), 7)];
        assert!(!namer.take_tree(Path::new("t"), &files, false));
        assert!(!namer.take_tree(Path::new("t"), &files[1..], false), "a folder of another tree");
        assert!(namer.take_tree(Path::new("t"), &files[1..], true), "more clips of the same tree");
        assert!(namer.take_tree(Path::new("t-2"), &files, false));
        assert!(!namer.take_tree(Path::new("t-2"), &files, false), "given away");
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
