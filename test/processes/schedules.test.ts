import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { EventMap } from "../../src/core/events.js";
import { Konveier, type KonveierOptions } from "../../src/konveier.js";
import type { ScheduleOptions } from "../../src/schedules.js";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open.js";
import { readOnly } from "../crash/contents.js";
import { checkOneJobPerSlot, checkSound } from "../crash/sound-database.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import { EventLog } from "../support/event-log.js";
import { FakeClock, T0 } from "../support/fake-clock.js";
import { checkBooks } from "../support/recount.js";
import { tempDirectory } from "../support/temp-directory.js";
import { holds } from "./holds.js";
import type { EditorCommand, EditorInput, EditorMessage } from "./programs/schedule-editor.js";
import type { RunnerCommand, RunnerInput, RunnerMessage } from "./programs/schedule-runner.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EVERY_SECOND = { cron: "* * * * * *", job: "tick" } as const;

type Runner = ChildProgram<RunnerMessage, RunnerCommand>;
type Editor = ChildProgram<EditorMessage, EditorCommand>;
type Range = EventMap["schedule.missed"];
type Fired = Extract<RunnerMessage, { type: "fired" }>;

describe("processes on one file", () => {
  it(
    "fire every slot once, whoever of them is first",
    async ({ annotate }) => {
      const slots = LONG ? 60 : 8;
      const { file, store, konveier } = scene();
      // With this policy no slot may be missing, however late a busy machine is.
      await konveier.schedules.put("second", { ...EVERY_SECOND, missed: "all" });
      const runners = await Promise.all(Array.from({ length: 5 }, () => startedRunner({ file })));
      await holds(store, async () => (await konveier.schedules.runs("second")).length >= slots);
      for (const runner of runners) await stopped(runner);

      const fired = slotsOf(file, "second");
      expect(fired.length).toBeGreaterThanOrEqual(slots);
      expect(fired).toEqual(Array.from(fired, (_, n) => fired[0]! + n * SECOND));
      const told = runners.map((runner) => firedBy(runner).length);
      expect(told.reduce((sum, count) => sum + count, 0)).toBe(fired.length);
      expect(troublesOf(runners)).toEqual([]);
      const late = (await konveier.schedules.runs("second")).map(({ firedAt, slot }) => firedAt - slot);
      await annotate(`slots by process: ${told.join(", ")}; latest: ${Math.max(...late)} ms after its slot`);
      await checkedAndClosed(file, konveier, store);
    },
    LONG ? 120_000 : 60_000,
  );

  it("lose no slot when those of them that fire are killed", async () => {
    const { file, store, konveier } = scene();
    await konveier.schedules.put("second", { ...EVERY_SECOND, missed: "all" });
    for (let kills = 0; kills < (LONG ? 20 : 3); kills += 1) {
      const runners = await Promise.all([startedRunner({ file }), startedRunner({ file })]);
      const before = slotsOf(file, "second").length;
      await holds(store, () => Promise.resolve(slotsOf(file, "second").length > before));
      for (const runner of runners) await killed(runner);
    }
    const last = await startedRunner({ file });
    await last.message(({ type }) => type === "fired");
    await stopped(last);

    const fired = slotsOf(file, "second");
    expect(fired).toEqual(Array.from(fired, (_, n) => fired[0]! + n * SECOND));
    await checkedAndClosed(file, konveier, store);
  }, 120_000);

  it("fire 10 000 schedules of one second once each, while another queue goes on", async ({ annotate }) => {
    const count = 10_000;
    const { file, store, konveier } = scene();
    const first = Date.now() + HOUR;
    const definition = { everyMs: HOUR, startAt: first, job: "tick", settings: { queue: "ticks" } };
    await Promise.all(
      Array.from({ length: count }, (_, n) => konveier.schedules.put(`key-${n}`, definition)),
    );
    const runners = await Promise.all([startedRunner({ file, workFor: ["other"] }), startedRunner({ file })]);
    const due = Math.floor(Date.now() / SECOND) * SECOND;
    edit(file, "UPDATE schedules SET start_at = @due, next_slot = @due, next_at = @due", { due });

    let ended = false;
    const all = holds(store, async () => (await store.queues.get("ticks"))?.counts.pending === count);
    const others = enqueueWhile(konveier, () => !ended);
    await all;
    ended = true;
    const enqueued = await others;
    await holds(store, async () => (await store.queues.get("other"))?.counts.completed === enqueued);
    for (const runner of runners) await stopped(runner);

    const sum =
      "SELECT count(*) AS jobs, count(DISTINCT schedule_key) AS keys, min(slot) AS a, max(slot) AS b";
    expect(readOnly(file, (db) => db.prepare(`${sum} FROM job_specs WHERE slot IS NOT NULL`).get())).toEqual({
      jobs: count,
      keys: count,
      a: due,
      b: due,
    });
    expect(troublesOf(runners)).toEqual([]);
    const times = readOnly(file, (db) =>
      db
        .prepare(
          `SELECT (SELECT max(fired_at) - min(fired_at) FROM schedule_runs) AS firing,
             (SELECT max(started_at - created_at) FROM jobs WHERE queue = 'other') AS longest,
             (SELECT count(*) FROM jobs WHERE queue = 'other' AND started_at
                BETWEEN (SELECT min(fired_at) FROM schedule_runs) AND (SELECT max(fired_at) FROM schedule_runs)) AS meanwhile`,
        )
        .get(),
    ) as { firing: number; longest: number; meanwhile: number };
    expect(times.meanwhile).toBeGreaterThan(0);
    const delays = runners.map((runner) => runner.messages.find(({ type }) => type === "stopping"));
    const longest = delays.map((each) => (each?.type === "stopping" ? each.longestDelayMs.toFixed() : "?"));
    await annotate(
      `${count} schedules fired in ${times.firing} ms; ${times.meanwhile} other jobs begun meanwhile, ` +
        `the last of them ${times.longest} ms after it was enqueued at the most; ` +
        `event loops held for ${longest.join(" and ")} ms at the most`,
    );
    await checkedAndClosed(file, konveier, store);
  }, 120_000);

  it(
    "fire no slot twice while schedules are written, paused, deleted and run by hand",
    async ({ annotate }) => {
      const rounds = LONG ? 10_000 : 1_000;
      const { file, store, konveier } = scene();
      // So many that a schedule lives long enough to meet some of its slots.
      const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);
      const runners = await Promise.all([
        startedRunner({ file, workFor: ["default"] }),
        startedRunner({ file, workFor: ["default"] }),
      ]);
      const editors = [1, 2, 3].map((seed) => startEditor({ file, seed, keys }));
      await Promise.all(editors.map((editor) => editor.until(() => editor.messages.length >= rounds)));
      await runners[0].until(() => firedBy(runners[0]).length >= 20);
      for (const editor of editors) editor.send({ type: "stop" });
      for (const editor of editors) {
        expect(await editor.exited, editor.output).toEqual({ code: 0, signal: null });
      }
      for (const runner of runners) await stopped(runner);

      const said = editors.flatMap(({ messages }) => messages);
      const refused = said.filter((message) => message.type === "refused");
      // Those that met a key which another one had deleted.
      expect(refused.filter(({ code }) => code !== "schedule_not_found")).toEqual([]);
      expect(refused.filter(({ verb }) => verb === "put")).toEqual([]);
      expect(troublesOf(runners)).toEqual([]);
      const byHand = said.flatMap((message) => (message.type === "stopped" ? message.byHand : []));
      expect(byHand.length).toBeGreaterThan(0);
      checkOneJobPerSlot(file, byHand);
      await annotate(`${said.length} edits, ${runners.flatMap((runner) => firedBy(runner)).length} slots`);
      await checkedAndClosed(file, konveier, store);
    },
    LONG ? 300_000 : 60_000,
  );
});

