//! Changing single properties of a packet without touching the rest.
//!
//! The text is edited where the property stands, in the shape it already has; what is new goes to the end of the first
//! description. Everything else (other programs' namespaces, their order, their blanks) stays byte for byte. A packet that
//! was not understood as a whole is never changed: that is an error, and the caller leaves the file alone. What was
//! UTF-16 or UTF-32 becomes UTF-8.

use std::borrow::Cow;
use std::ops::Range;

use super::encoding;
use super::names::{Name, PREFIXES};
use super::properties::descriptions;
use super::xml::{Attribute, Document, Element, escape};

const EMPTY: &str = "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"lightfast\">\n \
<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n  \
<rdf:Description rdf:about=\"\">\n  \
</rdf:Description>\n \
</rdf:RDF>\n\
</x:xmpmeta>\n\
<?xpacket end=\"w\"?>\n";

/// A property's new value, in the form that its definition wants.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Written {
    Text(String),
    Bag(Vec<String>),
    Seq(Vec<String>),
    /// The default language of an alternative; other languages stay.
    Alt(String),
    Removed,
}

/// A change of one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    name: Name,
    written: Written,
}

impl Change {
    /// Sets a property that is one text.
    pub fn text(namespace: &str, local: &str, value: impl Into<String>) -> Self {
        Self { name: Name::new(namespace, local), written: Written::Text(value.into()) }
    }

    /// Sets a property that is an unordered list, such as keywords.
    pub fn bag(namespace: &str, local: &str, values: &[impl AsRef<str>]) -> Self {
        let values = values.iter().map(|v| v.as_ref().to_owned()).collect();
        Self { name: Name::new(namespace, local), written: Written::Bag(values) }
    }

    /// Sets a property that is an ordered list, such as creators.
    pub fn seq(namespace: &str, local: &str, values: &[impl AsRef<str>]) -> Self {
        let values = values.iter().map(|v| v.as_ref().to_owned()).collect();
        Self { name: Name::new(namespace, local), written: Written::Seq(values) }
    }

    /// Sets the default language of a text in several, such as a title.
    pub fn alt(namespace: &str, local: &str, value: impl Into<String>) -> Self {
        Self { name: Name::new(namespace, local), written: Written::Alt(value.into()) }
    }

    /// Removes a property.
    pub fn remove(namespace: &str, local: &str) -> Self {
        Self { name: Name::new(namespace, local), written: Written::Removed }
    }
}

/// Why a packet was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// The packet's text or markup is damaged.
    #[error("the sidecar is not understood as a whole, so it is left as it is")]
    Damaged,
    /// There is no description in which properties could stand.
    #[error("the sidecar holds no XMP, so it is left as it is")]
    NoXmp,
}

/// Gives the packet `existing` (or a new one) with the changes made. The same changes made twice give the same bytes.
pub fn merge(existing: Option<&[u8]>, changes: &[Change]) -> Result<Vec<u8>, MergeError> {
    let text = match existing {
        Some(bytes) => encoding::text(bytes),
        None => Cow::Borrowed(EMPTY),
    };
    if text.contains('\u{fffd}') && existing.is_none_or(|bytes| std::str::from_utf8(bytes).is_err()) {
        return Err(MergeError::Damaged);
    }
    let document = Document::read(&text);
    if !document.complete {
        return Err(MergeError::Damaged);
    }
    let first = descriptions(&document).first().copied().ok_or(MergeError::NoXmp)?;
    let mut edits =
        Edits { document: &document, description: first, list: Vec::new(), declared: Vec::new(), added: String::new() };
    for change in changes {
        edits.make(change);
    }
    let mut result = edits.apply();
    if matches!(text, Cow::Owned(_)) {
        result = declared_as_utf8(result);
    }
    Ok(result.into_bytes())
}

/// Corrects the declared encoding of a text that was not UTF-8.
fn declared_as_utf8(text: String) -> String {
    let Some(end) = text.strip_prefix("<?xml").and_then(|rest| rest.find("?>")).map(|len| len + 5) else { return text };
    let (declaration, rest) = text.split_at_checked(end).unwrap_or((&text, ""));
    let Some((before, after)) = declaration.split_once("encoding=") else { return text };
    let quote = after.chars().next().unwrap_or('"');
    let after = after.get(1..).and_then(|a| a.split_once(quote)).map_or("", |(_, after)| after);
    format!("{before}encoding={quote}UTF-8{quote}{after}{rest}")
}

