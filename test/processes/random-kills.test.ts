import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Store } from "../../src/store/store.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { checkSound } from "../crash/sound-database.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import { allJobs } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allFinished } from "./holds.js";
import type { AcceptedLine, EnqueuerInput, EnqueuerMessage } from "./programs/enqueuer.js";
import { readRuns, startWorker, type WorkerProcess } from "./worker-process.js";

/** Decides who is killed, and after how many of its messages. */
const SEED = 20260105;
const [KILLS, TIMEOUT_MS] = process.env["KONVEIER_LONG_TESTS"] === "1" ? [200, 900_000] : [20, 120_000];
/** Short, so that jobs of killed workers come back soon. */
const LEASE_MS = 500;

interface Files {
  readonly file: string;
  readonly runs: string;
  readonly accepted: string;
}

/** A process that is started again whenever it was killed. */
interface Role {
  program: ChildProgram<unknown, unknown>;
  readonly start: () => Promise<ChildProgram<unknown, unknown>>;
}

it(
  "kill -9 at random moments loses no accepted job, and explains every extra run",
  async () => {
    const directory = tempDirectory();
    const files: Files = {
      file: join(directory, "konveier.db"),
      runs: join(directory, "runs"),
      accepted: join(directory, "accepted"),
    };
    const store = openSqliteStore(files.file);
    const worker = () => startedWorker(files);
    const roles = await Promise.all([
      cast(worker),
      cast(worker),
      cast(() => Promise.resolve(startEnqueuer(files, 0))),
      cast(() => Promise.resolve(startEnqueuer(files, 1))),
    ]);

    await killAtRandom(roles);
    for (const { program } of roles) await killed(program);

    // Those that got no answer for their last job ask again.
    const enqueuers = [0, 1].map((lane) => startEnqueuer(files, lane, 5));
    for (const { exited } of enqueuers) expect(await exited).toEqual({ code: 0, signal: null });
    const last = await startedWorker(files);
    await allFinished(store);
    last.send({ type: "stop" });
    expect(await last.exited, last.output).toEqual({ code: 0, signal: null });

    await checkAccepted(store, files);
    await checkRuns(store, files);
    await store.close();
    checkSound(files.file);
  },
  TIMEOUT_MS,
);

async function killAtRandom(roles: readonly Role[]): Promise<void> {
  const random = seededRandom(SEED);
  for (let kills = 0; kills < KILLS; kills += 1) {
    const role = roles[Math.floor(random() * roles.length)]!;
    const { program } = role;
    const enough = program.messages.length + 1 + Math.floor(random() * 40);
    await program.until(() => program.messages.length >= enough);
    await killed(program);
    role.program = await role.start();
  }
}

async function killed(program: ChildProgram<unknown, unknown>): Promise<void> {
  program.kill("SIGKILL");
  expect(await program.exited, program.output).toEqual({ code: null, signal: "SIGKILL" });
}

async function cast(start: Role["start"]): Promise<Role> {
  return { program: await start(), start };
}

async function startedWorker({ file, runs }: Files): Promise<WorkerProcess> {
  const input = { file, runs, concurrency: 5, leaseMs: LEASE_MS };
  const worker = await startWorker(input, new URL("./programs/worker.ts", import.meta.url));
  worker.send({ type: "start" });
  return worker;
}

/** Goes on after the last job of this lane that was accepted. */
function startEnqueuer(
  { file, accepted }: Files,
  lane: number,
  count = 1_000_000,
): ChildProgram<EnqueuerMessage, never> {
  const first = lane * 10_000_000;
  const mine = readAccepted(accepted).filter(({ number }) => number >= first && number < first + 10_000_000);
  const from = Math.max(first, ...mine.map(({ number }) => number + 1));
  // The death of a process takes nothing in either mode.
  const synchronous = lane === 0 ? "full" : "normal";
  const input: EnqueuerInput = { file, synchronous, accepted, name: "pause", from, to: from + count };
  return startProgram<EnqueuerMessage>(new URL("./programs/enqueuer.ts", import.meta.url), input);
}

/** Every accepted job is there and completed, and there is no other. */
async function checkAccepted(store: Store, { accepted }: Files): Promise<void> {
  const lines = readAccepted(accepted);
  expect(new Set(lines.map(({ number }) => number)).size).toBe(lines.length);
  const jobs = await allJobs(store);
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set(lines.map(({ id }) => id)));
  expect(jobs).toHaveLength(lines.length);
  expect(jobs.filter(({ state }) => state !== "completed")).toEqual([]);
}

/** Each job has one attempt that completed; every other run belongs to an attempt that was lost. */
async function checkRuns(store: Store, { runs }: Files): Promise<void> {
  const lines = readRuns(runs);
  expect(new Set(lines.map(({ token }) => token)).size).toBe(lines.length);
  const tokensOf = new Map<string, number[]>();
  for (const { id, token } of lines) tokensOf.set(id, [...(tokensOf.get(id) ?? []), token]);
  let lost = 0;
  for (const { id } of await allJobs(store)) {
    const attempts = await store.jobs.attempts(id);
    const outcomes = attempts.map(({ outcome }) => outcome);
    expect(outcomes.at(-1)).toBe("completed");
    expect(outcomes.slice(0, -1).every((outcome) => outcome === "lost")).toBe(true);
    const tokens = tokensOf.get(id)!;
    expect(tokens.at(-1)).toBe(attempts.at(-1)!.token);
    expect(attempts.map(({ token }) => token)).toEqual(expect.arrayContaining(tokens));
    lost += attempts.length - 1;
  }
  // Otherwise the kills met no running job, and nothing was tried.
  expect(lost).toBeGreaterThan(0);
}

function readAccepted(file: string): AcceptedLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AcceptedLine);
}
