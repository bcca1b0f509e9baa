/**
 * Performs one operation of `sequence.ts` on a database that holds what the operations before it left, and
 * kills its own process at one step of it. Which step that was is noted outside of the database.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { FakeClock } from "../../support/fake-clock.js";
import { OPERATIONS, openWorld, perform, type Memory } from "../sequence.js";

export interface CrashInput {
  readonly file: string;
  /** Index of the operation. */
  readonly operation: number;
  /** Wall time of the operation. */
  readonly now: number;
  /** File with the `Memory` of the client, as `node:v8` writes it. */
  readonly memory: string;
  /** Which call of the step hook within the operation, from 1. */
  readonly crashAt: number;
  /** File for the name of the step. */
  readonly note: string;
}

const { file, operation, now, memory, crashAt, note } = JSON.parse(process.argv[2] ?? "") as CrashInput;
const known = deserialize(readFileSync(memory)) as Memory;
let steps = 0;
const world = openWorld(
  file,
  new FakeClock(now),
  (step) => {
    steps += 1;
    if (steps < crashAt) return;
    writeFileSync(note, step);
    process.kill(process.pid, "SIGKILL");
  },
  known,
);
await perform(world, OPERATIONS[operation]!);
