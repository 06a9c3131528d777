//! A small, bounded walk over XML: elements with their attributes and their text, and nothing else.
//!
//! Declarations of entities are refused, so nothing can grow; depth, text and the number of elements have bounds.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// Deepest nesting.
const DEPTH: usize = 32;
/// Longest text of an element.
const TEXT: usize = 64 << 10;
/// Most elements of a document.
const ELEMENTS: u64 = 50_000_000;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not well-formed.
    #[error("it is not well-formed XML, at byte {at}: {detail}")]
    Malformed {
        /// Where.
        at: u64,
        /// What the reader said.
        detail: String,
    },
    /// It ends in the middle.
    #[error("it ends in the middle")]
    Truncated,
    /// It is beyond the bounds.
    #[error("it is too deep, too long or has too many elements to be a manifest")]
    TooLarge,
    /// It declares a document type.
    #[error("it declares a document type, which a manifest never does")]
    Doctype,
    /// It is something else.
    #[error("it is not a manifest: its first element is `{root}`, version `{version}`")]
    Other {
        /// The first element.
        root: String,
        /// Its version.
        version: String,
    },
}

/// An element that begins.
pub(crate) struct Element {
    /// Its name without prefix.
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What the walk tells.
pub(crate) trait Visitor {
    /// An element begins.
    fn open(&mut self, element: Element) -> Result<(), ReadError>;
    /// An element ends; its own text, without that of elements in it.
    fn close(&mut self, name: &str, text: &str);
}

/// Walks a whole document.
pub(crate) fn walk(bytes: &[u8], visitor: &mut dyn Visitor) -> Result<(), ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::Malformed {
        at: error.valid_up_to() as u64,
        detail: "it is not UTF-8".to_owned(),
    })?;
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open: Vec<(String, String)> = Vec::new();
    let mut elements = 0u64;
    let mut seen_root = false;
    loop {
        let event = reader.read_event();
        let at = reader.buffer_position();
        let wrong = |detail: String| ReadError::Malformed { at, detail };
        match event.map_err(|error| wrong(error.to_string()))? {
            Event::Eof if open.is_empty() && seen_root => return Ok(()),
            Event::Eof => return Err(ReadError::Truncated),
            Event::DocType(_) => return Err(ReadError::Doctype),
            Event::Start(start) => {
                let element = element(&start).map_err(wrong)?;
                elements += 1;
                if open.len() >= DEPTH || elements > ELEMENTS {
                    return Err(ReadError::TooLarge);
                }
                seen_root = true;
                open.push((element.name.clone(), String::new()));
                visitor.open(element)?;
            }
            Event::Empty(start) => {
                let element = element(&start).map_err(wrong)?;
                let name = element.name.clone();
                elements += 1;
                seen_root = true;
                if elements > ELEMENTS {
                    return Err(ReadError::TooLarge);
                }
                visitor.open(element)?;
                visitor.close(&name, "");
            }
            Event::End(_) => {
                if let Some((name, text)) = open.pop() {
                    visitor.close(&name, &text);
                }
            }
            Event::Text(text) => add(&mut open, &text)?,
            Event::CData(text) => add(&mut open, &text)?,
            Event::GeneralRef(reference) => {
                let name: &str = &reference;
                let resolved = match reference.resolve_char_ref().map_err(|error| wrong(error.to_string()))? {
                    Some(c) => c.to_string(),
                    None => resolve_predefined_entity(name)
                        .ok_or_else(|| wrong(format!("&{name}; is not defined")))?
                        .to_owned(),
                };
                add(&mut open, &resolved)?;
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
}

fn add(open: &mut [(String, String)], more: &str) -> Result<(), ReadError> {
    let Some((_, text)) = open.last_mut() else { return Ok(()) };
    if text.len() + more.len() > TEXT {
        return Err(ReadError::TooLarge);
    }
    text.push_str(more);
    Ok(())
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let name = start.local_name().as_ref().to_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = attribute.key.local_name().as_ref().to_owned();
        let value = quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?.into_owned();
        attributes.push((key, value));
    }
    Ok(Element { name, attributes })
}

/// Text for an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
