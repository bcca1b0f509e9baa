-- Steps of handlers that are done: a later attempt skips them.
CREATE TABLE job_steps (
  job_id  INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  name    TEXT    NOT NULL,
  attempt INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  -- JSON text; NULL when the step gave nothing.
  result  TEXT,
  PRIMARY KEY (job_id, seq),
  UNIQUE (job_id, name)
) STRICT;
