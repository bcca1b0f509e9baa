import { readFileSync } from "node:fs";
import type { EventName } from "../../src/core/events.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import type { RunLine, WorkerCommand, WorkerInput, WorkerMessage } from "./programs/worker.js";

export type WorkerProcess = ChildProgram<WorkerMessage, WorkerCommand>;

const PROGRAM = new URL("./programs/worker.ts", import.meta.url);

/** Starts a process with a library worker; resolves when it can be told to begin. */
export async function startWorker(input: WorkerInput, program = PROGRAM): Promise<WorkerProcess> {
  const worker = startProgram<WorkerMessage, WorkerCommand>(program, input);
  await worker.message(({ type }) => type === "ready");
  return worker;
}

/** All runs of handlers so far, in all processes. */
export function readRuns(file: string): RunLine[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RunLine);
}

/** Resolves when a handler has begun an attempt of this job. */
export function beginOf(worker: WorkerProcess, id: string): Promise<WorkerMessage> {
  return worker.message((message) => message.type === "run" && message.id === id);
}

/** Resolves when the worker's process said that this happened to the job. */
export function eventOf(worker: WorkerProcess, name: EventName, id?: string): Promise<WorkerMessage> {
  return worker.message(
    (message) =>
      message.type === "event" && message.name === name && (id === undefined || message.event.id === id),
  );
}
