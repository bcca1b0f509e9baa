import type { JobQuery, JobTerm, TextTerm } from "../../core/job-query/query.js";
import type { JobState } from "../../core/states.js";
import type { LaneCounts } from "./lane-counts.js";
import type { Order } from "./order.js";
import { exactTerm, isLaneTerm, readsMore, statesOf, TIME_COLUMNS } from "./terms.js";

/** Which index gives the candidates. */
export type Choice =
  /** The jobs with these ids, or these idempotency keys. */
  | { readonly by: "keys"; readonly term: TextTerm }
  /** The dead jobs of a few groups, or of a large one in order. */
  | { readonly by: "groups" }
  | { readonly by: "group"; readonly id: number }
  /** The few jobs with some tags, or the many with one in order. */
  | { readonly by: "tags"; readonly term: TextTerm }
  | { readonly by: "tag"; readonly term: TextTerm }
  /** The jobs of the state that has the order, within some ranges of it. */
  | {
      readonly by: "state";
      readonly state: OrderOfState;
      readonly ranges: readonly JobTerm[];
      readonly small: boolean;
    }
  /** The few jobs of these states. */
  | { readonly by: "states"; readonly states: readonly JobState[] }
  /** The jobs of a flow, in order of ids. */
  | { readonly by: "flow"; readonly term: TextTerm }
  /** All jobs, in order. */
  | { readonly by: "id" };

type OrderOfState = NonNullable<Order["of"]>;

/** How a query is answered. */
export interface Outline {
  readonly choice: Choice;
  /** Whether there are so few candidates that all may be read for one page. */
  readonly small: boolean;
  /** Terms that each candidate is still asked, besides queue, name and state. */
  readonly left: readonly JobTerm[];
  /** Whether candidates may have to be looked at in vain, so many that it must be done in slices. */
  readonly sliced: boolean;
}

/** What must be known before a query can be planned, besides the counters. */
export interface Questions {
  /** Which groups of dead jobs have these fingerprints? */
  readonly fingerprint: TextTerm | null;
  /** How many jobs have these tags? */
  readonly tag: TextTerm | null;
}

/** What is known when a query is planned. */
export interface Facts {
  readonly counts: LaneCounts;
  /** Groups with the fingerprints asked for, largest first, and at least one more than the small set has room for. */
  readonly groups: readonly { readonly id: number; readonly n: number }[];
  /** Jobs with the tags asked for, counted to beyond the small set. */
  readonly tagged: number;
  /**
   * A set of candidates up to this size is read whole and sorted, which takes a few milliseconds. A larger one is
   * walked in an order that an index has.
   */
  readonly smallSet: number;
}

export function questionsOf(query: JobQuery, order: Order): Questions {
  if (keyTerm(query) !== null) return { fingerprint: null, tag: null };
  const fingerprint = order.of === null || order.of.state === "dead" ? exactTerm(query, "fingerprint") : null;
  return { fingerprint, tag: exactTerm(query, "tag") };
}

/** Decides which index gives the candidates, by what a query asks and how many jobs there are. */
export function outlineOf(
  query: JobQuery,
  queueGlobs: readonly string[] | null,
  order: Order,
  facts: Facts,
): Outline {
  const questions = questionsOf(query, order);
  const { choice, answers, answersLanes } =
    byKey(query) ??
    byFingerprint(query, questions, facts) ??
    byTag(questions, order, facts) ??
    byFlow(query, order) ??
    byState(query, order, facts) ??
    byLanes(query, queueGlobs, facts);
  const left = query.terms.filter((term) => !isLaneTerm(term) && !answers.includes(term));
  const small = isSmall(choice);
  const sliced = small
    ? left.some(readsMore)
    : left.length > 0 || !(answersLanes || facts.counts.holdForAll(order.of?.state ?? null));
  return { choice, small, left, sliced };
}

interface Answer {
  readonly choice: Choice;
  /** Terms that are true of all candidates. */
  readonly answers: readonly JobTerm[];
  /** Whether all candidates are of the queues, names and states that are asked for. */
  readonly answersLanes: boolean;
}

function byKey(query: JobQuery): Answer | null {
  const term = keyTerm(query);
  return term === null ? null : { choice: { by: "keys", term }, answers: [term], answersLanes: false };
}

function byFingerprint(query: JobQuery, { fingerprint }: Questions, facts: Facts): Answer | null {
  if (fingerprint === null) return null;
  const [first, ...more] = facts.groups;
  const jobs = facts.groups.reduce((sum, { n }) => sum + n, 0);
  const answers = [fingerprint];
  if (jobs <= facts.smallSet) return { choice: { by: "groups" }, answers, answersLanes: false };
  // Several large groups have no order together.
  if (first === undefined || more.length > 0) return null;
  const answersLanes = statesOf(query).includes("dead");
  return { choice: { by: "group", id: first.id }, answers, answersLanes };
}

function byTag({ tag: term }: Questions, order: Order, facts: Facts): Answer | null {
  if (term === null) return null;
  const answers = [term];
  if (facts.tagged <= facts.smallSet) return { choice: { by: "tags", term }, answers, answersLanes: false };
  // With several tags a job could come twice, and other orders are no order of tags.
  if (order.of !== null || term.values.length > 1) return null;
  return { choice: { by: "tag", term }, answers, answersLanes: false };
}

function byFlow(query: JobQuery, order: Order): Answer | null {
  const term = exactTerm(query, "flow");
  // Several flows have no order of ids together, and other orders are no order of a flow.
  if (term === null || order.of !== null || term.values.length > 1) return null;
  return { choice: { by: "flow", term }, answers: [term], answersLanes: false };
}

function byState({ terms }: JobQuery, order: Order, { counts, smallSet }: Facts): Answer | null {
  if (order.of === null) return null;
  const ranges = terms.filter((term) => isRangeOf(term, order));
  const small = counts.totalOf(order.of.state) <= smallSet;
  return { choice: { by: "state", state: order.of, ranges, small }, answers: ranges, answersLanes: false };
}

function byLanes(query: JobQuery, queueGlobs: readonly string[] | null, facts: Facts): Answer {
  const { counts, smallSet } = facts;
  const asks = queueGlobs !== null || query.terms.some(isLaneTerm);
  const few = asks && costOf(counts) <= smallSet;
  return {
    choice: few ? { by: "states", states: counts.states } : { by: "id" },
    answers: [],
    answersLanes: false,
  };
}

function isSmall(choice: Choice): boolean {
  switch (choice.by) {
    case "keys":
    case "groups":
    case "tags":
    case "states":
      return true;
    case "state":
      return choice.small;
    case "group":
    case "tag":
    case "flow":
    case "id":
      return false;
  }
}

function keyTerm(query: JobQuery): TextTerm | null {
  return exactTerm(query, "id") ?? exactTerm(query, "key");
}

/** Whether the order's index has the instants that the term is about next to one another. */
function isRangeOf(term: JobTerm, { column }: Order): boolean {
  return term.kind === "time" && !term.negated && TIME_COLUMNS[term.field] === column;
}

/** How many entries of the states' indexes must be read to find what the counters know of. */
function costOf(counts: LaneCounts): number {
  return counts.states.reduce((sum, state) => {
    // No index has these.
    if (state === "blocked") return Number.POSITIVE_INFINITY;
    return sum + (state === "pending" ? counts.matchingOf(state) : counts.totalOf(state));
  }, 0);
}
