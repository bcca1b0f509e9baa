-- What was handed out under a name that the worker gave to its claim, so that asking again after a lost
-- answer hands out the same and not more. Written only for claims that have such a name and got jobs.
CREATE TABLE claim_ids (
  worker_id  TEXT    NOT NULL,
  claim_id   TEXT    NOT NULL,
  -- JSON: [[id, token], …] in claim order.
  jobs       TEXT    NOT NULL,
  -- Answers that carry these jobs and were not given back.
  answers    INTEGER NOT NULL,
  made_at    INTEGER NOT NULL,
  -- When the leases end that nobody extends. Later the name says nothing any more.
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (worker_id, claim_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_ids_expired ON claim_ids (expires_at);

-- The last numbered batch of log lines of a job's claim, so that a batch sent again is not kept twice.
CREATE TABLE job_log_batches (
  job_id INTEGER PRIMARY KEY,
  token  INTEGER NOT NULL,
  seq    INTEGER NOT NULL
) STRICT;
