//! Which lens it was, from the number that the camera reports.
//!
//! Several lenses often share a number. Those remain that fit what else is known (focal lengths of the lens, the focal length and
//! the widest aperture at the time, the name in EXIF); where more than one remains, the name says so: `A or B`. A number
//! that is in no table is no lens: nothing is guessed.

use super::lens_tables::{self as tables, Table};
use crate::found::Found;

/// A lens as a maker numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LensId {
    Canon(u16),
    CanonRf(u16),
    /// Number, stops, shortest, longest, aperture at either end, version, type.
    Nikon([u8; 8]),
    NikonZ(u16),
    SonyA(u16),
    SonyE(u16),
    Pentax(u16, u16),
    Olympus(u8, u8, u8),
    Sigma(u16),
    Samsung(u16),
    /// The code, and the frame selector in the lowest two bits.
    Leica(u32),
}

/// Whether a text is a lens's name, and not what cameras write when they do not know.
pub(crate) fn is_lens_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && !matches!(
            text,
            "----" | "-" | "None" | "NONE" | "N/A" | "n/a" | "Unknown" | "0.0 mm f/0.0"
        )
        // A number that has no name yet.
        && !text.contains("Lens (0x")
        && text.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// What is known of the lens while the picture was taken.
struct Known {
    short: Option<f64>,
    long: Option<f64>,
    focal: Option<f64>,
    aperture: Option<f64>,
    model: Option<String>,
    spec: Option<String>,
}

/// Focal lengths and widest apertures as a lens's name has them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    short: f64,
    long: f64,
    wide: f64,
    tele: f64,
}

/// The lens of a file, by its maker's number.
pub(crate) fn name(found: &Found) -> Option<String> {
    let maker = &found.maker;
    let apex = found.exif.max_aperture.map(|v| 2f64.powf(v / 2.0));
    let known = Known {
        short: maker.lens_short,
        long: maker.lens_long,
        focal: found.exif.focal_length.or(maker.focal_length.map(|length| length / maker.focal_unit.unwrap_or(1.0))),
        aperture: maker.lens_aperture.or(apex).filter(|&v| v > 0.0),
        model: found.exif.lens.clone().or_else(|| maker.lens.clone()),
        spec: maker.lens_spec.clone(),
    };
    let single = |table: &Table, key: &str| table.get(key).map(str::to_owned);
    let name = match maker.lens_id? {
        LensId::Canon(id) => by_ends(&tables::CANON, &id.to_string(), &known),
        LensId::CanonRf(id) => by_ends(&tables::CANON_RF, &id.to_string(), &known),
        LensId::Nikon(id) => nikon(id),
        LensId::NikonZ(id) => single(&tables::NIKON_Z, &id.to_string()),
        LensId::SonyE(id) => by_shot(&tables::SONY_E, &id.to_string(), &known),
        LensId::SonyA(0xffff) if is_e_body(found) => among(&tables::SONY_E, &tables::SONY_E.names(), "0", &known),
        LensId::SonyA(id) => sony_a(id, &known),
        LensId::Pentax(series, number) => by_shot(&tables::PENTAX, &format!("{series} {number}"), &known),
        LensId::Olympus(make, model, kind) => single(&tables::OLYMPUS, &format!("{make:x} {model:02x} {kind:02x}")),
        LensId::Sigma(id) => by_ends(&tables::SIGMA, &id.to_string(), &known),
        LensId::Samsung(id) => single(&tables::SAMSUNG, &id.to_string()),
        LensId::Leica(id) => {
            let code = id >> 2 & 0xffff;
            single(&tables::LEICA, &format!("{code} {}", id & 3)).or_else(|| single(&tables::LEICA, &code.to_string()))
        }
    };
    name.filter(|name| is_lens_name(name))
}

/// Nikon's eight bytes; some lenses of other makers changed the second (their stops) from one batch to the next.
fn nikon(id: [u8; 8]) -> Option<String> {
    let key = id.map(|b| format!("{b:02X}")).join(" ");
    let exact = tables::NIKON.get(&key).map(str::to_owned);
    let several = || {
        let names: Vec<&str> = (1..).map_while(|n| tables::NIKON.get(&format!("{key}.{n}"))).collect();
        (!names.is_empty()).then(|| names.join(" or "))
    };
    let other_stops = || {
        let (number, rest) = (key.get(..2)?, key.get(5..)?);
        let fits = |row: &&str| row.len() == key.len() && row.get(..2) == Some(number) && row.get(5..) == Some(rest);
        tables::NIKON.keys().filter(fits).min().and_then(|row| tables::NIKON.get(row)).map(str::to_owned)
    };
    exact.or_else(several).or_else(other_stops)
}

