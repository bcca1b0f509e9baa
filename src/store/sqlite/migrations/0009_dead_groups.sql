-- Dead jobs by what they died of. Kept, not counted: changed in the transaction that changes the jobs.
CREATE TABLE dead_groups (
  id          INTEGER PRIMARY KEY,
  queue       TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  -- Of the error. All jobs with one fingerprint have the same.
  type        TEXT    NOT NULL,
  message     TEXT    NOT NULL,
  n           INTEGER NOT NULL,
  -- When the job of it died that died last.
  last_at     INTEGER NOT NULL,
  UNIQUE (fingerprint, queue, name)
) STRICT;

CREATE INDEX dead_groups_count  ON dead_groups (n);
CREATE INDEX dead_groups_latest ON dead_groups (last_at);

-- A row for each dead job.
CREATE TABLE dead_jobs (
  job_id   INTEGER PRIMARY KEY,
  group_id INTEGER NOT NULL,
  died_at  INTEGER NOT NULL
) STRICT;

-- Both end in the job's id. A group is walked in the order of ids, and in that of `jobs_dead`.
CREATE INDEX dead_jobs_group  ON dead_jobs (group_id);
CREATE INDEX dead_jobs_latest ON dead_jobs (group_id, died_at);

-- `kind_of_error` is what the program asks as well: JSON [fingerprint, type, message]. The texts are asked for once
-- in each group.
CREATE TEMP TABLE found AS
  SELECT id, queue, name, coalesce(finished_at, created_at) AS died_at, kind_of_error((
    SELECT error FROM attempts WHERE job_id = jobs.id AND error IS NOT NULL ORDER BY token DESC LIMIT 1
  )) ->> 0 AS fingerprint
  FROM jobs WHERE state = 'dead';

INSERT INTO dead_groups (queue, name, fingerprint, type, message, n, last_at)
  SELECT queue, name, fingerprint, kind ->> 1, kind ->> 2, n, last_at FROM (
    SELECT queue, name, fingerprint, n, last_at, kind_of_error((
      SELECT error FROM attempts WHERE job_id = sample AND error IS NOT NULL ORDER BY token DESC LIMIT 1
    )) AS kind
    FROM (
      SELECT queue, name, fingerprint, count(*) AS n, max(died_at) AS last_at, max(id) AS sample
      FROM found GROUP BY queue, name, fingerprint
    )
  );

INSERT INTO dead_jobs (job_id, group_id, died_at)
  SELECT found.id, dead_groups.id, died_at FROM found JOIN dead_groups USING (fingerprint, queue, name);

DROP TABLE found;
