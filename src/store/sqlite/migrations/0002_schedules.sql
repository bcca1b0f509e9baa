-- Which schedule made a job, and for which slot.
ALTER TABLE job_specs ADD COLUMN schedule_key TEXT;
ALTER TABLE job_specs ADD COLUMN slot INTEGER;

-- Versions come from one sequence: a schedule that is deleted and made anew never has an old one's version.
INSERT INTO sequences (name, value) VALUES ('schedule_version', 0);

CREATE TABLE schedules (
  key          TEXT PRIMARY KEY,
  source       TEXT    NOT NULL,
  cron         TEXT,
  every_ms     INTEGER,
  timezone     TEXT    NOT NULL,
  start_at     INTEGER,
  end_at       INTEGER,
  -- The job of every slot, without its payload: that is JSON text which must come back unchanged.
  job          TEXT    NOT NULL,
  payload      TEXT    NOT NULL,
  missed       TEXT    NOT NULL,
  max_missed   INTEGER NOT NULL,
  overlap      TEXT    NOT NULL,
  jitter_ms    INTEGER NOT NULL,
  -- A slot fires by moving `next_slot` on, in the transaction that makes its job.
  next_slot    INTEGER,
  next_at      INTEGER,
  -- The latest slot that was fired or missed: whatever the clock does, slots up to it are over.
  last_slot    INTEGER,
  waiting_slot INTEGER,
  paused_at    INTEGER,
  pause_reason TEXT,
  problem      TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  enqueued     INTEGER NOT NULL DEFAULT 0,
  skipped      INTEGER NOT NULL DEFAULT 0,
  missed_count INTEGER NOT NULL DEFAULT 0,
  last_seq     INTEGER NOT NULL DEFAULT 0,
  CHECK ((cron IS NULL) <> (every_ms IS NULL)),
  CHECK ((next_slot IS NULL) = (next_at IS NULL))
) STRICT;

CREATE INDEX schedules_due     ON schedules (next_at) WHERE next_at IS NOT NULL AND paused_at IS NULL;
CREATE INDEX schedules_waiting ON schedules (key)     WHERE waiting_slot IS NOT NULL AND paused_at IS NULL;

CREATE TABLE schedule_runs (
  key      TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  slot     INTEGER NOT NULL,
  through  INTEGER NOT NULL,
  manual   INTEGER NOT NULL,
  fired_at INTEGER NOT NULL,
  outcome  TEXT    NOT NULL,
  job_id   INTEGER,
  PRIMARY KEY (key, seq)
) STRICT, WITHOUT ROWID;
