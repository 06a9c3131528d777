//! What journals remember, read back for making a catalogue again.
//!
//! A journal may end in the middle of a line, hold lines twice, or be damaged: a line that cannot be read is named
//! and left out, and the rest stands. A file of a newer version is left out whole. Nothing here touches SQL.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read as _};

use jiff::Timestamp;
use lightfast_model::{BytePath, ContentHash, PhotoId, Role, SessionId};
use serde_json::Value;

use crate::journal::{AlbumLine, Line, PhotoLine, RootLine, SeenLine, SessionLine, VERSION};

/// Longest line that is read.
const MAX_LINE: u64 = 16 << 20;

/// What all journals of a library remember.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) sessions: BTreeMap<SessionId, SessionLine>,
    pub(crate) roots: BTreeMap<String, RootLine>,
    pub(crate) seen: Vec<SeenLine>,
    pub(crate) photos: HashMap<PhotoId, PhotoLine>,
    /// Which photo a content is of, and as what.
    pub(crate) members: HashMap<ContentHash, Vec<(PhotoId, Role)>>,
    /// What marks each photo was last given.
    pub(crate) marks: BTreeMap<PhotoId, BTreeMap<String, Value>>,
    /// Contents that were put away.
    pub(crate) trashed: HashMap<ContentHash, Timestamp>,
    /// Albums, as they last were.
    pub(crate) albums: BTreeMap<String, AlbumLine>,
    /// How far the old catalogue's counter of changes was.
    pub(crate) changes: i64,
}

/// How reading one journal went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalRead {
    /// Lines that were understood.
    pub lines: u64,
    /// What was left out and why, one clear line each, at most 20; the number of the line is from 1.
    pub problems: Vec<String>,
}

impl Memory {
    /// Reads one journal. Journals are read in the order of their names. The only error is that of reading.
    pub fn read(&mut self, mut journal: impl BufRead) -> std::io::Result<JournalRead> {
        let mut read = JournalRead::default();
        let mut number = 0u64;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if journal.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(read);
            }
            number += 1;
            let whole = bytes.ends_with(b"\n");
            let problem = match serde_json::from_slice(&bytes) {
                Ok(Line::Head { version, .. }) if version > VERSION => {
                    read.note(format!("line {number}: version {version} is newer than this lightfast"));
                    return Ok(read);
                }
                Ok(line) => {
                    self.take(line);
                    read.lines += 1;
                    continue;
                }
                Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => continue,
                Err(_) if !whole => "the line was cut off".to_owned(),
                Err(error) => error.to_string(),
            };
            read.note(format!("line {number}: {problem}"));
        }
    }

    /// The photo that a content was last known to be of, and as what.
    pub fn photo_of(&self, hash: &ContentHash) -> Option<(&PhotoId, Role)> {
        let members = self.members.get(hash)?;
        members.first().map(|(photo, role)| (photo, *role))
    }

    /// What lay where in a root, as far as journals say.
    pub fn recorded(&self, root: &str) -> HashMap<BytePath, ContentHash> {
        let files = self.photos.values().flat_map(|photo| &photo.files);
        let copies = files.flat_map(|file| file.copies.iter().map(move |copy| (copy, file.hash)));
        let here = copies.filter(|(copy, _)| copy.root == root);
        here.filter_map(|(copy, hash)| Some((copy.path.path()?, hash))).collect()
    }

    /// Bytes of a content, as a card had it.
    pub fn bytes_of(&self, hash: &ContentHash) -> Option<u64> {
        self.seen.iter().find(|seen| seen.hash == *hash).map(|seen| seen.bytes)
    }

    /// Whether a content was put away.
    pub fn is_put_away(&self, hash: &ContentHash) -> bool {
        self.trashed.contains_key(hash)
    }

    /// Added folders and further destinations that were known: their names and where they were.
    pub fn roots(&self) -> impl Iterator<Item = (&str, BytePath)> {
        self.roots.values().filter_map(|root| Some((root.uuid.as_str(), root.path.path()?)))
    }

    /// Whether a journal says marks of a photo.
    pub fn has_marks(&self, photo: &PhotoId) -> bool {
        self.marks.contains_key(photo)
    }

    /// Whether a journal knows a photo of that name.
    pub fn has_photo(&self, photo: &PhotoId) -> bool {
        self.photos.contains_key(photo)
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Head { changes, .. } => self.changes = self.changes.max(changes),
            Line::Root(root) => {
                self.roots.insert(root.uuid.clone(), root);
            }
            Line::Session(session) => {
                self.sessions.insert(session.id, session);
            }
            Line::Seen(seen) => self.seen.push(seen),
            Line::Photo(photo) => {
                for file in &photo.files {
                    let members = self.members.entry(file.hash).or_default();
                    if !members.iter().any(|(known, _)| *known == photo.id) {
                        members.push((photo.id.clone(), file.role));
                    }
                }
                self.photos.insert(photo.id.clone(), photo);
            }
            Line::Mark(mark) => {
                for photo in mark.photos {
                    self.marks.entry(photo).or_default().extend(mark.set.clone());
                }
            }
            Line::Album(album) => {
                self.albums.insert(album.id.clone(), album);
            }
            Line::Trash(trash) => {
                for hash in trash.hashes {
                    match trash.state.as_str() {
                        "restored" => self.trashed.remove(&hash),
                        _ => self.trashed.insert(hash, trash.at),
                    };
                }
            }
        }
    }
}

impl JournalRead {
    fn note(&mut self, problem: String) {
        if self.problems.len() < 20 {
            self.problems.push(problem);
        }
    }
}
