//! The check of a library by its catalogue.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use lightfast_catalog::{Checked, CheckedState, Original, Root};
use lightfast_import::{Library, ReadBack, read_back};
use lightfast_model::{BytePath, Role, Verified};

use super::repair::{Repairs, same};
use super::resume::Bookmark;
use super::say::{FileLine, Saying};
use super::{Part, Verify, manifests, unknown};
use crate::context::{Context, absolute};
use crate::error::{Error, Exit};
use crate::interrupt;
use crate::library::{self, Access, Opened, catalog_error};
use crate::ui::count;

/// Rows read from the catalogue, and results noted in it, at once.
const PAGE: u32 = 64;

/// Checks the library that was named.
pub(super) fn run(args: &Verify, named: Option<PathBuf>, context: &Context) -> Result<Exit, Error> {
    let open = |access| match &named {
        Some(folder) => library::open_at(folder, context, access),
        None => library::open(context, access),
    };
    let mut opened = open(Access::Write).or_else(|refused| {
        let readable = open(Access::Read).map_err(|_| refused)?;
        context.ui.remark("The catalogue cannot be written; what is found will not be noted in it.");
        Ok(readable)
    })?;
    let stop = interrupt::watch()?;
    let mut check = Check::new(args, context, &opened)?;
    let mut whole = check.all(&mut opened, &stop)?;
    if whole {
        check.bookmark.remove();
        if args.subset.is_none() {
            whole = manifests::check(&mut check, &opened, &stop)?;
            check.unknown(&opened)?;
        }
    }
    if check.offline > 0 {
        let (many, them) = (count(check.offline), if check.offline == 1 { "it was" } else { "they were" });
        let is = if check.offline == 1 { "original is on a disk that is" } else { "originals are on disks that are" };
        context.ui.remark(format!("{many} {is} not connected; {them} not checked."));
    }
    Ok(check.saying.end(whole))
}

pub(super) struct Check<'a> {
    pub(super) saying: Saying<'a>,
    pub(super) roots: Vec<Root>,
    /// Paths of the library that have been told as bad.
    pub(super) told: HashSet<BytePath>,
    /// Paths that manifests list and the catalogue does not.
    pub(super) listed: HashSet<BytePath>,
    part: Option<Part>,
    /// Rows up to this one were checked before; of them, those that were bad are looked at again.
    done: i64,
    bookmark: Bookmark,
    repairs: Option<Repairs>,
    offline: u64,
    noted: bool,
}

impl<'a> Check<'a> {
    fn new(args: &Verify, context: &'a Context, opened: &Opened) -> Result<Self, Error> {
        let roots = opened.catalog.roots().map_err(catalog_error)?;
        let repairs = match &args.repair_from {
            Some(from) => {
                let from = absolute(from)?;
                let root = roots.iter().find(|root| same(opened.folder_of(root), &from)).map(|root| root.id);
                Some(Repairs::new(from, root)?)
            }
            None => None,
        };
        let bookmark = Bookmark::of(opened.place.dir(), args.subset);
        // Repairing looks at everything, so that nothing bad is passed over.
        let done = if args.again || repairs.is_some() { None } else { bookmark.read() };
        let mut check = Self {
            saying: Saying::new(context),
            roots,
            told: HashSet::new(),
            listed: HashSet::new(),
            part: args.subset,
            done: done.unwrap_or(0),
            bookmark,
            repairs,
            offline: 0,
            noted: true,
        };
        check.saying.report.resumed = done.is_some();
        if done.is_some() {
            context.ui.remark("Going on where the last check was interrupted; verify --again begins anew.");
        }
        let mut after = 0;
        loop {
            let page = opened.catalog.originals(after, 1024).map_err(catalog_error)?;
            let Some(last) = page.last() else { return Ok(check) };
            after = last.row;
            for original in page {
                if check.wants(&original) {
                    check.saying.files_total += 1;
                    check.saying.bytes_total += original.size;
                }
            }
        }
    }

    fn wants(&self, original: &Original) -> bool {
        let is_done = original.row <= self.done && original.was == CheckedState::Good;
        !is_done && self.part.is_none_or(|part| part.has(original.row))
    }

    /// Checks everything; false where it was interrupted.
    fn all(&mut self, opened: &mut Opened, stop: &AtomicBool) -> Result<bool, Error> {
        let mut after = 0;
        loop {
            let page = opened.catalog.originals(after, PAGE).map_err(catalog_error)?;
            let Some(last) = page.last() else { return Ok(true) };
            let mut results = Vec::new();
            for original in &page {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                if self.wants(original) {
                    results.extend(self.one(original, opened));
                }
                after = original.row;
            }
            self.note(&results, opened);
            if stop.load(Ordering::Relaxed) {
                self.bookmark.write(after.max(self.done));
                return Ok(false);
            }
            after = last.row;
            if after > self.done && self.noted {
                self.bookmark.write(after);
            }
        }
    }

