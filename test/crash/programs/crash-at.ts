/**
 * Performs the operations of `sequence.ts` and kills its own process at one step of them. The journal
 * keeps what was acknowledged before: its lines are written outside of the database.
 */
import { appendFileSync } from "node:fs";
import { FakeClock } from "../../support/fake-clock.js";
import { OPERATIONS, openWorld, perform } from "../sequence.js";

export interface CrashInput {
  readonly file: string;
  readonly journal: string;
  /** Which call of the step hook, from 1. */
  readonly crashAt: number;
}

export type JournalEntry =
  { readonly acknowledged: number } | { readonly diesIn: number; readonly step: string };

const { file, journal, crashAt } = JSON.parse(process.argv[2] ?? "") as CrashInput;
let steps = 0;
let operation = 0;
let world = openWorld(file, new FakeClock(), (step) => {
  steps += 1;
  if (steps < crashAt) return;
  note({ diesIn: operation, step });
  process.kill(process.pid, "SIGKILL");
});
for (const each of OPERATIONS) {
  world.clock.block(each.afterMs ?? 0);
  world = await perform(world, each);
  note({ acknowledged: operation });
  operation += 1;
}

function note(entry: JournalEntry): void {
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
}
