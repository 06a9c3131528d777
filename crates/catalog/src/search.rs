//! The full-text index: which words find a photo. Its columns are file names, camera and lens, keywords, and
//! title with caption; a phrase never runs from one into the next. Cameras and lenses stand there as they are
//! written and once more with letters and digits apart, so that `70-200` finds `EF70-200mm`.

use rusqlite::Connection;

use crate::Result;
use crate::error::Doing as _;

/// Writes the words of photos anew, all in one statement: each statement that could be rolled back alone makes
/// FTS5 write out what it has gathered, which for single photos costs more than everything else together.
pub(crate) fn refresh(db: &Connection, photos: &[i64], new: bool) -> Result<()> {
    if photos.is_empty() {
        return Ok(());
    }
    let doing = "note the words of photos";
    let list = serde_json::to_string(photos).unwrap_or_default();
    if !new {
        db.prepare_cached("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?1))")
            .and_then(|mut s| s.execute([&list]))
            .doing(doing)?;
    }
    db.prepare_cached(
        "INSERT INTO words (rowid, name, gear, keywords, text) \
         SELECT p.id, t.names, \
           concat_ws(char(10), make.text, camera.text, lens.text, apart(camera.text), apart(lens.text)), \
           (SELECT group_concat(k.text, char(10)) FROM photo_keyword pk JOIN keyword k ON k.id = pk.keyword \
             WHERE pk.photo = p.id), \
           concat_ws(char(10), t.title, t.caption) \
         FROM json_each(?1) list CROSS JOIN photo p ON p.id = list.value CROSS JOIN photo_text t ON t.photo = p.id \
           LEFT JOIN term make ON make.id = p.make LEFT JOIN term camera ON camera.id = p.camera \
           LEFT JOIN term lens ON lens.id = p.lens",
    )
    .and_then(|mut s| s.execute([&list]))
    .doing(doing)?;
    Ok(())
}

/// A text with letters and digits apart: `EF70-200mm` as `EF 70-200 mm`.
pub(crate) fn apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    for c in text.chars() {
        let kind = (c.is_alphabetic(), c.is_numeric());
        if before.is_some_and(|b| b != kind && b != (false, false) && kind != (false, false)) {
            out.push(' ');
        }
        out.push(c);
        before = Some(kind);
    }
    out
}

/// What full-text search is asked for a word (its beginning is enough) or a phrase; `None` where the text has
/// no letter or digit.
pub(crate) fn expression(text: &str, exact: bool) -> Option<String> {
    if !text.chars().any(char::is_alphanumeric) {
        return None;
    }
    let phrase = |text: &str| {
        let star = if exact { "" } else { "*" };
        format!("\"{}\"{star}", text.replace('"', "\"\"").replace('\0', " "))
    };
    let whole = phrase(text);
    let split = apart(text);
    Some(if split == text { whole } else { format!("{whole} OR gear : {}", phrase(&split)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_come_apart() {
        assert_eq!(apart("EF70-200mm f/4L USM"), "EF 70-200 mm f/4 L USM");
        assert_eq!(apart("é5"), "é 5");
        assert_eq!(apart(""), "");
    }

    #[test]
    fn quotes_cannot_leave_their_phrase() {
        assert_eq!(expression("a\" OR \"b", true).as_deref(), Some("\"a\"\" OR \"\"b\""));
        assert_eq!(expression("5D", false).as_deref(), Some("\"5D\"* OR gear : \"5 D\"*"));
        assert_eq!(expression("-", false), None);
    }
}