describe("a process", () => {
  it("that is suspended for seconds catches up by one run, and goes on", async () => {
    const { file, store, konveier } = scene();
    await konveier.schedules.put("once", EVERY_SECOND);
    await konveier.schedules.put("all", { ...EVERY_SECOND, missed: "all", maxMissed: 2 });
    const runner = await startedRunner({ file });
    await runner.until(() => firedBy(runner).length >= 2);

    runner.kill("SIGSTOP");
    const from = Date.now();
    await reached(from + 5 * SECOND);
    const until = Date.now();
    runner.kill("SIGCONT");
    await runner.until(() => firedBy(runner, "once").filter(({ slot }) => slot > until).length >= 3);
    await stopped(runner);

    const caughtUp = (key: string) => slotsOf(file, key).filter((slot) => slot > from && slot <= until);
    expect(caughtUp("once").length).toBeLessThanOrEqual(1);
    expect(caughtUp("all").length).toBeLessThanOrEqual(2);
    const missed = runner.messages.filter(({ type }) => type === "missed");
    expect(missed.length).toBeGreaterThanOrEqual(2);
    await checkedAndClosed(file, konveier, store);
  });

  it("that was killed before a slot and is started after it runs the slot once", async () => {
    const { file, store, konveier } = scene();
    // Far enough for the first process to be there in time.
    const slot = Date.now() + 5 * SECOND;
    const schedules = { hourly: { everyMs: HOUR, startAt: slot, job: "tick" } };
    await killed(await startedRunner({ file, schedules }));
    expect(Date.now()).toBeLessThan(slot);
    const { version } = (await konveier.schedules.get("hourly"))!;
    await reached(slot + 1);

    const runners = await Promise.all([1, 2].map(() => startedRunner({ file, schedules })));
    await holds(store, () => Promise.resolve(slotsOf(file, "hourly").length > 0));
    for (const runner of runners) await killed(runner);
    await stopped(await startedRunner({ file, schedules }));

    expect(slotsOf(file, "hourly")).toEqual([slot]);
    expect(await konveier.schedules.get("hourly")).toMatchObject({
      source: "code",
      version,
      next: { slot: slot + HOUR },
      totals: { enqueued: 1, skipped: 0, missed: 0 },
    });
    await checkedAndClosed(file, konveier, store);
  });

  it("that was down for a day opens and fires soon", async ({ annotate }) => {
    const { file, store, konveier } = scene();
    const many = { missed: "all", maxMissed: 1_000 } as const;
    const schedules = {
      once: { everyMs: SECOND, job: "tick" },
      all: { cron: "* * * * * *", timezone: "Europe/Prague", job: "tick", ...many },
      daily: { cron: "30 3 * * *", timezone: "Europe/Prague", job: "tick", ...many },
    };
    const first = await startedRunner({ file, schedules });
    await first.until(() => firedBy(first).length >= 4);
    await killed(first);
    // As if all of it had been a day ago.
    edit(
      file,
      "UPDATE schedules SET next_slot = next_slot - @day, next_at = next_at - @day WHERE key <> 'daily'",
      { day: DAY },
    );
    edit(file, "UPDATE schedule_runs SET slot = slot - @day, through = through - @day", { day: DAY });
    edit(file, "UPDATE job_specs SET slot = slot - @day WHERE slot IS NOT NULL", { day: DAY });
    const before = slotsOf(file, "once").length + slotsOf(file, "all").length;

    const second = await startedRunner({ file, schedules });
    await second.until(() => firedBy(second, "once").length >= 2);
    await stopped(second);
    const [ready] = second.messages;
    const [fired] = firedBy(second);
    await annotate(
      `open after ${ready?.type === "ready" ? ready.openedInMs.toFixed() : "?"} ms, ` +
        `fired ${slotsOf(file, "all").length} slots ${fired!.sinceStartMs.toFixed()} ms after the start`,
    );
    const missed = second.messages.filter((message) => message.type === "missed");
    expect(missed.filter(({ key }) => key === "once").length).toBeGreaterThanOrEqual(1);
    const caughtUp = slotsOf(file, "once").filter((slot) => slot > Date.now() - 12 * HOUR);
    expect(caughtUp.length).toBe(firedBy(second, "once").length);
    expect(slotsOf(file, "once").length + slotsOf(file, "all").length).toBe(before + firedBy(second).length);
    expect(firedBy(second, "all").length).toBeGreaterThanOrEqual(1_000);
    await checkedAndClosed(file, konveier, store);
  });
});

