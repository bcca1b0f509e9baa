import { HEARTBEATS_PER_LEASE } from "./defaults.js";

/** With the longest leases too, a worker is seen and a cancel reaches it within this time. */
const LONGEST_INTERVAL_MS = 10_000;

/** How often a worker extends leases of this length: every third of them, and at least every ten seconds. */
export function heartbeatIntervalMs(leaseMs: number): number {
  return Math.min(Math.floor(leaseMs / HEARTBEATS_PER_LEASE), LONGEST_INTERVAL_MS);
}
