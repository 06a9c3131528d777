//! What each `field:value` means. The fields are a table, which is also what help shows.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, ToSpan as _};
use lightfast_model::{Flag, Label, PhotoId, PhotoKind, Role};

use super::QueryError;
use super::expr::{Bound, Has, Interval, NumberField, Term, TextField};

/// A field of the language, for help and completion.
#[derive(Clone, Copy, Debug)]
pub struct FieldHelp {
    /// Its name.
    pub name: &'static str,
    /// An example that needs no quoting in a shell.
    pub example: &'static str,
    /// What it finds.
    pub meaning: &'static str,
}

macro_rules! fields {
    ($($name:literal $example:literal $meaning:literal => $reader:expr;)*) => {
        /// All fields of the language.
        pub const FIELDS: &[FieldHelp] = &[$(FieldHelp { name: $name, example: $example, meaning: $meaning }),*];
        const READERS: &[(&str, Reader)] = &[$(($name, $reader)),*];
    };
}

type Reader = fn(&Value<'_>) -> Result<Term, String>;

/// A value to be read.
struct Value<'a> {
    text: &'a str,
    today: Date,
}

fields! {
    "camera" "camera:5D" "maker or model contains the text" => |v| Ok(Term::Text(TextField::Camera, v.owned()));
    "make" "make:canon" "maker contains the text" => |v| Ok(Term::Text(TextField::Make, v.owned()));
    "serial" "serial:0123" "serial number of the body contains the text" => |v| Ok(Term::Text(TextField::Serial, v.owned()));
    "lens" "lens:70-200" "lens contains the text" => |v| Ok(Term::Text(TextField::Lens, v.owned()));
    "iso" "iso:1600.." "ISO" => |v| number(NumberField::Iso, v);
    "iso-mode" "iso-mode:auto" "auto, manual or unknown" => iso_mode;
    "aperture" "aperture:..2.8" "f-number" => |v| number(NumberField::Aperture, v);
    "focal" "focal:200" "focal length in millimetres" => |v| number(NumberField::Focal, v);
    "duration" "duration:60.." "length of a clip in seconds" => |v| number(NumberField::Duration, v);
    "taken" "taken:2009-07-12..2009-07-14" "capture time: a year, month, day or time, or a range of them" => |v| interval(v, Term::Taken);
    "imported" "imported:today" "time of the import, in the same forms" => |v| interval(v, Term::Imported);
    "rating" "rating:3.." "stars" => |v| number(NumberField::Rating, v);
    "flag" "flag:pick" "pick, reject or none" => flag;
    "label" "label:red" "red, yellow, green, blue, purple or none" => label;
    "keyword" "keyword:beach" "has the keyword" => |v| Ok(Term::Keyword(v.owned()));
    "type" "type:raw" "has a file of this role (raw, jpeg, heif, tiff, video, audio, sidecar) or format (CR2, MOV)" => file_type;
    "kind" "kind:video" "photo or video" => kind;
    "job" "job:wedding" "job code contains the text" => |v| Ok(Term::Text(TextField::Job, v.owned()));
    "has" "has:gps" "has gps, conflict, keyword, title, caption, rating, flag, label, job, lens, time, raw, jpeg, heif, video, audio, sidecar, unverified or problem" => has;
    "name" "name:IMG_0001" "a file name contains the text" => |v| Ok(Term::Text(TextField::Name, v.owned()));
    "path" "path:2009/2009-07-12" "path in the library begins with the text" => |v| Ok(Term::Text(TextField::Path, v.owned()));
    "title" "title:harbour" "title contains the text" => |v| Ok(Term::Text(TextField::Title, v.owned()));
    "caption" "caption:harbour" "caption contains the text" => |v| Ok(Term::Text(TextField::Caption, v.owned()));
    "creator" "creator:ada" "creator contains the text" => |v| Ok(Term::Text(TextField::Creator, v.owned()));
    "copyright" "copyright:ada" "copyright line contains the text" => |v| Ok(Term::Text(TextField::Copyright, v.owned()));
    "id" "id:0123456789abcdef" "the photo of that id" => id;
    "session" "session:12" "came in that session of import" => session;
    "album" "album:portfolio" "was put in the album of that name" => |v| Ok(Term::Album(v.owned()));
    "stack" "stack:0123456789abcdef" "is in one stack with the photo of that id" => |v| id_of(v).map(Term::Stack);
    "in" "in:trash" "lies in the trash" => place;
}

