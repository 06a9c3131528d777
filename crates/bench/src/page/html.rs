//! The frame of a page: title, style, sections, tables.

use std::fmt::Write as _;

/// A page that is being written.
#[derive(Debug, Default)]
pub(crate) struct Page {
    title: String,
    body: String,
}

const STYLE: &str = include_str!("page.css");

impl Page {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: String::new() }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        let _ = writeln!(self.body, "<h2>{}</h2>", escape(text));
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.body, "<p>{}</p>", escape(text));
    }

    pub(crate) fn code(&mut self, text: &str) {
        let _ = writeln!(self.body, "<pre><code>{}</code></pre>", escape(text));
    }

    pub(crate) fn list(&mut self, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(self.body, "<ul>");
        for item in items {
            let _ = writeln!(self.body, "<li>{}</li>", escape(item));
        }
        let _ = writeln!(self.body, "</ul>");
    }

    /// Something that is HTML already.
    pub(crate) fn raw(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// A table; the first column is the row's name, the others are figures.
    pub(crate) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let _ = write!(self.body, "<div class=\"table\" tabindex=\"0\"><table><thead><tr>");
        for cell in head {
            let _ = write!(self.body, "<th scope=\"col\">{}</th>", escape(cell));
        }
        let _ = write!(self.body, "</tr></thead><tbody>");
        for row in rows {
            let _ = write!(self.body, "<tr>");
            for (n, cell) in row.iter().enumerate() {
                let cell = escape(cell);
                let _ = match n {
                    0 => write!(self.body, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(self.body, "<td>{cell}</td>"),
                };
            }
            let _ = write!(self.body, "</tr>");
        }
        let _ = writeln!(self.body, "</tbody></table></div>");
    }

    /// The whole document.
    pub(crate) fn finish(self) -> String {
        let title = escape(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\
             <title>{title}</title><style>\n{STYLE}</style></head><body><main><h1>{title}</h1>\n{}</main></body></html>\n",
            self.body
        )
    }
}

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
