import { KonveierError } from "../../core/errors.js";
import type { Committer } from "./committer.js";
import type { Transaction } from "./transaction.js";

/** Transactions of one batch that may be under way at the same time: while one commits, the next one works. */
const MAX_UNDER_WAY = 2;
/** Rows that one transaction takes on: beyond this, more of them save nothing. */
const MAX_WEIGHT = 1_000;

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: calls of one kind that arrive in one turn of the event loop, or while earlier ones are under way,
 * share one transaction and its statements. When that fails, each of its calls runs again in one of its own, so that
 * one that is refused cannot harm the others.
 */
export class Batch<Call, Answer> {
  readonly #waiting: Waiting<Call, Answer>[] = [];
  #underWay = 0;
  #scheduled = false;

  /**
   * @param weightOf the rows that a call is about
   * @param apply does the calls in one transaction, as if one after another, and answers in their order
   */
  constructor(
    private readonly committer: Pick<Committer, "accept" | "writeAccepted">,
    private readonly weightOf: (call: Call) => number,
    private readonly apply: (tx: Transaction, calls: readonly Call[]) => Promise<readonly Answer[]>,
  ) {}

  run(call: Call): Promise<Answer> {
    return this.committer.accept(
      () =>
        new Promise((resolve, reject) => {
          this.#waiting.push({ call, resolve, reject });
          this.#schedule();
        }),
    );
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= MAX_UNDER_WAY || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#underWay += 1;
      const ended = (): void => {
        this.#underWay -= 1;
        this.#schedule();
      };
      this.#together(this.#take()).then(ended, ended);
      this.#schedule();
    });
  }

  #take(): Waiting<Call, Answer>[] {
    let weight = 0;
    let count = 0;
    for (const { call } of this.#waiting) {
      weight += this.weightOf(call);
      if (count > 0 && weight > MAX_WEIGHT) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #together(calls: readonly Waiting<Call, Answer>[]): Promise<void> {
    try {
      const answers = await this.committer.writeAccepted((tx) =>
        this.apply(
          tx,
          calls.map(({ call }) => call),
        ),
      );
      // One answer for each call.
      for (const [index, { resolve }] of calls.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      // When the database is not there, it would not be there for each of them either, one after another.
      if (calls.length === 1 || isOutage(error)) for (const { reject } of calls) reject(error);
      else for (const call of calls) await this.#together([call]);
    }
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof KonveierError && error.code === "store_io";
}

/** Deals the answers of a whole batch out to its calls. */
export function split<Answer>(
  answers: readonly Answer[],
  calls: readonly (readonly unknown[])[],
): Answer[][] {
  let from = 0;
  return calls.map(({ length }) => {
    from += length;
    return answers.slice(from - length, from);
  });
}
