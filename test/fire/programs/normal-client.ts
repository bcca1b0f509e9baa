/** A client that enqueues one job after another, in a process of its own: what keeps the test busy does not delay it.
 * Any command stops it, and it reports. */
import { setTimeout as delay } from "node:timers/promises";
import { input, leave, onCommand, tell } from "../../processes/programs/parent.js";

export interface NormalClientInput {
  readonly url: string;
  readonly token: string;
}

export interface NormalClientReport {
  readonly statuses: readonly number[];
  readonly requests: number;
  /** Milliseconds: the median, the one that 95 of 100 stay below, the longest. */
  readonly p50: number;
  readonly p95: number;
  readonly longest: number;
}

const { url, token } = input() as NormalClientInput;
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const latencies: number[] = [];
const statuses = new Set<number>();
const stop = new AbortController();
onCommand(() => {
  stop.abort();
});

while (!stop.signal.aborted) {
  const began = performance.now();
  const answer = await fetch(`${url}/v1/jobs`, { method: "POST", headers, body: '{"name":"normal"}' });
  await answer.text();
  latencies.push(performance.now() - began);
  statuses.add(answer.status);
  await delay(10);
}

// The first request opens the connection.
const sorted = latencies.slice(1).sort((a, b) => a - b);
const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
const report: NormalClientReport = {
  statuses: [...statuses],
  requests: sorted.length,
  p50: at(0.5),
  p95: at(0.95),
  longest: at(1),
};
tell(report);
leave();
