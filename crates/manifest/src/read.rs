//! Reads a manifest of either format.

use std::collections::HashSet;

use crate::HashKind;
use crate::list::{Action, Entry, Format, Hash, Manifest, Reference};
use crate::path::check;
use crate::xml::{Element, ReadError, Visitor, walk};

impl Manifest {
    /// Reads a manifest.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = Reader::default();
        walk(bytes, &mut reader)?;
        let format = reader.format.ok_or(ReadError::Truncated)?;
        Ok(Self {
            format,
            created: reader.created,
            entries: reader.entries,
            ignore: reader.ignore,
            references: reader.references,
            refused: reader.refused,
        })
    }
}

#[derive(Default)]
struct Reader {
    format: Option<Format>,
    created: Option<String>,
    entries: Vec<Entry>,
    ignore: Vec<String>,
    references: Vec<Reference>,
    refused: Vec<String>,
    seen: HashSet<String>,
    entry: Option<Entry>,
    reference: Option<Reference>,
    action: Option<Action>,
    in_directory: bool,
}

impl Visitor for Reader {
    fn open(&mut self, element: Element) -> Result<(), ReadError> {
        let Some(format) = self.format else {
            let version = element.attribute("version").unwrap_or_default();
            self.format = Some(match (element.name.as_str(), version.split('.').next()) {
                ("hashlist", Some("2")) => Format::Asc2,
                ("hashlist", Some("1")) => Format::Mhl1,
                _ => return Err(ReadError::Other { root: element.name.clone(), version: version.to_owned() }),
            });
            return Ok(());
        };
        match element.name.as_str() {
            "directoryhash" | "roothash" => self.in_directory = true,
            "hash" if !self.in_directory => {
                self.entry = Some(Entry { path: String::new(), size: None, hashes: Vec::new() });
            }
            "hashlistreference" => self.reference = Some(Reference { path: String::new(), c4: String::new() }),
            "path" => {
                if let Some(entry) = &mut self.entry {
                    entry.size = element.attribute("size").and_then(|size| size.trim().parse().ok());
                }
            }
            name if HashKind::from_tag(format, name).is_some() => {
                self.action = match element.attribute("action") {
                    Some("original") => Some(Action::Original),
                    Some("verified") => Some(Action::Verified),
                    Some("failed") => Some(Action::Failed),
                    _ => None,
                };
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, text: &str) {
        let Some(format) = self.format else { return };
        // Names keep their blanks; everything else may be laid out over lines.
        let value = text.trim();
        match (name, &mut self.entry, &mut self.reference) {
            ("directoryhash" | "roothash", ..) => self.in_directory = false,
            ("hash", entry, _) => {
                if let Some(entry) = entry.take() {
                    self.enter(entry);
                }
            }
            ("hashlistreference", _, reference) => self.references.extend(reference.take()),
            ("path" | "file", Some(entry), _) => entry.path = text.to_owned(),
            ("size", Some(entry), _) => entry.size = value.parse().ok(),
            ("path", None, Some(reference)) => reference.path = text.to_owned(),
            ("c4", None, Some(reference)) => reference.c4 = value.to_owned(),
            ("pattern", ..) => self.ignore.push(text.to_owned()),
            ("creationdate", None, _) => self.created = Some(value.to_owned()),
            (tag, Some(entry), _) => {
                if let Some(kind) = HashKind::from_tag(format, tag) {
                    entry.hashes.push(Hash { kind, text: value.to_owned(), action: self.action.take() });
                }
            }
            _ => {}
        }
    }
}

impl Reader {
    fn enter(&mut self, mut entry: Entry) {
        if self.format == Some(Format::Mhl1) {
            // Written on Windows, it may have that system's separator.
            entry.path = entry.path.trim().replace('\\', "/");
        }
        if check(&entry.path).is_err() || !self.seen.insert(entry.path.clone()) {
            self.refused.push(entry.path);
        } else {
            self.entries.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASC: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<hashlist version="2.0" xmlns="urn:ASC:MHL:v2.0">
  <creatorinfo><creationdate>2020-01-16T09:15:00+00:00</creationdate><hostname>h</hostname><tool version="1">t</tool></creatorinfo>
  <processinfo>
    <process>in-place</process>
    <roothash><content><xxh64 action="original">aaaa</xxh64></content><structure><xxh64>bbbb</xxh64></structure></roothash>
    <ignore><pattern>.DS_Store</pattern><pattern>ascmhl/</pattern></ignore>
  </processinfo>
  <hashes>
    <hash><path size="6" lastmodificationdate="2020-01-15T13:00:00+00:00">Clips/A &amp; B.mov</path>
      <md5 action="original" hashdate="2020-01-16T09:15:00+00:00">0123</md5><xxh64 action="verified">6d43</xxh64></hash>
    <directoryhash><path>Clips</path><content><xxh64 action="original">cc</xxh64></content><structure><xxh64>dd</xxh64></structure></directoryhash>
    <hash><path size="1">../out</path><xxh64>00</xxh64></hash>
    <hash><path size="6">Clips/A &amp; B.mov</path><xxh64>00</xxh64></hash>
  </hashes>
  <references><hashlistreference><path>A002/ascmhl/0001.mhl</path><c4>c4abc</c4></hashlistreference></references>
</hashlist>"#;

    #[test]
    fn an_asc_mhl_is_read_whole() {
        let manifest = Manifest::read(ASC.as_bytes()).unwrap();
        assert_eq!(manifest.created.as_deref(), Some("2020-01-16T09:15:00+00:00"));
        assert_eq!(manifest.ignore, [".DS_Store", "ascmhl/"]);
        let [entry] = &manifest.entries[..] else { panic!("{:?}", manifest.entries) };
        assert_eq!((entry.path.as_str(), entry.size), ("Clips/A & B.mov", Some(6)));
        let hashes: Vec<_> = entry.hashes.iter().map(|hash| (hash.kind, hash.text.as_str(), hash.action)).collect();
        let wanted =
            [(HashKind::Md5, "0123", Some(Action::Original)), (HashKind::Xxh64, "6d43", Some(Action::Verified))];
        assert_eq!(hashes, wanted);
        assert_eq!(manifest.refused, ["../out", "Clips/A & B.mov"]);
        assert_eq!(manifest.references, [Reference { path: "A002/ascmhl/0001.mhl".into(), c4: "c4abc".into() }]);
    }

    #[test]
    fn mhl_1_1_is_read_with_its_own_names_of_hashes() {
        let text = r#"<?xml version="1.0" encoding="UTF-8"?><hashlist version="1.1">
            <creationdate>2016-10-19T18:35:26Z</creationdate>
            <creatorinfo><name>n</name><username>u</username><tool>t</tool></creatorinfo>
            <hash><file>A\B.mov</file><size>3</size><lastmodificationdate>2016-10-19T18:35:26Z</lastmodificationdate>
              <xxhash64be>67be920e14d52a62</xxhash64be><hashdate>2016-10-19T18:35:26Z</hashdate></hash>
            <hash><file>c</file><size>0</size><null/></hash></hashlist>"#;
        let manifest = Manifest::read(text.as_bytes()).unwrap();
        assert_eq!(manifest.format, Format::Mhl1);
        assert_eq!(manifest.entries[0].path, "A/B.mov");
        assert_eq!(manifest.entries[0].hashes[0].kind, HashKind::Xxh64);
        assert!(manifest.entries[1].hashes.is_empty());
    }

    #[test]
    fn what_is_no_manifest_is_named_and_nothing_grows() {
        let wrong = |text: &str| Manifest::read(text.as_bytes()).unwrap_err();
        assert_eq!(wrong(""), ReadError::Truncated);
        assert!(matches!(wrong("<hashlist version=\"3.0\"/>"), ReadError::Other { .. }));
        assert_eq!(wrong("<hashlist version=\"2.0\"><hashes>"), ReadError::Truncated);
        assert_eq!(wrong("<!DOCTYPE x [<!ENTITY a \"b\">]><hashlist version=\"2.0\"/>"), ReadError::Doctype);
        assert!(matches!(wrong("<hashlist version=\"2.0\">&a;</hashlist>"), ReadError::Malformed { .. }));
        let deep = "<a>".repeat(100);
        assert_eq!(wrong(&format!("<hashlist version=\"2.0\">{deep}")), ReadError::TooLarge);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400), at in 0usize..1800) {
            let _ = Manifest::read(&bytes);
            let mut damaged = ASC.as_bytes().to_vec();
            let end = (at + bytes.len()).min(damaged.len());
            damaged.splice(at.min(end)..end, bytes);
            let _ = Manifest::read(&damaged);
        }
    }
}
