//! Groups the files of a plan into photos: what one press of the shutter made.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lightfast_media::groups::{Group, GroupInput, Member, Tree, group};
use lightfast_model::{CaptureTime, PhotoId, Role, TimeSource};

use super::Amendments;
use super::naming::{Naming, Unnamed};
use crate::card::SourceFile;
use crate::names::own_stem;

/// One photo on its way to a name.
pub(super) struct Shot {
    pub(super) source: usize,
    /// What its files' names have in common on the card.
    pub(super) stem: OsString,
    /// Its folder on the card.
    pub(super) folder: PathBuf,
    pub(super) taken: CaptureTime,
    /// Members that need a name: index into the unnamed, role.
    pub(super) members: Vec<(usize, Role)>,
    /// What an earlier session made of its other files.
    pub(super) here: Option<Here>,
    /// The tree of clips in which its files lie, if they do.
    pub(super) tree: Option<Tree>,
    /// Only sidecars, of a photo that is neither on the card nor, as far as its files tell, in the library.
    pub(super) is_orphan: bool,
}

/// A file of a photo that is in the library already.
pub(super) struct Here {
    pub(super) photo: PhotoId,
    /// Where it lies.
    pub(super) path: PathBuf,
    /// Its own stem on the card, and what follows it there and in the library.
    pub(super) own: OsString,
    pub(super) tail: OsString,
}

/// Groups the files of each source; files that are here already take part, so that a late JPEG finds its RAW.
pub(super) fn shots(naming: &Naming<'_>, unnamed: &[Unnamed]) -> Vec<Shot> {
    let by_index: HashMap<usize, usize> = unnamed.iter().enumerate().map(|(at, file)| (file.index, at)).collect();
    let files = naming.files;
    let mut shots = Vec::new();
    for source in 0..naming.cards.len() {
        let members: Vec<usize> = (0..files.len())
            .filter(|&i| files.get(i).is_some_and(|f| f.source == source && f.file.junk.is_none()))
            .collect();
        let input = |&index: &usize| {
            let facts = by_index.get(&index).and_then(|&at| unnamed.get(at)).map(|file| &file.facts);
            let path = files.get(index).map(|file| file.file.path.as_path().to_owned()).unwrap_or_default();
            let by_name = || lightfast_media::kind_of(&[], path.file_name().unwrap_or_default()).0;
            let kind = facts.map_or_else(by_name, |f| f.kind);
            let content_id = facts.and_then(|f| f.content_id.clone());
            GroupInput { kind, taken: facts.and_then(|f| f.taken), content_id, path }
        };
        let inputs: Vec<GroupInput> = members.iter().map(input).collect();
        let found = Members { naming, source, members: &members, unnamed, by_index: &by_index };
        shots.extend(group(&inputs).iter().filter_map(|group| found.shot(group)));
    }
    shots
}

/// The files of one source, as the groups name them.
struct Members<'a> {
    naming: &'a Naming<'a>,
    source: usize,
    members: &'a [usize],
    unnamed: &'a [Unnamed],
    by_index: &'a HashMap<usize, usize>,
}

impl Members<'_> {
    fn shot(&self, group: &Group) -> Option<Shot> {
        let files = self.naming.files;
        let file = |member: usize| files.get(*self.members.get(member)?);
        let members: Vec<(usize, Role)> = group
            .members
            .iter()
            .filter_map(|m| Some((*self.by_index.get(self.members.get(m.index)?)?, m.role)))
            .collect();
        let primary = self.unnamed.get(members.first()?.0)?;
        let path = file(group.members.first()?.index)?.file.path.as_path();
        let stem = path.file_stem().unwrap_or_default().to_owned();
        let here = |m: &Member| {
            let file = file(m.index)?;
            let (photo, path) = (self.naming.here)(file)?;
            let (own, tail) = own_stem(file.file.path.as_path().file_name()?, &stem, m.role == Role::Sidecar);
            Some(Here { photo, path, own, tail })
        };
        let is_named_like_it = |here: &Here| here.own == stem;
        let here = group.members.iter().filter_map(here).find(is_named_like_it).or(group.members.iter().find_map(here));
        let taken = members
            .iter()
            .find_map(|(at, _)| self.unnamed.get(*at)?.facts.taken)
            .or_else(|| files.get(primary.index).map(|file| guess(&file.file, self.naming.amendments)))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let is_orphan =
            here.is_none() && group.tree.is_none() && group.members.iter().all(|member| member.role == Role::Sidecar);
        let tree = group.tree.clone();
        Some(Shot { source: self.source, stem, folder, taken, members, here, tree, is_orphan })
    }
}

pub(super) fn guess(file: &SourceFile, amendments: &Amendments<'_>) -> CaptureTime {
    amendments.guess(file.path.as_path().file_name().unwrap_or_default(), file.mtime_ns)
}

/// The time of a file that says none itself: from its name, else its modification time, flagged as a guess.
pub(crate) fn taken_guess(name: &OsStr, mtime_ns: i64, zone: &TimeZone) -> CaptureTime {
    lightfast_media::time_from_name(name).unwrap_or_else(|| {
        let stamp = Timestamp::from_nanosecond(i128::from(mtime_ns)).unwrap_or(Timestamp::UNIX_EPOCH);
        let local = zone.to_datetime(stamp);
        CaptureTime { local, fraction_digits: 0, utc_offset: None, from: TimeSource::File }
    })
}
