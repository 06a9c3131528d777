//! Items of HEIF: the list of them, where their bytes lie, and what belongs to the primary one.
//!
//! Source of the format: ISO/IEC 23008-12 and 14496-12 (`meta`, `iinf`, `iloc`, `iprp`, `iref`).

use super::Atom;
use crate::Head;
use crate::cursor::Cursor;

/// The most items of a file; a phone's picture in tiles has about 60.
const MAX_ITEMS: usize = 5_000;
/// The longest list that is read.
const MAX_LIST: u64 = 1 << 20;

/// An item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) id: u32,
    pub(crate) kind: [u8; 4],
    /// For `mime` items.
    pub(crate) content_type: String,
    /// Where its bytes lie in the file, when they lie in one piece.
    pub(crate) place: Option<(u64, u64)>,
}

/// What a `meta` box says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items {
    pub(crate) primary: u32,
    pub(crate) items: Vec<Item>,
    /// `thmb` references: thumbnail and what it is of.
    pub(crate) thumbnails: Vec<(u32, u32)>,
    /// Pixels of the primary item as stored.
    pub(crate) size: Option<(u32, u32)>,
    /// Quarter turns anticlockwise and mirrorings of the primary item, in order.
    pub(crate) turns: Vec<Turn>,
}

/// One step of how an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// `irot`: quarter turns anticlockwise.
    Rotate(u8),
    /// `imir` 1: left and right change places.
    MirrorSides,
    /// `imir` 0: top and bottom change places.
    MirrorTop,
}

impl Items {
    /// Reads a `meta` box (its version and flags included).
    pub(crate) fn read(head: &mut Head<'_>, meta: &Atom) -> Option<Self> {
        let mut found = Self::default();
        if let Some(pitm) = meta.child(head, 4, b"pitm") {
            let mut cursor = Cursor::new(pitm.content(head, 64)?);
            let wide = cursor.u32()? >> 24 > 0;
            found.primary = if wide { cursor.u32()? } else { u32::from(cursor.u16()?) };
        }
        let list = meta.child(head, 4, b"iinf")?;
        found.items = item_list(head, &list)?;
        let data = meta.child(head, 4, b"idat");
        if let Some(iloc) = meta.child(head, 4, b"iloc") {
            let places = places(iloc.content(head, MAX_LIST)?, data);
            for item in &mut found.items {
                item.place = places.iter().find(|(id, _)| *id == item.id).map(|(_, place)| *place);
            }
        }
        if let Some(iref) = meta.child(head, 4, b"iref") {
            found.references(head, &iref);
        }
        if let Some(iprp) = meta.child(head, 4, b"iprp") {
            found.properties(head, &iprp);
        }
        Some(found)
    }

    fn references(&mut self, head: &mut Head<'_>, iref: &Atom) {
        let wide = head.array::<1>(iref.at).is_some_and(|[version]| version > 0);
        let mut boxes = iref.children(4);
        while let Some(reference) = boxes.next(head) {
            if reference.kind != *b"thmb" {
                continue;
            }
            let Some(content) = reference.content(head, 4096) else { continue };
            let mut cursor = Cursor::new(content);
            let id_size = if wide { 4 } else { 2 };
            let (Some(from), Some(count)) = (cursor.sized(id_size), cursor.u16()) else { continue };
            for _ in 0..count {
                let Some(to) = cursor.sized(id_size) else { break };
                self.thumbnails.push((from as u32, to as u32));
            }
        }
    }

    /// The primary item's size and turns, by its association with the property list.
    fn properties(&mut self, head: &mut Head<'_>, iprp: &Atom) -> Option<()> {
        let list = iprp.child(head, 0, b"ipco")?;
        let ipma = iprp.child(head, 0, b"ipma")?;
        let associations = associations(ipma.content(head, MAX_LIST)?, self.primary)?;
        let mut properties = Vec::new();
        let mut boxes = list.children(0);
        while let Some(property) = boxes.next(head) {
            properties.push(property);
        }
        for index in associations {
            let Some(property) = index.checked_sub(1).and_then(|i| properties.get(usize::from(i))) else { continue };
            match &property.kind {
                b"ispe" => {
                    let mut cursor = Cursor::new(property.content(head, 64)?.get(4..)?);
                    self.size = cursor.u32().zip(cursor.u32()).filter(|&(w, h)| w > 0 && h > 0);
                }
                b"irot" => self.turns.extend(head.array(property.at).map(|[angle]| Turn::Rotate(angle & 3))),
                b"imir" => self.turns.extend(
                    head.array(property.at)
                        .map(|[axis]| if axis & 1 == 1 { Turn::MirrorSides } else { Turn::MirrorTop }),
                ),
                _ => {}
            }
        }
        Some(())
    }
}

