//! A query as SQL. Every value is bound; names that repeat (cameras, lenses) are looked up first, so that the
//! condition is on numbers that have an index.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use lightfast_model::{Role, TimeSource, Verified};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::Query;
use super::expr::{Bound, Expr, Has, Interval, NumberField, Term, TextField};
use crate::codes::{self, Code as _, copy_state, term};
use crate::error::Doing as _;
use crate::writer::fold;
use crate::{Result, search};

/// A condition on `photo p`, with its values.
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

struct Builder<'a> {
    db: &'a Connection,
    zone: &'a TimeZone,
    values: Vec<Value>,
}

/// The photos of a keyword, up to its folded text.
pub(crate) const OF_KEYWORD: &str =
    "SELECT pk.photo FROM keyword k JOIN photo_keyword pk ON pk.keyword = k.id WHERE k.folded =";

impl Condition {
    /// The condition of a query; photos in the trash are left out unless the query speaks of them.
    pub(crate) fn of(query: &Query, db: &Connection, zone: &TimeZone) -> Result<Self> {
        let Some(expr) = query.expr() else {
            return Ok(Self { sql: "p.trashed IS NULL".to_owned(), values: Vec::new() });
        };
        let mut builder = Builder { db, zone, values: Vec::new() };
        let mut sql = builder.expr(expr)?;
        let among = if expr.speaks_of_trash() { "p.gone = 0" } else { "p.trashed IS NULL" };
        sql = format!("{among} AND {sql}");
        Ok(Self { sql, values: builder.values })
    }

    /// The condition of a query, whether photos are in the trash or not.
    pub(crate) fn of_any(query: &Query, db: &Connection, zone: &TimeZone) -> Result<Self> {
        let mut builder = Builder { db, zone, values: Vec::new() };
        let sql = query.expr().map_or_else(|| Ok("TRUE".to_owned()), |expr| builder.expr(expr))?;
        Ok(Self { sql, values: builder.values })
    }

    /// One condition alone, whether photos are in the trash or not.
    pub(crate) fn of_term(term: &Term, db: &Connection, zone: &TimeZone) -> Result<Self> {
        let mut builder = Builder { db, zone, values: Vec::new() };
        let sql = builder.term(term)?;
        Ok(Self { sql, values: builder.values })
    }
}

/// Numbers of the names that contain a text, whatever its case.
pub(crate) fn terms_containing(db: &Connection, sort: i64, text: &str) -> Result<Vec<i64>> {
    let doing = "look up names";
    let mut statement =
        db.prepare_cached("SELECT id FROM term WHERE sort = ?1 AND instr(folded, ?2) > 0").doing(doing)?;
    let rows = statement.query_map((sort, fold(text)), |row| row.get(0)).doing(doing)?;
    rows.collect::<rusqlite::Result<_>>().doing(doing)
}

/// How far a number may be off and still be meant: what is shown is rounded, so that `aperture:2.8` finds 2.828,
/// and `focal:200` finds 200.4.
pub(crate) fn slack(field: NumberField) -> f64 {
    match field {
        NumberField::Aperture => 0.049_999,
        NumberField::Focal => 0.499_999,
        NumberField::Iso | NumberField::Rating | NumberField::Duration => 0.0,
    }
}

