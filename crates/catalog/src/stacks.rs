//! Stacks: photos of one moment (a burst, a bracket) that are looked at as one.
//!
//! A stack is named by the row of the photo on its top, and has at least two photos. Stacking and unstacking always
//! move whole stacks, so that none is left without its top. They are steps of the log of marks: undo takes them back.

use jiff::{SignedDuration, Timestamp};
use lightfast_model::PhotoKind;
use rusqlite::{Connection, params, params_from_iter};

use crate::codes::{self, Code as _};
use crate::connection::next_revision;
use crate::error::Doing as _;
use crate::marks::{self, field};
use crate::query::Condition;
use crate::{Catalog, MarkOutcome, Query, Result};

const DOING: &str = "stack photos";

impl Catalog {
    /// Puts the photos that match, and the stacks they are in, into one stack, the earliest on top.
    pub fn stack(&mut self, query: &Query, now: Timestamp) -> Result<MarkOutcome> {
        self.restack(query, now, |db| {
            db.execute_batch(
                "INSERT OR IGNORE INTO stacking SELECT p.id, 0 FROM photo p \
                 WHERE p.stack IN (SELECT q.stack FROM stacking s JOIN photo q ON q.id = s.photo WHERE q.stack <> 0);
                 UPDATE stacking SET stack = (SELECT p.id FROM stacking s JOIN photo p ON p.id = s.photo \
                   ORDER BY p.taken, p.id LIMIT 1) WHERE (SELECT count(*) FROM stacking) > 1;",
            )
            .doing(DOING)
        })
    }

    /// Takes the stacks apart that the photos that match are in.
    pub fn unstack(&mut self, query: &Query, now: Timestamp) -> Result<MarkOutcome> {
        self.restack(query, now, |db| {
            db.execute_batch(
                "INSERT OR IGNORE INTO stacking SELECT p.id, 0 FROM photo p \
                 WHERE p.stack IN (SELECT q.stack FROM stacking s JOIN photo q ON q.id = s.photo WHERE q.stack <> 0);",
            )
            .doing(DOING)
        })
    }

    /// Puts one photo on top of the stack it is in.
    pub fn put_on_top(&mut self, row: u32, now: Timestamp) -> Result<MarkOutcome> {
        self.restack(&Query::of_rows(vec![row]), now, |db| {
            db.execute(
                "INSERT INTO stacking SELECT p.id, ?1 FROM photo p JOIN photo top ON top.id = ?1 \
                 WHERE top.stack <> 0 AND p.stack = top.stack ON CONFLICT DO UPDATE SET stack = excluded.stack",
                [row],
            )
            .doing(DOING)
            .map(|_| ())
        })
    }

    /// Stacks what one camera took within `gap` of the picture before (bursts and brackets), of the photos that match
    /// and are in no stack.
    pub fn stack_bursts(&mut self, query: &Query, gap: SignedDuration, now: Timestamp) -> Result<MarkOutcome> {
        let gap = i64::try_from(gap.as_micros()).unwrap_or(i64::MAX);
        let zone = self.zone.clone();
        let transaction = self.writing()?;
        let db = &*transaction;
        let Condition { sql, values } = Condition::of(query, db, &zone)?;
        prepare(db)?;
        let mut outcome = MarkOutcome::default();
        {
            let mut statement = db
                .prepare_cached(&format!(
                    "SELECT p.id, p.taken, ifnull(p.camera, 0), ifnull(p.serial, 0) FROM photo p \
                     WHERE p.stack = 0 AND p.trashed IS NULL AND p.kind = {} AND ({sql}) ORDER BY 3, 4, 2, 1",
                    PhotoKind::Photo.code()
                ))
                .doing(DOING)?;
            let mut put =
                db.prepare_cached("INSERT OR IGNORE INTO stacking (photo, stack) VALUES (?1, ?2)").doing(DOING)?;
            let mut rows = statement.query(params_from_iter(values)).doing(DOING)?;
            // The photo before, and the first of the run that it is in.
            let mut before: Option<(i64, i64, (i64, i64))> = None;
            while let Some(row) = rows.next().doing(DOING)? {
                outcome.matched += 1;
                let read = || -> rusqlite::Result<_> { Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?))) };
                let (id, taken, camera): (i64, i64, (i64, i64)) = read().doing(DOING)?;
                let first = match before {
                    Some((first, last, by)) if by == camera && taken.saturating_sub(last) <= gap => {
                        put.execute([first, first]).doing(DOING)?;
                        put.execute([id, first]).doing(DOING)?;
                        first
                    }
                    _ => id,
                };
                before = Some((first, taken, camera));
            }
        }
        finish(db, now, &mut outcome)?;
        transaction.commit().doing(DOING)?;
        Ok(outcome)
    }

    /// Fills `stacking` with the photos that match, each to be in no stack, lets `arrange` say better, and does it.
    fn restack(
        &mut self,
        query: &Query,
        now: Timestamp,
        arrange: impl FnOnce(&Connection) -> Result<()>,
    ) -> Result<MarkOutcome> {
        let zone = self.zone.clone();
        let transaction = self.writing()?;
        let db = &*transaction;
        let Condition { sql, values } = Condition::of(query, db, &zone)?;
        prepare(db)?;
        let matched = db
            .prepare_cached(&format!("INSERT INTO stacking SELECT p.id, 0 FROM photo p WHERE {sql}"))
            .and_then(|mut s| s.execute(params_from_iter(values)))
            .doing(DOING)?;
        arrange(db)?;
        let mut outcome = MarkOutcome { matched: matched as u64, ..MarkOutcome::default() };
        finish(db, now, &mut outcome)?;
        transaction.commit().doing(DOING)?;
        Ok(outcome)
    }
}

fn prepare(db: &Connection) -> Result<()> {
    db.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS stacking (photo INTEGER PRIMARY KEY, stack INTEGER); DELETE FROM stacking;",
    )
    .doing(DOING)
}

/// Logs and makes what `stacking` asks for.
fn finish(db: &Connection, now: Timestamp, outcome: &mut MarkOutcome) -> Result<()> {
    let changed: i64 = db
        .query_row(
            "SELECT count(*) FROM stacking s JOIN photo p ON p.id = s.photo WHERE p.stack <> s.stack",
            [],
            |row| row.get(0),
        )
        .doing(DOING)?;
    if changed == 0 {
        return Ok(());
    }
    let step = marks::begin_step(db, changed, now)?;
    db.execute(
        "INSERT INTO mark (step, field, item, photo, before, after) SELECT ?1, ?2, 0, p.id, p.stack, s.stack \
         FROM stacking s JOIN photo p ON p.id = s.photo WHERE p.stack <> s.stack",
        params![step, field::STACK],
    )
    .doing(DOING)?;
    let revision = next_revision(db)?;
    db.execute(
        "UPDATE photo SET stack = s.stack, revision = ?1 FROM stacking s WHERE s.photo = photo.id \
         AND photo.stack <> s.stack",
        [revision],
    )
    .doing(DOING)?;
    outcome.changed = codes::bytes(changed);
    outcome.step = Some(step);
    outcome.steps = vec![step];
    Ok(())
}
