import type { JsonDocument, NumberField, TextField, TimeField } from "./query.js";
import type { Operator } from "./text-reader.js";

const ORDERS = [">", ">=", "<", "<="] as const satisfies Operator[];

export type Qualifier =
  | { readonly kind: "state" | "error" }
  | { readonly kind: "text"; readonly field: TextField }
  | { readonly kind: "number"; readonly field: NumberField }
  | { readonly kind: "time"; readonly field: TimeField }
  | { readonly kind: "json"; readonly document: JsonDocument };

/** Every word that may stand before an operator. */
export const QUALIFIERS: Readonly<Record<string, Qualifier>> = {
  state: { kind: "state" },
  queue: { kind: "text", field: "queue" },
  name: { kind: "text", field: "name" },
  tag: { kind: "text", field: "tag" },
  key: { kind: "text", field: "key" },
  id: { kind: "text", field: "id" },
  worker: { kind: "text", field: "worker" },
  schedule: { kind: "text", field: "schedule" },
  flow: { kind: "text", field: "flow" },
  fingerprint: { kind: "text", field: "fingerprint" },
  error: { kind: "error" },
  attempt: { kind: "number", field: "attempt" },
  priority: { kind: "number", field: "priority" },
  created: { kind: "time", field: "created" },
  run: { kind: "time", field: "run" },
  started: { kind: "time", field: "started" },
  finished: { kind: "time", field: "finished" },
  payload: { kind: "json", document: "payload" },
  result: { kind: "json", document: "result" },
};

/** What may stand behind a qualifier of each kind. */
export const OPERATORS_OF: Readonly<Record<Qualifier["kind"], readonly Operator[]>> = {
  state: [":"],
  text: [":"],
  error: ["~"],
  number: ["=", "!=", ...ORDERS],
  time: ORDERS,
  json: ["=", "!=", ...ORDERS, "~"],
};

/** Operators behind which several values may stand, and which say "or" when they are repeated. */
export const LISTING: readonly Operator[] = [":", "=", "~"];
