-- Runs with the schema of Konveier as the only one on the search path.
--
-- The tables are those of the SQLite store. Three things differ, because many transactions write at once here:
-- - Numbers that must only grow are sequences. They are not rolled back, so they have gaps.
-- - What every transaction would add to the same few rows is written as a row of `deltas` instead, and added up
--   later: rows that all want to change make all wait for one another, and leave a dead version for each change.
-- - Events are numbered when they are read, because nobody knows in what order open transactions will commit.
--
-- Free text is kept as JSON text where people or programs may have put a NUL into it: PostgreSQL has none in a text.

CREATE TABLE secrets (
  name  text  PRIMARY KEY,
  value bytea NOT NULL
);

-- Signs lease tokens and cursors, so that they cannot be made up.
INSERT INTO secrets (name, value)
  VALUES ('signing', sha256((gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

CREATE SEQUENCE job_ids;
CREATE SEQUENCE fencing_tokens;
CREATE SEQUENCE schedule_versions;
CREATE SEQUENCE flow_ids;

CREATE TABLE jobs (
  id           bigint   PRIMARY KEY,
  queue        text     COLLATE "C" NOT NULL,
  name         text     COLLATE "C" NOT NULL,
  state        text     COLLATE "C" NOT NULL CHECK (state IN
    ('pending', 'running', 'completed', 'scheduled', 'blocked', 'dead', 'cancelled')),
  priority     smallint NOT NULL CHECK (priority BETWEEN 0 AND 9),
  attempt      integer  NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  max_attempts integer  NOT NULL,
  created_at   bigint   NOT NULL,
  run_at       bigint   NOT NULL,
  -- Fencing token of the latest claim; 0 before the first.
  token        bigint   NOT NULL DEFAULT 0,
  worker_id    text     COLLATE "C",
  started_at   bigint,
  -- Meaningful while running. 0 counts as expired, so a running job without a lease is found too.
  lease_until  bigint   NOT NULL DEFAULT 0,
  finished_at  bigint,
  -- Of the payload, so that a claim knows what it takes on. NULL in rows that came from elsewhere: not known.
  payload_bytes integer,
  -- NULL: the job does not expire. Also of one that has started and waits for another attempt.
  expires_at   bigint,
  flow_id      bigint,
  -- While blocked: what it still waits for. Dependencies without an end, and 1 while its flow is not open.
  waiting      integer  NOT NULL DEFAULT 0,
  -- What the limits per key count the job under: its concurrency key and its rate key, with a line break between them.
  -- NULL for a job without keys.
  keys         text     COLLATE "C"
)
-- Each job is written three times, and no update is a HOT one, since the indexes tell the states apart. In a page with
-- room the next version of a row costs less, and a sixth less of write-ahead log.
WITH (fillfactor = 50);

-- One partial index for each state that is searched: history and backlog cost the others nothing.
-- A lane is the pending jobs of one queue, name and priority, in claim order: a worker that serves only some
-- names never scans past a backlog of others. A claim merges the lanes that it may take from.
-- Jobs with keys lie apart: however many of them wait for a limit, a claim of the others passes over none.
CREATE INDEX jobs_pending   ON jobs (queue, name, priority, run_at, id) WHERE state = 'pending' AND keys IS NULL;
CREATE INDEX jobs_pending_keyed ON jobs (queue, name, priority, run_at, id)
  WHERE state = 'pending' AND keys IS NOT NULL;
CREATE INDEX jobs_by_keys       ON jobs (queue, name, keys, priority, run_at, id)
  WHERE state = 'pending' AND keys IS NOT NULL;
CREATE INDEX jobs_running_keyed ON jobs (queue, keys) WHERE state = 'running' AND keys IS NOT NULL;
CREATE INDEX jobs_scheduled ON jobs (run_at, id)      WHERE state = 'scheduled';
CREATE INDEX jobs_running   ON jobs (lease_until)     WHERE state = 'running';
CREATE INDEX jobs_completed ON jobs (finished_at, id) WHERE state = 'completed';
CREATE INDEX jobs_dead      ON jobs (finished_at, id) WHERE state = 'dead';
CREATE INDEX jobs_cancelled ON jobs (finished_at, id) WHERE state = 'cancelled';
CREATE INDEX jobs_expiring  ON jobs (expires_at)
  WHERE expires_at IS NOT NULL AND state IN ('blocked', 'scheduled', 'pending');
CREATE INDEX jobs_flow      ON jobs (flow_id, id)     WHERE flow_id IS NOT NULL;

-- Every lane that ever had a job, so that a claim knows where to look. Never removed: a job whose lane nobody
-- knows would never be claimed.
CREATE TABLE lanes (
  queue    text     COLLATE "C" NOT NULL,
  name     text     COLLATE "C" NOT NULL,
  -- -1: there were jobs with keys, which have lanes of their own.
  priority smallint NOT NULL,
  -- No pending job of the lane has an earlier `run_at`, so claims look from here on.
  floor    bigint   NOT NULL DEFAULT 0,
  PRIMARY KEY (queue, name, priority)
);

CREATE TABLE job_specs (
  job_id          bigint  PRIMARY KEY,
  payload         text    NOT NULL,
  -- Attempts that a fresh budget has.
  budget          integer NOT NULL,
  timeout_ms      bigint,
  backoff         text,
  tags            text,
  idempotency_key text    COLLATE "C",
  -- Which schedule made the job, and for which slot.
  schedule_key    text    COLLATE "C",
  slot            bigint,
  -- Where in a distributed trace it was enqueued (W3C Trace Context).
  traceparent     text,
  tracestate      text,
  -- Scope and key, see core/unique.ts.
  unique_key      text    COLLATE "C",
  flow_ref        text    COLLATE "C",
  -- Of a job that is blocked: counted from when it no longer is.
  delay_ms        bigint
);

CREATE TABLE job_results (
  job_id  bigint PRIMARY KEY,
  result  text,
  -- Why there is no result although the handler returned one. JSON text.
  problem text
);

-- Attempts that ended without success. The latest one is read from `jobs`.
CREATE TABLE attempts (
  job_id         bigint  NOT NULL,
  token          bigint  NOT NULL,
  number         integer NOT NULL,
  worker_id      text    NOT NULL,
  started_at     bigint  NOT NULL,
  finished_at    bigint  NOT NULL,
  outcome        text    NOT NULL,
  error          text,
  retry_delay_ms bigint,
  PRIMARY KEY (job_id, token)
);

CREATE TABLE job_progress (
  job_id  bigint           PRIMARY KEY,
  percent double precision NOT NULL,
  -- JSON text.
  message text,
  at      bigint           NOT NULL
);

CREATE TABLE job_logs (
  job_id  bigint  NOT NULL,
  seq     integer NOT NULL,
  attempt integer NOT NULL,
  at      bigint  NOT NULL,
  level   text    NOT NULL,
  -- JSON text.
  message text    NOT NULL,
  PRIMARY KEY (job_id, seq)
);

-- The last numbered batch of log lines of a job's claim, so that a batch sent again is not kept twice.
CREATE TABLE job_log_batches (
  job_id bigint PRIMARY KEY,
  token  bigint NOT NULL,
  seq    bigint NOT NULL
);

-- Steps of handlers that are done: a later attempt skips them.
CREATE TABLE job_steps (
  job_id  bigint  NOT NULL,
  seq     integer NOT NULL,
  name    text    COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  at      bigint  NOT NULL,
  -- JSON text; NULL when the step gave nothing.
  result  text,
  PRIMARY KEY (job_id, seq),
  UNIQUE (job_id, name)
);

CREATE TABLE job_tags (
  tag    text   COLLATE "C" NOT NULL,
  job_id bigint NOT NULL,
  PRIMARY KEY (tag, job_id)
);

CREATE TABLE idempotency_keys (
  key         text   COLLATE "C" PRIMARY KEY,
  fingerprint text   NOT NULL,
  job_id      bigint NOT NULL
);

-- Who got a unique key last. Whether it is taken is derived from that job: while it exists, is in one of `states`, and
-- `expires_at` has not passed.
CREATE TABLE unique_keys (
  key        text   COLLATE "C" PRIMARY KEY,
  job_id     bigint NOT NULL,
  -- Separated by commas.
  states     text   NOT NULL,
  expires_at bigint
);

-- Why a job is cancelled. One that was cancelled by hand has no row.
CREATE TABLE cancellations (
  job_id bigint PRIMARY KEY,
  reason text   NOT NULL,
  -- The job that it was cancelled for.
  about  bigint
);

CREATE TABLE flows (
  id              bigint  PRIMARY KEY,
  name            text    COLLATE "C" NOT NULL,
  -- `making`: jobs are still added, and none of them runs. `opening`: all are there, those up to `opened_to` may run.
  stage           text    COLLATE "C" NOT NULL CHECK (stage IN ('open', 'opening', 'making')),
  opened_to       bigint  NOT NULL DEFAULT 0,
  -- By the counts.
  state           text    COLLATE "C" NOT NULL DEFAULT 'running',
  created_at      bigint  NOT NULL,
  -- Set while every job has ended.
  finished_at     bigint,
  -- Kept, not counted.
  jobs            integer NOT NULL,
  completed       integer NOT NULL DEFAULT 0,
  dead            integer NOT NULL DEFAULT 0,
  cancelled       integer NOT NULL DEFAULT 0,
  idempotency_key text    COLLATE "C" UNIQUE,
  fingerprint     text
);

CREATE INDEX flows_state    ON flows (state, id);
CREATE INDEX flows_name     ON flows (name, id);
CREATE INDEX flows_not_open ON flows (stage, id) WHERE stage <> 'open';

CREATE TABLE flow_jobs (
  flow_id bigint NOT NULL,
  ref     text   COLLATE "C" NOT NULL,
  job_id  bigint NOT NULL,
  PRIMARY KEY (flow_id, ref)
);

-- `job_id` does not run before `on_id` has ended. What that means when it did not complete says `on_failure`.
CREATE TABLE dependencies (
  on_id      bigint  NOT NULL,
  job_id     bigint  NOT NULL,
  on_failure text    COLLATE "C" NOT NULL,
  -- Whether `job_id` no longer waits for it.
  resolved   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (on_id, job_id)
);

CREATE INDEX dependencies_of  ON dependencies (job_id, on_id);
CREATE INDEX dependencies_due ON dependencies (on_id, job_id) WHERE NOT resolved;

-- Jobs that have ended and have told so only some of those that depend on them: the others are told later.
CREATE TABLE ends_to_tell (
  job_id bigint PRIMARY KEY
);

CREATE TABLE queues (
  name         text    COLLATE "C" PRIMARY KEY,
  paused_at    bigint,
  -- JSON text.
  pause_reason text,
  -- Guards edits of the queue's settings.
  version      integer NOT NULL DEFAULT 1,
  -- Jobs that may wait. NULL: any number.
  max_length   integer,
  on_full      text    NOT NULL DEFAULT 'refuse',
  -- The limits; NULL: no such limit.
  concurrency     integer,
  rate_max        integer,
  rate_per_ms     bigint,
  key_concurrency integer,
  key_rate_max    integer,
  key_rate_per_ms bigint,
  ageing_ms       bigint,
  -- A handler asked for no more starts until then.
  held_until      bigint,
  -- The keys that were served last: the next claim begins behind them.
  key_cursor      text COLLATE "C"
);

-- Starts within the windows of rate limits, those of some time together in one row. `key` is empty for the limit of the
-- queue.
CREATE TABLE rate_buckets (
  queue text    COLLATE "C" NOT NULL,
  key   text    COLLATE "C" NOT NULL,
  at    bigint  NOT NULL,
  until bigint  NOT NULL,
  n     integer NOT NULL,
  PRIMARY KEY (queue, key, at)
);

CREATE INDEX rate_buckets_old ON rate_buckets (queue, until);

-- Keys that handlers asked no more starts of until then.
CREATE TABLE holds (
  queue text   COLLATE "C" NOT NULL,
  key   text   COLLATE "C" NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (queue, key)
);

CREATE INDEX queues_limited ON queues (name) WHERE max_length IS NOT NULL;

-- What was handed out under a name that the worker gave to its claim, so that asking again after a lost
-- answer hands out the same and not more. Written only for claims that have such a name and got jobs.
CREATE TABLE claim_ids (
  worker_id  text    COLLATE "C" NOT NULL,
  claim_id   text    COLLATE "C" NOT NULL,
  -- JSON: [[id, token], …] in claim order.
  jobs       text    NOT NULL,
  -- Answers that carry these jobs and were not given back.
  answers    integer NOT NULL,
  made_at    bigint  NOT NULL,
  -- When the leases end that nobody extends. Later the name says nothing any more.
  expires_at bigint  NOT NULL,
  PRIMARY KEY (worker_id, claim_id)
);

CREATE INDEX claim_ids_expired ON claim_ids (expires_at);

-- Dead jobs by what they died of. Kept, not counted: changed in the transaction that changes the jobs.
CREATE TABLE dead_groups (
  id          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue       text    COLLATE "C" NOT NULL,
  name        text    COLLATE "C" NOT NULL,
  fingerprint text    COLLATE "C" NOT NULL,
  -- Of the error, as JSON text. All jobs with one fingerprint have the same.
  type        text    NOT NULL,
  message     text    NOT NULL,
  n           integer NOT NULL,
  -- When the job of it died that died last.
  last_at     bigint  NOT NULL,
  UNIQUE (fingerprint, queue, name)
);

CREATE INDEX dead_groups_count  ON dead_groups (n);
CREATE INDEX dead_groups_latest ON dead_groups (last_at);

-- A row for each dead job.
CREATE TABLE dead_jobs (
  job_id   bigint PRIMARY KEY,
  group_id bigint NOT NULL,
  died_at  bigint NOT NULL
);

-- A group is walked in the order of ids, and in that of `jobs_dead`.
CREATE INDEX dead_jobs_group  ON dead_jobs (group_id, job_id);
CREATE INDEX dead_jobs_latest ON dead_jobs (group_id, died_at, job_id);

CREATE TABLE schedules (
  key          text    COLLATE "C" PRIMARY KEY,
  source       text    NOT NULL,
  cron         text,
  every_ms     bigint,
  timezone     text    NOT NULL,
  start_at     bigint,
  end_at       bigint,
  -- The job of every slot, without its payload: that is JSON text which must come back unchanged.
  job          text    NOT NULL,
  payload      text    NOT NULL,
  missed       text    NOT NULL,
  max_missed   integer NOT NULL,
  overlap      text    NOT NULL,
  jitter_ms    bigint  NOT NULL,
  -- A slot fires by moving `next_slot` on, in the transaction that makes its job.
  next_slot    bigint,
  next_at      bigint,
  -- The latest slot that was fired or missed: whatever the clock does, slots up to it are over.
  last_slot    bigint,
  waiting_slot bigint,
  paused_at    bigint,
  -- JSON text.
  pause_reason text,
  -- JSON text.
  problem      text,
  created_at   bigint  NOT NULL,
  updated_at   bigint  NOT NULL,
  -- From one sequence: a schedule that is deleted and made anew never has an old one's version.
  version      bigint  NOT NULL,
  enqueued     bigint  NOT NULL DEFAULT 0,
  skipped      bigint  NOT NULL DEFAULT 0,
  missed_count bigint  NOT NULL DEFAULT 0,
  last_seq     bigint  NOT NULL DEFAULT 0,
  CHECK ((cron IS NULL) <> (every_ms IS NULL)),
  CHECK ((next_slot IS NULL) = (next_at IS NULL))
);

CREATE INDEX schedules_due     ON schedules (next_at) WHERE next_at IS NOT NULL AND paused_at IS NULL;
CREATE INDEX schedules_waiting ON schedules (key)     WHERE waiting_slot IS NOT NULL AND paused_at IS NULL;

CREATE TABLE schedule_runs (
  key      text    COLLATE "C" NOT NULL,
  seq      bigint  NOT NULL,
  slot     bigint  NOT NULL,
  through  bigint  NOT NULL,
  manual   boolean NOT NULL,
  fired_at bigint  NOT NULL,
  outcome  text    NOT NULL,
  job_id   bigint,
  PRIMARY KEY (key, seq)
);

-- Changes of many jobs at once, done in small steps by whichever process comes first.
CREATE TABLE operations (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Of the preview that it was started from, so that starting it twice starts it once.
  preview     bytea  NOT NULL UNIQUE,
  action      text   NOT NULL,
  -- JSON of the query, its relative times resolved.
  query       text   NOT NULL,
  queue_globs text,
  per_second  double precision NOT NULL,
  -- JSON text.
  reason      text,
  state       text   NOT NULL,
  -- The walk goes up by id: jobs up to `after_id` are done, those above `until_id` are not meant.
  after_id    bigint NOT NULL DEFAULT 0,
  until_id    bigint NOT NULL,
  matched     bigint NOT NULL,
  changed     bigint NOT NULL DEFAULT 0,
  next_at     bigint NOT NULL,
  created_at  bigint NOT NULL,
  created_by  text   NOT NULL,
  finished_at bigint
);

CREATE INDEX operations_running ON operations (next_at) WHERE state = 'running';

CREATE TABLE tokens (
  id           text   COLLATE "C" PRIMARY KEY,
  name         text   NOT NULL,
  -- SHA-256 of the whole token: its secret part is random, so no slower function is needed.
  digest       bytea  NOT NULL,
  scopes       text   NOT NULL,
  -- JSON list of globs; NULL: every queue.
  queues       text,
  created_at   bigint NOT NULL,
  created_by   text   NOT NULL,
  expires_at   bigint,
  last_used_at bigint,
  revoked_at   bigint
);

CREATE TABLE sessions (
  -- SHA-256 of what the cookie holds.
  digest       bytea  PRIMARY KEY,
  token_id     text   COLLATE "C" NOT NULL,
  -- Of the token that opened it: one that is replaced takes its sessions with it.
  token_digest bytea  NOT NULL,
  created_at   bigint NOT NULL,
  seen_at      bigint NOT NULL
);

CREATE TABLE audit (
  seq        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         bigint  NOT NULL,
  token_id   text    NOT NULL,
  -- JSON text, like `target` and `detail`.
  token_name text    NOT NULL,
  session    boolean NOT NULL,
  ip         text    NOT NULL,
  request_id text    NOT NULL,
  action     text    NOT NULL,
  target     text,
  detail     text,
  -- Set when the call was answered; a call that has none was cut off by a crash.
  status     integer
);

CREATE INDEX audit_at   ON audit (at);
CREATE INDEX audit_open ON audit (seq) WHERE status IS NULL;

CREATE TABLE workers (
  id          text    COLLATE "C" PRIMARY KEY,
  host        text    NOT NULL,
  pid         bigint  NOT NULL,
  queues      text    NOT NULL,
  names       text,
  concurrency integer NOT NULL,
  running     integer NOT NULL,
  state       text    NOT NULL,
  started_at  bigint  NOT NULL,
  seen_at     bigint  NOT NULL
);

-- What happened, for those who follow it. A row for each transaction (more for very large ones).
CREATE TABLE events (
  -- Id of the first event; the others follow it without a gap.
  seq  bigint  PRIMARY KEY,
  at   bigint  NOT NULL,
  n    integer NOT NULL,
  -- JSON list of `n` events.
  body text    NOT NULL
);

-- Rows that are still to be numbered, written together with the changes, so that there is an event exactly if
-- there is its change. For one job the order of `id` is that of its changes: each is written while the row of the
-- job is locked.
CREATE TABLE event_inbox (
  id   bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at   bigint  NOT NULL,
  n    integer NOT NULL,
  body text    NOT NULL
);

CREATE TABLE journal (
  one            boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- 0: nobody wants events, and none are written.
  wanted_until   bigint NOT NULL,
  -- Since when without a break.
  wanted_since   bigint NOT NULL,
  -- Everything that happened after this event is in the table.
  complete_after bigint NOT NULL,
  -- Id of the latest event.
  latest         bigint NOT NULL
);

INSERT INTO journal (wanted_until, wanted_since, complete_after, latest) VALUES (0, 0, 0, 0);

-- The bookkeeping of transactions that was not added up yet: a row for each queue and name that a transaction
-- touched. Only inserted and deleted, so no transaction waits for another one.
CREATE TABLE deltas (
  id        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at        bigint  NOT NULL,
  queue     text    COLLATE "C" NOT NULL,
  name      text    COLLATE "C" NOT NULL,
  -- JSON: {state: change, …}.
  counts    jsonb   NOT NULL,
  -- JSON: {event: n, …}.
  events    jsonb   NOT NULL,
  -- JSON: [{kind, bucket, n, sum_ms}, …].
  durations jsonb   NOT NULL,
  -- Changes of jobs that show in no count.
  notes     integer NOT NULL
);

CREATE TABLE folded_counts (
  queue text   COLLATE "C" NOT NULL,
  name  text   COLLATE "C" NOT NULL,
  state text   COLLATE "C" NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (queue, state, name)
);

CREATE TABLE folded_total_events (
  queue text   COLLATE "C" NOT NULL,
  name  text   COLLATE "C" NOT NULL,
  event text   COLLATE "C" NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (queue, name, event)
);

CREATE TABLE folded_total_durations (
  queue  text     COLLATE "C" NOT NULL,
  name   text     COLLATE "C" NOT NULL,
  kind   text     COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  n      bigint   NOT NULL,
  sum_ms bigint   NOT NULL,
  PRIMARY KEY (queue, name, kind, bucket)
);

-- Roll-ups are read, and removed, by time; those of one queue without reading the others of the same time.
CREATE TABLE folded_minute_events (
  minute bigint NOT NULL,
  queue  text   COLLATE "C" NOT NULL,
  name   text   COLLATE "C" NOT NULL,
  event  text   COLLATE "C" NOT NULL,
  n      bigint NOT NULL,
  PRIMARY KEY (minute, queue, name, event)
);

CREATE INDEX folded_minute_events_queue ON folded_minute_events (queue, minute);

CREATE TABLE folded_minute_durations (
  minute bigint   NOT NULL,
  queue  text     COLLATE "C" NOT NULL,
  name   text     COLLATE "C" NOT NULL,
  kind   text     COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  n      bigint   NOT NULL,
  sum_ms bigint   NOT NULL,
  PRIMARY KEY (minute, queue, name, kind, bucket)
);

CREATE INDEX folded_minute_durations_queue ON folded_minute_durations (queue, minute);

CREATE TABLE folded_hour_events (
  hour  bigint NOT NULL,
  queue text   COLLATE "C" NOT NULL,
  name  text   COLLATE "C" NOT NULL,
  event text   COLLATE "C" NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (hour, queue, name, event)
);

CREATE INDEX folded_hour_events_queue ON folded_hour_events (queue, hour);

CREATE TABLE folded_hour_durations (
  hour   bigint   NOT NULL,
  queue  text     COLLATE "C" NOT NULL,
  name   text     COLLATE "C" NOT NULL,
  kind   text     COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  n      bigint   NOT NULL,
  sum_ms bigint   NOT NULL,
  PRIMARY KEY (hour, queue, name, kind, bucket)
);

CREATE INDEX folded_hour_durations_queue ON folded_hour_durations (queue, hour);

CREATE TABLE folded_notes (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  n   bigint  NOT NULL
);

INSERT INTO folded_notes (n) VALUES (0);

-- What the bookkeeping says: what was added up, and what was not yet. There may be several rows for one key.
CREATE VIEW counts AS
  SELECT queue, name, state, n FROM folded_counts
  UNION ALL
  SELECT queue, name, key, value::bigint FROM deltas, jsonb_each_text(counts);

CREATE VIEW total_events AS
  SELECT queue, name, event, n FROM folded_total_events
  UNION ALL
  SELECT queue, name, key, value::bigint FROM deltas, jsonb_each_text(events);

CREATE VIEW minute_events AS
  SELECT minute, queue, name, event, n FROM folded_minute_events
  UNION ALL
  SELECT at - at % 60000, queue, name, key, value::bigint FROM deltas, jsonb_each_text(events);

CREATE VIEW hour_events AS
  SELECT hour, queue, name, event, n FROM folded_hour_events
  UNION ALL
  SELECT at - at % 3600000, queue, name, key, value::bigint FROM deltas, jsonb_each_text(events);

CREATE VIEW total_durations AS
  SELECT queue, name, kind, bucket, n, sum_ms FROM folded_total_durations
  UNION ALL
  SELECT queue, name, d.kind, d.bucket, d.n, d.sum_ms
  FROM deltas, jsonb_to_recordset(durations) AS d (kind text, bucket smallint, n bigint, sum_ms bigint);

CREATE VIEW minute_durations AS
  SELECT minute, queue, name, kind, bucket, n, sum_ms FROM folded_minute_durations
  UNION ALL
  SELECT at - at % 60000, queue, name, d.kind, d.bucket, d.n, d.sum_ms
  FROM deltas, jsonb_to_recordset(durations) AS d (kind text, bucket smallint, n bigint, sum_ms bigint);

CREATE VIEW hour_durations AS
  SELECT hour, queue, name, kind, bucket, n, sum_ms FROM folded_hour_durations
  UNION ALL
  SELECT at - at % 3600000, queue, name, d.kind, d.bucket, d.n, d.sum_ms
  FROM deltas, jsonb_to_recordset(durations) AS d (kind text, bucket smallint, n bigint, sum_ms bigint);

-- What is at a place of a JSON text: its type, the text of what is no list and no object, and the value of a number.
-- Nothing where there is nothing, or no JSON. Whatever the text is, this never fails: it would fail a whole search.
--
-- A text of PostgreSQL has no NUL and no lone surrogates. They are read as U+FDD0 and U+FDD2, which are no characters, so
-- that no other text is taken for them.
--
-- Steps of the path: `.key` into an object, `[index` into a list.
CREATE FUNCTION json_at(document text, path text[], OUT type text, OUT value text, OUT number double precision)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found json;
  step text;
BEGIN
  IF document ~ '\\u(0000|[dD][89a-fA-F])' THEN
    -- Without escaped backslashes, whatever looks like an escape is one. U+FDD1 stands for them meanwhile.
    document := replace(document, '\\', U&'\FDD1');
    document := replace(document, '\u0000', U&'\FDD0');
    document := regexp_replace(document, '\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])', U&'\FDD2', 'g');
    document := regexp_replace(
      document, '(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}', U&'\FDD2', 'g'
    );
    document := replace(document, U&'\FDD1', '\\');
  END IF;
  found := document::json;
  FOREACH step IN ARRAY path LOOP
    IF left(step, 1) = '[' THEN
      found := found -> substr(step, 2)::int;
    ELSE
      found := found -> substr(step, 2);
    END IF;
  END LOOP;
  type := json_typeof(found);
  IF type IN ('object', 'array') THEN RETURN; END IF;
  value := found #>> '{}';
  IF type <> 'number' THEN RETURN; END IF;
  IF length(value) <= 300 AND value !~ '[eE]' THEN
    number := value::double precision;
  ELSE
    BEGIN
      number := value::double precision;
    EXCEPTION WHEN numeric_value_out_of_range THEN
      -- As JavaScript reads it.
      number := CASE WHEN value ~ '^-?0|[eE]-' THEN '0' WHEN value LIKE '-%' THEN '-Infinity' ELSE 'Infinity' END;
    END;
  END IF;
EXCEPTION WHEN OTHERS THEN
  type := NULL;
  value := NULL;
  number := NULL;
END;
$$;

-- Changes whenever somebody finds out whether the database can be written.
CREATE TABLE write_check (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  n   bigint  NOT NULL
);

INSERT INTO write_check (n) VALUES (0);

-- A database that is being moved here from elsewhere. Nobody may work on it before it is complete.
CREATE TABLE moving (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- What tells the source, in the state in which it is moved.
  source   text    NOT NULL,
  -- JSON: the last row that is here.
  position jsonb
);
