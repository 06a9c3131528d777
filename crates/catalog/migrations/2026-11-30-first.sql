-- The first schema. Never edited once released: a change is a new dated file.
--
-- Times: `*_at`, `started`, `ended`, `imported`, `trashed` are microseconds since 1970 in UTC; `taken` is
-- microseconds since 1970 of the wall clock where the picture was taken (not UTC); `mtime_ns` is nanoseconds.
-- Paths are bytes. Words of small sets are stored as the numbers of src/codes.rs.

-- One row. `revision` counts transactions that change photos, so that others can ask what is new; `changes`
-- counts all that write, and `backed_up` is its value in the last backup.
CREATE TABLE state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  revision INTEGER NOT NULL,
  created INTEGER,
  changes INTEGER NOT NULL DEFAULT 0,
  backed_up INTEGER
) STRICT;
INSERT INTO state (one, revision) VALUES (1, 0);

CREATE TABLE root (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  path BLOB NOT NULL
) STRICT;

CREATE TABLE card (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  label TEXT
) STRICT;

-- Names that repeat a million times: cameras, makers, serial numbers, lenses, jobs.
CREATE TABLE term (
  id INTEGER PRIMARY KEY,
  sort INTEGER NOT NULL,
  text TEXT NOT NULL,
  folded TEXT NOT NULL,
  UNIQUE (sort, text)
) STRICT;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  source BLOB NOT NULL,
  card INTEGER NOT NULL REFERENCES card,
  job TEXT,
  options TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER,
  counts TEXT,
  safe INTEGER,
  journaled INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The journal of imports: step 1 of the protocol writes a row, step 9 settles it.
CREATE TABLE intent (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session,
  root INTEGER NOT NULL REFERENCES root,
  source BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  path BLOB NOT NULL,
  temp BLOB NOT NULL,
  photo TEXT NOT NULL,
  role INTEGER NOT NULL,
  grp INTEGER NOT NULL,
  seq INTEGER,
  state INTEGER NOT NULL DEFAULT 0,
  step TEXT,
  errno INTEGER,
  offset INTEGER,
  reason TEXT,
  file INTEGER REFERENCES file
) STRICT;
CREATE INDEX intent_unfinished ON intent (id) WHERE state = 0;
CREATE INDEX intent_session ON intent (session);

-- One content. Rows stay when the last copy goes: they are what is known.
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  size INTEGER NOT NULL,
  quick BLOB,
  kind INTEGER NOT NULL DEFAULT 9,
  format TEXT,
  orientation INTEGER NOT NULL DEFAULT 1,
  problems TEXT,
  trashed INTEGER
) STRICT;
CREATE INDEX file_size ON file (size, quick);

-- Where a content lies.
CREATE TABLE copy (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES file,
  root INTEGER NOT NULL REFERENCES root,
  path BLOB NOT NULL,
  mtime_ns INTEGER NOT NULL,
  verified INTEGER,
  verified_at INTEGER,
  state INTEGER NOT NULL DEFAULT 0,
  checked_at INTEGER,
  home BLOB,
  session INTEGER REFERENCES session,
  UNIQUE (root, path)
) STRICT;
CREATE INDEX copy_file ON copy (file);

-- JPEGs inside a file.
CREATE TABLE preview (
  file INTEGER NOT NULL REFERENCES file,
  n INTEGER NOT NULL,
  source INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  orientation INTEGER NOT NULL,
  PRIMARY KEY (file, n)
) STRICT, WITHOUT ROWID;

