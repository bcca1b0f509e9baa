-- Changes of many jobs at once, done in small steps by whichever process comes first.
CREATE TABLE operations (
  id          INTEGER PRIMARY KEY,
  -- Of the preview that it was started from, so that starting it twice starts it once.
  preview     BLOB    NOT NULL UNIQUE,
  action      TEXT    NOT NULL,
  -- JSON of the query, its relative times resolved.
  query       TEXT    NOT NULL,
  queue_globs TEXT,
  per_second  INTEGER NOT NULL,
  reason      TEXT,
  state       TEXT    NOT NULL,
  -- The walk goes up by id: jobs up to `after_id` are done, those above `until_id` are not meant.
  after_id    INTEGER NOT NULL DEFAULT 0,
  until_id    INTEGER NOT NULL,
  matched     INTEGER NOT NULL,
  changed     INTEGER NOT NULL DEFAULT 0,
  next_at     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  TEXT    NOT NULL,
  finished_at INTEGER
) STRICT;

CREATE INDEX operations_running ON operations (next_at) WHERE state = 'running';
