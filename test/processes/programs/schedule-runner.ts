/** A process that fires schedules in the background, and may run a worker beside. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { KonveierError } from "../../../src/core/errors.js";
import { Konveier } from "../../../src/konveier.js";
import type { ScheduleOptions } from "../../../src/schedules.js";
import { defineJob } from "../../../src/core/define-job.js";
import { input, leave, onCommand, tell } from "./parent.js";

export interface RunnerInput {
  readonly file: string;
  /** Declared at the start, as code does. */
  readonly schedules?: Readonly<Record<string, ScheduleOptions>>;
  /** Queues of a worker; without them there is none. */
  readonly workFor?: readonly string[];
}

export type RunnerMessage =
  /** Open, with its schedules written; nothing fires yet. */
  | { readonly type: "ready"; readonly openedInMs: number }
  | { readonly type: "fired"; readonly key: string; readonly slot: number; readonly sinceStartMs: number }
  | { readonly type: "missed"; readonly key: string; readonly from: number; readonly through: number }
  | { readonly type: "completed"; readonly queue: string }
  | { readonly type: "trouble"; readonly event: string; readonly error: string }
  | { readonly type: "stopping"; readonly longestDelayMs: number };

export type RunnerCommand = { readonly type: "start" } | { readonly type: "stop" };

const { file, schedules = {}, workFor = [] } = input() as RunnerInput;
const began = performance.now();
const konveier = await Konveier.open(`sqlite:${file}`, { schedules });
const openedInMs = performance.now() - began;
const delay = monitorEventLoopDelay({ resolution: 5 });
let started = 0;

konveier.on("schedule.fired", ({ key, slot }) => {
  say({ type: "fired", key, slot, sinceStartMs: performance.now() - started });
});
konveier.on("schedule.missed", ({ key, from, through }) => {
  say({ type: "missed", key, from, through });
});
konveier.on("job.completed", ({ queue }) => {
  say({ type: "completed", queue });
});
for (const event of ["store.unavailable", "internal.error", "schedule.stopped"] as const) {
  konveier.on(event, (told) => {
    const error = "error" in told ? told.error : told.problem;
    say({ type: "trouble", event, error: error instanceof KonveierError ? error.code : String(error) });
  });
}
onCommand((message) => {
  const { type } = message as RunnerCommand;
  if (type === "start") start().catch(fail);
  else stop().catch(fail);
});
say({ type: "ready", openedInMs });

async function start(): Promise<void> {
  started = performance.now();
  delay.enable();
  konveier.startBackground();
  if (workFor.length === 0) return;
  const jobs = [defineJob("tick", { handler: () => null }), defineJob("other", { handler: () => null })];
  await konveier.worker({ queues: workFor, jobs }).start();
}

async function stop(): Promise<void> {
  delay.disable();
  say({ type: "stopping", longestDelayMs: delay.max / 1e6 });
  await konveier.close();
  leave();
}

function say(message: RunnerMessage): void {
  tell(message);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
