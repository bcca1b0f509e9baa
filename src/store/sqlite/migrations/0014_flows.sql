-- Flows: jobs of which some depend on others. A job of no flow pays two empty columns for them.

INSERT INTO sequences (name, value) VALUES ('flow', 0);

ALTER TABLE jobs ADD COLUMN flow_id INTEGER;
-- While blocked: what it still waits for. Dependencies without an end, and 1 while its flow is not open.
ALTER TABLE jobs ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;

CREATE INDEX jobs_flow ON jobs (flow_id, id) WHERE flow_id IS NOT NULL;

ALTER TABLE job_specs ADD COLUMN flow_ref TEXT;
-- Of a job that is blocked: counted from when it no longer is.
ALTER TABLE job_specs ADD COLUMN delay_ms INTEGER;

CREATE TABLE flows (
  id              INTEGER PRIMARY KEY,
  name            TEXT    NOT NULL,
  -- `making`: jobs are still added, and none of them runs. `opening`: all are there, those up to `opened_to` may run.
  stage           TEXT    NOT NULL CHECK (stage = 'open' OR stage = 'opening' OR stage = 'making'),
  opened_to       INTEGER NOT NULL DEFAULT 0,
  -- By the counts.
  state           TEXT    NOT NULL DEFAULT 'running',
  created_at      INTEGER NOT NULL,
  -- Set while every job has ended.
  finished_at     INTEGER,
  -- Kept, not counted.
  jobs            INTEGER NOT NULL,
  completed       INTEGER NOT NULL DEFAULT 0,
  dead            INTEGER NOT NULL DEFAULT 0,
  cancelled       INTEGER NOT NULL DEFAULT 0,
  idempotency_key TEXT    UNIQUE,
  fingerprint     TEXT
) STRICT;

CREATE INDEX flows_state    ON flows (state, id);
CREATE INDEX flows_name     ON flows (name, id);
CREATE INDEX flows_not_open ON flows (stage, id) WHERE stage <> 'open';

CREATE TABLE flow_jobs (
  flow_id INTEGER NOT NULL,
  ref     TEXT    NOT NULL,
  job_id  INTEGER NOT NULL,
  PRIMARY KEY (flow_id, ref)
) STRICT, WITHOUT ROWID;

-- `job_id` does not run before `on_id` has ended. What that means when it did not complete says `on_failure`.
CREATE TABLE dependencies (
  on_id      INTEGER NOT NULL,
  job_id     INTEGER NOT NULL,
  on_failure TEXT    NOT NULL,
  -- Whether `job_id` no longer waits for it.
  resolved   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (on_id, job_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependencies_of  ON dependencies (job_id, on_id);
CREATE INDEX dependencies_due ON dependencies (on_id, job_id) WHERE resolved = 0;

-- Jobs that have ended and have told so only some of those that depend on them: the others are told later.
CREATE TABLE ends_to_tell (
  job_id INTEGER PRIMARY KEY
) STRICT;
