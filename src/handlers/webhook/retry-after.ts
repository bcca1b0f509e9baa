/** An hour keeps a job from being forgotten: the longest delay of the default backoff as well. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const SECONDS = /^\d+$/;
/** The two forms of an HTTP date with a zone, and the one of C's asctime, which is UTC without saying so. */
const DATE_WITH_ZONE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The delay that a `Retry-After` header asks for, in milliseconds, at most an hour. `null` when there is
 * none to keep: no header, an unreadable one, 0, or a date that has passed.
 *
 * @param now wall time in milliseconds
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  const delayMs = SECONDS.test(text) ? Number(text) * 1_000 : dateOf(text) - now;
  // Without a delay the job's backoff decides: a receiver that answers 0 must not be called in a loop.
  return delayMs > 0 ? Math.min(Math.ceil(delayMs), MAX_RETRY_AFTER_MS) : null;
}

/** NaN for what is no HTTP date. */
function dateOf(text: string): number {
  // `Date.parse` alone reads a date into "-5" and the local zone into asctime's form.
  if (DATE_WITH_ZONE.test(text)) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