-- What one press of the button made. `id` is the row number that the app's index speaks of, `uid` the lasting name.
CREATE TABLE photo (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  kind INTEGER NOT NULL,
  taken INTEGER NOT NULL,
  taken_nanos INTEGER NOT NULL,
  taken_digits INTEGER NOT NULL,
  taken_from INTEGER NOT NULL,
  utc_offset INTEGER,
  rating INTEGER NOT NULL DEFAULT 0,
  flag INTEGER NOT NULL DEFAULT 0,
  label INTEGER NOT NULL DEFAULT 0,
  turned INTEGER NOT NULL DEFAULT 0,
  marked INTEGER NOT NULL DEFAULT 0,
  conflict INTEGER NOT NULL DEFAULT 0,
  camera INTEGER REFERENCES term,
  make INTEGER REFERENCES term,
  serial INTEGER REFERENCES term,
  lens INTEGER REFERENCES term,
  job INTEGER REFERENCES term,
  iso INTEGER,
  iso_auto INTEGER,
  exposure_num INTEGER,
  exposure_den INTEGER,
  aperture REAL,
  focal REAL,
  width INTEGER,
  height INTEGER,
  orientation INTEGER NOT NULL DEFAULT 1,
  duration REAL,
  latitude REAL,
  longitude REAL,
  altitude REAL,
  file_number INTEGER,
  name TEXT NOT NULL,
  role INTEGER NOT NULL,
  file INTEGER NOT NULL REFERENCES file,
  session INTEGER REFERENCES session,
  imported INTEGER NOT NULL,
  trashed INTEGER,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX photo_taken ON photo (taken, id) WHERE trashed IS NULL;
CREATE INDEX photo_imported ON photo (imported, taken, id) WHERE trashed IS NULL;
CREATE INDEX photo_rating ON photo (rating, taken, id) WHERE trashed IS NULL;
CREATE INDEX photo_name ON photo (name COLLATE NOCASE, taken, id) WHERE trashed IS NULL;
CREATE INDEX photo_camera ON photo (camera, taken) WHERE trashed IS NULL;
CREATE INDEX photo_lens ON photo (lens, taken) WHERE trashed IS NULL;
CREATE INDEX photo_iso ON photo (iso, taken) WHERE trashed IS NULL;
CREATE INDEX photo_session ON photo (session);
CREATE INDEX photo_revision ON photo (revision);
CREATE INDEX photo_trashed ON photo (trashed) WHERE trashed IS NOT NULL;

CREATE TABLE photo_text (
  photo INTEGER PRIMARY KEY REFERENCES photo,
  title TEXT,
  caption TEXT,
  creator TEXT,
  copyright TEXT,
  names TEXT NOT NULL
) STRICT;

CREATE TABLE member (
  photo INTEGER NOT NULL REFERENCES photo,
  file INTEGER NOT NULL REFERENCES file,
  role INTEGER NOT NULL,
  PRIMARY KEY (photo, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_file ON member (file);

-- Companions (sidecars, sound notes) that came before the picture they belong to, or that have none.
CREATE TABLE orphan (
  uid TEXT NOT NULL,
  file INTEGER NOT NULL REFERENCES file,
  role INTEGER NOT NULL,
  PRIMARY KEY (uid, file)
) STRICT, WITHOUT ROWID;

CREATE TABLE keyword (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE,
  photos INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE photo_keyword (
  photo INTEGER NOT NULL REFERENCES photo,
  keyword INTEGER NOT NULL REFERENCES keyword,
  PRIMARY KEY (photo, keyword)
) STRICT, WITHOUT ROWID;
CREATE INDEX keyword_photo ON photo_keyword (keyword, photo);

-- What was seen on which card; survives the deletion of photos.
CREATE TABLE history (
  card INTEGER NOT NULL REFERENCES card,
  source BLOB NOT NULL,
  hash BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  quick BLOB,
  proven INTEGER NOT NULL,
  first INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (card, source, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_seen ON history (seen);

-- The log of marks. A step is what one command changed: 0 done, 1 taken back, 2 taken back and then overtaken.
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  photos INTEGER NOT NULL,
  journaled INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX step_unjournaled ON step (id) WHERE journaled = 0;

CREATE TABLE mark (
  step INTEGER NOT NULL REFERENCES step,
  field INTEGER NOT NULL,
  item INTEGER NOT NULL,
  photo INTEGER NOT NULL REFERENCES photo,
  before ANY,
  after ANY,
  PRIMARY KEY (step, field, item, photo)
) STRICT, WITHOUT ROWID;

-- Full-text search; rowid is photo.id.
CREATE VIRTUAL TABLE words USING fts5 (
  name, gear, keywords, text,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- Summary counts of photos that are not in the trash, because counting a million rows takes too long.
CREATE TABLE tally (
  dim INTEGER NOT NULL,
  key INTEGER NOT NULL,
  photos INTEGER NOT NULL,
  PRIMARY KEY (dim, key)
) STRICT, WITHOUT ROWID;