impl Builder<'_> {
    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    fn expr(&mut self, expr: &Expr) -> Result<String> {
        match expr {
            Expr::And(parts) => self.joined(parts, " AND "),
            Expr::Or(parts) => self.joined(parts, " OR "),
            // Not plain NOT: what is unknown does not match, so its denial does.
            Expr::Not(inner) => Ok(format!("({} IS NOT TRUE)", self.expr(inner)?)),
            Expr::Term(term) => self.term(term),
        }
    }

    fn joined(&mut self, parts: &[Expr], by: &str) -> Result<String> {
        let parts: Vec<String> = parts.iter().map(|part| self.expr(part)).collect::<Result<_>>()?;
        Ok(format!("({})", parts.join(by)))
    }

    fn term(&mut self, condition: &Term) -> Result<String> {
        Ok(match condition {
            Term::Words { text, exact } => self.words(text, *exact),
            Term::Text(field, text) => self.text(*field, text)?,
            Term::Number(field, interval) => self.number(*field, interval),
            Term::Taken(from, to) => {
                let ends = (from.map(codes::civil_micros), to.map(codes::civil_micros));
                self.between("p.taken", ends)
            }
            Term::Imported(from, to) => {
                let ends = (self.instant(*from), self.instant(*to));
                self.between("p.imported", ends)
            }
            Term::Flag(flag) => format!("p.flag = {}", flag.map_or(0, |f| f.code())),
            Term::Label(label) => format!("p.label = {}", label.map_or(0, |l| l.code())),
            Term::Kind(kind) => format!("p.kind = {}", kind.code()),
            Term::Role(role) => has_member(*role),
            Term::Format(format) => {
                let value = self.bind(format.clone());
                format!(
                    "EXISTS (SELECT 1 FROM member m JOIN file f ON f.id = m.file \
                     WHERE m.photo = p.id AND f.format = {value} COLLATE NOCASE)"
                )
            }
            Term::Keyword(keyword) => {
                let value = self.bind(fold(keyword));
                format!("p.id IN ({OF_KEYWORD} {value})")
            }
            Term::IsoMode(Some(auto)) => format!("p.iso_auto = {}", i64::from(*auto)),
            Term::IsoMode(None) => "p.iso_auto IS NULL".to_owned(),
            Term::Has(what) => has(*what),
            Term::Id(id) => {
                let value = self.bind(id.clone());
                format!("p.uid = {value}")
            }
            Term::Rows(rows) => {
                let list: Vec<String> = rows.iter().map(u32::to_string).collect();
                let value = self.bind(format!("[{}]", list.join(",")));
                format!("p.id IN (SELECT value FROM json_each({value}))")
            }
            Term::Session(session) => format!("p.session = {session}"),
            Term::InTrash => "p.trashed IS NOT NULL".to_owned(),
            Term::Album(name) => {
                let value = self.bind(fold(name));
                format!(
                    "p.id IN (SELECT ap.photo FROM album a JOIN album_photo ap ON ap.album = a.id \
                     WHERE a.folded = {value})"
                )
            }
            Term::Stack(id) => {
                let value = self.bind(id.clone());
                format!("(p.stack <> 0 AND p.stack = (SELECT stack FROM photo WHERE uid = {value}))")
            }
            // Where the top lies in the trash, the others are seen again.
            Term::OnTop => "(p.stack = 0 OR p.stack = p.id OR NOT EXISTS \
                             (SELECT 1 FROM photo top WHERE top.id = p.stack AND top.trashed IS NULL))"
                .to_owned(),
        })
    }

    /// By full-text search; a text without a letter or digit is looked for in the names as it is.
    fn words(&mut self, text: &str, exact: bool) -> String {
        let Some(expression) = search::expression(text, exact) else {
            let value = self.bind(fold(text));
            return format!("instr(folded(p.name), {value}) > 0");
        };
        let value = self.bind(expression);
        format!("p.id IN (SELECT rowid FROM words WHERE words MATCH {value})")
    }

    fn text(&mut self, field: TextField, text: &str) -> Result<String> {
        let folded = fold(text);
        Ok(match field {
            TextField::Camera => {
                let models = one_of("p.camera", &terms_containing(self.db, term::CAMERA, text)?);
                match terms_containing(self.db, term::MAKE, text)?.as_slice() {
                    [] => models,
                    makes => format!("({models} OR {})", one_of("p.make", makes)),
                }
            }
            TextField::Make => one_of("p.make", &terms_containing(self.db, term::MAKE, text)?),
            TextField::Serial => one_of("p.serial", &terms_containing(self.db, term::SERIAL, text)?),
            TextField::Lens => one_of("p.lens", &terms_containing(self.db, term::LENS, text)?),
            TextField::Job => one_of("p.job", &terms_containing(self.db, term::JOB, text)?),
            TextField::Name => self.in_words("names", folded),
            TextField::Title => self.in_words("title", folded),
            TextField::Caption => self.in_words("caption", folded),
            TextField::Creator => self.in_words("creator", folded),
            TextField::Copyright => self.in_words("copyright", folded),
            TextField::Path => {
                let low = text.as_bytes().to_vec();
                let high = after_prefix(&low);
                let low = self.bind(low);
                let below = match high {
                    Some(high) => format!(" AND c.path < {}", self.bind(high)),
                    None => String::new(),
                };
                format!(
                    "p.id IN (SELECT m.photo FROM copy c JOIN member m ON m.file = c.file \
                     WHERE c.root IN (SELECT id FROM root) AND c.path >= {low}{below})"
                )
            }
        })
    }

    fn in_words(&mut self, column: &str, folded: String) -> String {
        let value = self.bind(folded);
        format!("EXISTS (SELECT 1 FROM photo_text t WHERE t.photo = p.id AND instr(folded(t.{column}), {value}) > 0)")
    }

    fn number(&mut self, field: NumberField, interval: &Interval) -> String {
        let column = match field {
            NumberField::Iso => "p.iso",
            NumberField::Rating => "p.rating",
            NumberField::Aperture => "p.aperture",
            NumberField::Focal => "p.focal",
            NumberField::Duration => "p.duration",
        };
        let slack = slack(field);
        let mut parts = Vec::new();
        if let Some(Bound { value, inclusive }) = interval.low {
            let (sign, value) = if inclusive { (">=", value - slack) } else { (">", value + slack) };
            parts.push(format!("{column} {sign} {}", self.bind(value)));
        }
        if let Some(Bound { value, inclusive }) = interval.high {
            let (sign, value) = if inclusive { ("<=", value + slack) } else { ("<", value - slack) };
            parts.push(format!("{column} {sign} {}", self.bind(value)));
        }
        if parts.is_empty() { "TRUE".to_owned() } else { format!("({})", parts.join(" AND ")) }
    }

    fn between(&mut self, column: &str, ends: (Option<i64>, Option<i64>)) -> String {
        let mut parts = Vec::new();
        if let Some(from) = ends.0 {
            parts.push(format!("{column} >= {}", self.bind(from)));
        }
        if let Some(to) = ends.1 {
            parts.push(format!("{column} < {}", self.bind(to)));
        }
        if parts.is_empty() { "TRUE".to_owned() } else { format!("({})", parts.join(" AND ")) }
    }

    /// A wall-clock time of the person, as an instant.
    fn instant(&self, time: Option<DateTime>) -> Option<i64> {
        let instant = self.zone.to_timestamp(time?).ok()?;
        Some(codes::micros(instant))
    }
}

