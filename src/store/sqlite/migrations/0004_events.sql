-- What happened, for those who follow it. One row for each transaction (more for very large ones): written
-- together with the changes, so that there is an event exactly if there is its change.

INSERT INTO sequences (name, value) VALUES ('event', 0);

CREATE TABLE events (
  -- Id of the first event; the others follow it without a gap.
  seq  INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL,
  n    INTEGER NOT NULL,
  -- JSON list of `n` events.
  body TEXT    NOT NULL
) STRICT;

CREATE TABLE journal (
  one            INTEGER PRIMARY KEY CHECK (one = 1),
  -- 0: nobody wants events, and none are written.
  wanted_until   INTEGER NOT NULL,
  -- Everything that happened after this event is in the table.
  complete_after INTEGER NOT NULL
) STRICT;

INSERT INTO journal (one, wanted_until, complete_after) VALUES (1, 0, 0);