describe("after a day without any process", () => {
  const NOON = T0 + DAY / 2;
  /** The clock stands half a second after midnight, and a day later when the file is opened again. */
  const latest = T0 + DAY;

  it.each([
    { what: "once", options: { everyMs: SECOND }, slots: [latest], missed: DAY / SECOND - 1 },
    {
      what: "skip, hardly late",
      options: { everyMs: SECOND, missed: "skip" },
      slots: [latest],
      missed: DAY / SECOND - 1,
    },
    { what: "skip, hours late", options: { cron: "0 12 * * *", missed: "skip" }, slots: [], missed: 1 },
    { what: "once, hours late", options: { cron: "0 12 * * *" }, slots: [NOON], missed: 0 },
    {
      what: "all",
      options: { everyMs: SECOND, missed: "all", maxMissed: 100 },
      slots: Array.from({ length: 100 }, (_, n) => latest - (99 - n) * SECOND),
      missed: DAY / SECOND - 100,
    },
  ] as const)("missed slots become jobs by the policy: $what", async ({ options, slots, missed }) => {
    const { file, clock, run } = calm(T0 + 500);
    const schedules = { it: { ...options, job: "tick" } };
    await run({ schedules }, () => Promise.resolve());
    clock.block(DAY);
    await run({ schedules }, async (konveier) => {
      const events = new EventLog(konveier);
      konveier.startBackground();
      await clock.advance(400);
      expect(slotsOf(file, "it")).toEqual(slots);
      const ranges = events.of("schedule.missed");
      expect(ranges.reduce((sum, range) => sum + slotsIn(range, options), 0)).toBe(missed);
      expect(await konveier.schedules.get("it")).toMatchObject({
        totals: { enqueued: slots.length, skipped: 0, missed: ranges.length },
      });

      await clock.advance(10 * SECOND);
      const cadence =
        "everyMs" in options ? Array.from({ length: 10 }, (_, n) => latest + (n + 1) * SECOND) : [];
      expect(slotsOf(file, "it").slice(slots.length)).toEqual(cadence);
    });
  });

  it.each([
    { late: 60_000, jobs: 1 },
    { late: 60_001, jobs: 0 },
  ])(
    "a slot that is $late ms late, where missed ones are skipped, is late or missed",
    async ({ late, jobs }) => {
      const { file, clock, run } = calm();
      const schedules = { noon: { cron: "0 12 * * *", missed: "skip", job: "tick" } } as const;
      await run({ schedules }, () => Promise.resolve());
      clock.block(DAY / 2 + late);
      await run({ schedules }, async (konveier) => {
        konveier.startBackground();
        await clock.advance(0);
        expect(slotsOf(file, "noon")).toHaveLength(jobs);
        expect(await konveier.schedules.get("noon")).toMatchObject({ next: { slot: T0 + DAY * 1.5 } });
      });
    },
  );
});