/// Where a field and its value begin.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) field: usize,
    pub(super) value: usize,
}

impl Value<'_> {
    fn owned(&self) -> String {
        self.text.to_owned()
    }
}

/// One condition from its field and value.
pub(super) fn term(name: &str, value: &str, quoted: bool, places: Places, today: Date) -> Result<Term, QueryError> {
    let Some((_, reader)) = READERS.iter().find(|(known, _)| *known == name) else {
        let guess = nearest(name).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let problem = format!("there is no field `{name}`{guess} (to search for the words, put them in quotes)");
        return Err(QueryError { position: places.field, problem });
    };
    if value.trim().is_empty() {
        let example = FIELDS.iter().find(|f| f.name == name).map_or("", |f| f.example);
        let problem = format!("`{name}:` needs a value, as in `{example}`");
        return Err(QueryError { position: places.value, problem });
    }
    let _ = quoted;
    reader(&Value { text: value.trim(), today }).map_err(|problem| QueryError { position: places.value, problem })
}

/// The field that was probably meant.
fn nearest(name: &str) -> Option<&'static str> {
    let by_distance = |known: &&'static str| distance(name, known);
    let best = READERS.iter().map(|(known, _)| *known).min_by_key(by_distance)?;
    (distance(name, best) <= 1 + name.len() / 4).then_some(best)
}

/// Edits between two short texts.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (cb, up) in b.iter().zip(row.iter().skip(1)) {
            let cost = (diagonal + usize::from(ca != *cb)).min(left + 1).min(up + 1);
            diagonal = *up;
            left = cost;
            next.push(cost);
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

