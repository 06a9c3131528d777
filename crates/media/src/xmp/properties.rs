//! The properties of a packet, by namespace and name.
//!
//! A property may stand as an attribute of a description, as an element with text, with a resource, or with
//! a bag, sequence or alternative. Structures are not opened: they are kept by [`merge`](super::merge) as they are.

use std::collections::BTreeMap;

use super::encoding;
use super::names::{Name, ns};
use super::xml::{Document, Element};

/// The most properties of one packet, and items of one array.
const MAX_PROPERTIES: usize = 20_000;

/// One item of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its text.
    pub text: String,
    /// Its language, for alternatives.
    pub language: Option<String>,
}

/// A property's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// One text.
    Text(String),
    /// A bag, sequence or alternative.
    Array(Vec<Item>),
}

/// The properties of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    all: BTreeMap<Name, Value>,
}

impl Properties {
    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.all.iter()
    }

    /// A property's value.
    pub fn get(&self, namespace: &str, local: &str) -> Option<&Value> {
        self.all.get(&Name::new(namespace, local))
    }

    /// A property as one text: itself, the default language of an alternative, or the first item. Blank is none.
    pub fn text(&self, namespace: &str, local: &str) -> Option<&str> {
        let text = match self.get(namespace, local)? {
            Value::Text(text) => text.as_str(),
            Value::Array(items) => {
                let default = items.iter().find(|item| item.language.as_deref() == Some("x-default"));
                &default.or_else(|| items.first())?.text
            }
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// A property as a list of texts without blank ones.
    pub fn list(&self, namespace: &str, local: &str) -> Vec<&str> {
        let all: Vec<&str> = match self.get(namespace, local) {
            Some(Value::Text(text)) => vec![text.as_str()],
            Some(Value::Array(items)) => items.iter().map(|item| item.text.as_str()).collect(),
            None => Vec::new(),
        };
        all.into_iter().filter(|text| !text.trim().is_empty()).collect()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn insert(&mut self, name: Name, value: Value) {
        if self.all.len() < MAX_PROPERTIES {
            self.all.entry(name).or_insert(value);
        }
    }
}

/// Reads a packet or a sidecar. What is damaged is left out; nothing is found in what is no XMP.
pub fn read(bytes: &[u8]) -> Properties {
    let text = encoding::text(bytes);
    let document = Document::read(&text);
    let mut properties = Properties::default();
    for description in descriptions(&document) {
        let Some(element) = document.element(description) else { continue };
        for attribute in &element.attributes {
            let Some(namespace) = property_namespace(&document, description, attribute.prefix) else { continue };
            properties
                .insert(Name::new(&namespace, attribute.local), Value::Text(document.value(attribute).into_owned()));
        }
        for &child in &element.children {
            let Some(property) = document.element(child) else { continue };
            let Some(namespace) = property_namespace(&document, child, property.prefix) else { continue };
            if let Some(value) = value_of(&document, child, property) {
                properties.insert(Name::new(&namespace, property.local), value);
            }
        }
    }
    properties
}

/// The descriptions directly inside RDF.
pub(super) fn descriptions(document: &Document<'_>) -> Vec<usize> {
    let is = |index: usize, local: &str| {
        document.element(index).is_some_and(|e| e.local == local && is_rdf(document, index, e.prefix))
    };
    let roots = (0..document.elements.len()).filter(|&index| is(index, "RDF"));
    roots
        .flat_map(|root| document.element(root).map(|e| e.children.clone()).unwrap_or_default())
        .filter(|&child| is(child, "Description"))
        .collect()
}

/// Whether a prefix is RDF's; where nothing declares it, its usual prefix is taken for it, everywhere alike.
fn is_rdf(document: &Document<'_>, at: usize, prefix: &str) -> bool {
    document.namespace(at, prefix).map_or(prefix == "rdf", |uri| uri == ns::RDF)
}

/// The namespace of a property; nothing for RDF's and XML's own names.
pub(super) fn property_namespace(document: &Document<'_>, at: usize, prefix: &str) -> Option<String> {
    if prefix.is_empty() || prefix == "xmlns" || prefix == "xml" {
        return None;
    }
    let uri = document.namespace(at, prefix)?;
    (uri != ns::RDF).then(|| uri.into_owned())
}

fn value_of(document: &Document<'_>, index: usize, property: &Element<'_>) -> Option<Value> {
    let rdf = |at: usize, prefix: &str| is_rdf(document, at, prefix);
    let resource = property.attributes.iter().find(|a| a.local == "resource" && rdf(index, a.prefix));
    if let Some(resource) = resource {
        return Some(Value::Text(document.value(resource).into_owned()));
    }
    let inside = property.children.first().copied().or_else(|| node_elsewhere(document, index, property));
    let Some((inner, element)) = inside.and_then(|i| Some((i, document.element(i)?))) else {
        return Some(Value::Text(document.character_data(property).trim().to_owned()));
    };
    if !rdf(inner, element.prefix) {
        return None;
    }
    match element.local {
        "Bag" | "Seq" | "Alt" => {
            let items = element.children.iter().take(MAX_PROPERTIES).filter_map(|&item| {
                let li = document.element(item)?;
                let language = li.attributes.iter().find(|a| a.prefix == "xml" && a.local == "lang");
                Some(Item {
                    text: item_text(document, item, li)?,
                    language: language.map(|a| document.value(a).into_owned()),
                })
            });
            Some(Value::Array(items.collect()))
        }
        // A value with qualifiers.
        "Description" => {
            let attribute = element.attributes.iter().find(|a| a.local == "value" && rdf(inner, a.prefix));
            if let Some(value) = attribute {
                return Some(Value::Text(document.value(value).into_owned()));
            }
            let value = element.children.iter().filter_map(|&i| document.element(i)).find(|e| e.local == "value")?;
            Some(Value::Text(document.character_data(value).trim().to_owned()))
        }
        "value" => Some(Value::Text(document.character_data(element).trim().to_owned())),
        _ => None,
    }
}

/// The node that a property leads to by its `rdf:nodeID`; nodes stand directly inside RDF.
fn node_elsewhere(document: &Document<'_>, index: usize, property: &Element<'_>) -> Option<usize> {
    let id = |at: usize, element: &Element<'_>| {
        let attribute = element.attributes.iter().find(|a| a.local == "nodeID" && is_rdf(document, at, a.prefix))?;
        Some(document.value(attribute).into_owned())
    };
    let wanted = id(index, property)?;
    let is_root = |element: &Element<'_>| {
        element
            .parent
            .and_then(|p| Some((p, document.element(p)?)))
            .is_some_and(|(at, parent)| parent.local == "RDF" && is_rdf(document, at, parent.prefix))
    };
    let nodes = document.elements.iter().enumerate().filter(|(_, element)| is_root(element));
    nodes.filter(|(at, element)| id(*at, element).as_deref() == Some(wanted.as_str())).map(|(at, _)| at).next()
}

