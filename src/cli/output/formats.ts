/** How data is written. */
export const FORMATS = ["table", "json", "jsonl", "ids"] as const;
export type Format = (typeof FORMATS)[number];
