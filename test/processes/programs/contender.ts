/** Enqueues, claims and completes without a pause, over several callers at once, until it is told to stop. */
import type { ClaimRequest } from "../../../src/store/claims.js";
import { Konveier } from "../../../src/konveier.js";
import { openSqliteStore } from "../../../src/store/sqlite/open.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface ContenderInput {
  readonly file: string;
  readonly id: string;
}

export type ContenderMessage =
  | { readonly type: "ready" }
  | { readonly type: "round" }
  | { readonly type: "failed"; readonly error: string }
  | { readonly type: "stopped"; readonly enqueued: readonly string[]; readonly completed: readonly string[] };

export interface ContenderCommand {
  readonly type: "stop";
}

const CALLERS = 3;

const { file, id } = input() as ContenderInput;
const store = openSqliteStore(file);
const konveier = Konveier.withStore(store);
const enqueued: string[] = [];
const completed: string[] = [];
let stopping = false;
onCommand(() => {
  stopping = true;
});
tell({ type: "ready" });
await Promise.all(Array.from({ length: CALLERS }, call));
tell({ type: "stopped", enqueued, completed });
await konveier.close();
leave();

async function call(): Promise<void> {
  while (!stopping) {
    try {
      await round();
      tell({ type: "round" });
    } catch (error) {
      tell({ type: "failed", error: String(error) });
    }
  }
}

async function round(): Promise<void> {
  const job = await konveier.enqueue("count", {});
  enqueued.push(job.id);
  const request: ClaimRequest = { workerId: id, queues: ["default"], names: null, max: 1, leaseMs: 60_000 };
  const claims = await store.claims.claim(request);
  const settled = await store.claims.settle(
    claims.map(({ id, token }) => ({ verb: "complete", id, token, result: null, resultProblem: null })),
  );
  for (const [index, claim] of claims.entries()) if (settled[index]?.ok) completed.push(claim.id);
}