/// Bodies that may report no number for a lens of their own mount.
fn is_e_body(found: &Found) -> bool {
    found.exif.model.as_deref().is_some_and(|model| model.contains("NEX") || model.contains("ILCE"))
}

/// A-mount numbers; adapters add an offset of their own to a Canon or Sigma lens's number.
fn sony_a(id: u16, known: &Known) -> Option<String> {
    let adapted = |canon: u16| {
        by_shot(&tables::CANON, &canon.to_string(), known).or_else(|| by_shot(&tables::SONY_A, &id.to_string(), known))
    };
    match id {
        0xff00 | 0xffff => by_shot(&tables::SONY_A, &id.to_string(), known),
        0x4900..=0x590a => by_shot(&tables::SIGMA, &(id - 0x4900).to_string(), known)
            .or_else(|| by_shot(&tables::SONY_A, &id.to_string(), known)),
        0x7700..=0x79ff | 0x8700..=0x87ff => adapted(id - 0x7700),
        0xbc00..=0xbeff | 0xcc00..=0xccff => adapted(id - 0xbc00),
        0xef00..=0xf1ff => adapted(id - 0xef00),
        _ => by_shot(&tables::SONY_A, &id.to_string(), known),
    }
}

/// For makers that report the lens's own ends: those ends decide, also behind a teleconverter.
fn by_ends(table: &Table, key: &str, known: &Known) -> Option<String> {
    let all = table.all(key);
    let first = *all.first()?;
    let (Some(short), Some(long)) = (known.short, known.long) else { return by_shot(table, key, known) };
    let converters = [1.0, 1.4, 2.0, 2.8];
    let with = |name: &str, factor: f64| if factor > 1.0 { format!("{name} + {factor}x") } else { name.to_owned() };
    if all.len() == 1 {
        let own = leading_length(first);
        let factor = converters.into_iter().find(|factor| own.is_some_and(|own| (short - own * factor).abs() <= 0.9));
        return Some(if first.ends_with('x') { first.to_owned() } else { with(first, factor.unwrap_or(1.0)) });
    }
    for factor in converters {
        let (mut maybe, mut likely, mut sure) = (Vec::new(), Vec::new(), Vec::new());
        for name in &all {
            let Some(range) = range(name).map(|own| own.behind(ending_factor(name))) else { continue };
            if (short - range.short * factor).abs() > 0.9 {
                continue;
            }
            maybe.push(with(name, factor));
            if (long - range.long * factor).abs() > 0.9 {
                continue;
            }
            likely.push(with(name, factor));
            let fits = |f: f64| f >= range.wide * factor - 0.18 && f <= range.tele * factor + 0.18;
            if known.aperture.is_none_or(fits) {
                sure.push(with(name, factor));
            }
        }
        if !maybe.is_empty() {
            let best = [sure, likely, maybe].into_iter().find(|list| !list.is_empty()).unwrap_or_default();
            return Some(by_model(best, known).join(" or "));
        }
    }
    table.get(key).map(str::to_owned)
}

/// For makers that report only the number: what was set while the picture was taken decides.
fn by_shot(table: &Table, key: &str, known: &Known) -> Option<String> {
    among(table, &table.all(key), key, known)
}

