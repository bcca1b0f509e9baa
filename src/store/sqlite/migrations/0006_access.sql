CREATE TABLE tokens (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  -- SHA-256 of the whole token: its secret part is random, so no slower function is needed.
  digest       BLOB    NOT NULL,
  scopes       TEXT    NOT NULL,
  -- JSON list of globs; NULL: every queue.
  queues       TEXT,
  created_at   INTEGER NOT NULL,
  created_by   TEXT    NOT NULL,
  expires_at   INTEGER,
  last_used_at INTEGER,
  revoked_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  -- SHA-256 of what the cookie holds.
  digest       BLOB PRIMARY KEY,
  token_id     TEXT    NOT NULL,
  -- Of the token that opened it: one that is replaced takes its sessions with it.
  token_digest BLOB    NOT NULL,
  created_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  token_id   TEXT    NOT NULL,
  token_name TEXT    NOT NULL,
  session    INTEGER NOT NULL,
  ip         TEXT    NOT NULL,
  request_id TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  target     TEXT,
  detail     TEXT,
  -- Set when the call was answered; a call that has none was cut off by a crash.
  status     INTEGER
) STRICT;

CREATE INDEX audit_at ON audit (at);

-- Guards edits of a queue's settings.
ALTER TABLE queues ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
