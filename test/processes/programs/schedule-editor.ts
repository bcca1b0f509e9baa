/** Writes, pauses, resumes, runs and deletes a few schedules without a pause, until it is told to stop. */
import { KonveierError } from "../../../src/core/errors.js";
import { Konveier } from "../../../src/konveier.js";
import type { ScheduleOptions } from "../../../src/schedules.js";
import { seededRandom } from "../../support/seeded-random.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface EditorInput {
  readonly file: string;
  readonly seed: number;
  readonly keys: readonly string[];
}

export type EditorMessage =
  | { readonly type: "round"; readonly verb: string }
  /** `code`: of the error, when there is a documented one. */
  | { readonly type: "refused"; readonly verb: string; readonly code: string | null; readonly error: string }
  /** Ids of the jobs that were made by hand. */
  | { readonly type: "stopped"; readonly byHand: readonly string[] };

export interface EditorCommand {
  readonly type: "stop";
}

const { file, seed, keys } = input() as EditorInput;
const random = seededRandom(seed);
const konveier = await Konveier.open(`sqlite:${file}`);
const byHand: string[] = [];
let stopping = false;
onCommand(() => {
  stopping = true;
});

/** Every timing has a slot in each second or two, so that edits meet slots that are due. */
const DEFINITIONS: readonly Omit<ScheduleOptions, "job">[] = [
  { cron: "* * * * * *" },
  { everyMs: 1_000, missed: "all", maxMissed: 5 },
  { cron: "*/2 * * * * *", missed: "skip" },
  { everyMs: 1_000, overlap: "skip" },
];

const VERBS = {
  put: (key: string) =>
    konveier.schedules.put(key, { job: "tick", payload: { seed, n: random() }, ...pick(DEFINITIONS) }),
  pause: (key: string) => konveier.schedules.pause(key, "by an editor"),
  resume: (key: string) => konveier.schedules.resume(key),
  delete: (key: string) => konveier.schedules.delete(key),
  run: async (key: string) => {
    const { id } = await konveier.schedules.run(key);
    byHand.push(id);
  },
};
/** Deletions are rare, so that a schedule has a history. */
const CHOICE: readonly (keyof typeof VERBS)[] = [
  "put",
  "put",
  "put",
  "pause",
  "resume",
  "resume",
  "resume",
  "run",
  "run",
  "delete",
];

// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the command to stop sets it
while (!stopping) {
  const verb = pick(CHOICE);
  try {
    await VERBS[verb](pick(keys));
    say({ type: "round", verb });
  } catch (error) {
    const code = error instanceof KonveierError ? error.code : null;
    say({ type: "refused", verb, code, error: String(error) });
  }
  // A turn of the event loop: the command to stop must get through.
  await new Promise((resolve) => setTimeout(resolve, random() * 5));
}
say({ type: "stopped", byHand });
await konveier.close();
leave();

function pick<T>(choice: readonly T[]): T {
  const picked = choice[Math.floor(random() * choice.length)];
  if (picked === undefined) throw new Error("Nothing to choose from");
  return picked;
}

function say(message: EditorMessage): void {
  tell(message);
}
