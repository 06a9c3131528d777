-- Albums: chosen by hand and ordered, or a search that was given a name. Numbers are never given again, because the
-- log of marks speaks of them.
CREATE TABLE album (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  folded TEXT NOT NULL UNIQUE,
  query TEXT
) STRICT;

CREATE TABLE album_photo (
  album INTEGER NOT NULL REFERENCES album,
  photo INTEGER NOT NULL REFERENCES photo,
  place INTEGER NOT NULL,
  PRIMARY KEY (album, photo)
) STRICT, WITHOUT ROWID;
CREATE INDEX album_place ON album_photo (album, place);
CREATE INDEX album_of_photo ON album_photo (photo);

-- The row of the photo on top of the stack that this photo is in; 0 for none.
ALTER TABLE photo ADD COLUMN stack INTEGER NOT NULL DEFAULT 0;
CREATE INDEX photo_stack ON photo (stack) WHERE stack <> 0;
