import { useEffect } from "react";
import { useIsLimited } from "../../api/queries.js";
import { read } from "../../api/request.js";
import type { OperationView } from "../../api/types.js";
import { statesOf } from "../../filter/filter-text.js";
import { useLiveQuery } from "../../live/use-live-query.js";
import { covers, isSame } from "./covers.js";
import { Kept, useKept } from "./kept.js";

const NEWEST = 20;

/** Operations whose notes are on the page, by id. `null`: its note was closed. */
const kept = new Kept<OperationView | null>();

/** Shows the note of an operation, instead of that of an earlier one on the same jobs. */
export function showOperation(operation: OperationView): void {
  for (const [id, earlier] of kept.all()) {
    if (earlier !== null && earlier.state !== "running" && isSame(earlier.q, operation.q)) closeOperation(id);
  }
  kept.set(operation.id, operation);
}

export function closeOperation(id: string): void {
  kept.set(id, null);
}

/** Retries and deletes of dead jobs that are on their way, whoever began them, and those that have ended meanwhile. */
export function useDeadOperations(): readonly OperationView[] {
  const { data } = useLiveQuery(
    ["operations", "dead"],
    (signal) => read<{ items: OperationView[] }>("/v1/operations", { limit: NEWEST }, signal),
    { topics: ["operations"] },
  );
  useEffect(() => {
    for (const operation of data?.items ?? []) {
      if (isOfDeadJobs(operation) && operation.state === "running" && !kept.all().has(operation.id)) {
        showOperation(operation);
      }
    }
  }, [data]);
  return [...useKept(kept).values()].filter((operation) => operation !== null);
}

/** Tells whether all jobs of a filter are being retried. */
export function useIsBeingRetried(): (q: string) => boolean {
  // A token that covers some queues sees its own operations only; those of others are on a part of what this one sees.
  const isLimited = useIsLimited() === true;
  const retries = useDeadOperations().filter(
    ({ action, state, queues }) =>
      action === "retry" && state === "running" && (queues === null || isLimited),
  );
  return (q) => retries.some((retry) => covers(retry.q, q));
}

/** Whether it is on jobs of one group. */
export function isOfGroup({ q }: OperationView): boolean {
  return q.includes("fingerprint:");
}

function isOfDeadJobs({ action, q }: OperationView): boolean {
  return action !== "cancel" && statesOf(q).join() === "dead";
}
