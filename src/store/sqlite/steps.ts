/**
 * The points between the statements of a write at which a crash would hurt most. The crash tests kill a
 * process at each of them; in production the hook does nothing.
 */
export const STEPS = [
  "begin",
  "enqueue:job",
  "enqueue:spec",
  "enqueue:key",
  "enqueue:unique",
  "enqueue:replace",
  "claim:update",
  "claim:payload",
  "claim:limits",
  "claim:name",
  "step:store",
  "settle:job",
  "settle:result",
  "settle:attempt",
  "settle:hold",
  "cancel:job",
  "cancel:reason",
  "revive:job",
  "delete:rows",
  "delete:job",
  "promote:jobs",
  "fire:advance",
  "fire:runs",
  "operation:move",
  "limit:queue",
  "dead:job",
  "dead:group",
  "flow:jobs",
  "flows",
  "ledger:counts",
  "ledger:stats",
  "journal:rows",
  "sequences",
  "before-commit",
  "after-commit",
] as const;

export type Step = (typeof STEPS)[number];
export type StepHook = (step: Step) => void;
