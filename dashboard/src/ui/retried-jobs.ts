import type { JobView } from "../api/types.js";

const retried = new Map<string, readonly JobView[]>();
const NONE: readonly JobView[] = [];

/** Keeps what was seen in the preview of an operation: the operation itself tells only its filter. */
export function rememberRetried(operation: string, jobs: readonly JobView[]): void {
  retried.set(operation, jobs);
}

/**
 * Jobs of an operation that was started on this page, as they were before it; otherwise none. Of a large operation
 * these are some. The same array each time.
 */
export function retriedBy(operation: string): readonly JobView[] {
  return retried.get(operation) ?? NONE;
}
