/** Holds the write lock of a database as another program would: in bursts, or until it is told to stop. */
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { seededRandom } from "../../support/seeded-random.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface LockHolderInput {
  readonly file: string;
  /** How often; `null`: once, until the command comes. */
  readonly bursts: number | null;
}

export interface LockHolderMessage {
  readonly type: "holding";
}
export interface LockHolderCommand {
  readonly type: "release";
}

const LONGEST_BURST_MS = 1_000;
const LONGEST_GAP_MS = 60;

const { file, bursts } = input() as LockHolderInput;
const db = new Database(file, { timeout: 60_000 });
if (bursts === null) {
  const released = new Promise((resolve) => {
    onCommand(resolve);
  });
  await hold(() => released);
} else {
  const random = seededRandom(bursts);
  for (let burst = 0; burst < bursts; burst += 1) {
    await hold(() => setTimeout(random() * LONGEST_BURST_MS));
    await setTimeout(random() * LONGEST_GAP_MS);
  }
}
db.close();
leave();

async function hold(until: () => Promise<unknown>): Promise<void> {
  db.exec("BEGIN IMMEDIATE");
  tell({ type: "holding" });
  await until();
  db.exec("COMMIT");
}
