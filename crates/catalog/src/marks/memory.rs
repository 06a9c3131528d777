//! Marks as the library's journal keeps them: what a photo has now, in words, and the way back.

use std::collections::{BTreeMap, BTreeSet};

use lightfast_model::{Flag, Label, PhotoId};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use super::{DOING, field};
use crate::codes::Code as _;
use crate::error::Doing as _;
use crate::writer::Writer;
use crate::{Result, albums};

/// The word of a field in the journal.
const WORDS: &[(i64, &str)] = &[
    (field::RATING, "rating"),
    (field::FLAG, "flag"),
    (field::LABEL, "label"),
    (field::TURNED, "turned"),
    (field::KEYWORD, "keywords"),
    (field::TITLE, "title"),
    (field::CAPTION, "caption"),
    (field::CREATOR, "creator"),
    (field::COPYRIGHT, "copyright"),
    (field::STACK, "stack"),
    (field::ALBUM, "albums"),
];

/// What a photo has in these fields now.
pub(crate) fn current(db: &Connection, photo: i64, fields: &BTreeSet<i64>) -> Result<BTreeMap<String, Value>> {
    type Columns = ((i64, i64, i64, i64), [Option<String>; 4]);
    let (numbers, texts): Columns = db
        .prepare_cached(
            "SELECT p.rating, p.flag, p.label, p.turned, t.title, t.caption, t.creator, t.copyright \
             FROM photo p JOIN photo_text t ON t.photo = p.id WHERE p.id = ?1",
        )
        .and_then(|mut s| {
            s.query_row([photo], |r| {
                let numbers = (r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?);
                Ok((numbers, [r.get(4)?, r.get(5)?, r.get(6)?, r.get(7)?]))
            })
        })
        .doing(DOING)?;
    let [title, caption, creator, copyright] = texts;
    let mut set = BTreeMap::new();
    for (field, word) in WORDS.iter().filter(|(field, _)| fields.contains(field)) {
        let value = match *field {
            field::RATING => Value::from(numbers.0),
            field::FLAG => Flag::from_code(numbers.1).map_or(Value::Null, |flag| flag.as_str().into()),
            field::LABEL => Label::from_code(numbers.2).map_or(Value::Null, |label| label.as_str().into()),
            field::TURNED => Value::from(numbers.3),
            field::KEYWORD => keywords(db, photo)?.into(),
            field::TITLE => title.clone().into(),
            field::CAPTION => caption.clone().into(),
            field::CREATOR => creator.clone().into(),
            field::STACK => top_of(db, photo)?.into(),
            field::ALBUM => albums::of_photo(db, photo)?.into(),
            _ => copyright.clone().into(),
        };
        set.insert((*word).to_owned(), value);
    }
    Ok(set)
}

/// The lasting name of the photo on top of the stack that this one is in.
fn top_of(db: &Connection, photo: i64) -> Result<Option<String>> {
    db.prepare_cached("SELECT top.uid FROM photo p JOIN photo top ON top.id = p.stack WHERE p.id = ?1")
        .and_then(|mut s| s.query_row([photo], |row| row.get(0)).optional())
        .doing(DOING)
}

/// The keywords of a photo, in order.
pub(crate) fn keywords(db: &Connection, photo: i64) -> Result<Vec<String>> {
    db.prepare_cached(
        "SELECT k.text FROM photo_keyword pk JOIN keyword k ON k.id = pk.keyword WHERE pk.photo = ?1 ORDER BY k.folded",
    )
    .and_then(|mut s| s.query_map([photo], |row| row.get(0))?.collect())
    .doing(DOING)
}

/// Gives a photo what the journal says it had; whether there is such a photo. What cannot be read stays as it is.
pub(crate) fn restore(writer: &mut Writer<'_>, photo: &PhotoId, set: &BTreeMap<String, Value>) -> Result<bool> {
    let row: Option<i64> = writer
        .db
        .prepare_cached("SELECT id FROM photo WHERE uid = ?1")
        .and_then(|mut s| s.query_row([photo.as_str()], |row| row.get(0)).optional())
        .doing(DOING)?;
    let Some(row) = row else { return Ok(false) };
    let update = |sql: &str, value: rusqlite::types::Value| -> Result<()> {
        writer.db.prepare_cached(sql).and_then(|mut s| s.execute(params![row, value])).doing(DOING)?;
        Ok(())
    };
    let number = |word: &str, max: i64| {
        set.get(word).and_then(Value::as_i64).filter(|n| (0..=max).contains(n)).map(rusqlite::types::Value::Integer)
    };
    let word = |word: &str, code: &dyn Fn(&str) -> Option<i64>| match set.get(word) {
        Some(Value::Null) => Some(rusqlite::types::Value::Integer(0)),
        Some(Value::String(text)) => code(text).map(rusqlite::types::Value::Integer),
        _ => None,
    };
    let flag = |text: &str| Flag::TABLE.iter().find(|(flag, _)| flag.as_str() == text).map(|(_, code)| *code);
    let columns = [
        ("UPDATE photo SET rating = ?2 WHERE id = ?1", number("rating", 5)),
        ("UPDATE photo SET turned = ?2 WHERE id = ?1", number("turned", 3)),
        ("UPDATE photo SET flag = ?2 WHERE id = ?1", word("flag", &flag)),
        ("UPDATE photo SET label = ?2 WHERE id = ?1", word("label", &|text| Label::parse(text).map(Label::code))),
    ];
    for (sql, value) in columns {
        if let Some(value) = value {
            update(sql, value)?;
        }
    }
    for column in ["title", "caption", "creator", "copyright"] {
        let value = match set.get(column) {
            Some(Value::Null) => rusqlite::types::Value::Null,
            Some(Value::String(text)) => rusqlite::types::Value::Text(text.clone()),
            _ => continue,
        };
        update(&format!("UPDATE photo_text SET {column} = ?2 WHERE photo = ?1"), value)?;
    }
    if let Some(Value::Array(keywords)) = set.get("keywords") {
        writer.db.execute("DELETE FROM photo_keyword WHERE photo = ?1", [row]).doing(DOING)?;
        for keyword in keywords.iter().filter_map(Value::as_str) {
            writer.add_keyword(row, keyword)?;
        }
    }
    match set.get("stack") {
        Some(Value::String(top)) => update(
            "UPDATE photo SET stack = ifnull((SELECT id FROM photo WHERE uid = ?2), 0) WHERE id = ?1",
            rusqlite::types::Value::Text(top.clone()),
        )?,
        Some(Value::Null) => update("UPDATE photo SET stack = ?2 WHERE id = ?1", rusqlite::types::Value::Integer(0))?,
        _ => {}
    }
    if let Some(Value::Array(albums)) = set.get("albums") {
        let albums: Vec<&str> = albums.iter().filter_map(Value::as_str).collect();
        albums::restore_photo(writer.db, row, &albums)?;
    }
    writer.db.execute("UPDATE photo SET marked = 1 WHERE id = ?1", [row]).doing(DOING)?;
    writer.words_changed(row)?;
    Ok(true)
}
