-- What happened in a queue's lifetime. Never pruned, so that counters never fall.
CREATE TABLE total_events (
  queue TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  event TEXT    NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (queue, name, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE total_durations (
  queue  TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  kind   TEXT    NOT NULL,
  bucket INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  sum_ms INTEGER NOT NULL,
  PRIMARY KEY (queue, name, kind, bucket)
) STRICT, WITHOUT ROWID;

-- A chart of a month reads 720 hours where it would read 43 200 minutes.
CREATE TABLE hour_events (
  hour  INTEGER NOT NULL,
  queue TEXT    NOT NULL,
  name  TEXT    NOT NULL,
  event TEXT    NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (hour, queue, name, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE hour_durations (
  hour   INTEGER NOT NULL,
  queue  TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  kind   TEXT    NOT NULL,
  bucket INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  sum_ms INTEGER NOT NULL,
  PRIMARY KEY (hour, queue, name, kind, bucket)
) STRICT, WITHOUT ROWID;

INSERT INTO total_events SELECT queue, name, event, sum(n) FROM minute_events GROUP BY 1, 2, 3;

INSERT INTO total_durations
  SELECT queue, name, kind, bucket, sum(n), sum(sum_ms) FROM minute_durations GROUP BY 1, 2, 3, 4;

INSERT INTO hour_events
  SELECT minute - minute % 3600000, queue, name, event, sum(n) FROM minute_events GROUP BY 1, 2, 3, 4;

INSERT INTO hour_durations
  SELECT minute - minute % 3600000, queue, name, kind, bucket, sum(n), sum(sum_ms) FROM minute_durations
  GROUP BY 1, 2, 3, 4, 5;