fn item_list(head: &mut Head<'_>, iinf: &Atom) -> Option<Vec<Item>> {
    let [version] = head.array(iinf.at)?;
    let mut boxes = iinf.children(if version == 0 { 6 } else { 8 });
    let mut items = Vec::new();
    while let Some(entry) = boxes.next(head) {
        if entry.kind != *b"infe" || items.len() >= MAX_ITEMS {
            continue;
        }
        let Some(content) = entry.content(head, 4096) else { continue };
        items.extend(item(content));
    }
    Some(items)
}

fn item(content: &[u8]) -> Option<Item> {
    let mut cursor = Cursor::new(content);
    let version = cursor.u32()? >> 24;
    if version < 2 {
        return None;
    }
    let id = if version == 2 { u32::from(cursor.u16()?) } else { cursor.u32()? };
    let _protection = cursor.u16()?;
    let kind = cursor.array()?;
    let _name = cursor.until_nul();
    let content_type =
        if kind == *b"mime" { String::from_utf8_lossy(cursor.until_nul()).into_owned() } else { String::new() };
    Some(Item { id, kind, content_type, place: None })
}

/// Where items lie that are in one piece: id, offset in the file, length.
fn places(content: &[u8], data: Option<Atom>) -> Vec<(u32, (u64, u64))> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(content);
    let _ = read_places(&mut cursor, data, &mut found);
    found
}

fn read_places(cursor: &mut Cursor<'_>, data: Option<Atom>, found: &mut Vec<(u32, (u64, u64))>) -> Option<()> {
    let version = cursor.u32()? >> 24;
    let [sizes, more] = cursor.array()?;
    let (offset_size, length_size, base_size) = (sizes >> 4, sizes & 15, more >> 4);
    let index_size = if version > 0 { more & 15 } else { 0 };
    let count = if version < 2 { u32::from(cursor.u16()?) } else { cursor.u32()? };
    for _ in 0..count.min(MAX_ITEMS as u32) {
        let id = if version < 2 { u32::from(cursor.u16()?) } else { cursor.u32()? };
        let method = if version > 0 { cursor.u16()? & 15 } else { 0 };
        let _data_reference = cursor.u16()?;
        let base = cursor.sized(base_size)?;
        let extents = cursor.u16()?;
        let mut place = None;
        for _ in 0..extents {
            let _index = cursor.sized(index_size)?;
            let (offset, length) = (cursor.sized(offset_size)?, cursor.sized(length_size)?);
            place = Some((base.saturating_add(offset), length));
        }
        let place = match method {
            0 => place,
            1 => place.zip(data).map(|((offset, length), data)| (data.at.saturating_add(offset), length)),
            _ => None,
        };
        found.extend(place.filter(|_| extents == 1).map(|place| (id, place)));
    }
    Some(())
}

/// The properties of an item, as numbers in the list, from 1.
fn associations(content: &[u8], item: u32) -> Option<Vec<u16>> {
    let mut cursor = Cursor::new(content);
    let head = cursor.u32()?;
    let (version, wide) = (head >> 24, head & 1 == 1);
    for _ in 0..cursor.u32()?.min(MAX_ITEMS as u32) {
        let id = if version == 0 { u32::from(cursor.u16()?) } else { cursor.u32()? };
        let count = cursor.u8()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(if wide { cursor.u16()? & 0x7fff } else { u16::from(cursor.u8()? & 0x7f) });
        }
        if id == item {
            return Some(list);
        }
    }
    None
}