describe("a restart", () => {
  it.each([5, 45, 600])(
    "that takes %d s over a slot loses it as little as it repeats it",
    async (seconds) => {
      const { file, clock, run } = calm();
      const schedules = { noon: { cron: "0 12 * * *", job: "tick", payload: "old" } };
      await run({ schedules }, async (konveier) => {
        konveier.startBackground();
        await clock.advance(SECOND);
        clock.block(DAY / 2 - 3 * SECOND);
        await clock.advance(0);
      });
      expect(slotsOf(file, "noon")).toEqual([]);
      clock.block(seconds * SECOND);
      // The new version of the program has another payload.
      for (const payload of ["new", "new", "newer"]) {
        await run({ schedules: { noon: { ...schedules.noon, payload } } }, async (konveier) => {
          konveier.startBackground();
          await clock.advance(SECOND);
          expect(slotsOf(file, "noon")).toEqual([T0 + DAY / 2]);
          const [run] = await konveier.schedules.runs("noon");
          expect(await konveier.jobs.payload(run!.jobId!)).toBe("new");
        });
      }
    },
  );

  it("does not run a new schedule of rare slots, nor do ten of them or a lost history", async () => {
    const { file, clock, run } = calm(Date.UTC(2026, 0, 15));
    const schedules = { monthly: { cron: "0 3 1 * *", job: "tick" } };
    for (let restarts = 0; restarts <= 10; restarts += 1) {
      await run({ schedules }, async (konveier) => {
        konveier.startBackground();
        await clock.advance(2 * SECOND);
      });
      edit(file, "DELETE FROM schedule_runs", {});
    }
    expect(slotsOf(file, "monthly")).toEqual([]);
    const slot = Date.UTC(2026, 1, 1, 3);
    clock.block(slot - clock.now() - 1);
    await run({ schedules }, async (konveier) => {
      konveier.startBackground();
      await clock.advance(0);
      expect(slotsOf(file, "monthly")).toEqual([]);
      await clock.advance(SECOND);
      expect(slotsOf(file, "monthly")).toEqual([slot]);
    });
  });
});

