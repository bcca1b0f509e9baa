import type { JournalEvent } from "../../core/journal.js";
import type { Clock } from "../../core/clock.js";
import type { Gap } from "../../store/events.js";
import type { Store } from "../../store/store.js";
import { Followers } from "../loops/followers.js";
import { Loop } from "../loops/loop.js";
import type { StoreHealth } from "../store-health.js";

/** Events that are read at once. */
const PAGE = 1_000;
/** How often the store is told that events are wanted: well within the time that it remembers. */
const WANT_AGAIN_MS = 60_000;
const RETRY_MS = 500;

/** Called in the order of the journal. Must not throw, and must not wait. */
export interface Follower {
  /** Some of these may be before the place at which the follower joined: it compares their numbers. */
  events(events: readonly JournalEvent[]): void;
  /** Events are lost to everybody who follows; what comes next is after `latest`. */
  lost(gap: Gap, latest: number): void;
}

/**
 * Reads the journal once for all who follow it in this process. While nobody does, nothing is read and
 * no timer runs; while somebody does, the journal is read when it has changed.
 */
export class JournalReader {
  readonly #followers = new Followers<Follower>(
    () => this.#start(),
    () => {
      this.#stop();
    },
  );
  /** Everything up to here has been told. */
  #position = 0;
  #wantedAt = Number.NEGATIVE_INFINITY;
  #unsubscribe: (() => void) | null = null;
  readonly #loop: Loop;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly health: StoreHealth,
  ) {
    this.#loop = new Loop(
      clock,
      () => this.#read(),
      (error) => {
        health.failed(error, "the reader of the journal");
        return RETRY_MS;
      },
    );
  }

  /** Id of the latest event that followers were told. Meaningful while somebody follows. */
  get position(): number {
    return this.#position;
  }

  /** Tells the store that events are wanted, unless it was told a moment ago. @throws KonveierError `store_…` */
  async want(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.#wantedAt < WANT_AGAIN_MS) return;
    await this.store.events.want();
    this.#wantedAt = now;
    this.health.wrote();
  }

  /**
   * From when this resolves, the follower is told of every event after the answered id.
   *
   * @throws KonveierError `store_…`
   */
  async join(follower: Follower): Promise<number> {
    await this.#followers.join(follower);
    return this.#position;
  }

  /** May be called twice, and for who never joined. */
  leave(follower: Follower): void {
    this.#followers.leave(follower);
  }

  async #start(): Promise<void> {
    await this.want();
    this.#position = await this.store.events.latest();
    this.#unsubscribe = this.store.onChange(({ events }) => {
      if (events) this.#loop.nudge();
    });
    this.#loop.start();
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    // A read that is on its way finds no followers.
    this.#loop.stop().catch((error: unknown) => {
      this.health.failed(error, "the reader of the journal");
    });
  }

  async #read(): Promise<number> {
    await this.want();
    const { generation } = this.#followers;
    const page = await this.store.events.after(this.#position, PAGE);
    // Everybody left meanwhile, and perhaps others came: the place is no longer the one that was read.
    if (generation !== this.#followers.generation) return 0;
    if (page.gap !== null) {
      this.#position = page.latest;
      for (const follower of this.#followers) follower.lost(page.gap, page.latest);
      return WANT_AGAIN_MS;
    }
    this.#position = page.events.at(-1)?.seq ?? this.#position;
    if (page.events.length > 0) {
      for (const follower of this.#followers) follower.events(page.events);
    }
    return page.events.length === PAGE ? 0 : WANT_AGAIN_MS;
  }
}