/// Splits `a..b`, `a..`, `..b`, `>=a`, `>a`, `<=b`, `<b`, `=a`, `a`.
enum Range<'a> {
    One(&'a str),
    Between(Option<&'a str>, Option<&'a str>),
    From(&'a str),
    After(&'a str),
    UpTo(&'a str),
    Before(&'a str),
}

fn range(text: &str) -> Result<Range<'_>, String> {
    if let Some((low, high)) = text.split_once("..") {
        let side = |s: &'_ str| (!s.is_empty()).then_some(()).is_some();
        if !side(low) && !side(high) {
            return Err("a range needs at least one end, as in `3..` or `..5`".to_owned());
        }
        let (low, high) = (Some(low).filter(|s| side(s)), Some(high).filter(|s| side(s)));
        return Ok(Range::Between(low, high));
    }
    for (sign, make) in [
        (">=", Range::From as fn(_) -> _),
        ("<=", Range::UpTo),
        (">", Range::After),
        ("<", Range::Before),
        ("=", Range::One),
    ] {
        if let Some(rest) = text.strip_prefix(sign) {
            return Ok(make(rest.trim()));
        }
    }
    Ok(Range::One(text))
}

fn number(field: NumberField, value: &Value<'_>) -> Result<Term, String> {
    let read = |text: &str, inclusive| -> Result<Bound, String> {
        let bare = text.to_ascii_lowercase();
        let bare = match field {
            NumberField::Aperture => bare.trim_start_matches("f/").trim_start_matches('f'),
            NumberField::Focal => bare.trim_end_matches("mm"),
            NumberField::Duration => bare.trim_end_matches('s'),
            NumberField::Iso | NumberField::Rating => bare.as_str(),
        };
        let number: Option<f64> = bare.trim().parse().ok().filter(|n: &f64| n.is_finite());
        let value = number.ok_or_else(|| format!("`{text}` is not a number"))?;
        if field == NumberField::Rating && !(0.0..=5.0).contains(&value) {
            return Err("a rating is 0 to 5".to_owned());
        }
        Ok(Bound { value, inclusive })
    };
    let interval = match range(value.text)? {
        Range::One(one) => Interval { low: Some(read(one, true)?), high: Some(read(one, true)?) },
        Range::Between(low, high) => {
            Interval { low: low.map(|n| read(n, true)).transpose()?, high: high.map(|n| read(n, true)).transpose()? }
        }
        Range::From(low) => Interval { low: Some(read(low, true)?), high: None },
        Range::After(low) => Interval { low: Some(read(low, false)?), high: None },
        Range::UpTo(high) => Interval { low: None, high: Some(read(high, true)?) },
        Range::Before(high) => Interval { low: None, high: Some(read(high, false)?) },
    };
    Ok(Term::Number(field, interval))
}

fn interval(value: &Value<'_>, make: fn(Option<DateTime>, Option<DateTime>) -> Term) -> Result<Term, String> {
    let read = |text: &str| moment(text, value.today);
    let (from, to) = match range(value.text)? {
        Range::One(one) => {
            let (from, to) = read(one)?;
            (Some(from), to)
        }
        Range::Between(low, high) => {
            let from = low.map(read).transpose()?.map(|(from, _)| from);
            let to = high.map(read).transpose()?.and_then(|(_, to)| to);
            (from, to)
        }
        Range::From(low) => (Some(read(low)?.0), None),
        Range::After(low) => (read(low)?.1, None),
        Range::UpTo(high) => (None, read(high)?.1),
        Range::Before(high) => (None, Some(read(high)?.0)),
    };
    Ok(make(from, to))
}

/// A year, month, day, hour, minute or second, as its beginning and, exclusive, its end (none at the end of time).
fn moment(text: &str, today: Date) -> Result<(DateTime, Option<DateTime>), String> {
    let wrong = || {
        format!(
            "`{text}` is not a date: use `2009`, `2009-07`, `2009-07-12`, `2009-07-12T14:03`, `today` or `yesterday`"
        )
    };
    let from = |start: DateTime, unit: Span| (start, start.checked_add(unit).ok());
    let day = |date: Date| from(date.to_datetime(Time::midnight()), 1.day());
    match text.to_ascii_lowercase().as_str() {
        "today" => return Ok(day(today)),
        "yesterday" => return today.yesterday().map(day).map_err(|_| wrong()),
        _ => {}
    }
    let (date, time) = match text.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let parts = digits(date, '-', &[4, 2, 2]).ok_or_else(wrong)?;
    let (year, month, date_of_month) = match (parts.as_slice(), time) {
        ([year], None) => (*year, 1, 1),
        ([year, month], None) => (*year, *month, 1),
        ([year, month, day], _) => (*year, *month, *day),
        _ => return Err(wrong()),
    };
    let narrow = |n: i16| i8::try_from(n).map_err(|_| wrong());
    let date_found = Date::new(year, narrow(month)?, narrow(date_of_month)?).map_err(|_| wrong())?;
    let Some(time) = time else {
        let start = date_found.to_datetime(Time::midnight());
        let unit = match parts.len() {
            1 => 1.year(),
            2 => 1.month(),
            _ => 1.day(),
        };
        return Ok(from(start, unit));
    };
    let clock = digits(time, ':', &[2, 2, 2]).ok_or_else(wrong)?;
    let part = |i: usize| narrow(clock.get(i).copied().unwrap_or(0));
    let time = Time::new(part(0)?, part(1)?, part(2)?, 0).map_err(|_| wrong())?;
    let unit = match clock.len() {
        1 => 1.hour(),
        2 => 1.minute(),
        _ => 1.second(),
    };
    Ok(from(date_found.to_datetime(time), unit))
}

/// Numbers of fixed lengths between separators; at least one of them.
fn digits(text: &str, separator: char, lengths: &[usize]) -> Option<Vec<i16>> {
    let parts: Vec<&str> = text.split(separator).collect();
    if parts.len() > lengths.len() {
        return None;
    }
    let read = |(part, length): (&&str, &usize)| {
        let whole = part.len() == *length && part.bytes().all(|b| b.is_ascii_digit());
        whole.then(|| part.parse().ok()).flatten()
    };
    parts.iter().zip(lengths).map(read).collect()
}

fn choice<T: Copy>(value: &Value<'_>, choices: &[(&str, T)]) -> Result<T, String> {
    let folded = value.text.to_ascii_lowercase();
    let found = choices.iter().find(|(word, _)| *word == folded);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        format!("`{}` is none of {}", value.text, words.join(", "))
    })
}

fn flag(value: &Value<'_>) -> Result<Term, String> {
    let choices = [("pick", Some(Flag::Pick)), ("reject", Some(Flag::Reject)), ("none", None)];
    choice(value, &choices).map(Term::Flag)
}

fn label(value: &Value<'_>) -> Result<Term, String> {
    let mut choices: Vec<(&str, Option<Label>)> = Label::ALL.iter().map(|l| (l.as_str(), Some(*l))).collect();
    choices.push(("none", None));
    choice(value, &choices).map(Term::Label)
}

fn kind(value: &Value<'_>) -> Result<Term, String> {
    choice(value, &[("photo", PhotoKind::Photo), ("video", PhotoKind::Video)]).map(Term::Kind)
}

fn iso_mode(value: &Value<'_>) -> Result<Term, String> {
    choice(value, &[("auto", Some(true)), ("manual", Some(false)), ("unknown", None)]).map(Term::IsoMode)
}

fn file_type(value: &Value<'_>) -> Result<Term, String> {
    let folded = value.text.to_ascii_lowercase();
    let role = match folded.as_str() {
        "jpg" => Some(Role::Jpeg),
        "heic" | "hif" => Some(Role::Heif),
        "tif" => Some(Role::Tiff),
        other => Role::parse(other),
    };
    if let Some(role) = role {
        return Ok(Term::Role(role));
    }
    if folded.len() > 8 || !folded.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Err(format!("`{}` is no role (raw, jpeg, heif, tiff, video, audio, sidecar) or format", value.text));
    }
    Ok(Term::Format(folded.to_ascii_uppercase()))
}