/// The lenses of a list that fit what was set.
fn among(table: &Table, all: &[&str], key: &str, known: &Known) -> Option<String> {
    if let [name] = all {
        return Some((*name).to_owned());
    }
    let spec = known.spec.as_deref().and_then(range);
    let mut fitting: Vec<(String, Option<f64>)> = Vec::new();
    for name in all {
        let Some(own) = range(name) else { continue };
        if let Some(spec) = spec {
            let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by;
            if near(own.short, spec.short, 0.5)
                && near(own.long, spec.long, 0.5)
                && near(own.wide, spec.wide, 0.15)
                && near(own.tele, spec.tele, 0.15)
            {
                let text = known.spec.as_deref().unwrap_or_default();
                if name.split_once(text).is_some_and(|(before, after)| {
                    before.ends_with(' ') && (after.is_empty() || after.starts_with(" (") || after == " GM")
                }) {
                    return Some((*name).to_owned());
                }
                if !name.starts_with("Sony ") {
                    fitting.push(((*name).to_owned(), None));
                }
            }
            continue;
        }
        let own = own.behind(converter(name));
        if known.focal.is_some_and(|f| f < own.short - 0.5 || f > own.long + 0.5) {
            continue;
        }
        let distance = match known.aperture {
            Some(f) if f < own.wide - 0.15 || f > own.tele + 0.15 => continue,
            Some(f) => Some((f - at_focal(&own, known.focal)).abs()),
            None => None,
        };
        fitting.push(((*name).to_owned(), distance));
    }
    let best = nearest(fitting);
    if best.is_empty() {
        return known.model.clone().or_else(|| table.get(key).map(str::to_owned));
    }
    Some(by_model(best, known).join(" or "))
}

/// Those whose aperture is nearest, each compared with the one before it that was near enough.
fn nearest(fitting: Vec<(String, Option<f64>)>) -> Vec<String> {
    let mut best = Vec::new();
    let mut last: Option<f64> = None;
    for (name, distance) in fitting {
        if let Some((last, own)) = last.zip(distance) {
            if own > last + 0.15 {
                continue;
            }
            if own < last - 0.15 {
                best.clear();
            }
        }
        last = distance.or(last);
        best.push(name);
    }
    best
}

impl Range {
    /// The same lens behind a converter of this factor.
    fn behind(self, factor: f64) -> Self {
        Self {
            short: self.short * factor,
            long: self.long * factor,
            wide: self.wide * factor,
            tele: self.tele * factor,
        }
    }
}

/// The widest aperture at a focal length, between the ends on a logarithmic scale.
fn at_focal(own: &Range, focal: Option<f64>) -> f64 {
    match focal {
        Some(f) if f >= own.long => own.tele,
        Some(f) if f > own.short && own.wide < own.tele => {
            let slope = (own.tele.ln() - own.wide.ln()) / (own.long.ln() - own.short.ln());
            (own.wide.ln() + slope * (f.ln() - own.short.ln())).exp()
        }
        _ => own.wide,
    }
}

/// Keeps those that share the focal length, the aperture and the version with the name in EXIF, as far as any does.
fn by_model(names: Vec<String>, known: &Known) -> Vec<String> {
    let Some(model) = known.model.as_deref() else { return names };
    let mut left = names;
    let mut keep = |test: &dyn Fn(&str) -> bool| {
        let fitting: Vec<String> = left.iter().filter(|name| test(name)).cloned().collect();
        if !fitting.is_empty() && left.len() > 1 {
            left = fitting;
        }
    };
    for family in ["| A", "| C", "| S"] {
        if model.contains(family) {
            keep(&|name| name.contains(family));
        }
    }
    if let Some(lengths) = lengths(model) {
        keep(&|name| name.contains(&lengths));
    }
    if let Some(number) = aperture(model) {
        keep(&|name| aperture(name) == Some(number));
    }
    for word in ["I", "II", "III", "USM"] {
        let has = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word);
        if has(model) {
            keep(&|name| has(name));
        }
    }
    left
}

/// `24-105mm` or `50mm` in a name.
fn lengths(name: &str) -> Option<String> {
    let before = name.split("mm").next().filter(|part| part.len() < name.len())?;
    let start = before.rfind(|c: char| !c.is_ascii_digit() && c != '-' && c != '.').map_or(0, |at| at + 1);
    before.get(start..).filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).map(|part| format!("{part}mm"))
}

