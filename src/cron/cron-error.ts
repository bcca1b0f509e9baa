export type CronField = "second" | "minute" | "hour" | "day of month" | "month" | "day of week";

/** A cron expression that is not accepted. The message names the field, the position and the fix. */
export class CronError extends Error {
  override readonly name = "CronError";

  constructor(
    /** `null` when the fault is not one field's, such as a wrong number of fields. */
    readonly field: CronField | null,
    /** Where the fault begins in the text, counted from 1 as JavaScript counts characters. */
    readonly position: number,
    detail: string,
  ) {
    super(`${field === null ? "the expression" : `the ${field} field`}, character ${position}: ${detail}`);
  }
}