/// The text of an item: its own, or that of `rdf:value` or `rdf:resource`; a structure has none.
fn item_text(document: &Document<'_>, index: usize, li: &Element<'_>) -> Option<String> {
    if let Some(resource) = li.attributes.iter().find(|a| a.local == "resource") {
        return Some(document.value(resource).into_owned());
    }
    if li.children.is_empty() {
        return Some(document.character_data(li).trim().to_owned());
    }
    match value_of(document, index, li)? {
        Value::Text(text) => Some(text),
        Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: &str = r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <r:Description r:about="" xmlns:xap="http://ns.adobe.com/xap/1.0/" xap:Rating="4" xmlns:d="http://purl.org/dc/elements/1.1/">
        <xap:Label>Red &amp; more</xap:Label>
        <d:subject><r:Bag><r:li>beach</r:li><r:li>sea</r:li></r:Bag></d:subject>
        <d:title><r:Alt><r:li xml:lang="de">Strand</r:li><r:li xml:lang="x-default">Beach</r:li></r:Alt></d:title>
        <d:source r:resource="http://example.org/"/>
        <d:relation r:parseType="Resource"><d:part>x</d:part></d:relation>
      </r:Description></r:RDF></x:xmpmeta>"#;

    #[test]
    fn attributes_elements_arrays_and_foreign_prefixes() {
        let found = read(SHAPES.as_bytes());
        assert_eq!(found.text(ns::XMP, "Rating"), Some("4"));
        assert_eq!(found.text(ns::XMP, "Label"), Some("Red & more"));
        assert_eq!(found.list(ns::DC, "subject"), ["beach", "sea"]);
        assert_eq!(found.text(ns::DC, "title"), Some("Beach"));
        assert_eq!(found.text(ns::DC, "source"), Some("http://example.org/"));
        assert_eq!(found.get(ns::DC, "relation"), None, "structures are not opened");
    }

    #[test]
    fn a_list_that_stands_elsewhere_is_found_by_its_node() {
        let text = SHAPES.replace(
            "<d:source r:resource=\"http://example.org/\"/>",
            "<d:contributor r:nodeID=\"n1\"/><d:type r:nodeID=\"none\"/>",
        );
        let text = text.replace("</r:RDF>", "<r:Bag r:nodeID=\"n1\"><r:li>one</r:li><r:li>two</r:li></r:Bag></r:RDF>");
        let found = read(text.as_bytes());
        assert_eq!(found.list(ns::DC, "contributor"), ["one", "two"]);
        assert!(found.list(ns::DC, "type").is_empty());
        assert_eq!(found.list(ns::DC, "subject"), ["beach", "sea"]);
    }

    #[test]
    fn utf16_gives_the_same() {
        let wide: Vec<u8> = SHAPES.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&wide), read(SHAPES.as_bytes()));
    }

    #[test]
    fn damaged_packets_give_what_is_there() {
        for end in 0..SHAPES.len() {
            let _ = read(&SHAPES.as_bytes()[..end]);
        }
        let cut = SHAPES.find("<d:title>").unwrap();
        assert_eq!(read(&SHAPES.as_bytes()[..cut]).list(ns::DC, "subject"), ["beach", "sea"]);
    }
}
