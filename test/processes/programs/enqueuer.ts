/** Enqueues numbered jobs at a steady pace, one after the other, each with a key of its own. */
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Konveier } from "../../../src/konveier.js";
import { input, leave, tell } from "./parent.js";

export interface EnqueuerInput {
  readonly file: string;
  readonly synchronous: "full" | "normal";
  /** Gets a line for each job that was accepted, after the acceptance. */
  readonly accepted: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface EnqueuerMessage {
  readonly accepted: number;
}

/** A line in the file of accepted jobs. */
export interface AcceptedLine {
  readonly number: number;
  readonly id: string;
}

const PAUSE_MS = 10;

const { file, synchronous, accepted, name, from, to } = input() as EnqueuerInput;
const konveier = await Konveier.open(`sqlite:${file}`, { synchronous });
for (let number = from; number < to; number += 1) {
  const { id } = await konveier.enqueue(
    name,
    { number },
    {
      idempotencyKey: `job-${number}`,
      backoff: { type: "fixed", delayMs: 0 },
      // Chance may choose the same job again and again.
      maxAttempts: 1_000,
    },
  );
  const line: AcceptedLine = { number, id };
  appendFileSync(accepted, `${JSON.stringify(line)}\n`);
  tell({ accepted: number });
  await setTimeout(PAUSE_MS);
}
await konveier.close();
leave();