describe("slots", () => {
  it("of a schedule that is deleted and made again within one of them do not come again", async () => {
    const nine = T0 + 9 * HOUR;
    const { file, clock, run } = calm(nine - 90 * SECOND);
    await run({}, async (konveier) => {
      const make = () => konveier.schedules.put("minutely", { everyMs: 60 * SECOND, job: "tick" });
      await make();
      konveier.startBackground();
      await clock.advance(120 * SECOND);
      expect(slotsOf(file, "minutely")).toEqual([nine - 60 * SECOND, nine]);
      await konveier.schedules.delete("minutely");
      expect(await make()).toMatchObject({ next: { slot: nine + 60 * SECOND } });
      await clock.advance(29 * SECOND);
      expect(slotsOf(file, "minutely")).toHaveLength(2);
      await clock.advance(SECOND);
      expect(slotsOf(file, "minutely")).toEqual([nine - 60 * SECOND, nine, nine + 60 * SECOND]);
    });
  });

  it("of two schedules with the same expression make a job for each", async () => {
    const { file, clock, run } = calm();
    const minutely = { cron: "* * * * *", job: "tick" };
    await run({ schedules: { a: minutely, b: minutely } }, async (konveier) => {
      konveier.startBackground();
      await clock.advance(60 * SECOND);
      expect([slotsOf(file, "a"), slotsOf(file, "b")]).toEqual([[T0 + 60 * SECOND], [T0 + 60 * SECOND]]);
    });
  });

  it("are found from the slot before, so that a week is neither repeated nor left out", async () => {
    const slot = Date.UTC(2026, 7, 3, 4);
    const { file, clock, run } = calm(slot - SECOND);
    const weekly = { cron: "0 6 * * 1", timezone: "Europe/Prague", job: "tick" };
    await run({ schedules: { weekly } }, async (konveier) => {
      konveier.startBackground();
      await clock.advance(30 * SECOND);
      expect(slotsOf(file, "weekly")).toEqual([slot]);
      expect(await konveier.schedules.get("weekly")).toMatchObject({ next: { slot: slot + 7 * DAY } });
    });
  });

  it.each([0, 1, 4, 300])("come once each when timers are %d ms early", async (earlyMs) => {
    const { file, clock, run } = calm(T0 + 996);
    clock.earlyMs = earlyMs;
    await run({ schedules: { second: EVERY_SECOND } }, async (konveier) => {
      konveier.startBackground();
      await clock.advance(20 * SECOND);
      expect(slotsOf(file, "second")).toEqual(Array.from({ length: 20 }, (_, n) => T0 + (n + 1) * SECOND));
    });
  });

  it("come once each whatever the clock does", async () => {
    const { file, clock, run } = calm();
    await run({ schedules: { second: EVERY_SECOND } }, async (konveier) => {
      konveier.startBackground();
      await clock.advance(3 * SECOND);
      clock.stepWall(110 * SECOND);
      await clock.advance(3 * SECOND);
      // One run for what the step skipped, and then the cadence.
      const expected = [1, 2, 3, 113, 114, 115, 116].map((n) => T0 + n * SECOND);
      expect(slotsOf(file, "second")).toEqual(expected);
      clock.stepWall(-30 * SECOND);
      await clock.advance(30 * SECOND);
      expect(slotsOf(file, "second")).toEqual(expected);
      await clock.advance(SECOND);
      expect(slotsOf(file, "second")).toEqual([...expected, T0 + 117 * SECOND]);
    });
  });
});

