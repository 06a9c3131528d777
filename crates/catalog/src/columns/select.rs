//! Which positions a query selects: conditions on columns are loops over arrays, the rest is asked of the
//! catalogue, one condition at a time. The answer is the same as that of the query's SQL, which a test compares.

use lightfast_model::PhotoKind;

use super::bits::Bits;
use super::{Arrays, DOING, NO_ISO, bit};
use crate::codes::{self, Code as _, term};
use crate::error::Doing as _;
use crate::query::{
    Bound, Condition, Expr, Has, Interval, NumberField, OF_KEYWORD, Term, TextField, slack, terms_containing,
};
use crate::{Catalog, FLAG_SHIFT, LABEL_SHIFT, Query, RATING_BITS, Result};

impl Arrays {
    /// The positions that a query selects; those in the trash only where the query speaks of them.
    pub(super) fn select(&self, catalog: &Catalog, query: &Query) -> Result<Bits> {
        let live = || Bits::of(&self.bits, |bits| bits & bit::TRASHED == 0);
        let Some(expr) = query.expr() else { return Ok(live()) };
        let found = self.expr(catalog, expr)?;
        let there = || Bits::of(&self.bits, |bits| bits & bit::GONE == 0);
        Ok(found.and(&if expr.speaks_of_trash() { there() } else { live() }))
    }

    fn expr(&self, catalog: &Catalog, expr: &Expr) -> Result<Bits> {
        let all = |parts: &[Expr], start: Bits, join: fn(Bits, &Bits) -> Bits| {
            parts.iter().try_fold(start, |found, part| Ok(join(found, &self.expr(catalog, part)?)))
        };
        match expr {
            Expr::And(parts) => all(parts, Bits::none(self.len()).not(), Bits::and),
            Expr::Or(parts) => all(parts, Bits::none(self.len()), Bits::or),
            Expr::Not(inner) => Ok(self.expr(catalog, inner)?.not()),
            Expr::Term(term) => match self.on_columns(catalog, term)? {
                Some(found) => Ok(found),
                None => self.asked_of_catalog(catalog, term),
            },
        }
    }

    /// A condition that the columns answer.
    fn on_columns(&self, catalog: &Catalog, condition: &Term) -> Result<Option<Bits>> {
        let bits = |passes: &dyn Fn(u32) -> bool| Some(Bits::of(&self.bits, passes));
        let within = |column: &[i64], from: Option<i64>, to: Option<i64>| {
            Some(Bits::of(column, |t| from.is_none_or(|from| t >= from) && to.is_none_or(|to| t < to)))
        };
        Ok(match condition {
            Term::Number(NumberField::Iso, interval) => {
                Some(Bits::of(&self.iso, |iso| iso != NO_ISO && holds(interval, f64::from(iso), 0.0)))
            }
            Term::Number(NumberField::Rating, interval) => {
                bits(&|b| holds(interval, f64::from(b & u32::from(RATING_BITS)), 0.0))
            }
            // Single precision is a little off the stored number; the slack is wider than that.
            Term::Number(field @ NumberField::Aperture, interval) => {
                Some(Bits::of(&self.aperture, |n| holds(interval, f64::from(n), slack(*field))))
            }
            Term::Number(field @ NumberField::Focal, interval) => {
                Some(Bits::of(&self.focal, |n| holds(interval, f64::from(n), slack(*field))))
            }
            Term::Taken(from, to) => within(&self.taken, from.map(codes::civil_micros), to.map(codes::civil_micros)),
            Term::Flag(flag) => {
                let wanted = flag.map_or(0, |f| f.code());
                bits(&|b| i64::from((b >> FLAG_SHIFT) & 0b11) == wanted)
            }
            Term::Label(label) => {
                let wanted = label.map_or(0, |l| l.code());
                bits(&|b| i64::from((b >> LABEL_SHIFT) & 0b111) == wanted)
            }
            Term::Kind(kind) => {
                let video = *kind == PhotoKind::Video;
                bits(&|b| (b & bit::VIDEO != 0) == video)
            }
            Term::Role(role) => {
                let wanted = 1u16.checked_shl(role.code() as u32).unwrap_or(0);
                Some(Bits::of(&self.roles, |roles| roles & wanted != 0))
            }
            Term::IsoMode(None) => bits(&|b| b & bit::ISO_KNOWN == 0),
            Term::IsoMode(Some(auto)) => bits(&|b| b & bit::ISO_KNOWN != 0 && (b & bit::ISO_AUTO != 0) == *auto),
            Term::Rows(rows) => {
                let mut found = Bits::none(self.len());
                rows.iter().filter_map(|id| self.position_of(*id)).for_each(|at| found.insert(at));
                Some(found)
            }
            Term::InTrash => bits(&|b| b & bit::TRASHED != 0),
            Term::OnTop => Some(self.on_top()),
            Term::Has(Has::Gps) => bits(&|b| b & bit::GPS != 0),
            Term::Has(Has::Conflict) => bits(&|b| b & bit::CONFLICT != 0),
            Term::Has(Has::Rating) => bits(&|b| b & u32::from(RATING_BITS) != 0),
            Term::Has(Has::Flag) => bits(&|b| (b >> FLAG_SHIFT) & 0b11 != 0),
            Term::Has(Has::Label) => bits(&|b| (b >> LABEL_SHIFT) & 0b111 != 0),
            Term::Has(Has::Time) => bits(&|b| b & bit::GUESSED == 0),
            Term::Has(Has::Lens) => Some(Bits::of(&self.lens, |lens| lens != 0)),
            Term::Has(Has::Member(role)) => return self.on_columns(catalog, &Term::Role(*role)),
            Term::Text(TextField::Camera, text) => {
                let models = self.named(catalog, &self.camera, term::CAMERA, text)?;
                Some(models.or(&self.named(catalog, &self.make, term::MAKE, text)?))
            }
            Term::Text(TextField::Make, text) => Some(self.named(catalog, &self.make, term::MAKE, text)?),
            Term::Text(TextField::Lens, text) => Some(self.named(catalog, &self.lens, term::LENS, text)?),
            _ => None,
        })
    }

