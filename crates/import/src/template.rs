//! Name templates: `{year}/{date}/{name}`, and what they make of a photo.
//!
//! A template is checked once, before anything is read. Values come from hostile files, so they are made
//! harmless as parts of a path: no separator, no control character, no `..`. Names stay bytes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use jiff::civil::{Date, DateTime};
use lightfast_model::ContentHash;

/// Every token, with what it stands for; help and error messages are made from this table.
pub const TOKENS: &[(&str, &str)] = &[
    ("year", "year of capture, 2009"),
    ("month", "month, 07"),
    ("day", "day, 12"),
    ("date", "2009-07-12, or as in {date:%Y%m%d}"),
    ("time", "14-03-22, or as in {time:%H%M}"),
    ("hour", "hour, 14"),
    ("minute", "minute, 03"),
    ("second", "second, 22"),
    ("subsec", "fraction of the second, 45"),
    ("name", "name on the card without its extension, IMG_0001"),
    ("number", "the number that ends the name, 0001"),
    ("camera", "camera model"),
    ("make", "camera maker"),
    ("model", "camera model"),
    ("serial", "serial number of the body"),
    ("lens", "lens"),
    ("iso", "ISO"),
    ("job", "the job code given with --job"),
    ("seq", "number within this import, or padded as in {seq:4}"),
    ("folder", "folder on the card, 100EOS5D"),
    ("path", "folders on the card, DCIM/100EOS5D"),
    ("card", "the card's label"),
    ("kind", "photo or video"),
    ("hash", "content, 64 digits, or fewer as in {hash:8}"),
];

/// Why a template is wrong; the text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum TemplateError {
    #[error("the name template is empty")]
    Empty,
    #[error("the name template is an absolute path; it goes inside the library, and --library says where that is")]
    Absolute,
    #[error("the name template leads out of the library by `..`")]
    Upwards,
    #[error("the name template has an empty part, or one that is only a dot")]
    EmptyPart,
    #[error("unknown token {{{token}}}{}", hint(.nearest))]
    Unknown { token: String, nearest: Option<&'static str> },
    #[error("a `{{` or `}}` without its partner at character {at}")]
    Unbalanced { at: usize },
    #[error("{{{token}:{format}}}: {reason}")]
    Format { token: String, format: String, reason: &'static str },
    #[error("the name template has a control character")]
    Control,
}

fn hint(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(token) => format!("; did you mean {{{token}}}?"),
        None => format!("; known are {}", TOKENS.iter().map(|(t, _)| format!("{{{t}}}")).collect::<Vec<_>>().join(" ")),
    }
}

/// A checked template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Token { name: &'static str, format: Option<String> },
}

/// What is known of a photo when it is named.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// When it was taken, local.
    pub taken: DateTime,
    /// The fraction's digits as the file has them.
    pub subsec: Option<String>,
    /// The day that it counts to, where a day does not begin at midnight.
    pub day: Date,
    /// The stem that the photo's files share on the card.
    pub stem: &'a OsStr,
    /// Its folder on the card, relative to the source.
    pub folder: &'a Path,
    /// Camera model.
    pub model: Option<&'a str>,
    /// Camera maker.
    pub make: Option<&'a str>,
    /// Serial number.
    pub serial: Option<&'a str>,
    /// Lens.
    pub lens: Option<&'a str>,
    /// ISO.
    pub iso: Option<u32>,
    /// Job code.
    pub job: Option<&'a str>,
    /// Number within the import, from 1.
    pub seq: u32,
    /// The card's label.
    pub card: &'a str,
    /// `photo` or `video`.
    pub kind: &'a str,
    /// Content of the file that stands for the photo, where the template asks for it.
    pub hash: Option<ContentHash>,
}

impl Default for Template {
    fn default() -> Self {
        Self {
            text: "{year}/{date}/{name}".into(),
            parts: vec![
                Part::Token { name: "year", format: None },
                Part::Text("/".into()),
                Part::Token { name: "date", format: None },
                Part::Text("/".into()),
                Part::Token { name: "name", format: None },
            ],
        }
    }
}

