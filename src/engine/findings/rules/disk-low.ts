import { ENOUGH_FREE_DISK_BYTES, LEAST_FREE_DISK_BYTES } from "../../../core/defaults.js";
import type { Facts } from "../facts.js";
import type { FindingOf } from "../finding.js";
import { sized } from "../words.js";

type DiskLow = FindingOf<"disk_low", { freeBytes: number; totalBytes: number }>;

/** The disk of the database is nearly full, by the same limits as `konveier doctor`. */
export function diskLow({ disk }: Facts): DiskLow[] {
  if (disk === null || disk.freeBytes >= ENOUGH_FREE_DISK_BYTES) return [];
  return [
    {
      code: "disk_low",
      severity: disk.freeBytes < LEAST_FREE_DISK_BYTES ? "critical" : "warning",
      since: null,
      detail: `The disk of the database is nearly full: ${sized(disk.freeBytes)} are free.`,
      audience: "all queues",
      ...disk,
    },
  ];
}