    /// Photos that are seen where stacks are closed.
    fn on_top(&self) -> Bits {
        let mut found = Bits::of(&self.stack, |stack| stack == 0);
        for (at, stack) in self.stack.iter().enumerate().filter(|(_, stack)| **stack != 0) {
            let top = self.position_of(*stack);
            let hidden = |top: usize| top != at && self.bits.get(top).is_some_and(|bits| bits & bit::TRASHED == 0);
            if !top.is_some_and(hidden) {
                found.insert(at);
            }
        }
        found
    }

    fn named(&self, catalog: &Catalog, column: &[u32], sort: i64, text: &str) -> Result<Bits> {
        let wanted = terms_containing(&catalog.db, sort, text)?;
        Ok(match wanted.as_slice() {
            [] => Bits::none(self.len()),
            [one] => Bits::of(column, |id| i64::from(id) == *one),
            many => Bits::of(column, |id| many.contains(&i64::from(id))),
        })
    }

    /// A condition that only the catalogue can answer, as a set.
    fn asked_of_catalog(&self, catalog: &Catalog, condition: &Term) -> Result<Bits> {
        let Condition { sql, values } = Condition::of_term(condition, &catalog.db, &catalog.zone)?;
        let ask = match condition {
            // The set is there: the photos themselves, scattered over a large file, need not be looked up.
            Term::Keyword(_) => format!("{OF_KEYWORD} ?1"),
            _ => format!("SELECT p.id FROM photo p WHERE {sql}"),
        };
        let mut statement = catalog.db.prepare_cached(&ask).doing(DOING)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values)).doing(DOING)?;
        let mut found = Bits::none(self.len());
        while let Some(row) = rows.next().doing(DOING)? {
            if let Some(at) = self.position_of(row.get(0).doing(DOING)?) {
                found.insert(at);
            }
        }
        Ok(found)
    }
}

/// Whether a number lies in an interval, with the slack of what is shown rounded; not a number lies nowhere.
fn holds(interval: &Interval, number: f64, slack: f64) -> bool {
    let low = |Bound { value, inclusive }: Bound| {
        if inclusive { number >= value - slack } else { number > value + slack }
    };
    let high = |Bound { value, inclusive }: Bound| {
        if inclusive { number <= value + slack } else { number < value - slack }
    };
    !number.is_nan() && interval.low.is_none_or(low) && interval.high.is_none_or(high)
}
