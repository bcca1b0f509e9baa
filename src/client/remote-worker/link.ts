import type { Clock } from "../../core/clock.js";
import type { KonveierClient } from "../client.js";

/** What the parts of one remote worker share. */
export interface Link {
  readonly client: KonveierClient;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** From 0 up to 1; spreads retries. */
  readonly random: () => number;
  /** Something failed that the worker goes on after. */
  readonly problem: (error: unknown, during: string) => void;
  /** Nothing can be done any more: the server does not take this worker. */
  readonly refused: (error: Error) => void;
}
