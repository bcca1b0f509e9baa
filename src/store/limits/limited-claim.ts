import type { Instant } from "../../core/job.js";
import { parseKeys } from "../../core/job-keys.js";
import type { QueueLimits, RateLimit } from "../../core/queue-limits.js";
import { dealShares, mayTake, type Group, type Share } from "./fair-shares.js";
import { bucketOf, leavesAt } from "./rate-window.js";

/** Keys that one claim looks at: with more, the next claim goes on behind them. */
const MAX_KEYS_PER_CLAIM = 1_000;
/** Keys that are looked at with one statement. */
const KEYS_AT_ONCE = 100;
/** When all keys that a claim looked at are at their limits, and there are more: how soon the next one should look. */
const NEXT_KEYS_AFTER_MS = 250;

/** What a queue uses of its limits. */
export interface Usage {
  readonly running: number;
  /** Starts in the buckets that count. */
  readonly starts: number;
  /** End of the first of those buckets. */
  readonly first_until: Instant | null;
}

/** What keys use of the limits per key; `null` where the queue has no such limit. */
export interface KeyUsage {
  readonly keys: string;
  readonly running: number | null;
  readonly starts: number | null;
  readonly first_until: Instant | null;
  /** Of holds on the concurrency key, and on the rate key. */
  readonly held_until: Instant | null;
  readonly rate_held_until: Instant | null;
}

/** Keys that are to be looked at, in their order. */
export interface KeyRange {
  readonly after: string;
  /** `null`: to the end. */
  readonly upTo: string | null;
  readonly limit: number;
}

/** Jobs of one group that were chosen before stay chosen, so the next ones are behind them. */
export interface Member extends Group {
  readonly rateKey: string | null;
  taken: number;
}

/**
 * What one claim may take of a queue that has limits, or jobs with keys: everything that can be decided without the
 * database. Its use: while there is a `range`, `add` what is found there; `deal`, and say what each share `took`; and
 * again from the beginning, until nothing is dealt any more.
 */
export class LimitedClaim {
  /** Jobs that were chosen. */
  taken = 0;
  /** Chosen jobs with each rate key. */
  readonly starts = new Map<string, number>();
  #free: number;
  #line: Member[] = [];
  #cursor: string | null = null;
  readonly #left = new Map<string, number>();
  /** By the allowance of a rate: end of the first bucket that counts. */
  readonly #firstUntil = new Map<string, Instant | null>();
  #lookAgainAt = Infinity;
  #looked = 0;
  #place: string;
  #part: "behind the cursor" | "without keys" | "up to the cursor" | "none" = "behind the cursor";

  constructor(
    readonly limits: QueueLimits,
    readonly from: string,
    readonly heldUntil: Instant | null,
    usage: Usage,
    private readonly max: number,
    private readonly now: Instant,
  ) {
    const { concurrency, rateLimit } = limits;
    this.#place = from;
    this.#free = Math.min(max, (concurrency ?? Infinity) - usage.running);
    if (rateLimit !== null) {
      const allowed = rateLimit.max - usage.starts;
      if (allowed < max) this.#lookAgain(this.#reopensAt(rateLimit, usage.first_until));
      this.#free = Math.min(this.#free, allowed);
    }
    if (heldUntil !== null && heldUntil > now) {
      this.#lookAgain(heldUntil);
      this.#free = 0;
    }
  }

  /** Whether the limits of the queue itself let in any job. */
  get hasRoom(): boolean {
    return this.#free > 0;
  }

  /** Whether it came as far as to look for jobs. */
  get looked(): boolean {
    return this.#part !== "behind the cursor" || this.#looked > 0;
  }

