import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import type { Clock } from "../../core/clock.js";
import type { StoreChange } from "../store.js";
import type { Pool, Queryable } from "./connection.js";
import type { DatabaseClock } from "./database-clock.js";

/** How often the listening connection is looked after: whether it lives and listens, and whether it missed anything. */
const PROBE_EVERY_MS = 5_000;
/** How long it may take to answer. A network that is cut says nothing. */
const PROBE_TIMEOUT_MS = 3_000;
/** How often anything may have happened while nobody listens. */
const POLL_EVERY_MS = 1_000;
/** Whatever was not told: a process that died between its commit and its notification. */
const LOOK_EVERY_MS = 60_000;
/** PostgreSQL takes less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;

/** As it is sent. `q`: the queues, `null` for any. A commit that nobody waits for has nothing but its sender. */
interface Message {
  readonly from: string;
  readonly q?: readonly string[] | null;
  readonly scheduled?: boolean;
  readonly schedules?: boolean;
  readonly events?: boolean;
}

/** `null`: anything may have happened. */
type Hear = (change: StoreChange | null) => void;

/**
 * Hears what other processes have committed. One connection does nothing but listen; it cannot go through PgBouncer
 * in transaction mode. There, PostgreSQL may say that it listens, by whichever connection answers, and nothing ever
 * comes: it counts as listening only after it has heard itself.
 */
export class Notifications {
  readonly #self = randomUUID();
  readonly #channel;
  /** On which this process alone listens, for itself. */
  readonly #echoChannel = `konveier_${randomUUID().replaceAll("-", "")}`;
  #hear: Hear | null = null;
  #client: pg.Client | null = null;
  #cancelTimer: (() => void) | null = null;
  /** Number of the latest bookkeeping that is known here. A higher one in the database was not told. */
  #latestDelta: number;
  #lookedAt = -Infinity;
  /** While nobody hears, anything may have happened. */
  #deaf = true;
  readonly #sending = new Set<Promise<unknown>>();

  constructor(
    private readonly pool: Pool,
    private readonly listenUrl: string,
    private readonly s: string,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    latestDelta: number,
  ) {
    this.#channel = channelOf(s);
    this.#latestDelta = latestDelta;
  }

