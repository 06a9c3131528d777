-- A photo whose files were deleted for good leaves its row behind: its number is never given to another, its marks
-- are there if its content comes back, and who holds rows in memory learns of it by the revision.
ALTER TABLE photo ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;

-- Lines for the library's journal that no other table holds, until they are written there.
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  line TEXT NOT NULL
) STRICT;

-- Copies on their way into the trash or out of it: `home` is the other end of the move.
CREATE INDEX copy_home ON copy (id) WHERE home IS NOT NULL;
