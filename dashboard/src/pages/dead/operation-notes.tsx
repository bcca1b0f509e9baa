import type { ReactNode } from "react";
import type { OperationView } from "../../api/types.js";
import { isSame } from "./covers.js";
import { OperationNote } from "./operation-note.js";

/** Operations that stand at no row, each with the filter of its jobs unless that is the one of the page. */
export function OperationNotes({
  operations,
  pageFilter,
}: {
  readonly operations: readonly OperationView[];
  readonly pageFilter: string;
}): ReactNode {
  return operations.map((operation) => (
    <OperationNote
      key={operation.id}
      started={operation}
      what={isSame(operation.q, pageFilter) ? null : operation.q}
    />
  ));
}