fn one_of(column: &str, ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    match ids.as_slice() {
        [] => "FALSE".to_owned(),
        [one] => format!("{column} = {one}"),
        many => format!("{column} IN ({})", many.join(", ")),
    }
}

fn has_member(role: Role) -> String {
    // The most primary role is a column of the photo itself.
    if role == Role::Raw {
        return format!("p.role = {}", role.code());
    }
    format!("EXISTS (SELECT 1 FROM member m WHERE m.photo = p.id AND m.role = {})", role.code())
}

fn has(what: Has) -> String {
    let word = |column: &str| {
        format!("EXISTS (SELECT 1 FROM photo_text t WHERE t.photo = p.id AND ifnull(t.{column}, '') <> '')")
    };
    match what {
        Has::Gps => "p.latitude IS NOT NULL".to_owned(),
        Has::Conflict => "p.conflict = 1".to_owned(),
        Has::Keyword => "EXISTS (SELECT 1 FROM photo_keyword pk WHERE pk.photo = p.id)".to_owned(),
        Has::Title => word("title"),
        Has::Caption => word("caption"),
        Has::Rating => "p.rating > 0".to_owned(),
        Has::Flag => "p.flag > 0".to_owned(),
        Has::Label => "p.label > 0".to_owned(),
        Has::Job => "p.job IS NOT NULL".to_owned(),
        Has::Lens => "p.lens IS NOT NULL".to_owned(),
        Has::Time => format!("p.taken_from < {}", TimeSource::File.code()),
        Has::Unverified => format!(
            "EXISTS (SELECT 1 FROM member m JOIN copy c ON c.file = m.file WHERE m.photo = p.id \
             AND (ifnull(c.verified, 0) <= {} OR c.state NOT IN ({}, {})))",
            Verified::Stream.code(),
            copy_state::PRESENT,
            copy_state::TRASH
        ),
        Has::Problem => "EXISTS (SELECT 1 FROM member m JOIN file f ON f.id = m.file \
                         WHERE m.photo = p.id AND f.problems IS NOT NULL)"
            .to_owned(),
        Has::Member(role) => has_member(role),
    }
}

/// The first bytes that are after all that begin so.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}