impl std::str::FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if text.trim().is_empty() {
            return Err(TemplateError::Empty);
        }
        if text.starts_with('/') || text.starts_with('~') {
            return Err(TemplateError::Absolute);
        }
        if text.chars().any(char::is_control) {
            return Err(TemplateError::Control);
        }
        if text.split('/').any(|part| part == "..") {
            return Err(TemplateError::Upwards);
        }
        if text.split('/').any(|part| part.trim().is_empty() || part == ".") {
            return Err(TemplateError::EmptyPart);
        }
        Ok(Self { text: text.to_owned(), parts: parse(text)? })
    }
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn parse(text: &str) -> Result<Vec<Part>, TemplateError> {
    let mut parts = Vec::new();
    let mut rest = text;
    let at = |rest: &str| text.chars().count() - rest.chars().count();
    while let Some(open) = rest.find(['{', '}']) {
        let (before, tail) = rest.split_at(open);
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let Some(inner) = tail.strip_prefix('{') else { return Err(TemplateError::Unbalanced { at: at(tail) }) };
        let Some((token, after)) = inner.split_once('}') else {
            return Err(TemplateError::Unbalanced { at: at(tail) });
        };
        parts.push(token_part(token)?);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

fn token_part(token: &str) -> Result<Part, TemplateError> {
    let (name, format) = match token.split_once(':') {
        Some((name, format)) => (name, Some(format)),
        None => (token, None),
    };
    let Some((known, _)) = TOKENS.iter().find(|(known, _)| *known == name) else {
        let nearest = TOKENS.iter().map(|(known, _)| *known).find(|known| is_near(known, &name.to_lowercase()));
        return Err(TemplateError::Unknown { token: token.to_owned(), nearest });
    };
    let wrong =
        |reason| TemplateError::Format { token: name.into(), format: format.unwrap_or_default().into(), reason };
    match (*known, format) {
        (_, None) => {}
        ("date" | "time", Some(format)) => {
            let probe = jiff::civil::date(2009, 7, 12).at(14, 3, 22, 0);
            let shown = jiff::fmt::strtime::format(format, probe).map_err(|_| wrong("not a strftime format"))?;
            if format.is_empty() || shown.split('/').any(|part| part.trim().is_empty() || part == "." || part == "..") {
                return Err(wrong("gives an empty part of a path"));
            }
        }
        ("seq", Some(width)) => {
            let fits = width.parse::<usize>().is_ok_and(|width| (1..=12).contains(&width));
            fits.then_some(()).ok_or_else(|| wrong("a width from 1 to 12 is expected"))?;
        }
        ("hash", Some(length)) => {
            let fits = length.parse::<usize>().is_ok_and(|length| (4..=64).contains(&length));
            fits.then_some(()).ok_or_else(|| wrong("a number of digits from 4 to 64 is expected"))?;
        }
        _ => return Err(wrong("this token takes no format")),
    }
    Ok(Part::Token { name: known, format: format.map(str::to_owned) })
}

/// Whether two words differ by at most two letters put in, left out or changed.
fn is_near(a: &str, b: &str) -> bool {
    if b.len() > 24 {
        return false;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (cb, above) in b.iter().zip(row.iter().skip(1)) {
            let cost = diagonal + usize::from(ca != *cb);
            left = cost.min(left + 1).min(above + 1);
            next.push(left);
            diagonal = *above;
        }
        row = next;
    }
    row.last().is_some_and(|distance| *distance <= 2)
}

impl Template {
    /// Whether it uses a token.
    pub fn uses(&self, token: &str) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Token { name, .. } if *name == token))
    }

    /// Whether it has no token at all: more likely a folder given by mistake than a name for every photo.
    pub fn is_plain_text(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// The path of a photo inside a destination, without extension. Always relative, without `.` and `..`.
    pub fn render(&self, values: &Values<'_>) -> PathBuf {
        let mut bytes = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Part::Token { name, format } => bytes.extend(token_value(name, format.as_deref(), values)),
            }
        }
        let parts = bytes.split(|b| *b == b'/').filter_map(|part| match part {
            b"" | b"." => None,
            b".." => Some(OsString::from("_")),
            part => Some(OsString::from_vec(part.to_vec())),
        });
        let path: PathBuf = parts.collect();
        if path.as_os_str().is_empty() { PathBuf::from("unnamed") } else { path }
    }
}

fn token_value(token: &str, format: Option<&str>, v: &Values<'_>) -> Vec<u8> {
    let day = |default| strftime(format.unwrap_or(default), v.day.to_datetime(v.taken.time()));
    let clock = |default| strftime(format.unwrap_or(default), v.taken);
    let known = |text: Option<&str>, none: &str| harmless(text.filter(|t| !t.trim().is_empty()).unwrap_or(none));
    let text = match token {
        "year" => day("%Y"),
        "month" => day("%m"),
        "day" => day("%d"),
        "date" => day("%Y-%m-%d"),
        "time" => clock("%H-%M-%S"),
        "hour" => clock("%H"),
        "minute" => clock("%M"),
        "second" => clock("%S"),
        "subsec" => v.subsec.clone().unwrap_or_else(|| "00".into()),
        "name" => return v.stem.as_bytes().to_vec(),
        "number" => trailing_number(v.stem),
        "camera" | "model" => known(v.model, "unknown camera"),
        "make" => known(v.make, "unknown maker"),
        "serial" => known(v.serial, "unknown serial"),
        "lens" => known(v.lens, "unknown lens"),
        "iso" => v.iso.map_or_else(|| "unknown ISO".into(), |iso| iso.to_string()),
        "job" => known(v.job, "no job"),
        "seq" => {
            let width = format.and_then(|w| w.parse().ok()).unwrap_or(1);
            format!("{:0width$}", v.seq)
        }
        "folder" => return v.folder.file_name().map_or_else(|| b"card".to_vec(), |name| name.as_bytes().to_vec()),
        "path" => return v.folder.as_os_str().as_bytes().to_vec(),
        "card" => known(Some(v.card), "card"),
        "kind" => v.kind.to_owned(),
        "hash" => {
            let length = format.and_then(|l| l.parse().ok()).unwrap_or(64);
            v.hash.map(|hash| hash.hex()).unwrap_or_default().chars().take(length).collect()
        }
        _ => String::new(),
    };
    text.into_bytes()
}

