//! What a file's name says of the photo it belongs to.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lightfast_model::Kind;

use super::GroupInput;

/// A row of `data/group_names.tsv`.
struct Rule {
    pattern: &'static str,
    clips_only: bool,
    base: &'static str,
    /// `None` keeps what the star took.
    keep: Option<Vec<(usize, usize)>>,
    order: Option<(usize, usize)>,
    folder: Option<Folder>,
    needs_original: bool,
}

/// In which folder a rule holds, and where the other name lies.
struct Folder {
    /// The name of the folder around it, where that matters.
    parent: Option<&'static str>,
    /// Its name, or the end of it after a star.
    name: &'static str,
    /// The folder beside it in which the other name lies; the same one where there is none.
    other: Option<&'static str>,
}

impl Folder {
    fn read(text: &'static str) -> Self {
        let (name, other) = match text.split_once('>') {
            Some((name, other)) => (name, Some(other)),
            None => (text, None),
        };
        let (parent, name) = match name.split_once('/') {
            Some((parent, name)) => (Some(parent), name),
            None => (None, name),
        };
        Self { parent, name, other }
    }

    /// The folder of the other name, if the rule holds here.
    fn of(&self, folder: &Path) -> Option<PathBuf> {
        let own = folder.file_name()?;
        let around = folder.parent().and_then(Path::file_name);
        if self.parent.is_some_and(|name| around.is_none_or(|around| !around.eq_ignore_ascii_case(name))) {
            return None;
        }
        let fits = match self.name.strip_prefix('*') {
            Some(end) => own.to_string_lossy().to_ascii_uppercase().ends_with(end),
            None => own.eq_ignore_ascii_case(self.name),
        };
        let other = self.other.map(|other| folder.with_file_name(cased(other, own)));
        fits.then(|| other.unwrap_or_else(|| folder.to_owned()))
    }
}

/// A name in capitals in the manner of another: cameras write `CLIP` and `SUB`, or `Clip` and `Sub`.
fn cased(name: &str, like: &OsStr) -> String {
    let like = like.to_string_lossy();
    if !like.bytes().any(|b| b.is_ascii_lowercase()) {
        return name.to_owned();
    }
    let low = name.to_ascii_lowercase();
    match (like.starts_with(|c: char| c.is_ascii_uppercase()), low.split_at_checked(1)) {
        (true, Some((first, rest))) => first.to_ascii_uppercase() + rest,
        _ => low,
    }
}

/// Where a file stands by its name.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Folder, and the common name in capitals.
    pub(super) key: (PathBuf, OsString),
    /// Orders the parts of one recording.
    pub(super) order: String,
    /// It counts only where a file with the common name is there.
    pub(super) needs_original: bool,
    /// For a companion named after a whole file (`IMG_0001.CR2.xmp`): that file's name in capitals.
    pub(super) of_file: Option<OsString>,
}

impl Place {
    /// By the file's own stem.
    pub(super) fn plain(file: &GroupInput) -> Self {
        let (stem, of_file) = stem(&file.path, file.kind);
        Self { key: (folder(&file.path), stem), order: String::new(), needs_original: false, of_file }
    }

    /// By the first rule that fits, else by the file's own stem.
    pub(super) fn of(file: &GroupInput) -> Self {
        let plain = Self::plain(file);
        let Some(name) = plain.key.1.to_str() else { return plain };
        let is_clip = matches!(file.kind, Kind::Video | Kind::Thumbnail | Kind::Sidecar);
        let found =
            rules().iter().filter(|rule| is_clip || !rule.clips_only).find_map(|rule| rule.apply(name, &plain.key.0));
        match found {
            Some((key, order, needs_original)) => Self { key, order, needs_original, of_file: plain.of_file },
            None => plain,
        }
    }
}

