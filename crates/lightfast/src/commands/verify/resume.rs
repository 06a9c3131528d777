//! Where an interrupted check stopped, kept beside the catalogue's other files until the check has ended.
//!
//! A small text file of lines: a version, the part that was checked, and the last row that is done. One that is
//! damaged, or of another part, is as none: the check begins anew.

use std::path::{Path, PathBuf};

use lightfast_import::write_durably;

use super::Part;

const HEAD: &str = "lightfast verify 1";

/// The file of a library, for one part of it.
pub(super) struct Bookmark {
    path: PathBuf,
    part: String,
}

impl Bookmark {
    pub(super) fn of(dir: &Path, part: Option<Part>) -> Self {
        let part = part.map_or_else(|| "all".to_owned(), |part| part.to_string());
        Self { path: dir.join("verify"), part }
    }

    /// The last row that an interrupted check of this part had done.
    pub(super) fn read(&self) -> Option<i64> {
        let text = std::fs::read_to_string(&self.path).ok()?;
        let mut lines = text.lines();
        (lines.next()? == HEAD && lines.next()? == format!("part {}", self.part)).then_some(())?;
        lines.next()?.strip_prefix("after ")?.parse().ok().filter(|row| *row > 0)
    }

    /// Keeps the place. Where that cannot be written, an interrupted check begins anew.
    pub(super) fn write(&self, after: i64) {
        let _ = write_durably(&self.path, format!("{HEAD}\npart {}\nafter {after}\n", self.part).as_bytes());
    }

    /// The check has ended.
    pub(super) fn remove(&self) {
        if self.read().is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_that_of_its_part_and_damage_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let all = Bookmark::of(dir.path(), None);
        let part = Bookmark::of(dir.path(), Some(Part { n: 1, of: 7 }));
        assert_eq!(all.read(), None);
        part.write(512);
        assert_eq!((all.read(), part.read()), (None, Some(512)));
        all.remove();
        assert_eq!(part.read(), Some(512));
        part.remove();
        assert_eq!(part.read(), None);
        std::fs::write(dir.path().join("verify"), "lightfast verify 1\npart all\nafter x").unwrap();
        assert_eq!(all.read(), None);
    }
}
