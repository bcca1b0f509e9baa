import type { Clock } from "../../core/clock.js";
import type { LiveReading } from "../../store/live.js";
import type { Store } from "../../store/store.js";
import { Followers } from "../loops/followers.js";
import { Loop } from "../loops/loop.js";
import type { StoreHealth } from "../store-health.js";
import { changeBetween, type LiveChange } from "./change.js";

/** People do not read faster. */
const MIN_PAUSE_MS = 1_000;
/** A reading may take a twentieth of the time: with ten thousand queues it must not eat a core. */
const PAUSES_PER_READING = 20;
const RETRY_MS = 1_000;
/** The net under missed wake-ups. Asking whether anything changed costs microseconds. */
const IDLE_MS = 60_000;

/** Must not throw, and must not wait. */
export interface LiveFollower {
  /** What has changed since the reading before, of which every follower was told. */
  changed(change: LiveChange, reading: LiveReading): void;
}

/**
 * Reads the numbers of a page once for all who follow them in this process: when something was written, and at most
 * once a second. While nobody follows, nothing is read and no timer runs.
 */
export class LiveReader {
  readonly #followers = new Followers<LiveFollower>(
    () => this.#start(),
    () => {
      this.#stop();
    },
  );
  #latest: LiveReading | null = null;
  #unsubscribe: (() => void) | null = null;
  /** Something was written since the last reading began. */
  #dirty = false;
  #notBefore = Number.NEGATIVE_INFINITY;
  readonly #loop: Loop;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly health: StoreHealth,
  ) {
    this.#loop = new Loop(
      clock,
      () => this.#look(),
      (error) => {
        health.failed(error, "the reader of live numbers");
        this.#dirty = true;
        return RETRY_MS;
      },
    );
  }

  /**
   * From when this resolves, the follower is told of every change after the reading that `latest` has then.
   *
   * @throws KonveierError `store_…`
   */
  join(follower: LiveFollower): Promise<void> {
    return this.#followers.join(follower);
  }

  /** May be called twice, and for who never joined. */
  leave(follower: LiveFollower): void {
    this.#followers.leave(follower);
  }

  /** The last reading. Only while somebody follows. */
  get latest(): LiveReading {
    if (this.#latest === null) throw new Error("Nobody follows, so nothing was read");
    return this.#latest;
  }

  /** A reading for who does not follow. At most a pause old. @throws KonveierError `store_…` */
  async once(): Promise<LiveReading> {
    return this.#followers.size > 0 ? this.latest : this.store.live.read();
  }

  async #start(): Promise<void> {
    this.#unsubscribe = this.store.onCommit(() => {
      if (this.#dirty) return;
      this.#dirty = true;
      this.#loop.nudge();
    });
    const started = this.clock.monotonic();
    this.#latest = await this.store.live.read();
    this.#rest(started);
    this.#loop.start();
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    // A look that is on its way finds no followers.
    this.#loop.stop().catch((error: unknown) => {
      this.health.failed(error, "the reader of live numbers");
    });
  }

  /** @returns the milliseconds until it wants to look again */
  async #look(): Promise<number> {
    const started = this.clock.monotonic();
    if (started < this.#notBefore) return this.#notBefore - started;
    const { store } = this;
    const { generation } = this.#followers;
    const before = this.latest;
    this.#dirty = false;
    const same = (await store.live.version()) === before.version;
    const reading = same ? before : await store.live.read();
    // Everybody left meanwhile, and perhaps others came, for whom another reading was made.
    if (generation !== this.#followers.generation) return 0;
    if (same) return IDLE_MS;
    this.#latest = reading;
    const change = changeBetween(before, reading);
    if (change !== null) for (const follower of this.#followers) follower.changed(change, reading);
    this.#rest(started);
    return IDLE_MS;
  }

  #rest(started: number): void {
    const now = this.clock.monotonic();
    this.#notBefore = now + Math.max(MIN_PAUSE_MS, PAUSES_PER_READING * (now - started));
  }
}
