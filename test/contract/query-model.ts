import type { JobQuery, JobTerm, JsonScalar, JsonTerm } from "../../src/core/job-query/query.js";
import { instantOf } from "../../src/core/job-query/query.js";
import type { JobDetail } from "../../src/core/job.js";

/** A job with all that a query can ask about. */
export interface KnownJob {
  readonly job: JobDetail;
  /** As `JSON.parse` gives them; `undefined`: there is none. */
  readonly payload: unknown;
  readonly result: unknown;
}

/** The jobs that a query means, in the order of its list, found by looking at each. */
export function modelOf(
  query: JobQuery,
  queueGlobs: readonly string[] | null,
  jobs: readonly KnownJob[],
  now: number,
): JobDetail[] {
  const found = jobs
    .filter(({ job }) => queueGlobs === null || queueGlobs.some((glob) => matchesGlob(glob, job.queue)))
    .filter((known) => query.terms.every((term) => holds(term, known, now) !== term.negated))
    .map(({ job }) => job);
  const single = query.terms.find(
    (term) => term.kind === "state" && !term.negated && term.values.length === 1,
  );
  const state = single?.kind === "state" ? single.values[0] : undefined;
  const byId = (a: JobDetail, b: JobDetail) => Number(b.id) - Number(a.id);
  if (state === "scheduled") return found.sort((a, b) => a.runAt - b.runAt || byId(b, a));
  if (state === "completed" || state === "dead" || state === "cancelled") {
    return found.sort((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || byId(a, b));
  }
  return found.sort(byId);
}

/** Whether the term, were it not negated, is true of the job. */
function holds(term: JobTerm, { job, payload, result }: KnownJob, now: number): boolean {
  switch (term.kind) {
    case "state":
      return term.values.includes(job.state);
    case "word":
      return contains(job.name, term.value);
    case "error":
      return term.values.some(
        (part) =>
          job.lastError !== null &&
          (contains(job.lastError.message, part) || contains(job.lastError.type, part)),
      );
    case "text":
      return term.values.some((value) =>
        textsOf(term.field, job).some((text) => matches(term.field, value, text)),
      );
    case "number":
      return term.values.some((value) => compare(term.operator, job[term.field], value));
    case "time": {
      const at = { created: job.createdAt, run: job.runAt, started: job.startedAt, finished: job.finishedAt }[
        term.field
      ];
      return at !== null && compare(term.operator, at, instantOf(term.value, now));
    }
    case "json":
      return holdsAt(term, placeIn(term.document === "payload" ? payload : result, term.path));
  }
}

function textsOf(field: Extract<JobTerm, { kind: "text" }>["field"], job: JobDetail): (string | null)[] {
  switch (field) {
    case "tag":
      return [...job.tags];
    case "key":
      return [job.idempotencyKey];
    case "fingerprint":
      return [job.fingerprint];
    case "worker":
      return [job.workerId];
    case "schedule":
      return [job.schedule?.key ?? null];
    case "flow":
      return [job.flow?.id ?? null];
    case "queue":
    case "name":
    case "id":
      return [job[field]];
  }
}

function matches(field: string, value: string, text: string | null): boolean {
  if (text === null) return false;
  return field === "queue" || field === "name" ? matchesGlob(value, text) : value === text;
}

function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob
    .split("*")
    .map((part) => part.replaceAll(/[.]/g, String.raw`\$&`))
    .join(".*");
  return new RegExp(`^${pattern}$`).test(text);
}

function contains(text: string, part: string): boolean {
  return lower(text).includes(lower(part));
}

function lower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function compare(operator: string, a: number, b: number): boolean {
  switch (operator) {
    case "=":
      return a === b;
    case "!=":
      return a !== b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    case "<":
      return a < b;
    default:
      return a <= b;
  }
}

function placeIn(root: unknown, path: JsonTerm["path"]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) !== (typeof step === "number") || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function holdsAt({ operator, values }: JsonTerm, found: unknown): boolean {
  const is = (value: JsonScalar): boolean => found === value;
  switch (operator) {
    case "=":
      return values.some(is);
    case "!=":
      return found !== undefined && !values.some(is);
    case "~":
      return values.some((value) => typeof found === "string" && contains(found, String(value)));
    default:
      return values.some((value) => typeof found === "number" && compare(operator, found, Number(value)));
  }
}