struct Edits<'d, 'a> {
    document: &'d Document<'a>,
    /// The description that takes what is new.
    description: usize,
    list: Vec<(Range<usize>, String)>,
    /// Prefixes that the description declares anew.
    declared: Vec<(String, String)>,
    /// Elements for the end of the description.
    added: String,
}

impl Edits<'_, '_> {
    fn make(&mut self, change: &Change) {
        let mut done = false;
        for description in descriptions(self.document) {
            let Some(element) = self.document.element(description) else { continue };
            for attribute in &element.attributes {
                if self.is_named(description, attribute.prefix, attribute.local, &change.name) {
                    done |= self.change_attribute(attribute, change, done);
                }
            }
            for &child in &element.children {
                let Some(property) = self.document.element(child) else { continue };
                if self.is_named(child, property.prefix, property.local, &change.name) {
                    done |= self.change_element(child, property, change, done);
                }
            }
        }
        if !done && change.written != Written::Removed {
            let prefix = self.prefix_for(&change.name.namespace);
            let rdf = self.rdf_prefix();
            let element = written_element(&prefix, &change.name.local, &rdf, &change.written);
            self.added += &format!("\n   {element}");
        }
    }

    fn is_named(&self, at: usize, prefix: &str, local: &str, name: &Name) -> bool {
        local == name.local
            && !prefix.is_empty()
            && self.document.namespace(at, prefix).is_some_and(|uri| uri == name.namespace)
    }

    /// Changes or removes an attribute; gives whether the new value stands there now.
    fn change_attribute(&mut self, attribute: &Attribute<'_>, change: &Change, done: bool) -> bool {
        match &change.written {
            Written::Text(text) if !done => {
                self.list.push((attribute.value.clone(), quoted(text, self.document.text, attribute)));
                true
            }
            _ => {
                self.remove(attribute.span.clone());
                false
            }
        }
    }

    fn change_element(&mut self, at: usize, property: &Element<'_>, change: &Change, done: bool) -> bool {
        if done || change.written == Written::Removed {
            self.remove(property.span.clone());
            return false;
        }
        if let Written::Alt(text) = &change.written
            && self.change_default_language(at, property, text)
        {
            return true;
        }
        let element = written_element(property.prefix, property.local, &self.rdf_prefix(), &change.written);
        self.list.push((property.span.clone(), element));
        true
    }

    /// Changes the default of an alternative that has one, and leaves its other languages.
    fn change_default_language(&mut self, _at: usize, property: &Element<'_>, text: &str) -> bool {
        let items =
            property.children.first().and_then(|&alt| self.document.element(alt)).filter(|alt| alt.local == "Alt");
        let default =
            items.into_iter().flat_map(|alt| &alt.children).filter_map(|&li| self.document.element(li)).find(|li| {
                let language = li.attributes.iter().find(|a| a.prefix == "xml" && a.local == "lang");
                language.is_some_and(|a| self.document.value(a) == "x-default")
            });
        let Some(li) = default.filter(|li| !li.empty && li.children.is_empty()) else { return false };
        self.list.push((li.inner.clone(), escape(text)));
        true
    }

    /// Removes a span with the blanks before it.
    fn remove(&mut self, span: Range<usize>) {
        let before = self.document.text.get(..span.start).unwrap_or("");
        self.list.push((before.trim_end().len()..span.end, String::new()));
    }

    fn rdf_prefix(&self) -> String {
        self.document.element(self.description).map_or("rdf", |e| e.prefix).to_owned()
    }

    /// A prefix for a namespace at the description: one in force there, else one that it will declare.
    fn prefix_for(&mut self, namespace: &str) -> String {
        let mut at = Some(self.description);
        while let Some(element) = at.and_then(|index| self.document.element(index)) {
            let declared = element.attributes.iter().filter(|a| a.prefix == "xmlns");
            for attribute in declared {
                let in_force = self.document.namespace(self.description, attribute.local);
                if in_force.is_some_and(|uri| uri == namespace) {
                    return attribute.local.to_owned();
                }
            }
            at = element.parent;
        }
        if let Some((prefix, _)) = self.declared.iter().find(|(_, uri)| uri == namespace) {
            return prefix.clone();
        }
        let usual = PREFIXES.iter().find(|(uri, _)| *uri == namespace).map_or("ns", |(_, prefix)| *prefix);
        let taken = |prefix: &str| {
            self.document.namespace(self.description, prefix).is_some()
                || self.declared.iter().any(|(known, _)| known == prefix)
                || self.is_used(prefix)
        };
        let mut prefix = usual.to_owned();
        let mut number = 1;
        while taken(&prefix) {
            number += 1;
            prefix = format!("{usual}{number}");
        }
        self.declared.push((prefix.clone(), namespace.to_owned()));
        prefix
    }

