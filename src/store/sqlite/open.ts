import { systemClock, type Clock } from "../../core/clock.js";
import type { JoinedTransaction } from "../joined.js";
import type { Store, StoreChange, StoreDescription } from "../store.js";
import { SqliteAudit } from "./audit.js";
import { ChangeByHand } from "./change-by-hand.js";
import { ChangeFeed } from "./change-feed.js";
import { SqliteClaims } from "./claims.js";
import { closedError, Committer } from "./committer.js";
import { FileGuard, openConnection, type Connection, type Synchronous } from "./connection.js";
import type { SqliteContext } from "./context.js";
import { SqliteDead } from "./dead.js";
import { translateError } from "./errors.js";
import { SMALL_SET } from "./job-search/plan.js";
import { SqliteSteps } from "./job-steps.js";
import { SqliteJobs } from "./jobs.js";
import { JobSearch } from "./job-search/job-search.js";
import { SqliteEvents } from "./events.js";
import { SqliteExpiry } from "./expiry.js";
import { Joins } from "./join.js";
import { SqliteFlows } from "./flows.js";
import { FlowEnds } from "./flow-ends.js";
import { Journal } from "./journal.js";
import { Ledger } from "./ledger.js";
import { BoundedQueues } from "./bounded-queues.js";
import { SqliteLive } from "./live.js";
import { SqliteMaintenance } from "./maintenance.js";
import { migrate, SchemaGuard } from "./migrate.js";
import { SqliteOperations } from "./operations.js";
import { SqliteQueues } from "./queues.js";
import { Remove } from "./remove.js";
import { Sequences } from "./sequences.js";
import { SqliteSchedules } from "./schedules.js";
import { SqliteStats } from "./stats.js";
import type { StepHook } from "./steps.js";
import { SqliteSuggestions } from "./suggestions.js";
import { SqliteTokens } from "./tokens.js";
import { SqliteWorkers } from "./workers.js";
import { WriteCheck } from "./write-check.js";

export interface SqliteOptions {
  /** Default `full`: what was accepted survives a power cut. */
  readonly synchronous?: Synchronous | undefined;
  readonly clock?: Clock | undefined;
  /** Called at each labelled step of a write. For tests that kill the process there. */
  readonly onStep?: StepHook;
  /** Candidates that a search may read whole and sort. For tests, which have few jobs. */
  readonly smallSet?: number;
}

/**
 * Opens the store in `file`, making or migrating it as needed. Any number of processes may use one file.
 *
 * @param file a path, or `:memory:`
 * @throws KonveierError `store_…` that names the file and says what to do
 */
export function openSqliteStore(file: string, options: SqliteOptions = {}): SqliteStore {
  const db = openConnection(file, options.synchronous ?? "full");
  try {
    migrate(db);
    return new SqliteStore(db, options.clock ?? systemClock, options.onStep ?? noStep, options.smallSet);
  } catch (error) {
    db.close();
    throw translateError(error, db.name);
  }
}

function noStep(): void {
  // Production has nothing to do between the statements of a write.
}

export class SqliteStore implements Store {
  readonly jobs: SqliteJobs;
  readonly claims: SqliteClaims;
  readonly steps: SqliteSteps;
  readonly expiry: SqliteExpiry;
  readonly queues: SqliteQueues;
  readonly flows: SqliteFlows;
  readonly dead: SqliteDead;
  readonly schedules: SqliteSchedules;
  readonly stats: SqliteStats;
  readonly workers: SqliteWorkers;
  readonly operations: SqliteOperations;
  readonly tokens: SqliteTokens;
  readonly audit: SqliteAudit;
  readonly maintenance: SqliteMaintenance;
  readonly events: SqliteEvents;
  readonly live: SqliteLive;
  readonly suggestions: SqliteSuggestions;
  readonly #changes: ChangeFeed;
  readonly #committer: Committer;
  readonly #guard: FileGuard;
  readonly #schema: SchemaGuard;
  readonly #writeCheck: WriteCheck;
  readonly #joins: Joins;

  constructor(
    private readonly db: Connection,
    private readonly clock: Clock,
    step: StepHook,
    smallSet = SMALL_SET,
  ) {
    const sequences = new Sequences(db, step);
    const changes = new ChangeFeed(db, clock);
    const journal = new Journal(db, sequences, changes, step);
    const ledger = new Ledger(db, journal, changes, step);
    const flows = new FlowEnds(db, clock, ledger, changes, step);
    const guard = new FileGuard(db);
    const schema = new SchemaGuard(db);
    const committer = new Committer(
      db,
      clock,
      ledger,
      flows,
      sequences,
      step,
      () => {
        schema.verify();
      },
      () => {
        guard.verify();
      },
      () => {
        changes.publish();
      },
    );
    const context: SqliteContext = {
      db,
      clock,
      ledger,
      flows,
      journal,
      sequences,
      bounded: new BoundedQueues(db, ledger),
      changes,
      step,
      smallSet,
      write: (work) => committer.write(work),
      read: (work) => this.#read(work),
    };
    const remove = new Remove(context);
    const search = new JobSearch(context);
    const byHand = new ChangeByHand(context, remove);
    this.jobs = new SqliteJobs(context, search, byHand);
    this.claims = new SqliteClaims(context);
    this.steps = new SqliteSteps(context);
    this.expiry = new SqliteExpiry(context);
    this.queues = new SqliteQueues(context);
    this.flows = new SqliteFlows(context, byHand, remove);
    this.dead = new SqliteDead(context);
    this.schedules = new SqliteSchedules(context);
    this.stats = new SqliteStats(context);
    this.workers = new SqliteWorkers(context);
    this.operations = new SqliteOperations(context, search, byHand);
    this.tokens = new SqliteTokens(context);
    this.audit = new SqliteAudit(context);
    this.maintenance = new SqliteMaintenance(context, remove);
    this.events = new SqliteEvents(context);
    this.live = new SqliteLive(context, this.queues);
    this.suggestions = new SqliteSuggestions(context);
    this.#changes = changes;
    this.#committer = committer;
    this.#guard = guard;
    this.#schema = schema;
    this.#writeCheck = new WriteCheck(context);
    this.#joins = new Joins(db, clock);
  }

  now(): number {
    return this.clock.now();
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  onCommit(listener: () => void): () => void {
    return this.#changes.subscribeToCommits(listener);
  }

  join(connection: unknown): JoinedTransaction {
    return this.#joins.with(connection);
  }

  check(): Promise<void> {
    return this.#read(() => {
      this.#guard.verify();
      this.#schema.verify();
    });
  }

  checkWrite(): Promise<void> {
    return this.#writeCheck.run();
  }

  async close(): Promise<void> {
    if (!this.db.open) return;
    this.#changes.stop();
    await this.#committer.close();
    this.db.close();
  }

  about(): Promise<StoreDescription> {
    return this.#read(() => ({
      kind: "sqlite",
      version: this.db.prepare<[], string>("SELECT sqlite_version()").pluck().get() ?? "",
      schemaVersion: this.#schema.version,
    }));
  }

  signingSecret(): Promise<Buffer> {
    return this.#read(() => {
      const row = this.db.prepare("SELECT value FROM secrets WHERE name = 'signing'").get() as {
        value: Buffer;
      };
      return row.value;
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- async so that whatever `work` throws is a rejection
  async #read<T>(work: () => T): Promise<T> {
    if (!this.db.open) throw closedError(this.db.name);
    try {
      return work();
    } catch (error) {
      throw translateError(error, this.db.name);
    }
  }
}
