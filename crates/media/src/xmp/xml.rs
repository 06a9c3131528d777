//! A bounded XML reader that keeps where everything stands in the text.
//!
//! It knows elements, attributes, namespaces, character data, comments and processing instructions; it resolves
//! no entity but the five of XML and numeric ones, and skips document types. What is damaged ends the reading; what was read
//! until then counts. Depth, elements and attributes are capped; nothing recurses.

use std::borrow::Cow;
use std::ops::Range;

/// The deepest nesting.
const MAX_DEPTH: usize = 100;
/// The most elements.
const MAX_ELEMENTS: usize = 100_000;
/// The most attributes of one element.
const MAX_ATTRIBUTES: usize = 1_000;

/// An attribute, with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Attribute<'a> {
    /// The prefix, empty without one.
    pub(crate) prefix: &'a str,
    /// The name after the prefix.
    pub(crate) local: &'a str,
    /// From the name to the closing quote.
    pub(crate) span: Range<usize>,
    /// Between the quotes.
    pub(crate) value: Range<usize>,
}

/// An element, with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Element<'a> {
    /// The prefix, empty without one.
    pub(crate) prefix: &'a str,
    /// The name after the prefix.
    pub(crate) local: &'a str,
    /// The element around it.
    pub(crate) parent: Option<usize>,
    /// The elements inside.
    pub(crate) children: Vec<usize>,
    /// Attributes in the order of the text.
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// From `<` to the end of the closing tag.
    pub(crate) span: Range<usize>,
    /// Between the opening and the closing tag; empty at the `/` of a tag that closes itself.
    pub(crate) inner: Range<usize>,
    /// Whether the tag closes itself.
    pub(crate) empty: bool,
}

/// A document: its elements in the order of the text.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) elements: Vec<Element<'a>>,
    /// Whether the whole text was understood.
    pub(crate) complete: bool,
}

impl<'a> Document<'a> {
    /// Reads a text.
    pub(crate) fn read(text: &'a str) -> Self {
        let mut reader =
            Reader { document: Self { text, elements: Vec::new(), complete: true }, open: Vec::new(), at: 0 };
        while reader.step().is_some() {}
        let end = text.len();
        for index in std::mem::take(&mut reader.open) {
            reader.document.complete = false;
            if let Some(element) = reader.document.elements.get_mut(index) {
                element.inner.end = end;
                element.span.end = end;
            }
        }
        reader.document
    }

    pub(crate) fn element(&self, index: usize) -> Option<&Element<'a>> {
        self.elements.get(index)
    }

    /// What a prefix stands for at an element.
    pub(crate) fn namespace(&self, at: usize, prefix: &str) -> Option<Cow<'a, str>> {
        if prefix == "xml" {
            return Some(Cow::Borrowed("http://www.w3.org/XML/1998/namespace"));
        }
        let mut at = Some(at);
        while let Some(element) = at.and_then(|index| self.elements.get(index)) {
            let found = element.attributes.iter().find(|a| match prefix {
                "" => a.prefix.is_empty() && a.local == "xmlns",
                _ => a.prefix == "xmlns" && a.local == prefix,
            });
            if let Some(found) = found {
                return self.text.get(found.value.clone()).map(unescape);
            }
            at = element.parent;
        }
        None
    }

    /// An attribute's value.
    pub(crate) fn value(&self, attribute: &Attribute<'_>) -> Cow<'a, str> {
        self.text.get(attribute.value.clone()).map_or(Cow::Borrowed(""), unescape)
    }

    /// The character data directly inside an element, without that of elements inside it.
    pub(crate) fn character_data(&self, element: &Element<'_>) -> String {
        let mut data = String::new();
        let mut at = element.inner.start;
        let children =
            element.children.iter().filter_map(|&child| self.elements.get(child)).map(|child| child.span.clone());
        for gap in children.chain(std::iter::once(element.inner.end..element.inner.end)) {
            data += &plain(self.text.get(at..gap.start).unwrap_or(""));
            at = gap.end;
        }
        data
    }
}

