//! Writes one generation of ASC MHL 2.0.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::HashKind;
use crate::list::Action;
use crate::path::{PathError, check};
use crate::xml::escaped;

/// One file of a new generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// Relative to the folder, with `/`.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Modification time.
    pub modified: Timestamp,
    /// Its hashes.
    pub hashes: Vec<(HashKind, String)>,
    /// Whether it was hashed for the first time, or was as before.
    pub action: Action,
    /// When it was hashed.
    pub hashed: Timestamp,
}

/// A new generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewManifest<'a> {
    /// When it is made.
    pub created: Timestamp,
    /// The machine's name.
    pub host: &'a str,
    /// The program's name and version.
    pub tool: (&'a str, &'a str),
    /// Patterns of names that are left out.
    pub ignore: &'a [&'a str],
    /// Files.
    pub entries: Vec<NewEntry>,
}

/// Why a generation cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} cannot be in a manifest: {why}")]
pub struct WriteError {
    /// The file's path.
    pub path: String,
    /// Why.
    pub why: PathError,
}

impl NewManifest<'_> {
    /// The manifest's text. Files are listed by their paths, hashes in the order that the schema wants.
    pub fn write(mut self) -> Result<String, WriteError> {
        for entry in &self.entries {
            check(&entry.path).map_err(|why| WriteError { path: entry.path.clone(), why })?;
        }
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        let (tool, version) = self.tool;
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n  \
             <creatorinfo>\n    <creationdate>{}</creationdate>\n    <hostname>{}</hostname>\n    \
             <tool version=\"{}\">{}</tool>\n  </creatorinfo>\n  <processinfo>\n    <process>transfer</process>\n    \
             <ignore>\n",
            iso(self.created),
            escaped(self.host),
            escaped(version),
            escaped(tool),
        );
        for pattern in self.ignore {
            text.push_str(&format!("      <pattern>{}</pattern>\n", escaped(pattern)));
        }
        text.push_str("    </ignore>\n  </processinfo>\n  <hashes>\n");
        for entry in &mut self.entries {
            entry.hashes.sort();
            write_entry(&mut text, entry);
        }
        text.push_str("  </hashes>\n</hashlist>\n");
        Ok(text)
    }
}

fn write_entry(text: &mut String, entry: &NewEntry) {
    text.push_str(&format!(
        "    <hash>\n      <path size=\"{}\" lastmodificationdate=\"{}\">{}</path>\n",
        entry.size,
        iso(entry.modified),
        escaped(&entry.path)
    ));
    let action = match entry.action {
        Action::Original => "original",
        Action::Verified => "verified",
        Action::Failed => "failed",
    };
    for (kind, hash) in &entry.hashes {
        let name = kind.name();
        text.push_str(&format!(
            "      <{name} action=\"{action}\" hashdate=\"{}\">{}</{name}>\n",
            iso(entry.hashed),
            escaped(hash)
        ));
    }
    text.push_str("    </hash>\n");
}

fn iso(at: Timestamp) -> String {
    TimeZone::UTC.to_datetime(at).strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;

    fn entry(path: &str) -> NewEntry {
        NewEntry {
            path: path.to_owned(),
            size: 3,
            modified: "2009-07-12T14:03:22Z".parse().unwrap(),
            hashes: vec![(HashKind::Xxh128, "13d1".to_owned()), (HashKind::Md5, "bc7b".to_owned())],
            action: Action::Original,
            hashed: "2026-11-30T19:30:00Z".parse().unwrap(),
        }
    }

    fn manifest(entries: Vec<NewEntry>) -> NewManifest<'static> {
        NewManifest {
            created: "2026-11-30T19:30:00Z".parse().unwrap(),
            host: "<host>",
            tool: ("lightfast", "0.1.0"),
            ignore: &[".DS_Store", "ascmhl/"],
            entries,
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text = manifest(vec![entry("b & c/<d>.JPG"), entry("a.CR2")]).write().unwrap();
        let read = Manifest::read(text.as_bytes()).unwrap();
        let paths: Vec<&str> = read.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["a.CR2", "b & c/<d>.JPG"]);
        let kinds: Vec<_> = read.entries[0].hashes.iter().map(|hash| hash.kind).collect();
        assert_eq!(kinds, [HashKind::Md5, HashKind::Xxh128]);
        assert!(text.contains("lastmodificationdate=\"2009-07-12T14:03:22+00:00\""), "{text}");
    }

    #[test]
    fn a_name_that_xml_cannot_hold_is_refused() {
        let error = manifest(vec![entry("a\u{1}b")]).write().unwrap_err();
        assert_eq!(error.why, PathError::Characters);
    }
}
