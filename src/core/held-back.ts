import type { Instant } from "./job.js";

/**
 * Which limit keeps a pending job from being claimed.
 * - `hold`, `key_hold`: a handler asked for no more starts until then
 * - `concurrency`, `key_concurrency`: as many jobs run as may
 * - `rate`, `key_rate`: as many jobs were started as may, until then
 */
export type HeldBack =
  | { readonly limit: "hold" | "key_hold"; readonly key: string | null; readonly until: Instant }
  | {
      readonly limit: "concurrency" | "key_concurrency";
      readonly key: string | null;
      readonly max: number;
      readonly running: number;
    }
  | {
      readonly limit: "rate" | "key_rate";
      readonly key: string | null;
      readonly max: number;
      readonly perMs: number;
      readonly until: Instant;
    };
