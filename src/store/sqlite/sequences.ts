import type { Connection } from "./connection.js";
import type { StepHook } from "./steps.js";

/**
 * Ever-growing numbers: job ids and fencing tokens. Taken in memory inside a transaction and written
 * back before its commit, so that a thousand jobs cost one statement. A number is never given out twice,
 * not even after the job was deleted.
 */
export class Sequences {
  readonly #read;
  readonly #write;
  readonly #values = new Map<SequenceName, number>();

  constructor(
    db: Connection,
    private readonly step: StepHook,
  ) {
    this.#read = db.prepare<[string], { value: number }>("SELECT value FROM sequences WHERE name = ?");
    this.#write = db.prepare("UPDATE sequences SET value = ? WHERE name = ?");
  }

  /**
   * Takes `count` numbers; the answer is the one before the first of them. Once one was taken in a
   * transaction, even none, taking more needs no statement, so it can be done while another one runs.
   */
  take(name: SequenceName, count: number): number {
    const last = this.#values.get(name) ?? this.#read.get(name)?.value;
    if (last === undefined) throw new Error(`Sequence ${name} is missing`);
    if (!Number.isSafeInteger(last + count)) throw new Error(`Sequence ${name} is exhausted`);
    this.#values.set(name, last + count);
    return last;
  }

  flush(): void {
    if (this.#values.size === 0) return;
    for (const [name, value] of this.#values) this.#write.run(value, name);
    this.step("sequences");
    this.clear();
  }

  /** Other processes take numbers too: nothing is remembered beyond a transaction. */
  clear(): void {
    this.#values.clear();
  }
}

type SequenceName = "job" | "token" | "schedule_version" | "event" | "job_note" | "flow";