    /// Whether anything has this prefix, declared or not: to declare it would give a meaning to what has none.
    fn is_used(&self, prefix: &str) -> bool {
        let named = |e: &Element<'_>| e.prefix == prefix || e.attributes.iter().any(|a| a.prefix == prefix);
        self.document.elements.iter().any(named)
    }

    fn apply(mut self) -> String {
        let text = self.document.text;
        if let Some(description) = self.document.element(self.description) {
            let name_len =
                if description.prefix.is_empty() { 0 } else { description.prefix.len() + 1 } + description.local.len();
            let after_name = description.span.start + 1 + name_len;
            let declarations: String =
                self.declared.iter().map(|(prefix, uri)| format!("\n    xmlns:{prefix}=\"{}\"", escape(uri))).collect();
            self.list.push((after_name..after_name, declarations));
            if !self.added.is_empty() {
                let edit = if description.empty {
                    let name = text.get(description.span.start + 1..after_name).unwrap_or("");
                    (description.inner.start..description.span.end, format!(">{}\n  </{name}>", self.added))
                } else {
                    let inside = text.get(description.inner.clone()).unwrap_or("");
                    let end = description.inner.start + inside.trim_end().len();
                    let closing = if end == description.inner.end { "\n  " } else { "" };
                    (end..end, format!("{}{closing}", self.added))
                };
                self.list.push(edit);
            }
        }
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut result = String::with_capacity(text.len() + 256);
        let mut at = 0;
        for (range, new) in &self.list {
            result += text.get(at.min(range.start)..range.start).filter(|_| range.start >= at).unwrap_or("");
            result += new;
            at = at.max(range.end);
        }
        result + text.get(at..).unwrap_or("")
    }
}

/// A text for an attribute that may stand between single quotes.
fn quoted(text: &str, document: &str, attribute: &Attribute<'_>) -> String {
    let single = document.get(attribute.value.end..).is_some_and(|rest| rest.starts_with('\''));
    let escaped = escape(text);
    if single { escaped.replace('\'', "&apos;") } else { escaped }
}

