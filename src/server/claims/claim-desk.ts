import { callAt } from "../../core/clock.js";
import { DEFAULT_POLL_MS } from "../../core/defaults.js";
import { KonveierError } from "../../core/errors.js";
import type { ClaimedJob } from "../../core/job.js";
import { claim, checkClaim, mayHaveLeftJobs, type AnyClaim } from "../../engine/claim.js";
import type { EngineContext } from "../../engine/context.js";
import { Loop } from "../../engine/loops/loop.js";
import { Turns } from "./turns.js";

/**
 * Waiters that try at the same time, at the most. A round begins with one and doubles as long as all get
 * what they asked for: one job makes two ask, whoever waits, and many jobs soon share a transaction.
 */
const LARGEST_TURN = 64;

interface Waiter {
  readonly request: AnyClaim;
  readonly resolve: (jobs: readonly ClaimedJob[]) => void;
  readonly reject: (error: unknown) => void;
  /** Asks the store at this moment: whatever comes is this waiter's, also when it may no longer wait. */
  claiming: boolean;
  /** Its time is up, its client is gone, or the server stops. */
  over: boolean;
}

/** Waiters for the same queues and names, in the order of their arrival: what one misses, all miss. */
interface Line {
  readonly key: string;
  readonly queues: readonly string[];
  readonly waiters: Set<Waiter>;
  /** Those with a name for their claim whose jobs the store may have, whoever is before them. */
  readonly unasked: Set<Waiter>;
  /** Jobs may have come since the last round began. */
  woken: boolean;
  serving: Promise<void> | null;
}

/**
 * Claims jobs for remote workers, and lets them wait for jobs. All waiters share one subscription to
 * the store's changes. Waiting holds no transaction. Nobody is overtaken within a line.
 */
export class ClaimDesk {
  readonly #lines = new Map<string, Line>();
  /** So that a change costs what it wakes, and not all lines with all their queues. */
  readonly #linesOf = new Map<string, Set<Line>>();
  /** Of looks at a queue: many claims for many queues must not look in one turn of the event loop. */
  readonly #looks = new Turns();
  readonly #unsubscribe: () => void;
  readonly #poll: Loop;
  #draining = false;