struct Reader<'a> {
    document: Document<'a>,
    open: Vec<usize>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads the next markup; `None` at the end.
    fn step(&mut self) -> Option<()> {
        let text = self.document.text;
        let start = self.at + text.get(self.at..)?.find('<')?;
        let rest = text.get(start..)?;
        let skip = |open: &str, close: &str| {
            let after = rest.strip_prefix(open)?;
            Some(after.find(close).map(|len| start + open.len() + len + close.len()))
        };
        if let Some(end) = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")).or_else(|| skip("<?", "?>")) {
            self.at = self.or_broken(end)?;
            return Some(());
        }
        if rest.starts_with("<!") {
            self.at = self.or_broken(document_type(rest).map(|len| start + len))?;
            return Some(());
        }
        if let Some(name) = rest.strip_prefix("</") {
            let len = self.or_broken(name.find('>'))?;
            let name = name.get(..len)?.trim();
            self.close(start, start + 2 + len + 1, name);
            self.at = start + 2 + len + 1;
            return Some(());
        }
        let tag = opening_tag(text, start);
        let (element, end) = self.or_broken(tag)?;
        self.at = end;
        self.open_element(element)
    }

    fn or_broken<T>(&mut self, found: Option<T>) -> Option<T> {
        self.document.complete &= found.is_some();
        found
    }

    fn open_element(&mut self, mut element: Element<'a>) -> Option<()> {
        let index = self.document.elements.len();
        if index >= MAX_ELEMENTS || self.open.len() >= MAX_DEPTH {
            self.document.complete = false;
            return None;
        }
        element.parent = self.open.last().copied();
        if let Some(parent) = element.parent.and_then(|p| self.document.elements.get_mut(p)) {
            parent.children.push(index);
        }
        if !element.empty {
            self.open.push(index);
        }
        self.document.elements.push(element);
        Some(())
    }

    /// Closes the innermost open element of this name, and with it what was left open inside.
    fn close(&mut self, start: usize, end: usize, name: &str) {
        let matches = |index: &usize| {
            self.document.elements.get(*index).is_some_and(|e| match name.split_once(':') {
                Some((prefix, local)) => e.prefix == prefix && e.local == local,
                None => e.prefix.is_empty() && e.local == name,
            })
        };
        let Some(depth) = self.open.iter().rposition(matches) else {
            self.document.complete = false;
            return;
        };
        self.document.complete &= depth + 1 == self.open.len();
        for index in self.open.split_off(depth) {
            if let Some(element) = self.document.elements.get_mut(index) {
                element.inner.end = start;
                element.span.end = end;
            }
        }
    }
}

/// Length of a document type or another declaration, brackets included.
fn document_type(rest: &str) -> Option<usize> {
    let close = rest.find('>')?;
    match rest.find('[').filter(|&bracket| bracket < close) {
        Some(bracket) => {
            let after = bracket + rest.get(bracket..)?.find(']')?;
            Some(after + rest.get(after..)?.find('>')? + 1)
        }
        None => Some(close + 1),
    }
}

/// An opening tag at `start`, and where it ends.
fn opening_tag(text: &str, start: usize) -> Option<(Element<'_>, usize)> {
    let is_name = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '/' | '=' | '"' | '\'');
    let name_end = |from: usize| text.get(from..).map(|rest| from + rest.find(|c| !is_name(c)).unwrap_or(rest.len()));
    let mut at = name_end(start + 1)?;
    let name = text.get(start + 1..at).filter(|name| !name.is_empty())?;
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let mut attributes = Vec::new();
    loop {
        let rest = text.get(at..)?;
        at += rest.len() - rest.trim_start().len();
        let rest = text.get(at..)?;
        if rest.starts_with('>') || rest.starts_with("/>") {
            let empty = rest.starts_with('/');
            let inner = if empty { at..at } else { at + 1..at + 1 };
            let end = if empty { at + 2 } else { at + 1 };
            let element = Element {
                prefix,
                local,
                parent: None,
                children: Vec::new(),
                attributes,
                span: start..end,
                inner,
                empty,
            };
            return Some((element, end));
        }
        if attributes.len() >= MAX_ATTRIBUTES {
            return None;
        }
        let from = at;
        at = name_end(from)?;
        let name = text.get(from..at).filter(|name| !name.is_empty())?;
        let after = text.get(at..)?.trim_start().strip_prefix('=')?.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value_start = text.len() - after.len() + 1;
        let value_end = value_start + text.get(value_start..)?.find(quote)?;
        at = value_end + 1;
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        attributes.push(Attribute { prefix, local, span: from..at, value: value_start..value_end });
    }
}