fn written_element(prefix: &str, local: &str, rdf: &str, written: &Written) -> String {
    let items = |values: &[String]| -> String {
        values.iter().map(|v| format!("\n     <{rdf}:li>{}</{rdf}:li>", escape(v))).collect()
    };
    let array = |form: &str, items: String| {
        format!("<{prefix}:{local}>\n    <{rdf}:{form}>{items}\n    </{rdf}:{form}>\n   </{prefix}:{local}>")
    };
    match written {
        Written::Text(text) => format!("<{prefix}:{local}>{}</{prefix}:{local}>", escape(text)),
        Written::Bag(values) => array("Bag", items(values)),
        Written::Seq(values) => array("Seq", items(values)),
        Written::Alt(text) => {
            array("Alt", format!("\n     <{rdf}:li xml:lang=\"x-default\">{}</{rdf}:li>", escape(text)))
        }
        Written::Removed => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xmp::{Xmp, ns, read};

    fn changes() -> Vec<Change> {
        vec![
            Change::text(ns::XMP, "Rating", "4"),
            Change::bag(ns::DC, "subject", &["a", "b & c"]),
            Change::alt(ns::DC, "title", "Beach"),
            Change::seq(ns::DC, "creator", &["Ann"]),
        ]
    }

    #[test]
    fn a_new_sidecar_reads_back() {
        let bytes = merge(None, &changes()).unwrap();
        let xmp = Xmp::read(&bytes);
        assert_eq!((xmp.rating, xmp.title.as_deref(), xmp.creator.as_deref()), (Some(4), Some("Beach"), Some("Ann")));
        assert_eq!(xmp.keywords, ["a", "b & c"]);
        assert_eq!(merge(Some(&bytes), &changes()).unwrap(), bytes, "the same changes again change nothing");
    }

    #[test]
    fn what_other_programs_wrote_stays_byte_for_byte() {
        let before = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
            <rdf:Description rdf:about='' xmlns:xap='http://ns.adobe.com/xap/1.0/' xmlns:darktable='http://darktable.sf.net/' \
            xap:Rating='1' darktable:history_end='3'>\n <darktable:history><rdf:Seq><rdf:li darktable:num='0'/></rdf:Seq></darktable:history>\
            </rdf:Description></rdf:RDF></x:xmpmeta>";
        let bytes = merge(Some(before.as_bytes()), &[Change::text(ns::XMP, "Rating", "4")]).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), before.replace("Rating='1'", "Rating='4'"));
    }

    #[test]
    fn a_description_that_closes_itself_takes_elements() {
        let before = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' xmlns:xmp='http://other/'/></rdf:RDF>";
        let bytes = merge(Some(before.as_bytes()), &changes()).unwrap();
        let xmp = Xmp::read(&bytes);
        assert_eq!((xmp.rating, xmp.keywords.len()), (Some(4), 2));
        assert!(
            String::from_utf8(bytes).unwrap().contains("xmlns:xmp2="),
            "a prefix that means something else is not taken"
        );
    }

    #[test]
    fn a_prefix_that_nothing_declared_is_not_given_a_meaning() {
        let before = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description xmp:Rating='1'/></rdf:RDF>";
        let bytes = merge(Some(before.as_bytes()), &changes()).unwrap();
        assert_eq!(read(&bytes).text(ns::XMP, "Rating"), Some("4"), "and not the 1 that would have got one");
    }

    #[test]
    fn lists_read_back_from_a_sidecar_that_does_not_declare_rdf() {
        let before = "<rdf:RDF><rdf:Description rdf:about=''></rdf:Description></rdf:RDF>";
        let bytes = merge(Some(before.as_bytes()), &changes()).unwrap();
        assert_eq!(read(&bytes).list(ns::DC, "subject"), ["a", "b & c"]);
    }

    #[test]
    fn other_languages_of_a_title_stay() {
        let before = merge(None, &changes()).unwrap();
        let german = String::from_utf8(before)
            .unwrap()
            .replace("</rdf:Alt>", "<rdf:li xml:lang=\"de\">Strand</rdf:li></rdf:Alt>");
        let bytes = merge(Some(german.as_bytes()), &[Change::alt(ns::DC, "title", "Sea")]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(">Sea<") && text.contains(">Strand<") && !text.contains(">Beach<"));
    }

    #[test]
    fn removing_leaves_the_rest() {
        let before = merge(None, &changes()).unwrap();
        let bytes =
            merge(Some(&before), &[Change::remove(ns::DC, "subject"), Change::remove(ns::XMP, "Rating")]).unwrap();
        let xmp = Xmp::read(&bytes);
        assert_eq!((xmp.rating, xmp.keywords.len(), xmp.title.as_deref()), (None, 0, Some("Beach")));
    }

    #[test]
    fn utf16_becomes_utf8_and_says_so() {
        let before = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description/></rdf:RDF>";
        let wide: Vec<u8> = before.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let text = String::from_utf8(merge(Some(&wide), &changes()).unwrap()).unwrap();
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
        assert_eq!(Xmp::read(text.as_bytes()).rating, Some(4));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        assert_eq!(merge(Some(b"<rdf:RDF><rdf:Description>"), &changes()), Err(MergeError::Damaged));
        assert_eq!(merge(Some(b"<a/>"), &changes()), Err(MergeError::NoXmp));
        assert_eq!(merge(Some(b""), &changes()), Err(MergeError::NoXmp));
        assert_eq!(merge(Some(b"<rdf:RDF>\xff</rdf:RDF>"), &changes()), Err(MergeError::Damaged));
    }

    #[test]
    fn a_property_in_several_places_ends_in_one() {
        let before = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:xmp='http://ns.adobe.com/xap/1.0/'>\
            <rdf:Description xmp:Rating='1'/><rdf:Description><xmp:Rating>2</xmp:Rating></rdf:Description></rdf:RDF>";
        let bytes = merge(Some(before.as_bytes()), &[Change::text(ns::XMP, "Rating", "5")]).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes).matches("Rating").count(), 1);
        assert_eq!(read(&bytes).text(ns::XMP, "Rating"), Some("5"));
    }
}
