//! Apple's keys (`com.apple.quicktime.…`, Android's, Samsung's) and iTunes' items.

use crate::Head;
use crate::bmff::Atom;
use crate::cursor::Cursor;
use crate::found::Found;
use crate::text;

/// The most keys of one list.
const MAX_KEYS: u32 = 500;

/// The names of a `keys` box, in order; items refer to them from 1.
pub(super) fn names(head: &mut Head<'_>, keys: &Atom) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = Cursor::new(head.up_to(keys.at, keys.len().min(64 << 10) as usize));
    let _version = cursor.u32();
    for _ in 0..cursor.u32().unwrap_or(0).min(MAX_KEYS) {
        let Some(size) = cursor.u32().and_then(|size| (size as usize).checked_sub(8)) else { break };
        let (Some(_namespace), Some(name)) = (cursor.u32(), cursor.take(size)) else { break };
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    names
}

/// Reads an `ilst` box.
pub(super) fn read(head: &mut Head<'_>, list: &Atom, keys: &[String], found: &mut Found) {
    let mut items = list.children(0);
    while let Some(item) = items.next(head) {
        let number = u32::from_be_bytes(item.kind) as usize;
        let name = match number.checked_sub(1).and_then(|i| keys.get(i)) {
            Some(name) => name.clone(),
            None => text::decode(&item.kind),
        };
        let Some(value) = value(head, &item) else { continue };
        take(&name, value, found);
    }
}

/// The text of an item's `data` box.
fn value(head: &mut Head<'_>, item: &Atom) -> Option<String> {
    let data = item.child(head, 0, b"data")?;
    let mut cursor = Cursor::new(head.up_to(data.at, data.len().min(16 << 10) as usize));
    let kind = cursor.u32()?;
    let _locale = cursor.u32()?;
    match kind {
        1 => text::trimmed(cursor.rest()),
        2 => text::utf16(cursor.rest(), false),
        // Whole numbers.
        21 | 22 | 65 | 66 | 67 | 75 | 76 | 77 => {
            let bytes = cursor.rest();
            (bytes.len() <= 8).then(|| bytes.iter().fold(0u64, |sum, &b| sum << 8 | u64::from(b)).to_string())
        }
        _ => None,
    }
}

fn take(name: &str, value: String, found: &mut Found) {
    let clip = &mut found.clip;
    match name {
        "com.apple.quicktime.creationdate" => clip.creation_date = Some(value),
        "com.apple.quicktime.make" | "com.android.manufacturer" => clip.make = Some(value),
        "com.apple.quicktime.model" | "com.android.model" => clip.model = Some(value),
        "com.apple.quicktime.location.ISO6709" => clip.place = Some(value),
        "com.apple.quicktime.content.identifier" => clip.content_id = Some(value),
        "com.apple.quicktime.title" | "\u{a9}nam" => clip.title = Some(value),
        "com.apple.quicktime.description" => clip.caption = Some(value),
        "com.apple.quicktime.copyright" | "cprt" => clip.copyright = Some(value),
        "com.apple.quicktime.author" | "\u{a9}ART" => clip.creator = Some(value),
        "com.apple.quicktime.rating.user" => clip.rating = value.trim().parse().ok(),
        "com.apple.quicktime.camera.lens_model" => clip.lens = Some(value),
        "\u{a9}day" => {
            clip.content_date.get_or_insert(value);
        }
        _ => {}
    }
}