  /** Where to look for further groups; `null`: nowhere, or there are enough. */
  get range(): KeyRange | "without keys" | null {
    const ready = this.#line.filter((group) => mayTake(group, this.#left)).length;
    if (this.#free <= ready || this.#looked >= MAX_KEYS_PER_CLAIM) return null;
    const limit = Math.min(KEYS_AT_ONCE, MAX_KEYS_PER_CLAIM - this.#looked);
    switch (this.#part) {
      case "behind the cursor":
        return { after: this.#place, upTo: null, limit };
      case "without keys":
        return this.#part;
      case "up to the cursor":
        return { after: this.#place, upTo: this.from, limit };
      case "none":
        return null;
    }
  }

  /** What was found in the range. */
  add(rows: readonly KeyUsage[], { limit }: KeyRange): void {
    for (const row of rows) this.#offer(row);
    this.#looked += rows.length;
    this.#place = rows.at(-1)?.keys ?? this.#place;
    if (rows.length === limit) return;
    this.#part = this.#part === "behind the cursor" ? "without keys" : "none";
  }

  addWithoutKeys(): void {
    this.#line.push({ keys: "", draws: [], rateKey: null, taken: 0 });
    this.#place = "";
    this.#part = this.from === "" ? "none" : "up to the cursor";
  }

  /** What the groups may take now. Nothing: the claim is at its end. */
  deal(): readonly Share<Member>[] {
    const { shares, last, line } = dealShares(this.#line, Math.max(0, this.#free), this.#left);
    this.#line = [...line];
    if (last !== null) this.#cursor = last.keys;
    return shares;
  }

  /** Of a share so many jobs could be chosen: fewer, when the group has no more. */
  took({ group, n }: Share<Member>, chosen: number): void {
    this.taken += chosen;
    this.#free -= chosen;
    group.taken += chosen;
    if (group.rateKey !== null && chosen > 0) {
      this.starts.set(group.rateKey, (this.starts.get(group.rateKey) ?? 0) + chosen);
    }
    if (chosen === n) return;
    this.#line = this.#line.filter((other) => other !== group);
    for (const name of group.draws) this.#left.set(name, (this.#left.get(name) ?? 0) + n - chosen);
  }

  /** Behind which keys the next claim begins. */
  get cursor(): string {
    return this.#cursor ?? this.#place;
  }

  /** When time alone lets in more jobs; `null` when it is something else that must happen first. */
  get lookAgainAt(): Instant | null {
    if (this.taken === this.max) return null;
    const { rateLimit } = this.limits.perKey;
    let at = this.#lookAgainAt;
    if (rateLimit !== null) {
      for (const [name, firstUntil] of this.#firstUntil) {
        if ((this.#left.get(name) ?? 0) < 1) at = Math.min(at, this.#reopensAt(rateLimit, firstUntil));
      }
    }
    if (this.#looked >= MAX_KEYS_PER_CLAIM) at = Math.min(at, this.now + NEXT_KEYS_AFTER_MS);
    return at === Infinity ? null : at;
  }

  #offer({ keys, running, starts, first_until, held_until, rate_held_until }: KeyUsage): void {
    const heldUntil = Math.max(held_until ?? 0, rate_held_until ?? 0);
    if (heldUntil > this.now) {
      this.#lookAgain(heldUntil);
      return;
    }
    const { concurrencyKey, rateKey } = parseKeys(keys);
    const { concurrency, rateLimit } = this.limits.perKey;
    const draws: string[] = [];
    if (concurrency !== null && concurrencyKey !== null) {
      draws.push(this.#allowance(`concurrency ${concurrencyKey}`, concurrency - (running ?? 0)));
    }
    if (rateLimit !== null && rateKey !== null) {
      const name = this.#allowance(`rate ${rateKey}`, rateLimit.max - (starts ?? 0));
      this.#firstUntil.set(name, first_until);
      draws.push(name);
    }
    this.#line.push({ keys, draws, rateKey, taken: 0 });
  }

  /** Several groups may share one. */
  #allowance(name: string, left: number): string {
    if (!this.#left.has(name)) this.#left.set(name, left);
    return name;
  }

  #lookAgain(at: Instant): void {
    this.#lookAgainAt = Math.min(this.#lookAgainAt, at);
  }

  #reopensAt(rate: RateLimit, firstUntil: Instant | null): Instant {
    return leavesAt({ until: firstUntil ?? bucketOf(this.now, rate).until }, rate);
  }
}
