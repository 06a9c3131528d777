-- What was last written to or read from a photo's sidecar, so that a change made elsewhere can be told from ours.
-- `naming` is 0 for IMG_0001.xmp and 1 for IMG_0001.CR2.xmp; `hash` is BLAKE3 of the sidecar's bytes; `base` holds the
-- properties that both sides knew then, as JSON.
CREATE TABLE sidecar (
  photo INTEGER NOT NULL REFERENCES photo,
  root INTEGER NOT NULL REFERENCES root,
  naming INTEGER NOT NULL,
  path BLOB NOT NULL,
  hash BLOB NOT NULL,
  base TEXT NOT NULL,
  PRIMARY KEY (photo, root, naming)
) STRICT, WITHOUT ROWID;
CREATE INDEX sidecar_path ON sidecar (root, path);

-- Marks that no sidecar has yet.
ALTER TABLE photo ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
CREATE INDEX photo_due ON photo (id) WHERE due = 1;
CREATE INDEX photo_conflict ON photo (id) WHERE conflict = 1;

-- An added folder's root (1) has no folder of ours in it; sidecars are written there only where that was asked for.
ALTER TABLE root ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE root ADD COLUMN sidecars INTEGER NOT NULL DEFAULT 0;
