//! The chain: which generations a folder's manifests have, each by its C4 id, so that a changed or missing one shows.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::xml::{Element, ReadError, Visitor, escaped, walk};

/// The folder of manifests inside the folder that they are of.
pub const FOLDER: &str = "ascmhl";
/// The chain's file in it.
pub const CHAIN_FILE: &str = "ascmhl_chain.xml";

/// One generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// From 1.
    pub number: u64,
    /// Its file in the folder of manifests.
    pub path: String,
    /// The file's C4 id.
    pub c4: String,
}

/// All generations of one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// In the order of the file.
    pub generations: Vec<Generation>,
}

impl Chain {
    /// Reads a chain.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = Reader::default();
        walk(bytes, &mut reader)?;
        Ok(Self { generations: reader.found })
    }

    /// The chain's file.
    pub fn write(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n",
        );
        for generation in &self.generations {
            text.push_str(&format!(
                "  <hashlist sequencenr=\"{}\">\n    <path>{}</path>\n    <c4>{}</c4>\n  </hashlist>\n",
                generation.number,
                escaped(&generation.path),
                escaped(&generation.c4)
            ));
        }
        text.push_str("</ascmhldirectory>\n");
        text
    }

    /// The number of the next generation.
    pub fn next(&self) -> u64 {
        self.generations.iter().map(|generation| generation.number).max().unwrap_or(0).saturating_add(1)
    }

    /// Numbers that are missing in the row from 1 on.
    pub fn gaps(&self) -> Vec<u64> {
        let last = self.next().min(self.generations.len() as u64 + 1000);
        (1..last).filter(|number| self.generations.iter().all(|generation| generation.number != *number)).collect()
    }
}

/// The file name of a generation: `0001_DCIM_2026-11-30_193000Z.mhl`.
pub fn generation_name(number: u64, folder: &str, at: Timestamp) -> String {
    let at = TimeZone::UTC.to_datetime(at).strftime("%Y-%m-%d_%H%M%SZ");
    // A name of a folder may be as long as the whole name may be.
    let folder: String = folder.chars().filter(|c| !c.is_control() && *c != '/').take(50).collect();
    format!("{number:04}_{folder}_{at}.mhl")
}

/// The number in a generation's file name.
pub fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".mhl")?.split('_').next()?;
    (digits.len() >= 4).then(|| digits.parse().ok()).flatten()
}

#[derive(Default)]
struct Reader {
    started: bool,
    found: Vec<Generation>,
    current: Option<Generation>,
}

impl Visitor for Reader {
    fn open(&mut self, element: Element) -> Result<(), ReadError> {
        if !self.started {
            self.started = true;
            if element.name != "ascmhldirectory" {
                return Err(ReadError::Other { root: element.name, version: String::new() });
            }
        } else if element.name == "hashlist" {
            let number = element.attribute("sequencenr").and_then(|text| text.trim().parse().ok()).unwrap_or(0);
            self.current = Some(Generation { number, path: String::new(), c4: String::new() });
        }
        Ok(())
    }

    fn close(&mut self, name: &str, text: &str) {
        match (name, &mut self.current) {
            ("path", Some(generation)) => generation.path = text.trim().to_owned(),
            ("c4", Some(generation)) => generation.c4 = text.trim().to_owned(),
            ("hashlist", current) => self.found.extend(current.take()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_what_was_written_and_its_gaps_show() {
        let generation =
            |number| Generation { number, path: format!("{number:04}_a & b_x.mhl"), c4: crate::c4(&[number as u8]) };
        let chain = Chain { generations: vec![generation(1), generation(2), generation(4)] };
        let again = Chain::read(chain.write().as_bytes()).unwrap();
        assert_eq!(again, chain);
        assert_eq!((again.next(), again.gaps()), (5, vec![3]));
        assert!(Chain::read(b"<hashlist version=\"2.0\"/>").is_err());
        assert_eq!(Chain::default().next(), 1);
    }

    #[test]
    fn names_of_generations_carry_their_number() {
        let at: Timestamp = "2026-11-30T19:30:00Z".parse().unwrap();
        let name = generation_name(7, "2026-11-30", at);
        assert_eq!(name, "0007_2026-11-30_2026-11-30_193000Z.mhl");
        assert_eq!(number_of(&name), Some(7));
        assert_eq!(number_of("10007_x.mhl"), Some(10_007));
        assert_eq!(number_of("readme.mhl"), None);
    }
}
