//! The `TAGS` box of compact cameras' clips: a fixed table whose layout its first words tell.
//!
//! The layouts are data: `data/clip_tags.tsv`.

use std::sync::OnceLock;

use lightfast_model::Ratio;

use crate::Head;
use crate::bmff::Atom;
use crate::found::Found;
use crate::text;
use crate::tiff::Order;

/// One layout.
struct Layout {
    prefix: &'static str,
    fields: Vec<(&'static str, usize, usize)>,
}

fn layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| {
        let rows = include_str!("../../data/clip_tags.tsv").lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| {
            let mut columns = line.split('\t');
            let prefix = columns.next()?;
            let fields = columns.filter_map(|field| {
                let (name, place) = field.split_once('@')?;
                let (at, len) = place.split_once(':').unwrap_or((place, "4"));
                Some((name, usize::from_str_radix(at, 16).ok()?, len.parse().ok()?))
            });
            Some(Layout { prefix, fields: fields.collect() })
        })
        .collect()
    })
}

/// Reads a `TAGS` box.
pub(super) fn read(head: &mut Head<'_>, atom: &Atom, found: &mut Found) {
    let content = head.up_to(atom.at, atom.len().min(4096) as usize);
    let Some(layout) = layouts().iter().find(|layout| content.starts_with(layout.prefix.as_bytes())) else { return };
    let word = |at: usize| Some(Order::Little.u32(content.get(at..at + 4)?.try_into().ok()?)).filter(|&v| v > 0);
    let short = |at: usize| Some(Order::Little.u16(content.get(at..at + 2)?.try_into().ok()?)).filter(|&v| v > 0);
    let quotient = |at: usize| Some(f64::from(word(at)?) / f64::from(word(at + 4)?));
    let maker = &mut found.maker;
    for &(name, at, len) in &layout.fields {
        let words = || content.get(at..at + len).and_then(text::trimmed);
        match name {
            "make" => maker.make = words(),
            "model" => maker.model = words(),
            "per_second" => maker.exposure = word(at).map(|v| Ratio { num: 1, den: u64::from(v) }),
            "per_ten" => maker.exposure = word(at).map(|v| Ratio { num: 10, den: u64::from(v) }),
            "aperture" => maker.aperture = quotient(at),
            "aperture_tenths" => maker.aperture = word(at).map(|v| f64::from(v) / 10.0),
            "focal" => maker.focal_length = quotient(at),
            "focal_tenths" => maker.focal_length = word(at).map(|v| f64::from(v) / 10.0),
            "iso" => maker.iso = short(at).filter(|&v| v >= 50).map(u32::from),
            _ => {}
        }
    }
}
