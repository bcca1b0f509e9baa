-- NULL: the job does not expire. Also of one that has started and waits for another attempt.
ALTER TABLE jobs ADD COLUMN expires_at INTEGER;

CREATE INDEX jobs_expiring ON jobs (expires_at)
  WHERE expires_at IS NOT NULL AND (state = 'pending' OR state = 'scheduled' OR state = 'blocked');

-- Scope and key, see core/unique.ts.
ALTER TABLE job_specs ADD COLUMN unique_key TEXT;

-- Who got a unique key last. Whether it is taken is derived from that job: while it exists, is in one of `states`, and
-- `expires_at` has not passed.
CREATE TABLE unique_keys (
  key        TEXT PRIMARY KEY,
  job_id     INTEGER NOT NULL,
  -- Separated by commas.
  states     TEXT    NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

-- Why a job is cancelled. One that was cancelled by hand has no row.
CREATE TABLE cancellations (
  job_id INTEGER PRIMARY KEY,
  reason TEXT NOT NULL,
  -- The job that it was cancelled for.
  about  INTEGER
) STRICT;

-- Jobs that may wait. NULL: any number.
ALTER TABLE queues ADD COLUMN max_length INTEGER;
ALTER TABLE queues ADD COLUMN on_full TEXT NOT NULL DEFAULT 'refuse';

CREATE INDEX queues_limited ON queues (name) WHERE max_length IS NOT NULL;
