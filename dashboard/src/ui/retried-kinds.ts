import type { JobKind } from "./unserved.js";

const kinds = new Map<string, readonly JobKind[]>();
const NONE: readonly JobKind[] = [];

/** Keeps what was seen in the preview of an operation: the operation itself tells only its filter. */
export function rememberKinds(operation: string, jobs: readonly JobKind[]): void {
  kinds.set(operation, jobs);
}

/** Of the jobs of an operation that was started on this page; otherwise none. The same array each time. */
export function kindsOf(operation: string): readonly JobKind[] {
  return kinds.get(operation) ?? NONE;
}