    fn one(&mut self, original: &Original, opened: &Opened) -> Option<Checked> {
        let folder = self.folder(original, opened)?;
        let found = read_back(&folder.join(original.path.as_path()), original.size);
        let edited = original.role == Role::Sidecar;
        let other = if edited { CheckedState::Edited } else { CheckedState::Changed };
        let (mut state, mut verified, reason) = match &found {
            ReadBack::Read { hash, verified } if *hash == original.hash => (CheckedState::Good, Some(*verified), None),
            ReadBack::Read { hash, .. } => (other, None, Some(format!("its content is now {hash}"))),
            ReadBack::OtherSize(size) => {
                (other, None, Some(format!("it has {} bytes, and had {}", count(*size), count(original.size))))
            }
            ReadBack::Missing => (CheckedState::Missing, None, Some("it is not there".to_owned())),
            ReadBack::Unreadable(error) => (CheckedState::Unreadable, None, Some(error.to_string())),
        };
        self.saying.step(original.size);
        match state {
            CheckedState::Good => self.saying.report.good += 1,
            CheckedState::Edited => self.saying.report.edited += 1,
            CheckedState::Changed | CheckedState::Missing | CheckedState::Unreadable => {
                self.saying.report.bad += 1;
                let repaired = self.bad(original, word(state), reason, &folder, opened);
                if repaired.is_some() {
                    (state, verified) = (CheckedState::Good, repaired);
                }
            }
        }
        Some(Checked { row: original.row, state, verified })
    }

    /// Tells a bad original, and repairs it where that was asked for and can be done.
    fn bad(
        &mut self,
        original: &Original,
        state: &'static str,
        reason: Option<String>,
        folder: &Path,
        opened: &Opened,
    ) -> Option<Verified> {
        let root = self.roots.iter().find(|root| root.id == original.root).map(|root| root.uuid.as_str());
        if root == Some(opened.id.as_str()) {
            self.told.insert(original.path.clone());
        }
        let outcome = self.repairs.as_mut().map(|repairs| repairs.one(original, folder, opened));
        let more = match &outcome {
            Some(Ok(done)) => match &done.quarantined {
                Some(aside) => format!("; the bad one is {} now", aside.display()),
                None => String::new(),
            },
            Some(Err(why)) => format!("; it could not be repaired: {why}"),
            None => String::new(),
        };
        let line = FileLine::new(&original.path, state, original.size)
            .root(root)
            .hash(original.hash)
            .reason(format!("{}{more}", reason.unwrap_or_default()))
            .repaired(outcome.as_ref().map(Result::is_ok));
        self.saying.say(&line);
        let done = outcome?.ok()?;
        self.saying.report.repaired += 1;
        Some(done.verified)
    }

    /// The folder of an original's root; `None` where its disk is not connected, which is not the same as missing.
    fn folder(&mut self, original: &Original, opened: &Opened) -> Option<PathBuf> {
        let root = self.roots.iter().find(|root| root.id == original.root)?;
        let folder = opened.folder_of(root);
        if !is_connected(root, folder, opened) {
            self.offline += 1;
            return None;
        }
        Some(folder.to_owned())
    }

    fn note(&mut self, results: &[Checked], opened: &mut Opened) {
        if !self.noted || results.is_empty() {
            return;
        }
        // Not being able to note a result does not make it less true; the check goes on.
        if opened.catalog.record_verified(results, self.saying.context.now()).is_err() {
            self.noted = false;
        }
    }

    fn unknown(&mut self, opened: &Opened) -> Result<(), Error> {
        let roots: Vec<Root> = self.roots.clone();
        for root in roots.iter().filter(|root| is_connected(root, opened.folder_of(root), opened)) {
            let is_own = root.uuid == opened.id;
            let mut found = Vec::new();
            unknown::files(opened, root.id, opened.folder_of(root), &mut |path, size| found.push((path, size)))?;
            for (path, size) in found {
                if is_own && self.listed.contains(&path) {
                    continue;
                }
                self.saying.report.unknown += 1;
                let line = FileLine::new(&path, "unknown", size)
                    .root(if is_own { None } else { Some(&root.uuid) })
                    .reason("neither the catalogue nor a manifest lists it");
                self.saying.say(&line);
            }
        }
        Ok(())
    }
}

/// Whether the disk of a root is there: a folder that does not know its name is an empty mount point.
fn is_connected(root: &Root, folder: &Path, opened: &Opened) -> bool {
    if root.uuid == opened.id {
        return folder.is_dir();
    }
    match Library::find(folder) {
        Ok(Some(library)) => library.id == root.uuid,
        // A folder that was added in place has no folder of ours, but it is not empty.
        Ok(None) => std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()),
        Err(_) => false,
    }
}

fn word(state: CheckedState) -> &'static str {
    match state {
        CheckedState::Good => "good",
        CheckedState::Changed => "changed",
        CheckedState::Edited => "edited",
        CheckedState::Missing => "missing",
        CheckedState::Unreadable => "unreadable",
    }
}
