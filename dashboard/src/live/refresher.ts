import { hashKey, type Query, type QueryClient } from "@tanstack/react-query";
import { asProblem, isPassing } from "../api/problem.js";
import type { SelfView } from "../api/types.js";
import { SELF_KEY } from "../query-client.js";
import type { Topic } from "./frames.js";
import { otherToken } from "./other-token.js";

/** What a query shows, and so when it is old. */
export interface Refresh {
  readonly topics: readonly Topic[];
  /** Only changes of this queue make it old. */
  readonly queue?: string;
  /**
   * It is not read more often than that. Default: in every turn, and so together with all that has none: numbers of one
   * page that are read at different times contradict each other.
   */
  readonly everyMs?: number;
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { refresh: Refresh };
  }
}

/** Whether the page cannot tell what is so now, because the last attempt to read this has failed. */
export function isBehind({ meta, state: { error, fetchFailureReason } }: Query): boolean {
  const fault = fetchFailureReason ?? error;
  return meta?.refresh !== undefined && fault !== null && isPassing(asProblem(fault));
}

const TURN_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;
const SELF = hashKey(SELF_KEY);
const KNOWN: ReadonlySet<string> = new Set<Topic>([
  "jobs",
  "queues",
  "schedules",
  "workers",
  "operations",
  "tokens",
]);

/** Reads again what is on the screen and has become old: nothing that nobody sees, and nothing twice in a turn. */
export class Refresher {
  readonly #old = new Set<string>();
  /** When each query was last read, by a clock that nobody sets: the wall clock may step back. */
  readonly #readAt = new WeakMap<Query, number>();
  /** Which queries could not be read, how often in a row, and when each is tried again, by the same clock. */
  readonly #failures = new WeakMap<Query, { readonly count: number; readonly againAt: number }>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Whose answers are held. */
  #token: string | undefined;

  constructor(private readonly client: QueryClient) {
    client.getQueryCache().subscribe((event) => {
      if (event.type !== "updated") return;
      const query = event.query as Query;
      if (event.action.type === "error") this.#heedFailure(query);
      if (event.action.type !== "success") return;
      this.#readAt.set(query, performance.now());
      this.#failures.delete(query);
      if (event.query.queryHash === SELF) this.#heedToken((event.query as Query<SelfView>).state.data?.id);
    });
  }

  /** @param queues names of the queues that changed; `null`: any may have */
  changed(topics: readonly string[], queues: readonly string[] | null): void {
    const anything = topics.some((topic) => !KNOWN.has(topic));
    for (const query of this.#shown()) {
      const refresh = query.meta?.refresh;
      if (refresh === undefined) continue;
      const concerns =
        queues === null ||
        anything ||
        refresh.topics.some((topic) => topics.includes(topic)) ||
        (refresh.topics.some((topic) => topic === "jobs" || topic === "queues") &&
          queues.some((name) => refresh.queue === undefined || refresh.queue === name));
      if (concerns) this.#old.add(query.queryHash);
    }
    this.#turn();
  }

  everything(): void {
    this.changed(["other"], null);
  }

  /** Tries again, after a pause, what could not be read: on a quiet server no change asks for it. */
  failed(): void {
    const now = performance.now();
    for (const query of this.#shown()) {
      const failure = this.#failures.get(query);
      if (failure !== undefined && now >= failure.againAt && isBehind(query)) this.#old.add(query.queryHash);
    }
    this.#turn();
  }

  /** Reads everything at once, however new it is: another token may be signed in, which may do other things. */
  anew(): void {
    void this.client.invalidateQueries();
  }

  #heedFailure(query: Query): void {
    const count = (this.#failures.get(query)?.count ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), LONGEST_PAUSE_MS);
    this.#failures.set(query, { count, againAt: performance.now() + pause });
  }

  /** What one token has read is nothing that another one may be shown, whichever way the tab learns of it. */
  #heedToken(token: string | undefined): void {
    const before = this.#token;
    this.#token = token;
    if (before === undefined || before === token) return;
    otherToken();
    void this.client.resetQueries({ predicate: ({ queryHash }) => queryHash !== SELF });
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#old.clear();
  }

  #shown(): Query[] {
    return this.client.getQueryCache().findAll({ type: "active" });
  }

  #turn(): void {
    if (this.#timer !== null || this.#old.size === 0) return;
    const now = performance.now();
    for (const query of this.#shown()) {
      if (!this.#old.has(query.queryHash)) continue;
      const age = now - (this.#readAt.get(query) ?? -Infinity);
      const isDue = age >= (query.meta?.refresh.everyMs ?? 0);
      if (query.state.fetchStatus !== "idle" || !isDue) continue;
      this.#old.delete(query.queryHash);
      // A failure is shown where the query is.
      void query.fetch().catch(() => undefined);
    }
    const shown = new Set(this.#shown().map(({ queryHash }) => queryHash));
    for (const hash of this.#old) if (!shown.has(hash)) this.#old.delete(hash);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#turn();
    }, TURN_MS);
  }
}
