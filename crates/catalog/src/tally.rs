//! Summary counts: how many photos (not in the trash) each camera, lens, month, rating … has.
//!
//! Counting a million rows takes too long for a page that is looked at all day, so triggers keep the table
//! `tally` in step with `photo`, whatever statement changes it. A bulk load drops the triggers and counts once
//! at the end. This module writes the triggers' text; which dimensions there are is its table.

use rusqlite::Connection;

use crate::Result;
use crate::error::Doing as _;

/// A dimension that is counted for the whole library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tally {
    /// All photos, under key 0.
    All,
    /// Photo or clip.
    Kind,
    /// Stars.
    Rating,
    /// Flag.
    Flag,
    /// Colour label.
    Label,
    /// Camera, by term.
    Camera,
    /// Lens, by term.
    Lens,
    /// Month of the capture: year times 100 plus month.
    Month,
    /// Session of the import.
    Session,
}

impl Tally {
    pub(crate) const ALL: [Self; 9] = [
        Self::All,
        Self::Kind,
        Self::Rating,
        Self::Flag,
        Self::Label,
        Self::Camera,
        Self::Lens,
        Self::Month,
        Self::Session,
    ];

    /// The number in the table.
    pub(crate) fn code(self) -> i64 {
        match self {
            Self::All => 0,
            Self::Kind => 1,
            Self::Rating => 2,
            Self::Flag => 3,
            Self::Label => 4,
            Self::Camera => 5,
            Self::Lens => 6,
            Self::Month => 7,
            Self::Session => 8,
        }
    }

    /// The column it depends on; empty for the count of all.
    fn column(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Kind => "kind",
            Self::Rating => "rating",
            Self::Flag => "flag",
            Self::Label => "label",
            Self::Camera => "camera",
            Self::Lens => "lens",
            Self::Month => "taken",
            Self::Session => "session",
        }
    }

    /// The key of a row, in SQL; `row` is `NEW.`, `OLD.` or empty.
    fn key(self, row: &str) -> String {
        match self {
            Self::All => "0".to_owned(),
            Self::Month => format!("CAST(strftime('%Y%m', {row}taken / 1000000, 'unixepoch') AS INTEGER)"),
            other => format!("ifnull({row}{}, 0)", other.column()),
        }
    }
}

fn add(row: &str, tallies: &[Tally], by: &str) -> String {
    let values: Vec<String> = tallies.iter().map(|t| format!("({}, {}, {by})", t.code(), t.key(row))).collect();
    format!(
        "INSERT INTO tally (dim, key, photos) SELECT * FROM (VALUES {}) WHERE true \
         ON CONFLICT DO UPDATE SET photos = photos + excluded.photos;",
        values.join(", ")
    )
}

fn keywords(by: &str) -> String {
    format!(
        "UPDATE keyword SET photos = photos + {by} WHERE id IN (SELECT keyword FROM photo_keyword WHERE photo = NEW.id);"
    )
}

/// The triggers' text.
pub(crate) fn triggers() -> String {
    let mut sql = String::new();
    let all = &Tally::ALL;
    sql.push_str(&format!(
        "CREATE TRIGGER tally_insert AFTER INSERT ON photo WHEN NEW.trashed IS NULL BEGIN {} END;\n",
        add("NEW.", all, "1")
    ));
    sql.push_str(&format!(
        "CREATE TRIGGER tally_delete AFTER DELETE ON photo WHEN OLD.trashed IS NULL BEGIN {} END;\n",
        add("OLD.", all, "-1")
    ));
    sql.push_str(&format!(
        "CREATE TRIGGER tally_trash AFTER UPDATE OF trashed ON photo WHEN OLD.trashed IS NULL AND NEW.trashed IS NOT NULL \
         BEGIN {} {} END;\n",
        add("OLD.", all, "-1"),
        keywords("-1")
    ));
    sql.push_str(&format!(
        "CREATE TRIGGER tally_restore AFTER UPDATE OF trashed ON photo WHEN OLD.trashed IS NOT NULL AND NEW.trashed IS NULL \
         BEGIN {} {} END;\n",
        add("NEW.", all, "1"),
        keywords("1")
    ));
    for tally in Tally::ALL.into_iter().filter(|t| !t.column().is_empty()) {
        let column = tally.column();
        sql.push_str(&format!(
            "CREATE TRIGGER tally_{column} AFTER UPDATE OF {column} ON photo \
             WHEN OLD.trashed IS NULL AND NEW.trashed IS NULL AND OLD.{column} IS NOT NEW.{column} BEGIN {} {} END;\n",
            add("OLD.", &[tally], "-1"),
            add("NEW.", &[tally], "1")
        ));
    }
    sql.push_str(
        "CREATE TRIGGER tally_keyword_add AFTER INSERT ON photo_keyword \
         WHEN (SELECT trashed FROM photo WHERE id = NEW.photo) IS NULL BEGIN \
         UPDATE keyword SET photos = photos + 1 WHERE id = NEW.keyword; END;\n\
         CREATE TRIGGER tally_keyword_remove AFTER DELETE ON photo_keyword \
         WHEN (SELECT trashed FROM photo WHERE id = OLD.photo) IS NULL BEGIN \
         UPDATE keyword SET photos = photos - 1 WHERE id = OLD.keyword; END;\n",
    );
    sql
}

/// Takes the triggers away, for a bulk load that ends with [`recount`].
pub(crate) fn suspend(db: &Connection) -> Result<()> {
    let names: Vec<String> = {
        let mut statement = db
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'tally_%'")
            .doing("read triggers")?;
        let rows = statement.query_map([], |row| row.get(0)).doing("read triggers")?;
        rows.collect::<rusqlite::Result<_>>().doing("read triggers")?
    };
    for name in names {
        db.execute_batch(&format!("DROP TRIGGER {name};")).doing("suspend counting")?;
    }
    Ok(())
}

/// Counts everything anew and puts the triggers back.
pub(crate) fn recount(db: &Connection) -> Result<()> {
    suspend(db)?;
    let mut sql = String::from("DELETE FROM tally;\n");
    for tally in Tally::ALL {
        sql.push_str(&format!(
            "INSERT INTO tally SELECT {}, {} AS k, count(*) FROM photo WHERE trashed IS NULL GROUP BY k;\n",
            tally.code(),
            tally.key("")
        ));
    }
    sql.push_str(
        "UPDATE keyword SET photos = (SELECT count(*) FROM photo_keyword pk JOIN photo p ON p.id = pk.photo \
         WHERE pk.keyword = keyword.id AND p.trashed IS NULL);\n",
    );
    sql.push_str(&triggers());
    db.execute_batch(&sql).doing("count anew")
}