fn has(value: &Value<'_>) -> Result<Term, String> {
    let choices = [
        ("gps", Has::Gps),
        ("conflict", Has::Conflict),
        ("keyword", Has::Keyword),
        ("title", Has::Title),
        ("caption", Has::Caption),
        ("rating", Has::Rating),
        ("flag", Has::Flag),
        ("label", Has::Label),
        ("job", Has::Job),
        ("lens", Has::Lens),
        ("time", Has::Time),
        ("raw", Has::Member(Role::Raw)),
        ("jpeg", Has::Member(Role::Jpeg)),
        ("heif", Has::Member(Role::Heif)),
        ("video", Has::Member(Role::Video)),
        ("audio", Has::Member(Role::Audio)),
        ("sidecar", Has::Member(Role::Sidecar)),
        ("unverified", Has::Unverified),
        ("problem", Has::Problem),
    ];
    choice(value, &choices).map(Term::Has)
}

fn id(value: &Value<'_>) -> Result<Term, String> {
    id_of(value).map(Term::Id)
}

fn id_of(value: &Value<'_>) -> Result<String, String> {
    let id = PhotoId::parse(value.text).ok_or_else(|| format!("`{}` is no id of a photo", value.text))?;
    Ok(id.as_str().to_owned())
}

fn session(value: &Value<'_>) -> Result<Term, String> {
    value.text.parse().map(Term::Session).map_err(|_| format!("`{}` is no number of a session", value.text))
}

fn place(value: &Value<'_>) -> Result<Term, String> {
    choice(value, &[("trash", ())]).map(|()| Term::InTrash)
}
