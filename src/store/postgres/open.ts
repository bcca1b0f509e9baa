import { systemClock, type Clock } from "../../core/clock.js";
import { KonveierError } from "../../core/errors.js";
import type { JoinedTransaction } from "../joined.js";
import type { Store, StoreChange, StoreDescription } from "../store.js";
import { PostgresAudit } from "./audit.js";
import { ChangeByHand } from "./change-by-hand.js";
import { ChangeFeed } from "./change-feed.js";
import type { Changes } from "./changes.js";
import { PostgresClaims } from "./claims.js";
import { closedError, Committer } from "./committer.js";
import { openPool, promptly, type Pool } from "./connection.js";
import type { PostgresContext } from "./context.js";
import { DatabaseClock } from "./database-clock.js";
import { PostgresDead } from "./dead.js";
import { translateError, translateOpeningError } from "./errors.js";
import { PostgresEvents } from "./events.js";
import { PostgresExpiry } from "./expiry.js";
import { FlowCounts } from "./flow-counts.js";
import { FlowEndStatements } from "./flow-ends.js";
import { PostgresFlows } from "./flows.js";
import { Fold } from "./fold.js";
import { Joins } from "./join.js";
import { JobSearch } from "./job-search/job-search.js";
import { PostgresSteps } from "./job-steps.js";
import { PostgresJobs } from "./jobs.js";
import { LowerFloors } from "./lane-floors.js";
import { RaiseFloors } from "./raise-floors.js";
import { LedgerStatements } from "./ledger.js";
import { PostgresLive } from "./live.js";
import { PostgresMaintenance } from "./maintenance.js";
import { migrate, SchemaGuard } from "./migrate.js";
import { Notifications } from "./notifications.js";
import { placeOf, quotedSchema } from "./place.js";
import { PostgresOperations } from "./operations.js";
import { PostgresQueues } from "./queues.js";
import { Reads } from "./reads.js";
import { Remove } from "./remove.js";
import { PostgresSchedules } from "./schedules.js";
import { checkServer } from "./server-check.js";
import { PostgresStats } from "./stats.js";
import { PostgresSuggestions } from "./suggestions.js";
import type { EndStatements } from "./transaction.js";
import { PostgresTokens } from "./tokens.js";
import { PostgresWorkers } from "./workers.js";

export interface PostgresOptions {
  /** Where everything is. Lower-case letters, digits and underscores. Default `konveier`. */
  readonly schema?: string | undefined;
  /** Where to listen for notifications, if not at the URL of the store: past a PgBouncer in transaction mode. */
  readonly listenUrl?: string | undefined;
  /** For tests: the time, instead of the database's. */
  readonly clock?: Clock | undefined;
  /** Candidates that a search may read whole and sort. For tests, which have few jobs. */
  readonly smallSet?: number;
}

/** Candidates that a search reads whole and sorts by default. */
const SMALL_SET = 1_000;

/**
 * Opens the store in a PostgreSQL database, making or migrating its schema as needed. Any number of processes on any
 * number of machines may use one.
 *
 * @param url `postgres://user:password@host:port/database`
 * @throws KonveierError `store_…` that says what to do
 */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const s = quotedSchema(options.schema ?? "konveier");
  const place = placeOf(url, s);
  const pool = openPool(url);
  try {
    const client = await pool.connect();
    try {
      await checkServer(client, place);
      await migrate(client, s, place);
    } finally {
      client.release();
    }
    return await PostgresStore.start(pool, url, s, place, options);
  } catch (error) {
    await pool.end();
    throw translateOpeningError(error, place);
  }
}

/** What is in a database at the moment when it is opened. */
interface FirstReading {
  readonly now: number;
  readonly delta: number | null;
  /** Whether there is bookkeeping to add up. */
  readonly unfolded: boolean;
  /** Whether another database is being moved here. */
  readonly moving: boolean;
}

/** What a store is made of, besides its nouns. */
interface Parts {
  readonly pool: Pool;
  /** How the database is named in messages. */
  readonly place: string;
  /** The schema, quoted. */
  readonly s: string;
  readonly clock: DatabaseClock;
  readonly schema: SchemaGuard;
  readonly statements: EndStatements;
  readonly notifications: Notifications;
  readonly changes: ChangeFeed;
  readonly committer: Committer;
  readonly reads: Reads;
  readonly fold: Fold;
  readonly smallSet: number;
}

export class PostgresStore implements Store {
  readonly jobs: PostgresJobs;
  readonly claims: PostgresClaims;
  readonly steps: PostgresSteps;
  readonly expiry: PostgresExpiry;
  readonly queues: PostgresQueues;
  readonly flows: PostgresFlows;
  readonly dead: PostgresDead;
  readonly schedules: PostgresSchedules;
  readonly stats: PostgresStats;
  readonly workers: PostgresWorkers;
  readonly operations: PostgresOperations;
  readonly tokens: PostgresTokens;
  readonly audit: PostgresAudit;
  readonly maintenance: PostgresMaintenance;
  readonly events: PostgresEvents;
  readonly live: PostgresLive;
  readonly suggestions: PostgresSuggestions;
  readonly #joins: Joins;
  #closing: Promise<void> | null = null;

