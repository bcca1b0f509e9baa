-- Hot and cold data are apart: a state change rewrites a whole row, so `jobs` holds only small fixed
-- columns, and payload, result, attempts, progress, logs and tags live beside it.

CREATE TABLE sequences (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- job: last id given out. token: last fencing token given out.
INSERT INTO sequences (name, value) VALUES ('job', 0), ('token', 0);

CREATE TABLE secrets (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Signs lease tokens and cursors, so that they cannot be made up.
INSERT INTO secrets (name, value) VALUES ('signing', randomblob(32));

CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY,
  queue        TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  -- Not `state IN (…)`: SQLite would build a table of the list for every row that is written, which took
  -- a third of the time of an insert. The states that are written most come first.
  state        TEXT    NOT NULL CHECK (state = 'pending' OR state = 'running' OR state = 'completed'
    OR state = 'scheduled' OR state = 'blocked' OR state = 'dead' OR state = 'cancelled'),
  priority     INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 9),
  attempt      INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  max_attempts INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  run_at       INTEGER NOT NULL,
  -- Fencing token of the latest claim; 0 before the first.
  token        INTEGER NOT NULL DEFAULT 0,
  worker_id    TEXT,
  started_at   INTEGER,
  -- Meaningful while running. 0 counts as expired, so a running job without a lease is found too.
  lease_until  INTEGER NOT NULL DEFAULT 0,
  finished_at  INTEGER
) STRICT;

-- One partial index for each state that is searched: history and backlog cost the others nothing.
-- A queue's pending jobs lie in one lane for each name, in claim order: a worker that serves only some
-- names never scans past a backlog of others. A claim merges the lanes that it may take from.
CREATE INDEX jobs_pending   ON jobs (queue, name, priority DESC, run_at, id) WHERE state = 'pending';
CREATE INDEX jobs_scheduled ON jobs (run_at, id)      WHERE state = 'scheduled';
CREATE INDEX jobs_running   ON jobs (lease_until)     WHERE state = 'running';
CREATE INDEX jobs_completed ON jobs (finished_at, id) WHERE state = 'completed';
CREATE INDEX jobs_dead      ON jobs (finished_at, id) WHERE state = 'dead';
CREATE INDEX jobs_cancelled ON jobs (finished_at, id) WHERE state = 'cancelled';

CREATE TABLE job_specs (
  job_id          INTEGER PRIMARY KEY,
  payload         TEXT    NOT NULL,
  -- Attempts that a fresh budget has.
  budget          INTEGER NOT NULL,
  timeout_ms      INTEGER,
  backoff         TEXT,
  tags            TEXT,
  idempotency_key TEXT
) STRICT;

CREATE TABLE job_results (
  job_id  INTEGER PRIMARY KEY,
  result  TEXT,
  -- Why there is no result although the handler returned one.
  problem TEXT
) STRICT;

-- Attempts that ended without success. The latest one is read from `jobs`.
CREATE TABLE attempts (
  job_id         INTEGER NOT NULL,
  token          INTEGER NOT NULL,
  number         INTEGER NOT NULL,
  worker_id      TEXT    NOT NULL,
  started_at     INTEGER NOT NULL,
  finished_at    INTEGER NOT NULL,
  outcome        TEXT    NOT NULL,
  error          TEXT,
  retry_delay_ms INTEGER,
  PRIMARY KEY (job_id, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_progress (
  job_id  INTEGER PRIMARY KEY,
  percent REAL    NOT NULL,
  message TEXT,
  at      INTEGER NOT NULL
) STRICT;

CREATE TABLE job_logs (
  job_id  INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  level   TEXT    NOT NULL,
  message TEXT    NOT NULL,
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_tags (
  tag    TEXT    NOT NULL,
  job_id INTEGER NOT NULL,
  PRIMARY KEY (tag, job_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  key         TEXT PRIMARY KEY,
  fingerprint TEXT    NOT NULL,
  job_id      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE queues (
  name         TEXT PRIMARY KEY,
  paused_at    INTEGER,
  pause_reason TEXT
) STRICT, WITHOUT ROWID;

-- Kept, not counted: changed in the transaction that changes the jobs.
CREATE TABLE counts (
  queue TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  state TEXT    NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (queue, state, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE minute_events (
  minute INTEGER NOT NULL,
  queue  TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  event  TEXT    NOT NULL,
  n      INTEGER NOT NULL,
  PRIMARY KEY (minute, queue, name, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE minute_durations (
  minute INTEGER NOT NULL,
  queue  TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  kind   TEXT    NOT NULL,
  bucket INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  sum_ms INTEGER NOT NULL,
  PRIMARY KEY (minute, queue, name, kind, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id          TEXT PRIMARY KEY,
  host        TEXT    NOT NULL,
  pid         INTEGER NOT NULL,
  queues      TEXT    NOT NULL,
  names       TEXT,
  concurrency INTEGER NOT NULL,
  running     INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  started_at  INTEGER NOT NULL,
  seen_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
