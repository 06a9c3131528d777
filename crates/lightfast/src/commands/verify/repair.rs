//! `--repair-from`: finds the good copy of a bad original in another destination, and has it put back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lightfast_catalog::{Original, RootId};
use lightfast_import::{Library, Repair, Repaired, Wanted};

use crate::error::Error;
use crate::library::Opened;

/// Repairs originals of several destinations from one.
pub(super) struct Repairs {
    from: PathBuf,
    /// The root whose folder `from` is, if the catalogue knows it.
    root: Option<RootId>,
    open: HashMap<PathBuf, Repair>,
}

impl Repairs {
    pub(super) fn new(from: PathBuf, root: Option<RootId>) -> Result<Self, Error> {
        if !from.is_dir() {
            return Err(Error::start(format!("there is no folder {} to repair from", from.display()))
                .hint("name the folder of a second destination"));
        }
        Ok(Self { from, root, open: HashMap::new() })
    }

    /// Puts a good copy in the place of the bad original in `folder`; why not, in one clear line.
    pub(super) fn one(&mut self, original: &Original, folder: &Path, opened: &Opened) -> Result<Repaired, String> {
        if same(folder, &self.from) {
            return Err("it lies in the folder that is to be repaired from".to_owned());
        }
        let candidates = self.candidates(original, opened);
        if candidates.is_empty() {
            return Err(format!("{} has no copy of it", self.from.display()));
        }
        let wanted = Wanted { hash: original.hash, size: original.size, mtime_ns: original.mtime_ns };
        let repair = self.repair(folder)?;
        let mut why = String::new();
        for good in candidates {
            match repair.put_back(original.path.as_path(), &wanted, &good) {
                Ok(done) => return Ok(done),
                Err(error) => why = error.to_string(),
            }
        }
        Err(why)
    }

    fn repair(&mut self, folder: &Path) -> Result<&mut Repair, String> {
        if !self.open.contains_key(folder) {
            let library = Library::find(folder).map_err(|error| error.to_string())?;
            let library = library.ok_or_else(|| format!("{} is not a destination of lightfast", folder.display()))?;
            let repair = Repair::begin(library).map_err(|error| error.to_string())?;
            self.open.insert(folder.to_owned(), repair);
        }
        self.open.get_mut(folder).ok_or_else(|| "it cannot be opened".to_owned())
    }

    /// Files there that may be it: under the same name, and where the catalogue says that the content lies.
    fn candidates(&self, original: &Original, opened: &Opened) -> Vec<PathBuf> {
        let mut found = vec![self.from.join(original.path.as_path())];
        if let (Some(root), Ok(Some(known))) = (self.root, opened.catalog.known_by_hash(&original.hash)) {
            let copies = known.copies.iter().filter(|copy| copy.root == root);
            found.extend(copies.map(|copy| self.from.join(copy.path.as_path())));
        }
        found.dedup();
        let has_size = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == original.size);
        found.retain(has_size);
        found
    }
}

/// Whether two paths are one folder.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
