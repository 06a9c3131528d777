//! The field list and the normalisation rules of `fields.tsv`, and the differences of `known.tsv`.

use serde_json::Value;

/// One field of the comparison.
pub(crate) struct Field {
    pub(crate) name: String,
    rule: String,
    pub(crate) tags: Vec<String>,
}

/// How the two sides stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Agree,
    Neither,
    Differ,
    Missing,
    Invented,
}

/// A difference that was looked into.
pub(crate) struct Known {
    path: String,
    field: String,
    pub(crate) reason: String,
}

impl Known {
    pub(crate) fn covers(&self, path: &str, field: &str) -> bool {
        path.ends_with(&self.path) && (self.field == "*" || self.field == field)
    }
}

/// The fields, as `fields.tsv` lists them.
pub(crate) fn fields() -> Vec<Field> {
    let rows = include_str!("fields.tsv").lines().filter(|line| !line.starts_with(['#', '@']));
    rows.filter_map(|line| {
        let mut columns = line.split('\t');
        let (name, rule) = (columns.next()?.to_owned(), columns.next()?.to_owned());
        Some(Field { name, rule, tags: columns.next()?.split(' ').map(str::to_owned).collect() })
    })
    .collect()
}

/// The types of files that count.
pub(crate) fn types() -> Vec<String> {
    let row = include_str!("fields.tsv").lines().find_map(|line| line.strip_prefix("@types\t"));
    row.unwrap_or_default().split(' ').map(|name| name.replace("\\s", " ")).collect()
}

/// The differences that were looked into, as `known.tsv` lists them.
pub(crate) fn known() -> Vec<Known> {
    let rows = include_str!("known.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut columns = line.split('\t').map(str::to_owned);
        Some(Known { path: columns.next()?, field: columns.next()?, reason: columns.next()? })
    })
    .collect()
}