impl Rule {
    fn apply(&self, stem: &str, folder: &Path) -> Option<((PathBuf, OsString), String, bool)> {
        let rest = match self.pattern.strip_prefix('*') {
            Some(tail) => {
                let at = stem.len().checked_sub(tail.len()).filter(|&at| at > 0)?;
                fits(tail, stem.get(at..)?).then_some(stem.get(..at)?)?
            }
            None => fits(self.pattern, stem).then_some("")?,
        };
        let folder = match &self.folder {
            Some(rule) => rule.of(folder)?,
            None => folder.to_owned(),
        };
        let part = |&(from, to): &(usize, usize)| stem.get(from..to);
        let kept = match &self.keep {
            Some(ranges) => ranges.iter().map(part).collect::<Option<String>>()?,
            None => rest.to_owned(),
        };
        let order = self.order.as_ref().and_then(part).unwrap_or_default().to_owned();
        Some(((folder, OsString::from(format!("{}{kept}", self.base))), order, self.needs_original))
    }
}

/// Whether a stem has a pattern's shape.
fn fits(pattern: &str, stem: &str) -> bool {
    pattern.len() == stem.len()
        && pattern.bytes().zip(stem.bytes()).all(|(shape, byte)| match shape {
            b'#' => byte.is_ascii_digit(),
            b'%' => byte.is_ascii_uppercase(),
            b'?' => byte.is_ascii_alphanumeric(),
            _ => shape == byte,
        })
}

fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let rows =
            include_str!("../../data/group_names.tsv").lines().filter(|line| !line.starts_with("# ") && *line != "#");
        rows.filter_map(rule).collect()
    })
}

fn rule(row: &'static str) -> Option<Rule> {
    let columns: Vec<&'static str> = row.split('\t').collect();
    let [pattern, kinds, base, keep, order, folder, needs] = *columns.as_slice() else { return None };
    let range = |text: &str| {
        let (from, to) = text.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    let given = |text: &'static str| Some(text).filter(|text| *text != "-");
    Some(Rule {
        pattern,
        clips_only: kinds == "clip",
        base: given(base).unwrap_or(""),
        keep: if keep == "*" { None } else { Some(keep.split(',').map(range).collect::<Option<_>>()?) },
        order: given(order).and_then(range),
        folder: given(folder).map(Folder::read),
        needs_original: needs == "original",
    })
}

fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The stem that files of a photo share, in capitals; and, for a companion named after a whole file, that file.
///
/// `IMG_0001.CR2.xmp` and `IMG_0001.xmp` both have the stem `IMG_0001`.
fn stem(path: &Path, kind: Kind) -> (OsString, Option<OsString>) {
    let stem = path.file_stem().unwrap_or_default();
    if kind == Kind::Sidecar {
        let inner = Path::new(stem);
        if inner.extension().is_some_and(|e| (2..=4).contains(&e.len()) && is_alphanumeric(e)) {
            let own = inner.file_stem().unwrap_or(stem);
            return (own.to_ascii_uppercase(), Some(stem.to_ascii_uppercase()));
        }
    }
    (stem.to_ascii_uppercase(), None)
}

fn is_alphanumeric(text: &OsStr) -> bool {
    text.as_encoded_bytes().iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_data_is_a_rule() {
        let rows =
            include_str!("../../data/group_names.tsv").lines().filter(|line| !line.starts_with("# ") && *line != "#");
        assert_eq!(rules().len(), rows.count());
    }

    #[test]
    fn folders_are_named_in_the_manner_of_the_camera() {
        assert_eq!(cased("CLIP", OsStr::new("SUB")), "CLIP");
        assert_eq!(cased("CLIP", OsStr::new("Sub")), "Clip");
        assert_eq!(cased("CLIP", OsStr::new("sub")), "clip");
        let rule = Folder::read("CONTENTS/AUDIO>VIDEO");
        assert_eq!(rule.of(Path::new("CONTENTS/AUDIO")), Some("CONTENTS/VIDEO".into()));
        assert_eq!(rule.of(Path::new("MUSIC/AUDIO")), None);
        assert_eq!(Folder::read("*.RDC").of(Path::new("A.RDM/B.RDC")), Some("A.RDM/B.RDC".into()));
    }

    #[test]
    fn shapes() {
        assert!(fits("IMG_E####", "IMG_E0001"));
        assert!(!fits("IMG_E####", "IMG_E000A"));
        assert!(!fits("IMG_E####", "IMG_E00011"));
    }
}
