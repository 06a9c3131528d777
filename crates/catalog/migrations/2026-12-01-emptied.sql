-- Where files lay before they went into the trash that was emptied: what a manifest still lists there was deleted on
-- purpose, and is not lost.
CREATE TABLE emptied (
  root INTEGER NOT NULL REFERENCES root,
  path BLOB NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