  private constructor(private readonly parts: Parts) {
    const { s, clock, committer, statements, schema, notifications, place, reads, smallSet, changes } = parts;
    const context: PostgresContext = {
      s,
      clock,
      smallSet,
      limited: changes.limited,
      write: (work) => committer.write(work),
      committer,
      read: (work) => reads.read(work),
      look: (work) => reads.look(work),
      snapshot: (work) => reads.snapshot(work),
    };
    const remove = new Remove(context);
    const search = new JobSearch(context);
    const byHand = new ChangeByHand(context, remove);
    this.jobs = new PostgresJobs(context, search, byHand);
    this.claims = new PostgresClaims(context, new RaiseFloors(s, committer, clock));
    this.steps = new PostgresSteps(context);
    this.expiry = new PostgresExpiry(context);
    this.queues = new PostgresQueues(context);
    this.flows = new PostgresFlows(context, byHand, remove);
    this.dead = new PostgresDead(context);
    this.schedules = new PostgresSchedules(context);
    this.stats = new PostgresStats(context);
    this.workers = new PostgresWorkers(context);
    this.operations = new PostgresOperations(context, search, byHand);
    this.tokens = new PostgresTokens(context);
    this.audit = new PostgresAudit(context);
    this.maintenance = new PostgresMaintenance(context, remove);
    this.events = new PostgresEvents(context);
    this.live = new PostgresLive(context, this.queues);
    this.suggestions = new PostgresSuggestions(context);
    this.#joins = new Joins(context, statements, schema, notifications, place);
  }

  /** @param s the schema, quoted; it is migrated already */
  static async start(
    pool: Pool,
    url: string,
    s: string,
    place: string,
    options: PostgresOptions,
  ): Promise<PostgresStore> {
    const { rows } = await pool.query<FirstReading>(
      `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
         pg_sequence_last_value('${s}.deltas_id_seq') AS delta,
         EXISTS (SELECT 1 FROM ${s}.deltas) AS unfolded, EXISTS (SELECT 1 FROM ${s}.moving) AS moving`,
    );
    const [first] = rows;
    if (first?.moving === true) {
      throw new KonveierError(
        "store_unsupported",
        `${place}: another database is being moved here. Let konveier migrate-store come to its end, or call it again.`,
      );
    }
    const clock = options.clock ?? systemClock;
    const databaseClock = new DatabaseClock(clock, first?.now ?? 0, options.clock !== undefined);
    const listenUrl = options.listenUrl ?? url;
    const latest = first?.delta ?? 0;
    const notifications = new Notifications(pool, listenUrl, s, clock, databaseClock, latest);
    const changes = new ChangeFeed(clock, notifications);
    const schema = new SchemaGuard(s, place);
    const statements = {
      ledger: new LedgerStatements(s),
      floors: new LowerFloors(s),
      flowEnds: new FlowEndStatements(s),
      flowCounts: new FlowCounts(s),
    };
    const fold = new Fold(pool, s, clock);
    const committed = (done: Changes) => {
      changes.committed(done);
      if (done.latestDelta > 0) fold.soon();
    };
    // Not the store's clock: the other transactions that a write waits for have the time of the world.
    const committer = new Committer(pool, systemClock, databaseClock, statements, schema, committed, place);
    if (first?.unfolded === true) fold.now();
    return new PostgresStore({
      pool,
      place,
      s,
      clock: databaseClock,
      schema,
      statements,
      notifications,
      changes,
      committer,
      reads: new Reads(pool, systemClock, schema, place),
      fold,
      smallSet: options.smallSet ?? SMALL_SET,
    });
  }

  now(): number {
    return this.parts.clock.now();
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    return this.parts.changes.subscribe(listener);
  }

  onCommit(listener: () => void): () => void {
    return this.parts.changes.subscribeToCommits(listener);
  }

  join(client: unknown): JoinedTransaction {
    return this.#joins.with(client);
  }

  /** Asks once: whoever wants to know whether the database is there does not want to wait for it. */
  async check(): Promise<void> {
    const { pool, schema, place } = this.parts;
    if (this.#closing !== null) throw closedError(place);
    try {
      schema.verify(await schema.read(promptly(pool)));
    } catch (error) {
      throw translateError(error, place);
    }
  }

  async checkWrite(): Promise<void> {
    await this.parts.committer.write((tx) => tx.query(`UPDATE ${this.parts.s}.write_check SET n = n + 1`));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  about(): Promise<StoreDescription> {
    return this.parts.reads.read(async (db) => {
      const { rows } = await db.query("SELECT current_setting('server_version') AS version");
      const [row] = rows as { version: string }[];
      return {
        kind: "postgres",
        version: row?.version ?? "",
        schemaVersion: (await this.parts.schema.read(db)).version,
      };
    });
  }

  signingSecret(): Promise<Buffer> {
    return this.parts.reads.read(async (db) => {
      const { rows } = await db.query(`SELECT value FROM ${this.parts.s}.secrets WHERE name = 'signing'`);
      const [row] = rows as { value: Buffer }[];
      if (row === undefined) throw new Error("The database has no secret to sign with");
      return row.value;
    });
  }

  async #close(): Promise<void> {
    const { committer, changes, fold, pool, reads } = this.parts;
    // In this order: what was begun may have to read once more.
    await committer.close();
    reads.close();
    await Promise.all([changes.stop(), fold.close()]);
    await pool.end();
  }
}
