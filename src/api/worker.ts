import { Type, type Static } from "typebox";
import { Instant, Nullable } from "./fields.js";

export const WorkerView = Type.Object(
  {
    id: Type.String(),
    host: Type.String(),
    /** `null` for a worker that claims over HTTP. */
    pid: Nullable.WholeNumber,
    queues: Type.Array(Type.String()),
    /** `null`: all names. */
    names: Type.Union([Type.Array(Type.String()), Type.Null()]),
    concurrency: Type.Integer(),
    running: Type.Integer(),
    state: Type.Enum(["active", "stopping"]),
    startedAt: Instant,
    seenAt: Instant,
  },
  { title: "Worker" },
);
export type WorkerView = Static<typeof WorkerView>;

export const WorkerListView = Type.Object({ items: Type.Array(WorkerView) });