  constructor(private readonly context: EngineContext) {
    this.#unsubscribe = context.store.onChange(({ queues }) => {
      this.#wake(queues);
    });
    // The net under the wake-ups, as workers in this process have it.
    this.#poll = new Loop(
      context.clock,
      () => {
        this.#wake(null);
        return Promise.resolve(DEFAULT_POLL_MS);
      },
      () => DEFAULT_POLL_MS,
    );
    this.#poll.start();
  }

  /**
   * Takes jobs, waiting up to `waitMs` for the first. Jobs may come although `gone` has fired meanwhile:
   * the caller gives them back.
   *
   * @throws KonveierError `validation_failed`, `draining`, `store_…`
   */
  async claim(request: AnyClaim, waitMs: number, gone: AbortSignal): Promise<readonly ClaimedJob[]> {
    if (this.#draining) {
      throw new KonveierError("draining", "This server takes no new claims. Claim from another one.");
    }
    checkClaim(request);
    if (waitMs === 0) {
      const turn = this.#looks.begin(request.queues.length);
      if (turn !== null) await turn;
      return (await claim(this.context, request)) ?? [];
    }
    return this.#wait(request, waitMs, gone);
  }

  /** Claims that wait for jobs. */
  get waiting(): number {
    let waiting = 0;
    for (const { waiters } of this.#lines.values()) waiting += waiters.size;
    return waiting;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Answers all who wait and refuses new claims. Claims that are on their way are finished. */
  drain(): void {
    this.#draining = true;
    for (const line of this.#lines.values()) for (const waiter of line.waiters) end(line, waiter);
  }

  async close(): Promise<void> {
    this.drain();
    this.#unsubscribe();
    await this.#poll.stop();
  }

  async #wait(request: AnyClaim, waitMs: number, gone: AbortSignal): Promise<readonly ClaimedJob[]> {
    const { clock } = this.context;
    const line = this.#lineFor(request);
    let stop = (): void => undefined;
    try {
      return await new Promise((resolve, reject) => {
        const waiter: Waiter = { request, resolve, reject, claiming: false, over: false };
        const over = (): void => {
          end(line, waiter);
        };
        const cancelTimer = callAt(clock, clock.monotonic() + waitMs, over);
        gone.addEventListener("abort", over);
        stop = () => {
          cancelTimer();
          gone.removeEventListener("abort", over);
        };
        line.waiters.add(waiter);
        if (request.claimId !== undefined) line.unasked.add(waiter);
        // The first try is a round like any other, so that no change between a try and the wait is missed.
        this.#serve(line);
      });
    } finally {
      stop();
      this.#forget(line);
    }
  }

  #lineFor(request: AnyClaim): Line {
    const key = keyOf(request);
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = {
        key,
        queues: request.queues,
        waiters: new Set(),
        unasked: new Set(),
        woken: false,
        serving: null,
      };
      this.#lines.set(key, line);
      for (const queue of line.queues) {
        const lines = this.#linesOf.get(queue);
        if (lines === undefined) this.#linesOf.set(queue, new Set([line]));
        else lines.add(line);
      }
    }
    return line;
  }

  #forget(line: Line): void {
    // A later line may have the same key by now.
    if (line.waiters.size > 0 || this.#lines.get(line.key) !== line) return;
    this.#lines.delete(line.key);
    for (const queue of line.queues) {
      const lines = this.#linesOf.get(queue);
      lines?.delete(line);
      if (lines?.size === 0) this.#linesOf.delete(queue);
    }
  }

  #wake(queues: ReadonlySet<string> | null): void {
    if (queues === null) {
      for (const line of this.#lines.values()) this.#serve(line);
      return;
    }
    for (const queue of queues) for (const line of this.#linesOf.get(queue) ?? []) this.#serve(line);
  }

  #serve(line: Line): void {
    line.woken = true;
    line.serving ??= this.#serveWhileWoken(line);
  }

  async #serveWhileWoken(line: Line): Promise<void> {
    while (line.woken && line.waiters.size > 0) {
      line.woken = false;
      await this.#round(line);
    }
    line.serving = null;
  }

  /** Turn by turn, until somebody comes up short: then nothing is left for those behind. */
  async #round(line: Line): Promise<void> {
    for (let size = 1; line.waiters.size > 0; size = Math.min(size * 2, LARGEST_TURN)) {
      const turn = firstOf(line.waiters, size);
      const sated = await Promise.all(turn.map((waiter) => this.#try(line, waiter)));
      if (sated.includes(false)) break;
    }
    // After the line, so that nobody is overtaken.
    await Promise.all([...line.unasked].map((waiter) => this.#try(line, waiter)));
  }

  /** Whether there may be more after what this waiter got. Its failure is no one else's. */
  async #try(line: Line, waiter: Waiter): Promise<boolean> {
    const { request } = waiter;
    line.unasked.delete(waiter);
    const ownTurn = this.#looks.begin(request.queues.length);
    if (ownTurn !== null) await ownTurn;
    // It has left meanwhile, with nothing.
    if (!line.waiters.has(waiter)) return true;
    waiter.claiming = true;
    try {
      const jobs = await claim(this.context, request);
      waiter.claiming = false;
      if (jobs === null) {
        leave(line, waiter, []);
        return true;
      }
      if (jobs.length > 0 || waiter.over) leave(line, waiter, jobs);
      // What was handed out again says nothing about what is left.
      return request.claimId === undefined ? mayHaveLeftJobs(request.max, jobs) : jobs.length > 0;
    } catch (error) {
      line.waiters.delete(waiter);
      waiter.reject(error);
      return true;
    }
  }
}

function end(line: Line, waiter: Waiter): void {
  waiter.over = true;
  if (!waiter.claiming) leave(line, waiter, []);
}

function leave(line: Line, waiter: Waiter, jobs: readonly ClaimedJob[]): void {
  line.waiters.delete(waiter);
  line.unasked.delete(waiter);
  if (jobs.length > 0) askToo(line, waiter);
  waiter.resolve(jobs);
}

/**
 * A worker that asks again under the same name has given up on one of its requests. Which one is not known here: they may
 * come in another order than they were sent, and a broken connection may not be noticed yet. So all get the same jobs.
 */
function askToo(line: Line, { request }: Waiter): void {
  if (request.claimId === undefined) return;
  for (const other of line.waiters) if (isSameClaim(other.request, request)) line.unasked.add(other);
}

/** Of two in one line. */
function isSameClaim(one: AnyClaim, other: AnyClaim): boolean {
  return one.claimId === other.claimId && one.workerId === other.workerId && one.claimant === other.claimant;
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.push(item) === count) break;
  }
  return first;
}

function keyOf({ queues, names }: AnyClaim): string {
  return JSON.stringify([queues, names]);
}
