//! Which of the many formats that are TIFFs a file is.
//!
//! Makers' own magic numbers decide first, then DNG's version tag, then whether any directory holds
//! sensor values (a colour filter array, or a compression that only RAWs have); the maker then names the format.

use lightfast_model::Kind;

use super::tables;
use crate::tiff::{Header, Ifd, Tiff};
use crate::{BytesSource, Head, Limits};

/// Compressions that only RAWs have: Nikon, Sony, Samsung, Kodak, Pentax and packed sensor values.
const RAW_COMPRESSIONS: &[u64] = &[32_767, 32_769, 32_770, 32_772, 32_867, 34_713, 34_892, 65_000, 65_535, 262];
/// Photometric interpretations of sensor values.
const RAW_PHOTOMETRICS: &[u64] = &[32_803, 34_892];

/// The kind of a file that begins as a TIFF does.
pub(super) fn of(head: &[u8], extension: &str) -> Option<(Kind, &'static str)> {
    let has = |at: usize, bytes: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(bytes));
    let mut source = BytesSource(head);
    let mut reader = Head::with_limits(&mut source, Limits { first: 4 << 10, window: 4 << 10, ..Limits::default() });
    let header = Header::read(&mut reader, 0, u64::MAX)?;
    match header.magic {
        0x0055 if extension == "rwl" => return Some((Kind::Raw, "RWL")),
        0x0055 if extension == "raw" => return Some((Kind::Raw, "RAW")),
        0x0055 => return Some((Kind::Raw, "RW2")),
        0x4f52 | 0x5352 => return Some((Kind::Raw, "ORF")),
        0x001a if has(6, b"HEAPCCDR") => return Some((Kind::Raw, "CRW")),
        42 | 43 => {}
        _ => return None,
    }
    if has(8, b"CR\x02") {
        return Some((Kind::Raw, "CR2"));
    }
    if has(8, b"IIII") || has(8, b"MMMM") {
        return Some((Kind::Raw, "IIQ"));
    }
    let Some(main) = header.tiff.ifd(&mut reader, header.first) else { return Some(by_name(extension)) };
    if main.find(0xc612).is_some() {
        return Some((Kind::Raw, if extension == "gpr" { "GPR" } else { "DNG" }));
    }
    let make =
        main.find(0x010f).and_then(|e| header.tiff.text(&mut reader, e)).unwrap_or_default().to_ascii_uppercase();
    let maker = tables::TIFF_RAWS.iter().find(|(prefix, ..)| make.starts_with(prefix));
    let named =
        tables::BY_NAME.iter().find(|(ext, kind, _)| *kind == Kind::Raw && *ext == extension).map(|found| found.2);
    if !holds_sensor_values(&mut reader, &header.tiff, &main) {
        // Early RAWs are plain TIFFs: only a maker who has such a format and its name together tell them.
        return match (maker, named) {
            (Some((_, own, more)), Some(name)) if *own == name || more.contains(&name) => Some((Kind::Raw, name)),
            _ => Some((Kind::Tiff, "TIFF")),
        };
    }
    let format = match (maker, named) {
        (Some((_, own, more)), Some(name)) if *own == name || more.contains(&name) => name,
        (Some((_, own, _)), _) => own,
        (None, Some(name)) => name,
        (None, None) => "RAW",
    };
    Some((Kind::Raw, format))
}

fn by_name(extension: &str) -> (Kind, &'static str) {
    let raw = tables::BY_NAME.iter().find(|(ext, kind, _)| *kind == Kind::Raw && *ext == extension);
    raw.map_or((Kind::Tiff, "TIFF"), |(_, kind, format)| (*kind, *format))
}

fn holds_sensor_values(reader: &mut Head<'_>, tiff: &Tiff, main: &Ifd) -> bool {
    let mut directories = vec![main.clone()];
    let children = main.find(0x014a).map(|e| tiff.numbers(reader, e, 8)).unwrap_or_default();
    directories.extend(children.into_iter().filter_map(|n| tiff.ifd(reader, n.unsigned()?)));
    if main.next != 0 {
        directories.extend(tiff.ifd(reader, main.next));
    }
    directories.iter().any(|ifd| {
        let mut value = |tag| ifd.find(tag).and_then(|e| tiff.unsigned(reader, e));
        value(0x0106).is_some_and(|v| RAW_PHOTOMETRICS.contains(&v))
            || value(0x0103).is_some_and(|v| RAW_COMPRESSIONS.contains(&v))
    })
}