  /** Begins to listen. Once is enough. */
  start(hear: Hear): void {
    if (this.#hear !== null) return;
    this.#hear = hear;
    this.#lookedAt = this.clock.monotonic();
    this.#connect();
  }

  /** Hears nothing more until the next start. */
  pause(): void {
    this.#hear = null;
    this.#deaf = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#drop();
  }

  /** This process has committed something. */
  committed(latestDelta: number): void {
    this.#latestDelta = Math.max(this.#latestDelta, latestDelta);
  }

  /** Tells the other processes. Who cannot be told looks for himself before long. */
  send(change: StoreChange | null): void {
    this.#notify(this.#notification(this.#self, change));
  }

  #notify(notification: string[]): void {
    const sending: Promise<unknown> = this.pool
      .query("SELECT pg_notify($1, $2)", notification)
      .catch(() => undefined)
      .then(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when all that was to be told is told, or was given up. */
  async sent(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** For a transaction that tells everybody by its commit, this process too. */
  async sendWithin(db: Queryable, change: StoreChange | null): Promise<void> {
    await db.query("SELECT pg_notify($1, $2)::text", this.#notification("", change));
  }

  #notification(from: string, change: StoreChange | null): string[] {
    const text = JSON.stringify(messageOf(from, change));
    const payload =
      Buffer.byteLength(text) <= MAX_PAYLOAD_BYTES
        ? text
        : JSON.stringify({ ...messageOf(from, change), q: null });
    return [this.#channel, payload];
  }

  #connect(): void {
    const client = new pg.Client({
      connectionString: this.listenUrl,
      application_name: "konveier listener",
      keepAlive: true,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    });
    this.#client = client;
    client.on("error", () => {
      this.#lost(client);
    });
    client.on("end", () => {
      this.#lost(client);
    });
    client.on("notification", ({ channel, payload }) => {
      if (channel === this.#echoChannel) this.#deaf = false;
      else this.#heard(payload ?? "");
    });
    this.#listen(client).catch(() => {
      this.#lost(client);
    });
  }

  async #listen(client: pg.Client): Promise<void> {
    await client.connect();
    await client.query(`LISTEN ${this.#channel}; LISTEN ${this.#echoChannel}`);
    await this.#probe(client);
  }

  /** Looks after the connection, now and again and again. Throws when it is of no use any more. */
  async #probe(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ listening: boolean; delta: string | null; now: string }>(
      `SELECT EXISTS (SELECT 1 FROM pg_listening_channels() AS channel WHERE channel = $1) AS listening,
         pg_sequence_last_value($2::regclass) AS delta, ${this.databaseClock.sql} AS now`,
      [this.#channel, `${this.s}.deltas_id_seq`],
    );
    if (this.#client !== client) return;
    const [row] = rows;
    if (row?.listening !== true) throw new Error("The connection does not listen any more");
    this.databaseClock.told(Number(row.now));
    this.#lookAt(Number(row.delta ?? 0), this.#deaf);
    // On another connection, while nothing is under way on this one: PgBouncer hands over what comes meanwhile.
    if (this.#deaf) this.#notify([this.#echoChannel, ""]);
    this.#later(this.#deaf ? POLL_EVERY_MS : PROBE_EVERY_MS, () => {
      this.#probe(client).catch(() => {
        this.#lost(client);
      });
    });
  }

  #lookAt(delta: number, wasDeaf: boolean): void {
    const now = this.clock.monotonic();
    const missed = delta > this.#latestDelta || wasDeaf || now - this.#lookedAt >= LOOK_EVERY_MS;
    this.#latestDelta = Math.max(this.#latestDelta, delta);
    if (!missed) return;
    this.#lookedAt = now;
    this.#hear?.(null);
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#drop();
    this.#deaf = true;
    this.#hear?.(null);
    this.#later(POLL_EVERY_MS, () => {
      this.#connect();
    });
  }

  #drop(): void {
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    client.removeAllListeners();
    // Whatever comes of a connection that is given up.
    client.on("error", () => undefined);
    client.end().catch(() => undefined);
  }

  #later(delayMs: number, what: () => void): void {
    this.#cancelTimer?.();
    if (this.#hear === null) return;
    this.#cancelTimer = this.clock.setTimer(delayMs, what);
  }

  #heard(payload: string): void {
    const message = readMessage(payload);
    if (message.from === this.#self) return;
    this.#hear?.({
      queues: message.q === null ? null : new Set(message.q ?? []),
      scheduled: message.scheduled ?? false,
      schedules: message.schedules ?? false,
      events: message.events ?? false,
    });
  }
}

/**
 * A name of its own for each schema: what needs no quotes, whatever the schema is called.
 *
 * @param s the schema, quoted
 */
export function channelOf(s: string): string {
  return `konveier_${createHash("sha256").update(s).digest("hex").slice(0, 16)}`;
}

function messageOf(from: string, change: StoreChange | null): Message {
  if (change === null) return { from };
  const { queues, scheduled, schedules, events } = change;
  return { from, q: queues === null ? null : [...queues], scheduled, schedules, events };
}

/** Anybody may notify. What cannot be read means that anything may have happened. */
function readMessage(payload: string): Message {
  try {
    const message = JSON.parse(payload) as Message | null;
    if (message !== null && typeof message === "object" && typeof message.from === "string") {
      return message.q === undefined || isListOfNames(message.q) ? message : { ...message, q: null };
    }
  } catch {
    // Below.
  }
  return { from: "", q: null, scheduled: true, schedules: true, events: true };
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
