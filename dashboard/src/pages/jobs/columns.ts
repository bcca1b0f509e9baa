import { useSyncExternalStore } from "react";

/** Columns that can be hidden, in their order. The name of a job always stands there. */
export const COLUMNS = ["id", "queue", "state", "attempt", "priority", "when", "duration", "worker"] as const;
export type Column = (typeof COLUMNS)[number];

/** Columns that are read from the right. */
export const NUMBERS: readonly Column[] = ["attempt", "priority", "duration"];

export const PAGE_SIZES = [25, 50, 100, 200] as const;

interface ListPreferences {
  readonly columns: readonly Column[];
  readonly limit: number;
}

const KEY = "konveier.jobs";
const DEFAULTS: ListPreferences = {
  columns: ["id", "queue", "state", "attempt", "when", "duration", "worker"],
  limit: 50,
};

let preferences = load();
const listeners = new Set<() => void>();

/** How this browser shows lists of jobs. */
export function useListPreferences(): ListPreferences {
  return useSyncExternalStore(subscribe, () => preferences);
}

export function setListPreferences(change: Partial<ListPreferences>): void {
  preferences = { ...preferences, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Where storage is forbidden, it holds for this page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function load(): ListPreferences {
  try {
    const { columns, limit } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<ListPreferences>;
    return {
      columns: Array.isArray(columns)
        ? COLUMNS.filter((column) => columns.includes(column))
        : DEFAULTS.columns,
      limit: PAGE_SIZES.find((size) => size === limit) ?? DEFAULTS.limit,
    };
  } catch {
    return DEFAULTS;
  }
}