/// The first number after `f/`, `F` or `1:`.
fn aperture(name: &str) -> Option<f64> {
    let after = name.split_once("mm").map_or(name, |(_, after)| after);
    let at = after.find(['f', 'F']).map(|at| at + 1).or_else(|| after.find("1:").map(|at| at + 2))?;
    let digits = after.get(at..)?.trim_start_matches(['/', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    digits.get(..end)?.trim_end_matches('.').parse().ok()
}

fn leading_length(name: &str) -> Option<f64> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let rest = name.get(start..)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

/// The factor of a converter that a name ends in: ` + 1.4x`.
fn ending_factor(name: &str) -> f64 {
    name.rsplit_once(" + ")
        .and_then(|(_, last)| last.strip_suffix('x')?.parse::<f64>().ok())
        .filter(|factor| *factor > 0.0)
        .unwrap_or(1.0)
}

/// The factor of a converter that belongs to the lens: ` + 1.4x`.
fn converter(name: &str) -> f64 {
    let factor = name.split_once(" + ").and_then(|(_, after)| {
        let part = after.split(' ').find(|part| part.ends_with('x'))?;
        part.trim_end_matches('x').parse::<f64>().ok()
    });
    factor.unwrap_or(1.0)
}

/// The focal lengths and apertures in a name: `70-200mm f/2.8`, `18-55mm F3.5-5.6`.
fn range(name: &str) -> Option<Range> {
    let lengths = lengths(name)?;
    let (short, long) = pair(lengths.trim_end_matches("mm"))?;
    let after = name.split_once("mm").map(|(_, after)| after)?;
    let at = after.find(['f', 'F'].as_slice()).map(|at| at + 1);
    // The letter must stand before a number: `Fisheye` does not count.
    let mut numbers = None;
    let mut from = at;
    while let Some(start) = from {
        let rest = after.get(start..)?.trim_start_matches(['/', ' ']);
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(rest.len());
            numbers = rest.get(..end).and_then(pair);
            break;
        }
        from = after.get(start..)?.find(['f', 'F'].as_slice()).map(|at| start + at + 1);
    }
    let (wide, tele) = numbers?;
    Some(Range { short, long, wide, tele })
}

fn pair(text: &str) -> Option<(f64, f64)> {
    let text = text.trim_matches(|c| c == '-' || c == '.');
    match text.split_once('-') {
        Some((a, b)) => Some((a.parse().ok()?, b.parse().ok()?)),
        None => text.parse().ok().map(|v| (v, v)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::Exif;

    fn canon(id: u16, short: f64, long: f64, aperture: f64) -> Option<String> {
        let mut found = Found::default();
        found.maker.lens_id = Some(LensId::Canon(id));
        (found.maker.lens_short, found.maker.lens_long, found.maker.lens_aperture) =
            (Some(short), Some(long), Some(aperture));
        name(&found)
    }

    #[test]
    fn ranges_in_names() {
        let shown = |name| range(name).map(|r| (r.short, r.long, r.wide, r.tele));
        assert_eq!(shown("Canon EF 70-200mm f/4L"), Some((70.0, 200.0, 4.0, 4.0)));
        assert_eq!(shown("Sony DT 18-55mm F3.5-5.6 SAM"), Some((18.0, 55.0, 3.5, 5.6)));
        assert_eq!(shown("Sigma 15mm Fisheye F2.8"), Some((15.0, 15.0, 2.8, 2.8)));
        assert_eq!(shown("K or M Lens"), None);
    }

    #[test]
    fn the_ends_of_a_lens_tell_it_from_others_of_its_number() {
        assert_eq!(canon(254, 100.0, 100.0, 2.8).as_deref(), Some("Canon EF 100mm f/2.8L Macro IS USM"));
        assert_eq!(canon(10, 50.0, 50.0, 2.5).as_deref(), Some("Canon EF 50mm f/2.5 Macro"));
        assert_eq!(canon(10, 28.0, 28.0, 1.8).as_deref(), Some("Sigma 28mm f/1.8"));
        assert_eq!(canon(60_000, 10.0, 20.0, 4.0), None, "a number that no table has is no lens");
    }

    #[test]
    fn what_was_set_tells_a_lens_where_only_a_number_is_known() {
        let mut found = Found { exif: Exif { focal_length: Some(28.0), ..Exif::default() }, ..Found::default() };
        found.maker.lens_id = Some(LensId::SonyE(0));
        found.maker.lens_spec = Some("E 60mm F2.8".to_owned());
        assert_eq!(name(&found).as_deref(), Some("Sigma 60mm F2.8 DN"));
    }

    #[test]
    fn placeholders_are_no_names() {
        for text in ["", "----", "  ", "None", "0.0 mm f/0.0", "..."] {
            assert!(!is_lens_name(text), "{text:?}");
        }
        assert!(is_lens_name("EF100mm f/2.8L Macro IS USM"));
    }
}
