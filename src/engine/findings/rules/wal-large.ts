import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { THRESHOLDS } from "../thresholds.js";
import { sized } from "../words.js";

type WalLarge = FindingOf<"wal_large", { bytes: number }>;

/** The write-ahead log does not shrink: somebody keeps an old state of the database open. */
export function walLarge({ storage }: Facts): WalLarge[] {
  const bytes = storage.find(({ file }) => file === "wal")?.bytes ?? 0;
  if (bytes <= THRESHOLDS.walBytes) return [];
  return [
    {
      code: "wal_large",
      severity: "warning",
      since: null,
      detail: `The write-ahead log of the database has ${sized(bytes)} and does not shrink.`,
      audience: "all queues",
      bytes,
    },
  ];
}