/// The format was tried when the template was checked; a date out of its range gives nothing.
fn strftime(format: &str, time: DateTime) -> String {
    jiff::fmt::strtime::format(format, time).unwrap_or_default()
}

/// The digits that end a name: `0001` of `IMG_0001`; the name itself where there are none.
fn trailing_number(stem: &OsStr) -> String {
    let text = stem.to_string_lossy();
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    match text.get(text.len() - digits..) {
        Some(number) if digits > 0 => number.to_owned(),
        _ => harmless(&text),
    }
}

/// Makes a text from a file usable as part of a name on every file system: no separators, no control
/// characters, none of the characters that FAT refuses, no blank or dot at its ends, at most 80 characters.
pub(crate) fn harmless(text: &str) -> String {
    let clean: String =
        text.chars()
            .map(|c| {
                if c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') {
                    '-'
                } else {
                    c
                }
            })
            .take(80)
            .collect();
    let trimmed = clean.trim_matches([' ', '.']);
    if trimmed.is_empty() { "_".into() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values<'a>() -> Values<'a> {
        let taken = jiff::civil::date(2009, 7, 12).at(14, 3, 22, 450_000_000);
        Values {
            taken,
            subsec: Some("45".into()),
            day: taken.date(),
            stem: OsStr::new("IMG_0001"),
            folder: Path::new("DCIM/100EOS5D"),
            model: Some("Canon EOS 5D Mark II"),
            make: Some("Canon"),
            serial: None,
            lens: Some("EF70-200mm f/4L USM"),
            iso: Some(400),
            job: Some("wedding"),
            seq: 7,
            card: "EOS_DIGITAL",
            kind: "photo",
            hash: Some(ContentHash([0xab; 32])),
        }
    }

    fn rendered(template: &str) -> String {
        template.parse::<Template>().unwrap().render(&values()).to_string_lossy().into_owned()
    }

    #[test]
    fn tokens_give_what_the_table_says() {
        assert_eq!(rendered("{year}/{date}/{name}"), "2009/2009-07-12/IMG_0001");
        assert_eq!(rendered("{date:%Y%m%d}_{time}_{subsec}_{seq:4}"), "20090712_14-03-22_45_0007");
        assert_eq!(rendered("{job}-{number}-{iso}-{kind}"), "wedding-0001-400-photo");
        assert_eq!(rendered("{path}/{folder}_{hash:8}"), "DCIM/100EOS5D/100EOS5D_abababab");
        assert_eq!(rendered("{date:%Y/%m}/{card}"), "2009/07/EOS_DIGITAL");
        assert_eq!(rendered("{lens}/{serial}"), "EF70-200mm f-4L USM/unknown serial");
        assert_eq!(Template::default(), "{year}/{date}/{name}".parse().unwrap());
    }

    #[test]
    fn wrong_templates_say_what_is_wrong() {
        let error = |text: &str| text.parse::<Template>().unwrap_err();
        assert_eq!(error(" "), TemplateError::Empty);
        assert_eq!(error("/mnt/{name}"), TemplateError::Absolute);
        assert_eq!(error("../{name}"), TemplateError::Upwards);
        assert_eq!(error("a//{name}"), TemplateError::EmptyPart);
        assert_eq!(error("{name"), TemplateError::Unbalanced { at: 0 });
        assert_eq!(error("a}"), TemplateError::Unbalanced { at: 1 });
        assert_eq!(error("{yaer}").to_string(), "unknown token {yaer}; did you mean {year}?");
        assert!(error("{colour}").to_string().contains("known are {year}"));
        assert!(matches!(error("{seq:x}"), TemplateError::Format { .. }));
        assert!(matches!(error("{name:4}"), TemplateError::Format { .. }));
        assert!(matches!(error("{date:%}"), TemplateError::Format { .. }));
    }

    #[test]
    fn a_camera_name_from_a_hostile_file_stays_one_harmless_part() {
        let mut v = values();
        v.model = Some("../../etc/passwd\0");
        let path = "{camera}/{name}".parse::<Template>().unwrap().render(&v);
        assert_eq!(path, Path::new("-..-etc-passwd-/IMG_0001"));
        v.stem = OsStr::new("..");
        assert_eq!("{name}".parse::<Template>().unwrap().render(&v), Path::new("_"));
    }

    proptest! {
        #[test]
        fn a_rendered_path_never_leaves_the_library(model in ".{0,40}", stem in ".{0,40}", text in "[a-z{}:/.%~-]{0,30}") {
            let Ok(template) = text.parse::<Template>() else { return Ok(()) };
            let stem = OsString::from(stem.replace(['/', '\0'], ""));
            let mut v = values();
            v.model = Some(&model);
            v.stem = &stem;
            let path = template.render(&v);
            prop_assert!(path.is_relative());
            prop_assert!(path.components().all(|c| matches!(c, std::path::Component::Normal(_))));
        }
    }
}