/// Character data without comments, with the content of CDATA sections as it is.
fn plain(text: &str) -> String {
    let mut data = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        data += &unescape(rest.get(..at).unwrap_or(""));
        let markup = rest.get(at..).unwrap_or("");
        let (inside, close) = match markup.strip_prefix("<![CDATA[") {
            Some(inside) => (inside, "]]>"),
            None => (markup, if markup.starts_with("<!--") { "-->" } else { ">" }),
        };
        let Some(end) = inside.find(close) else { return data };
        if close == "]]>" {
            data += inside.get(..end).unwrap_or("");
        }
        rest = inside.get(end + close.len()..).unwrap_or("");
    }
    data + &unescape(rest)
}

/// Replaces the entities of XML; others stay as they are.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        result += rest.get(..at).unwrap_or("");
        let after = rest.get(at + 1..).unwrap_or("");
        let found = after.find(';').filter(|&len| len <= 10).and_then(|len| Some((entity(after.get(..len)?)?, len)));
        match found {
            Some((c, len)) => {
                result.push(c);
                rest = after.get(len + 1..).unwrap_or("");
            }
            None => {
                result.push('&');
                rest = after;
            }
        }
    }
    Cow::Owned(result + rest)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let value = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(value)
        }
    }
}

/// Writes a text so that it can stand between tags or between double quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => result += "&amp;",
            '<' => result += "&lt;",
            '>' => result += "&gt;",
            '"' => result += "&quot;",
            '\t' | '\n' | '\r' => result += &format!("&#x{:X};", c as u32),
            // XML has no place for other control characters.
            c if c < ' ' => {}
            c => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept() {
        let text = "<?xml?><a x='1'><!-- <b> --><b:c xmlns:b=\"u\"/>t&amp;<![CDATA[<&>]]></a>";
        let document = Document::read(text);
        assert!(document.complete);
        let [a, c] = document.elements.as_slice() else { panic!("two elements") };
        assert_eq!((a.local, &text[a.attributes[0].span.clone()]), ("a", "x='1'"));
        assert_eq!(&text[c.span.clone()], "<b:c xmlns:b=\"u\"/>");
        assert_eq!(document.character_data(a), "t&<&>");
        assert_eq!(document.namespace(1, "b").as_deref(), Some("u"));
        assert_eq!(document.namespace(0, "b"), None);
    }

    #[test]
    fn what_is_damaged_ends_the_reading_only_there() {
        for (text, elements) in [
            ("<a><b>x</b><c", 2),
            ("<a><b></a>", 2),
            ("<a></b></a>", 1),
            ("<a x=1/>", 0),
            ("<", 0),
            ("<a", 0),
            ("<!DOCTYPE x [", 0),
        ] {
            let document = Document::read(text);
            assert!(!document.complete, "{text}");
            assert_eq!(document.elements.len(), elements, "{text}");
        }
    }

    #[test]
    fn deep_nesting_ends_the_reading() {
        let text = "<a>".repeat(200);
        assert_eq!(Document::read(&text).elements.len(), MAX_DEPTH);
    }

    #[test]
    fn escapes_come_back() {
        let text = "a<b>&\"c'\n\u{e9}";
        assert_eq!(unescape(&escape(text)), text);
        assert_eq!(unescape("&#233;&#xE9;&nope;&"), "éé&nope;&");
    }
}