/// A tag's value whatever its group, as text.
pub(crate) fn tag(object: &Value, name: &str) -> Option<String> {
    let name = name.trim_end_matches('#');
    let found = object.as_object()?.iter().filter(|(key, _)| key.rsplit(':').next() == name.rsplit(':').next());
    let value = found.min_by_key(|(key, _)| rank(key))?.1;
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join("; "),
        other => plain(other),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Where a tag stands in several groups: EXIF's own first, XMP and IPTC last.
fn rank(key: &str) -> usize {
    let group = key.split(':').next().unwrap_or_default();
    const ORDER: [&str; 4] = ["ExifIFD", "IFD0", "SubIFD", "Composite"];
    match ORDER.iter().position(|name| *name == group) {
        Some(place) => place,
        None if group.starts_with("XMP") => 11,
        None if group.starts_with("IPTC") => 12,
        None if group.starts_with("IFD1") || group.starts_with("Preview") => 13,
        None => 10,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Field {
    /// What ExifTool says, normalised: the first of its tags that has a value by the field's rule.
    pub(crate) fn theirs(&self, object: &Value) -> Option<String> {
        let mut values = self.tags.iter().filter_map(|name| tag(object, name));
        match self.rule.as_str() {
            "size" => {
                let size = values.find_map(|v| normal("size", &v))?;
                let turned = tag(object, "Orientation").is_some_and(|v| matches!(v.as_str(), "5" | "6" | "7" | "8"))
                    || tag(object, "Rotation").is_some_and(|v| matches!(v.as_str(), "90" | "270"));
                let (w, h) = size.split_once(' ')?;
                Some(if turned { format!("{h} {w}") } else { size })
            }
            "offset" => {
                let original = tag(object, "DateTimeOriginal").filter(|v| time(v).is_some());
                let Some(original) = original else { return values.find_map(|v| normal("offset", &v)) };
                let own = [Some(original), tag(object, "OffsetTimeOriginal")];
                own.into_iter().flatten().find_map(|v| normal("offset", &v)).or_else(|| from_gps(object))
            }
            rule => values.find_map(|v| normal(rule, &v)),
        }
    }

    /// Compares both sides by the field's rule.
    pub(crate) fn compare(&self, ours: Option<&str>, theirs: Option<&str>) -> Outcome {
        let ours = ours.and_then(|v| normal(&self.rule, v));
        match (ours, theirs) {
            (None, None) => Outcome::Neither,
            (None, Some(_)) => Outcome::Missing,
            (Some(_), None) => Outcome::Invented,
            (Some(a), Some(b)) if self.equal(&a, b) => Outcome::Agree,
            _ => Outcome::Differ,
        }
    }

    fn equal(&self, a: &str, b: &str) -> bool {
        let pairs =
            || a.split(' ').zip(b.split(' ')).map(|(a, b)| Some((a.parse::<f64>().ok()?, b.parse::<f64>().ok()?)));
        let close = |share: f64| pairs().all(|p| p.is_some_and(|(a, b)| (a - b).abs() <= share * b.abs()));
        match self.rule.as_str() {
            "real" => close(0.003),
            "seconds" => close(0.01),
            "place" => pairs().all(|p| p.is_some_and(|(a, b)| (a - b).abs() < 0.000_02)),
            "text" => a == b || is_escaped(a, b),
            _ => a == b,
        }
    }
}

/// Whether theirs is ours with `?` for each byte that is not UTF-8, as ExifTool's JSON has it.
fn is_escaped(ours: &str, theirs: &str) -> bool {
    ours.chars().count() == theirs.chars().count()
        && ours.chars().zip(theirs.chars()).all(|(a, b)| a == b || (b == '?' && !a.is_ascii()))
}

/// The offset that GPS time beside the capture time tells.
fn from_gps(object: &Value) -> Option<String> {
    let civil = |name: &str| {
        let text = time(&tag(object, name)?)?;
        jiff::civil::DateTime::strptime("%Y:%m:%d %H:%M:%S", text).ok()
    };
    let seconds = civil("DateTimeOriginal")?.duration_since(civil("GPSDateTime")?).as_secs();
    let minutes = (seconds as f64 / 1800.0).round() as i64 * 30;
    ((seconds - minutes * 60).abs() <= 60 && minutes.abs() <= 840).then(|| minutes.to_string())
}

/// A value by a rule; `None` where the rule says that it is none.
fn normal(rule: &str, value: &str) -> Option<String> {
    let text = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match rule {
        "text" | "lens" => {
            let none = ["", "n/a", "None", "----", "-", "Unknown", "0.0 mm f/0.0"].contains(&text.as_str())
                || text.starts_with("Unknown")
                || text.chars().all(|c| c == '\0' || c == ' ');
            (!none).then(|| if rule == "lens" { text.to_lowercase().replace(' ', "") } else { text })
        }
        "whole" => {
            text.split(' ').next_back()?.parse::<f64>().ok().filter(|&v| v != 0.0).map(|v| v.round().to_string())
        }
        "real" | "seconds" => {
            text.split(' ').next()?.parse::<f64>().ok().filter(|v| v.is_finite() && *v != 0.0).map(|v| v.to_string())
        }
        "time" => time(&text),
        "fraction" => {
            let digits = match text.split_once('.') {
                Some((_, after)) => after.chars().take_while(char::is_ascii_digit).collect::<String>(),
                None if text.chars().all(|c| c.is_ascii_digit()) => text,
                None => return None,
            };
            let digits: String = digits.chars().take(9).collect();
            (!digits.is_empty()).then(|| digits.trim_end_matches('0').to_owned() + "0")
        }
        "offset" => offset(&text),
        "place" => {
            let parts: Vec<&str> = text.split([' ', ',']).filter(|p| !p.is_empty()).collect();
            let [lat, lon] = parts.as_slice() else { return None };
            let (lat, lon) = (lat.parse::<f64>().ok()?, lon.parse::<f64>().ok()?);
            (lat.abs() <= 90.0 && lon.abs() <= 180.0).then(|| format!("{lat} {lon}"))
        }
        "size" => {
            let (w, h) = text.split_once([' ', 'x'])?;
            let (w, h) = (w.parse::<u32>().ok()?, h.parse::<u32>().ok()?);
            (w > 0 && h > 0).then(|| format!("{w} {h}"))
        }
        "turn" => text.parse::<u16>().ok().filter(|v| (2..=8).contains(v)).map(|v| v.to_string()),
        "words" => {
            let mut words: Vec<&str> = text.split(';').map(str::trim).filter(|w| !w.is_empty()).collect();
            words.sort_unstable();
            (!words.is_empty()).then(|| words.join("; "))
        }
        _ => None,
    }
}

/// Year to second, if it can be a capture time.
fn time(text: &str) -> Option<String> {
    let digits: Vec<i16> =
        text.get(..19)?.split([':', ' ', '-', 'T', '/']).map(|p| p.trim().parse().ok()).collect::<Option<_>>()?;
    let [year, month, day, hour, minute, second] = digits.as_slice() else { return None };
    let part = |v: &i16| i8::try_from(*v).ok();
    let time =
        jiff::civil::DateTime::new(*year, part(month)?, part(day)?, part(hour)?, part(minute)?, part(second)?, 0)
            .ok()?;
    let shown = time.strftime("%Y:%m:%d %H:%M:%S").to_string();
    let unset = shown.starts_with("1904:01:01") || shown == "1970:01:01 00:00:00";
    ((1826..=2049).contains(year) && !unset).then_some(shown)
}

/// Minutes east of UTC from `+02:00`, also at the end of a time.
fn offset(text: &str) -> Option<String> {
    let zone = if text.len() > 10 {
        text.get(19..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit())
    } else {
        text
    };
    let zone = zone.trim_end_matches(" DST");
    if zone == "Z" {
        return Some("0".to_owned());
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    (hours <= 14 && minutes < 60).then(|| (sign * (hours * 60 + minutes)).to_string())
}
