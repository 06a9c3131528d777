//! One photo and its sidecars: read, merged property by property, written where they say something else.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use jiff::Timestamp;
use lightfast_catalog::{MarkedPhoto, Marks, SidecarBase, SidecarOutcome};
use lightfast_media::xmp::{self, Properties, ns};
use lightfast_model::{ContentHash, Flag};

use super::candidates::Candidate;
use super::form::{changes, marks_of};
use super::sync::{Keep, SidecarConflict, SidecarReport, SidecarSettings};
use super::three_way::merge;
use crate::library::replace_durably;

/// A sidecar larger than this is none.
const MAX_BYTES: u64 = 32 << 20;

#[derive(Default)]
struct Read {
    bytes: Vec<u8>,
    mode: u32,
}

/// A sidecar's bytes; none where there is no file.
fn read(path: &Path) -> Result<Option<Read>, String> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(format!("could not look at it: {error}")),
    };
    if !meta.is_file() {
        return Err("not a plain file, so it is left as it is".to_owned());
    }
    if meta.len() > MAX_BYTES {
        return Err("too large for a sidecar, so it is left as it is".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| format!("could not read it: {error}"))?;
    Ok(Some(Read { bytes, mode: meta.mode() & 0o777 }))
}

fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// What came of one photo.
pub(super) struct Done {
    pub(super) outcome: SidecarOutcome,
    pub(super) report: SidecarReport,
}

/// One photo and its surroundings.
pub(super) struct Together<'a> {
    pub(super) photo: &'a MarkedPhoto,
    pub(super) before: &'a Marks,
    pub(super) settings: SidecarSettings,
    pub(super) now: Timestamp,
}

/// A sidecar that was read, or is to be made.
struct Side<'a> {
    candidate: &'a Candidate,
    read: Option<Read>,
    properties: Properties,
    /// What it says.
    there: Marks,
    /// What is kept as known to both where it is not written.
    base: Marks,
    /// Whether it contradicts the catalogue, and so is left alone.
    conflict: bool,
}

