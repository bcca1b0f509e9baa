-- What the limits per key count a job under: its concurrency key and its rate key, with a line break between them.
-- NULL for a job without keys.
ALTER TABLE jobs ADD COLUMN keys TEXT;

-- Jobs with keys lie apart: however many of them wait for a limit, a claim of the others passes over none. The keys are
-- in the indexes because SQLite would look into the table for a NULL that the index promises.
DROP INDEX jobs_pending;
CREATE INDEX jobs_pending ON jobs (queue, name, priority DESC, run_at, id, keys)
  WHERE state = 'pending' AND keys IS NULL;
CREATE INDEX jobs_pending_keyed ON jobs (queue, name, priority DESC, run_at, id, keys)
  WHERE state = 'pending' AND keys IS NOT NULL;
CREATE INDEX jobs_by_keys ON jobs (queue, name, keys, priority DESC, run_at, id)
  WHERE state = 'pending' AND keys IS NOT NULL;
CREATE INDEX jobs_running_keyed ON jobs (queue, keys) WHERE state = 'running' AND keys IS NOT NULL;

-- NULL: no such limit.
ALTER TABLE queues ADD COLUMN concurrency     INTEGER;
ALTER TABLE queues ADD COLUMN rate_max        INTEGER;
ALTER TABLE queues ADD COLUMN rate_per_ms     INTEGER;
ALTER TABLE queues ADD COLUMN key_concurrency INTEGER;
ALTER TABLE queues ADD COLUMN key_rate_max    INTEGER;
ALTER TABLE queues ADD COLUMN key_rate_per_ms INTEGER;
ALTER TABLE queues ADD COLUMN ageing_ms       INTEGER;
-- A handler asked for no more starts until then.
ALTER TABLE queues ADD COLUMN held_until      INTEGER;
-- The keys that were served last: the next claim begins behind them.
ALTER TABLE queues ADD COLUMN key_cursor      TEXT;

-- Starts within the windows of rate limits, those of some time together in one row. `key` is empty for the limit of the
-- queue.
CREATE TABLE rate_buckets (
  queue TEXT    NOT NULL,
  key   TEXT    NOT NULL,
  at    INTEGER NOT NULL,
  until INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (queue, key, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX rate_buckets_old ON rate_buckets (queue, until);

-- Keys that handlers asked no more starts of until then.
CREATE TABLE holds (
  queue TEXT    NOT NULL,
  key   TEXT    NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (queue, key)
) STRICT, WITHOUT ROWID;
