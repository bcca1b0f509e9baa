import { test } from "vitest";
import { FakeClock } from "../support/fake-clock.js";
import { checkBooks } from "../support/recount.js";
import type { StoreFactory } from "../support/store-factory.js";
import { Harness } from "./harness.js";

/** Tests that a store cannot pass, by title, each with the reason. */
export type Skips = Readonly<Record<string, string>>;

/** Runs the tests of the suite against one kind of store. */
export class Contract {
  readonly #titles = new Set<string>();

  constructor(
    private readonly factory: StoreFactory,
    private readonly skips: Skips,
  ) {}

  /** A test on an empty database. Afterwards the counters must equal a recount. */
  test(title: string, body: (harness: Harness) => Promise<void>, timeoutMs?: number): void {
    this.#titles.add(title);
    const reason = this.skips[title];
    if (reason !== undefined) {
      test.skip(`${title} (skipped: ${reason})`);
      return;
    }
    test(
      title,
      async () => {
        const clock = new FakeClock();
        const opened = await this.factory.open({ clock });
        try {
          await body(new Harness(opened, clock));
          await checkBooks(opened.store);
        } finally {
          await opened.close();
        }
      },
      timeoutMs,
    );
  }

  /** Call after the last test: a skip that names no test would hide a renamed one. */
  checkSkips(): void {
    const unknown = Object.keys(this.skips).filter((title) => !this.#titles.has(title));
    if (unknown.length > 0) throw new Error(`Skipped, but not in the suite: ${unknown.join("; ")}`);
  }
}