/** A database of the present test, with a store that this process looks through. */
function scene(): { file: string; store: SqliteStore; konveier: Konveier } {
  const file = join(tempDirectory(), "konveier.db");
  const store = openSqliteStore(file);
  return { file, store, konveier: Konveier.withStore(store) };
}

/** A database on which one process after the other works, while time passes as the test says. */
function calm(now = T0) {
  const file = join(tempDirectory(), "konveier.db");
  const clock = new FakeClock(now);
  const run = async (options: KonveierOptions, work: (konveier: Konveier) => Promise<void>) => {
    const konveier = await Konveier.open(`sqlite:${file}`, { ...options, clock });
    try {
      await work(konveier);
    } finally {
      const closed = konveier.close();
      await clock.advance(0);
      await closed;
    }
    checkSound(file);
    checkOneJobPerSlot(file);
  };
  return { file, clock, run };
}

async function startedRunner(input: RunnerInput): Promise<Runner> {
  const program = new URL("./programs/schedule-runner.ts", import.meta.url);
  const runner = startProgram<RunnerMessage, RunnerCommand>(program, input);
  await runner.message(({ type }) => type === "ready");
  runner.send({ type: "start" });
  return runner;
}

function startEditor(input: EditorInput): Editor {
  return startProgram(new URL("./programs/schedule-editor.ts", import.meta.url), input);
}

async function stopped(runner: Runner): Promise<void> {
  runner.send({ type: "stop" });
  expect(await runner.exited, runner.output).toEqual({ code: 0, signal: null });
}

async function killed(runner: Runner): Promise<void> {
  runner.kill("SIGKILL");
  expect(await runner.exited, runner.output).toEqual({ code: null, signal: "SIGKILL" });
}

function firedBy({ messages }: Runner, key?: string): Fired[] {
  return messages.filter(
    (message): message is Fired => message.type === "fired" && (key === undefined || message.key === key),
  );
}

function troublesOf(runners: readonly Runner[]): RunnerMessage[] {
  return runners.flatMap(({ messages }) => messages.filter(({ type }) => type === "trouble"));
}

/** Enqueues one job after the other; resolves with how many. */
async function enqueueWhile(konveier: Konveier, goesOn: () => boolean): Promise<number> {
  let enqueued = 0;
  while (goesOn()) {
    await konveier.enqueue("other", {}, { queue: "other" });
    enqueued += 1;
  }
  return enqueued;
}

/** Resolves when the wall clock shows this instant. */
async function reached(instant: number): Promise<void> {
  while (Date.now() < instant) await setTimeout(instant - Date.now());
}

/** Slots of the jobs that a schedule made, oldest first. */
function slotsOf(file: string, key: string): number[] {
  return readOnly(file, (db) =>
    db
      .prepare<[string], number>("SELECT slot FROM job_specs WHERE schedule_key = ? ORDER BY slot")
      .pluck()
      .all(key),
  );
}

function slotsIn({ from, through }: Range, timing: Omit<ScheduleOptions, "job">): number {
  return timing.everyMs === undefined ? 1 : (through - from) / timing.everyMs + 1;
}

/** Changes the file behind the back of the program. */
function edit(file: string, sql: string, values: Record<string, number>): void {
  const db = new Database(file, { timeout: 5_000 });
  try {
    db.prepare(sql).run(values);
  } finally {
    db.close();
  }
}

async function checkedAndClosed(file: string, konveier: Konveier, store: SqliteStore): Promise<void> {
  await checkBooks(store);
  await konveier.close();
  checkSound(file);
}