impl Together<'_> {
    /// Reads, merges and writes all of them.
    pub(super) fn bring(&self, candidates: &[Candidate]) -> Done {
        let photo = self.photo;
        let mut marks = photo.marks.clone();
        let mut report = SidecarReport::default();
        let mut sides = Vec::new();
        let mut offline = false;
        for candidate in candidates {
            if !candidate.online {
                offline |= candidate.creates;
                continue;
            }
            match self.side(candidate, &mut marks, &mut report) {
                Ok(side) => sides.push(side),
                Err(reason) => report.failed.push((candidate.path.clone(), reason)),
            }
        }
        let mut outcome = SidecarOutcome {
            row: photo.row,
            seen: photo.marks.clone(),
            marks: marks.clone(),
            bases: Vec::new(),
            gone: Vec::new(),
            conflict: !report.conflicts.is_empty(),
            due: false,
        };
        let writes = photo.due || (photo.conflict && self.settings.keep == Keep::Ours);
        for side in sides {
            let written = if writes && !side.conflict { self.write(&side, &marks) } else { Ok(None) };
            match written {
                Ok(Some(base)) => {
                    report.written += 1;
                    outcome.bases.push(base);
                }
                Ok(None) => match &side.read {
                    Some(read) => outcome.bases.push(side.known(side.base.clone(), hash(&read.bytes))),
                    None => outcome.gone.extend(side.candidate.base.as_ref().map(|base| (base.root, base.naming))),
                },
                Err(reason) => report.failed.push((side.candidate.path.clone(), reason)),
            }
        }
        outcome.due = photo.due && (offline || !report.failed.is_empty());
        Done { outcome, report }
    }

    /// Reads one sidecar and merges it into `marks`.
    fn side<'c>(
        &self,
        candidate: &'c Candidate,
        marks: &mut Marks,
        report: &mut SidecarReport,
    ) -> Result<Side<'c>, String> {
        let Some(read) = read(&candidate.file)? else {
            // What the original itself says need not be said again, unless it was taken off.
            let rating = if marks.rating == 0 { self.before.rating } else { 0 };
            let there = Marks { rating, ..Marks::default() };
            return Ok(Side {
                candidate,
                read: None,
                properties: Properties::default(),
                there,
                base: Marks::default(),
                conflict: false,
            });
        };
        // One that is damaged looks as if properties had been taken off.
        xmp::merge(Some(&read.bytes), &[]).map_err(|error| error.to_string())?;
        let properties = xmp::read(&read.bytes);
        let there = marks_of(&properties, self.photo.orientation, &marks.keywords);
        let (base, theirs) = match &candidate.base {
            Some(known) => (&known.base, there.clone()),
            None => (self.before, said(&properties, &there, self.before)),
        };
        // A mark that is made now stands over a sidecar that was never read: there is nothing that both knew.
        let first = candidate.base.is_none() && self.photo.due && self.settings.keep == Keep::Neither;
        let merged = merge(base, marks, &theirs, if first { Keep::Ours } else { self.settings.keep });
        let conflict = !merged.conflicts.is_empty();
        if conflict {
            report.conflicts.push(SidecarConflict {
                photo: self.photo.id.clone(),
                path: candidate.path.clone(),
                properties: merged.conflicts,
            });
        }
        if merged.marks != *marks {
            report.taken.push((self.photo.id.clone(), candidate.path.clone()));
            *marks = merged.marks.in_order();
        }
        Ok(Side { candidate, read: Some(read), properties, there, base: merged.base, conflict })
    }

    /// Writes a sidecar so that it says `marks`; none where it does already, or is not to be made.
    fn write(&self, side: &Side<'_>, marks: &Marks) -> Result<Option<SidecarBase>, String> {
        let candidate = side.candidate;
        if !(candidate.writes && (side.read.is_some() || candidate.creates)) {
            return Ok(None);
        }
        let list = changes(&side.properties, &side.there, marks, &self.photo.id, self.photo.orientation, self.now);
        if list.is_empty() {
            return Ok(None);
        }
        let existing = side.read.as_ref().map(|read| read.bytes.as_slice());
        let bytes = xmp::merge(existing, &list).map_err(|error| error.to_string())?;
        let now = read(&candidate.file)?;
        if now.as_ref().map(|read| read.bytes.as_slice()) != existing {
            return Err("it was changed at this very moment by another program; it will be looked at again".to_owned());
        }
        replace_durably(&candidate.file, &bytes, now.map(|read| read.mode)).map_err(|error| error.to_string())?;
        Ok(Some(side.known(marks.clone(), hash(&bytes))))
    }
}

impl Side<'_> {
    fn known(&self, base: Marks, hash: ContentHash) -> SidecarBase {
        let Candidate { root, naming, path, .. } = self.candidate;
        SidecarBase { root: *root, naming: *naming, path: path.clone(), hash, base }
    }
}

/// What a sidecar that was never read says: a property that is not in it is not one that was taken off.
fn said(properties: &Properties, there: &Marks, before: &Marks) -> Marks {
    let has = |namespace: &str, local: &str| properties.text(namespace, local).is_some();
    let lists = [(ns::DC, "subject"), (ns::LIGHTROOM, "hierarchicalSubject"), (ns::DIGIKAM, "TagsList")];
    Marks {
        rating: if has(ns::XMP, "Rating") { there.rating } else { before.rating },
        flag: there.flag.or_else(|| before.flag.filter(|flag| *flag == Flag::Pick || !has(ns::XMP, "Rating"))),
        label: there.label.or(before.label),
        orientation: there.orientation.or(before.orientation),
        title: there.title.clone().or_else(|| before.title.clone()),
        caption: there.caption.clone().or_else(|| before.caption.clone()),
        creator: there.creator.clone().or_else(|| before.creator.clone()),
        copyright: there.copyright.clone().or_else(|| before.copyright.clone()),
        keywords: if lists.iter().any(|(namespace, local)| properties.get(namespace, local).is_some()) {
            there.keywords.clone()
        } else {
            before.keywords.clone()
        },
    }
}
