//! Which files are one photo: what one press of the shutter made.
//!
//! A pure function from a list of files to groups; it reads nothing. Files belong together by
//! folder and stem: RAW, JPEG, THM, WAV and sidecars of the same number. Names alone never join
//! files of two folders.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use lightfast_model::{CaptureTime, Kind, Role};

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
    /// Its files; the one that stands for the photo comes first.
    pub members: Vec<Member>,
}

/// Groups files into photos. Every file is in exactly one group; groups and members keep the order of the list, but for
/// the file that stands for the photo, which comes first in its group.
pub fn group(files: &[GroupInput]) -> Vec<Group> {
    let mut order: Vec<Group> = Vec::new();
    let mut known: BTreeMap<(PathBuf, OsString), usize> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let member = Member { index, role: role_of(file) };
        let key = (file.path.parent().map(Path::to_path_buf).unwrap_or_default(), stem(&file.path));
        match known.get(&key).and_then(|&at| order.get_mut(at)) {
            Some(group) => group.members.push(member),
            None => {
                known.insert(key, order.len());
                order.push(Group { members: vec![member] });
            }
        }
    }
    for group in &mut order {
        group.members.sort_by_key(|member| rank(member.role));
    }
    order
}

/// The stem that files of a photo share: `IMG_0001.CR2.xmp` and `IMG_0001.xmp` both belong to `IMG_0001.CR2`.
fn stem(path: &Path) -> OsString {
    let stem = path.file_stem().unwrap_or_default();
    let is_sidecar = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xmp"));
    let inner = Path::new(stem);
    let looks_like_file = inner.extension().is_some_and(|e| (2..=4).contains(&e.len()) && is_alphanumeric(e));
    let stem = if is_sidecar && looks_like_file { inner.file_stem().unwrap_or(stem) } else { stem };
    stem.to_ascii_uppercase()
}

fn is_alphanumeric(text: &OsStr) -> bool {
    text.as_encoded_bytes().iter().all(u8::is_ascii_alphanumeric)
}

fn role_of(file: &GroupInput) -> Role {
    match file.kind {
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

/// Which member stands for the photo.
fn rank(role: Role) -> usize {
    Role::ALL.iter().position(|&r| r == role).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, kind: Kind) -> GroupInput {
        GroupInput { path: path.into(), kind, ..GroupInput::default() }
    }

    fn grouped(files: &[GroupInput]) -> Vec<Vec<usize>> {
        group(files).iter().map(|g| g.members.iter().map(|m| m.index).collect()).collect()
    }

    #[test]
    fn raw_jpeg_sound_and_both_namings_of_the_sidecar_are_one_photo() {
        let files = [
            file("DCIM/100/IMG_0001.JPG", Kind::Jpeg),
            file("DCIM/100/IMG_0001.CR2", Kind::Raw),
            file("DCIM/100/IMG_0001.xmp", Kind::Sidecar),
            file("DCIM/100/img_0001.CR2.xmp", Kind::Sidecar),
            file("DCIM/100/IMG_0001.WAV", Kind::Audio),
            file("DCIM/100/IMG_0002.CR2", Kind::Raw),
        ];
        assert_eq!(grouped(&files), [vec![1, 0, 4, 2, 3], vec![5]]);
    }

    #[test]
    fn the_same_name_in_another_folder_is_another_photo() {
        let files = [file("100/IMG_0001.CR2", Kind::Raw), file("101/IMG_0001.CR2", Kind::Raw)];
        assert_eq!(grouped(&files), [vec![0], vec![1]]);
    }
}
