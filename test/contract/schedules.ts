import { describe, expect } from "vitest";
import { MAX_SCHEDULE_RUNS_KEPT } from "../../src/core/defaults.js";
import type { Schedule } from "../../src/core/schedule.js";
import {
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from "../../src/engine/schedules/by-hand.js";
import { fireDue, firingOf, fireWaiting } from "../../src/engine/schedules/fire.js";
import { jobOfSlot } from "../../src/engine/schedules/job.js";
import { putSchedule } from "../../src/engine/schedules/put.js";
import type { ScheduleRequest } from "../../src/engine/schedules/request.js";
import { T0 } from "../support/fake-clock.js";
import { allJobs } from "../support/recount.js";
import type { Contract } from "./contract.js";
import { faultsOf, refusal, type Harness } from "./harness.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function put(
  harness: Harness,
  request: Partial<ScheduleRequest> = {},
  key = "tick",
  source: "api" | "code" = "api",
) {
  const rhythm = request.everyMs === undefined && request.cron === undefined ? { everyMs: MINUTE } : {};
  return putSchedule(harness.engine, key, { ...rhythm, job: { name: "work" }, ...request }, source);
}

/** Time passes, then whatever is due is fired. */
async function after(harness: Harness, ms: number): Promise<void> {
  harness.clock.block(ms);
  while (await fireDue(harness.engine));
  await fireWaiting(harness.engine);
}

/** Slots of the jobs that there are, in milliseconds from the start of the test, oldest job first. */
async function slots(harness: Harness): Promise<number[]> {
  const jobs = (await allJobs(harness.store)).toSorted((a, b) => Number(a.id) - Number(b.id));
  const details = await Promise.all(jobs.map(({ id }) => harness.job(id)));
  return details.map(({ schedule }) => (schedule?.slot ?? Number.NaN) - T0);
}

/** History, oldest first, as "outcome slot" or "outcome slot..through". */
async function history(harness: Harness, key = "tick"): Promise<string[]> {
  const runs = await harness.store.schedules.runs(key, 1_000, null);
  return runs
    .toReversed()
    .map(({ outcome, slot, through, manual }) =>
      [
        manual ? `${outcome} by hand` : outcome,
        through === slot ? slot - T0 : `${slot - T0}..${through - T0}`,
      ].join(" "),
    );
}

async function existing(harness: Harness, key = "tick"): Promise<Schedule> {
  const schedule = await harness.store.schedules.get(key);
  if (schedule === null) throw new Error(`There is no schedule ${key}`);
  return schedule;
}

export function schedulesContract(contract: Contract): void {
  describe("schedules: writing", () => {
    contract.test("keeps the whole definition, with its defaults", async (harness) => {
      const { schedule, outcome } = await put(harness, {
        cron: "0 9 * * MON",
        timezone: "europe/berlin",
        job: { name: "report", queue: "mail", payload: { a: [1, "ü"] }, priority: 7, tags: ["x"] },
        missed: "all",
        maxMissed: 5,
        overlap: "queue",
        startAt: T0 + 1,
        endAt: T0 + 365 * 24 * HOUR,
        jitterMs: 1_000,
      });
      expect(outcome).toBe("created");
      expect(schedule).toEqual({
        key: "tick",
        source: "api",
        cron: "0 9 * * MON",
        everyMs: null,
        timezone: "Europe/Berlin",
        job: {
          queue: "mail",
          name: "report",
          payload: '{"a":[1,"ü"]}',
          priority: 7,
          maxAttempts: 20,
          backoff: null,
          timeoutMs: null,
          tags: ["x"],
          unique: null,
          expiresInMs: null,
          keys: null,
        },
        missed: "all",
        maxMissed: 5,
        overlap: "queue",
        startAt: T0 + 1,
        endAt: T0 + 365 * 24 * HOUR,
        jitterMs: 1_000,
        next: { slot: T0 + 8 * HOUR, at: T0 + 8 * HOUR },
        lastSlot: null,
        waitingSlot: null,
        pausedAt: null,
        pauseReason: null,
        problem: null,
        createdAt: T0,
        updatedAt: T0,
        version: 1,
        totals: { enqueued: 0, skipped: 0, missed: 0 },
      });
      expect(await existing(harness)).toEqual(schedule);
    });

    contract.test("lists by key, in pages", async (harness) => {
      for (const key of ["c", "a", "b"]) await put(harness, {}, key);
      const { store } = harness;
      const first = await store.schedules.list(2, null);
      expect([first.items.map(({ key }) => key), first.next]).toEqual([["a", "b"], "b"]);
      const second = await store.schedules.list(2, first.next);
      expect([second.items.map(({ key }) => key), second.next]).toEqual([["c"], null]);
      expect((await store.schedules.list(3, null)).next).toBeNull();
    });

    contract.test("writing the same again changes nothing, something else counts", async (harness) => {
      await put(harness);
      harness.clock.block(MINUTE);
      const again = await put(harness);
      expect(again).toMatchObject({ outcome: "unchanged", schedule: { version: 1, updatedAt: T0 } });
      const other = await put(harness, { job: { name: "work", payload: 1 } });
      expect(other).toMatchObject({ outcome: "updated", schedule: { version: 2, updatedAt: T0 + MINUTE } });
    });

    contract.test("SCH-01 a new job for the same slots keeps one that is overdue", async (harness) => {
      await put(harness, {}, "tick", "code");
      harness.clock.block(MINUTE + 5);
      await put(harness, { job: { name: "newer" } }, "tick", "code");
      await after(harness, 0);
      expect(await slots(harness)).toEqual([MINUTE]);
      expect((await allJobs(harness.store)).map(({ name }) => name)).toEqual(["newer"]);
    });

    contract.test("SCH-10 other slots begin after now: nothing is made up", async (harness) => {
      await put(harness);
      harness.clock.block(10 * MINUTE + 5);
      await put(harness, { cron: "*/7 * * * *" });
      await after(harness, 0);
      expect(await slots(harness)).toEqual([]);
      await after(harness, 4 * MINUTE);
      expect(await slots(harness)).toEqual([14 * MINUTE]);
    });

    contract.test("a writer that read an older version writes nothing", async (harness) => {
      const { schedule } = await put(harness);
      const write = { key: "tick", definition: schedule, source: "api", next: "keep" } as const;
      const { store } = harness;
      expect(await store.schedules.write({ ...write, expectedVersion: 1 })).toMatchObject({ version: 2 });
      expect(await store.schedules.write({ ...write, expectedVersion: 1 })).toBeNull();
      expect(await store.schedules.write({ ...write, expectedVersion: 0 })).toBeNull();
    });

    contract.test(
      "SCH-04 other slots do not repeat one that fires while they are written",
      async (harness) => {
        await put(harness, { cron: "* * * * * *" });
        const write = harness.store.schedules.write.bind(harness.store.schedules);
        harness.store.schedules.write = async (schedule) => {
          harness.store.schedules.write = write;
          await after(harness, 1_001);
          return write(schedule);
        };
        await put(harness, { everyMs: 1_000 });
        await after(harness, 0);
        expect(await slots(harness)).toEqual([1_000]);
        expect((await existing(harness)).next?.slot).toBe(T0 + 2_000);
      },
    );

    contract.test("SCH-04 nor when the clock steps back in between", async (harness) => {
      await put(harness, { cron: "* * * * * *" });
      const write = harness.store.schedules.write.bind(harness.store.schedules);
      harness.store.schedules.write = async (schedule) => {
        harness.store.schedules.write = write;
        await after(harness, 1_001);
        harness.clock.stepWall(-800);
        return write(schedule);
      };
      await put(harness, { everyMs: 1_000 });
      await after(harness, 1_000);
      expect(await slots(harness)).toEqual([1_000]);
    });

    contract.test("20 writers at once all succeed, one after the other", async (harness) => {
      const others = await Promise.all([harness.another(), harness.another()]);
      const writers = Array.from({ length: 20 }, (_, index) =>
        putSchedule(
          { ...harness.engine, store: others[index % 2] ?? harness.store },
          "tick",
          { everyMs: MINUTE, job: { name: "work", payload: index } },
          "api",
        ),
      );
      const outcomes = (await Promise.all(writers)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "updated")).toHaveLength(19);
      // A store may take a version for a writer that then finds another one's.
      expect((await existing(harness)).version).toBeGreaterThanOrEqual(20);
    });

    contract.test("SCH-07 delete and make anew in the same slot: it does not run again", async (harness) => {
      await put(harness);
      await after(harness, MINUTE);
      harness.clock.block(30_000);
      await deleteSchedule(harness.engine, "tick");
      expect(await harness.store.schedules.get("tick")).toBeNull();
      expect(await history(harness)).toEqual([]);
      await put(harness);
      await after(harness, 0);
      expect(await slots(harness)).toEqual([MINUTE]);
      await after(harness, 30_000);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
    });

    contract.test("SCH-07 made anew it never has the version of the old one", async (harness) => {
      const { schedule: old } = await put(harness);
      harness.clock.block(MINUTE);
      const firing = firingOf(old, harness.store.now(), () => 0);
      harness.clock.stepWall(-MINUTE);
      await deleteSchedule(harness.engine, "tick");
      const { schedule } = await put(harness, { job: { name: "newer" } });
      expect(schedule.next).toEqual(old.next);
      expect(await harness.store.schedules.fire([firing])).toEqual([null]);
    });

    contract.test("a key that HTTP cannot serve, and times that never come, are refused", async (harness) => {
      expect(await refusal(put(harness, {}, "preview"))).toBe("validation_failed");
      const never = { cron: "* 2 * 3 0L", timezone: "Europe/Berlin" };
      expect(await faultsOf(put(harness, never))).toEqual(["/cron invalid_cron"]);
      expect((await harness.store.schedules.list(9, null)).items).toEqual([]);
    });

    contract.test("what is not there is said to be missing", async ({ engine, store }) => {
      expect(await refusal(pauseSchedule(engine, "none", null))).toBe("schedule_not_found");
      expect(await refusal(resumeSchedule(engine, "none"))).toBe("schedule_not_found");
      expect(await refusal(runSchedule(engine, "none"))).toBe("schedule_not_found");
      expect(await refusal(deleteSchedule(engine, "none"))).toBe("schedule_not_found");
      expect(await store.schedules.runs("none", 10, null)).toEqual([]);
      expect(await store.schedules.resume("none", 1, null)).toBeNull();
      expect(await store.schedules.stop("none", 1, "problem")).toBe(false);
    });
  });

  describe("schedules: firing", () => {
    contract.test("each slot makes one job, with all that its template says", async (harness) => {
      const more = { tags: ["t"], concurrencyKey: "tenant", rateKey: "upstream" };
      await put(harness, {
        job: { name: "work", queue: "q", payload: { a: 1 }, priority: 9, maxAttempts: 3, ...more },
      });
      await after(harness, MINUTE - 1);
      expect(await slots(harness)).toEqual([]);
      await after(harness, 1);
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
      const [job] = await harness.claim({ queues: ["q"], max: 1 });
      expect(job).toMatchObject({
        name: "work",
        payload: '{"a":1}',
        priority: 9,
        maxAttempts: 3,
        schedule: { key: "tick", slot: T0 + MINUTE },
      });
      expect(await harness.job(job!.id)).toMatchObject({ ...more, idempotencyKey: null });
      expect(await existing(harness)).toMatchObject({
        next: { slot: T0 + 3 * MINUTE },
        version: 1,
        totals: { enqueued: 2, skipped: 0, missed: 0 },
      });
      expect(harness.events.of("schedule.fired").map(({ slot, jobId }) => [slot, jobId])).toEqual([
        [T0 + MINUTE, "1"],
        [T0 + 2 * MINUTE, "2"],
      ]);
    });

    contract.test("SCH-03 SCH-04 of all that fire one slot a single one does", async (harness) => {
      await put(harness);
      harness.clock.block(MINUTE);
      const others = await Promise.all(Array.from({ length: 4 }, () => harness.another()));
      await Promise.all(others.map((store) => fireDue({ ...harness.engine, store })));
      expect(await slots(harness)).toEqual([MINUTE]);
      expect(harness.events.of("schedule.fired")).toHaveLength(1);
      expect((await existing(harness)).next?.slot).toBe(T0 + 2 * MINUTE);
    });

    contract.test("SCH-03 many processes fire many schedules: each slot once", async (harness) => {
      const keys = Array.from({ length: 20 }, (_, index) => `s${index}`);
      for (const key of keys) await put(harness, {}, key);
      const engines = (await Promise.all([1, 2, 3].map(() => harness.another()))).map((store) => ({
        ...harness.engine,
        store,
      }));
      const rounds = 10;
      for (let round = 0; round < rounds; round += 1) {
        harness.clock.block(MINUTE);
        await Promise.all(engines.map((engine) => fireDue(engine)));
        expect(await fireDue(harness.engine)).toBe(false);
      }
      const expected = Array.from({ length: rounds }, (_, round) => `enqueued ${(round + 1) * MINUTE}`);
      for (const key of keys) expect(await history(harness, key)).toEqual(expected);
      expect(await slots(harness)).toHaveLength(keys.length * rounds);
    });

    contract.test(
      "SCH-04 nor does a slot fire twice while it is edited, paused or deleted",
      async (harness) => {
        const other = { ...harness.engine, store: await harness.another() };
        const rounds = 20;
        for (let round = 1; round <= rounds; round += 1) {
          await put(harness, { job: { name: `work-${round}` } });
          harness.clock.block(MINUTE);
          await Promise.all([fireDue(other), put(harness, { job: { name: `newer-${round}` } })]);
          await Promise.all([fireDue(other), fireDue(harness.engine)]);
          harness.clock.block(MINUTE);
          await Promise.all([fireDue(other), pauseSchedule(harness.engine, "tick", null)]);
          const paused = await existing(harness);
          await fireDue(other);
          expect(await existing(harness)).toEqual(paused);
          await resumeSchedule(harness.engine, "tick");
          harness.clock.block(MINUTE);
          await Promise.all([fireDue(other), deleteSchedule(harness.engine, "tick")]);
          expect(await history(harness)).toEqual([]);
        }
        const fired = await slots(harness);
        expect(new Set(fired).size).toBe(fired.length);
        expect(fired.filter((slot) => slot % (3 * MINUTE) === MINUTE)).toHaveLength(rounds);
      },
    );

    contract.test("a firing of what was read earlier does nothing", async (harness) => {
      const { schedule } = await put(harness);
      harness.clock.block(MINUTE);
      const { store } = harness;
      const firing = firingOf(schedule, store.now(), () => 0);
      expect(await store.schedules.fire([firing, firing])).toMatchObject([[{ outcome: "enqueued" }], null]);

      const fired = await existing(harness);
      harness.clock.block(MINUTE);
      const later = firingOf(fired, store.now(), () => 0);
      await put(harness, { job: { name: "edited" } });
      expect(await store.schedules.fire([later])).toEqual([null]);

      const edited = await existing(harness);
      const paused = firingOf(edited, store.now(), () => 0);
      await pauseSchedule(harness.engine, "tick", null);
      expect(await store.schedules.fire([paused, { ...paused, version: paused.version + 1 }])).toEqual([
        null,
        null,
      ]);
      await deleteSchedule(harness.engine, "tick");
      expect(await store.schedules.fire([paused])).toEqual([null]);
      expect(await slots(harness)).toEqual([MINUTE]);
    });

    contract.test("SCH-06 schedules with the same rhythm do not disturb one another", async (harness) => {
      await put(harness, { cron: "* * * * *" }, "a");
      await put(harness, { cron: "* * * * *" }, "b");
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE, MINUTE]);
    });

    contract.test("more schedules than one batch are all fired", async (harness) => {
      for (let index = 0; index < 450; index += 1) await put(harness, {}, `s${index}`);
      await after(harness, MINUTE);
      expect(await slots(harness)).toHaveLength(450);
      expect(await harness.store.schedules.nextDue()).toBe(T0 + 2 * MINUTE);
    });

    contract.test("CLK-03 a clock that steps back repeats no slot", async (harness) => {
      await put(harness);
      await after(harness, MINUTE);
      harness.clock.stepWall(-30_000);
      await after(harness, 0);
      await after(harness, 30_000);
      expect(await slots(harness)).toEqual([MINUTE]);
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
    });

    contract.test("CLK-03 nor do a resume and new times after such a step", async (harness) => {
      await put(harness, { cron: "* * * * *" });
      await after(harness, MINUTE);
      harness.clock.stepWall(-5_000);
      await pauseSchedule(harness.engine, "tick", null);
      expect(await resumeSchedule(harness.engine, "tick")).toMatchObject({ next: { slot: T0 + 2 * MINUTE } });
      await put(harness, { cron: "* * * * *", timezone: "Europe/Berlin" });
      await after(harness, 10_000);
      expect(await slots(harness)).toEqual([MINUTE]);
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
    });

    contract.test("startAt and endAt bound the slots; then it has ended", async (harness) => {
      await put(harness, { startAt: T0 + 90_000, endAt: T0 + 90_000 + MINUTE });
      await after(harness, 89_999);
      expect(await slots(harness)).toEqual([]);
      await after(harness, 1);
      await after(harness, MINUTE);
      await after(harness, 10 * MINUTE);
      expect(await slots(harness)).toEqual([90_000, 90_000 + MINUTE]);
      expect((await existing(harness)).next).toBeNull();
      expect(await harness.store.schedules.nextDue()).toBeNull();
    });

    contract.test("with jitter the job comes later, its slot is the same", async (harness) => {
      const jittery = { ...harness.engine, random: () => 0.5 };
      const request = { everyMs: MINUTE, jitterMs: 10_000, job: { name: "work" } };
      await putSchedule(jittery, "tick", request, "api");
      expect((await existing(harness)).next).toEqual({ slot: T0 + MINUTE, at: T0 + MINUTE + 5_000 });
      harness.clock.block(MINUTE + 4_999);
      expect(await fireDue(jittery)).toBe(false);
      expect(await slots(harness)).toEqual([]);
      harness.clock.block(1);
      await fireDue(jittery);
      expect(await slots(harness)).toEqual([MINUTE]);
      expect((await existing(harness)).next).toEqual({ slot: T0 + 2 * MINUTE, at: T0 + 2 * MINUTE + 5_000 });
    });

    contract.test("slots that pass while another waits for its jitter all fire", async (harness) => {
      const jittery = { ...harness.engine, random: () => 0.99 };
      const request = { cron: "*/3,59 */2,59 * * * *", jitterMs: 1_900, job: { name: "work" } };
      await putSchedule(jittery, "tick", request, "api");
      harness.clock.block(MINUTE * 58 + 55_000);
      await fireDue(jittery);
      for (let second = 0; second < 10; second += 1) {
        harness.clock.block(1_000);
        while (await fireDue(jittery));
      }
      expect((await slots(harness)).slice(1, 4)).toEqual(
        [57, 59, 60].map((second) => 58 * MINUTE + second * 1_000),
      );
    });

    contract.test("one that cannot be understood any more stops, and holds up no other", async (harness) => {
      await put(harness, {}, "good");
      const { schedule } = await put(harness, { cron: "* * * * *" }, "bad");
      const definition = { ...schedule, timezone: "Mars/Olympus" };
      await harness.store.schedules.write({
        key: "bad",
        definition,
        source: "api",
        next: "keep",
        expectedVersion: schedule.version,
      });
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE]);
      expect(await existing(harness, "bad")).toMatchObject({
        next: null,
        problem: expect.stringContaining("Mars/Olympus") as string,
      });
      expect(harness.events.of("schedule.stopped")).toMatchObject([{ key: "bad" }]);
      expect(await harness.store.schedules.stopped(5)).toMatchObject([{ key: "bad" }]);
      expect(await harness.store.schedules.stopped(0)).toEqual([]);

      // Written again, it goes on.
      await put(harness, { cron: "* * * * *" }, "bad");
      expect(await existing(harness, "bad")).toMatchObject({
        problem: null,
        next: { slot: T0 + 2 * MINUTE },
      });
      expect(await harness.store.schedules.stopped(5)).toEqual([]);
    });

    contract.test(
      "a firing with more entries than are kept is shown whole until the next",
      async (harness) => {
        await put(harness, { everyMs: 1_000, missed: "all", maxMissed: MAX_SCHEDULE_RUNS_KEPT + 10 });
        await after(harness, 10 * MINUTE);
        const entries = await history(harness);
        expect(entries).toHaveLength(MAX_SCHEDULE_RUNS_KEPT + 11);
        expect(entries[0]).toMatch(/^missed/);
        await after(harness, 1_000);
        expect(await history(harness)).toHaveLength(MAX_SCHEDULE_RUNS_KEPT);
      },
    );

    contract.test("the latest of many histories come at once, each as its own list says", async (harness) => {
      const { store, engine } = harness;
      await put(harness, {}, "a");
      await put(harness, { everyMs: 2 * MINUTE, overlap: "skip" }, "b");
      await put(harness, { everyMs: 24 * HOUR }, "never");
      for (let n = 0; n < MAX_SCHEDULE_RUNS_KEPT + 5; n += 1) await after(harness, MINUTE);
      await runSchedule(engine, "a");
      const latest = await store.schedules.latestRuns(["a", "b", "never", "none"], 3);
      expect([...latest.keys()].toSorted()).toEqual(["a", "b"]);
      for (const key of ["a", "b"]) {
        expect(latest.get(key)).toHaveLength(3);
        expect(latest.get(key)).toEqual(await store.schedules.runs(key, 3, null));
      }
      const all = await store.schedules.latestRuns(["a"], MAX_SCHEDULE_RUNS_KEPT);
      expect(all.get("a")).toEqual(await store.schedules.runs("a", 1_000, null));
      expect((await store.schedules.latestRuns([], 3)).size).toBe(0);
    });

    contract.test("the history is bounded and pages backwards", async (harness) => {
      await put(harness, { everyMs: 1_000 });
      for (let round = 0; round < MAX_SCHEDULE_RUNS_KEPT + 20; round += 1) await after(harness, 1_000);
      const { store } = harness;
      const runs = await store.schedules.runs("tick", 1_000, null);
      expect(runs).toHaveLength(MAX_SCHEDULE_RUNS_KEPT);
      expect(runs[0]).toMatchObject({ seq: MAX_SCHEDULE_RUNS_KEPT + 20, jobState: "pending" });
      const page = await store.schedules.runs("tick", 5, runs[4]!.seq);
      expect(page).toEqual(runs.slice(5, 10));
      await store.jobs.delete(runs[0]!.jobId!, true);
      expect((await store.schedules.runs("tick", 1, null))[0]).toMatchObject({ jobState: null });
    });
  });

  describe("schedules: slots that passed", () => {
    const DAY = 24 * HOUR;

    contract.test("CLK-03 once: the latest makes one job, then the cadence", async (harness) => {
      await put(harness, { everyMs: 1_000 });
      await after(harness, DAY + 300);
      expect(await slots(harness)).toEqual([DAY]);
      expect(await history(harness)).toEqual([`missed 1000..${DAY - 1_000}`, `enqueued ${DAY}`]);
      await after(harness, 700);
      expect(await slots(harness)).toEqual([DAY, DAY + 1_000]);
      expect(harness.events.of("schedule.missed")).toEqual([
        { key: "tick", from: T0 + 1_000, through: T0 + DAY - 1_000 },
      ]);
    });

    contract.test("SCH-01 once: a single slot that passed is simply late", async (harness) => {
      await put(harness, { cron: "0 12 * * *" });
      await after(harness, 20 * HOUR);
      expect(await history(harness)).toEqual([`enqueued ${12 * HOUR}`]);
    });

    contract.test("skip: none, unless it is no more than a minute late", async (harness) => {
      await put(harness, { cron: "0 12 * * *", missed: "skip" });
      await after(harness, 12 * HOUR + MINUTE);
      expect(await history(harness)).toEqual([`enqueued ${12 * HOUR}`]);
      await after(harness, DAY + 1);
      expect(await history(harness)).toEqual([`enqueued ${12 * HOUR}`, `missed ${36 * HOUR}`]);
      expect((await existing(harness)).next?.slot).toBe(T0 + 60 * HOUR);
      expect((await existing(harness)).totals).toEqual({ enqueued: 1, skipped: 0, missed: 1 });
    });

    contract.test("skip: a slot whose jitter has not passed is not late", async (harness) => {
      const jittery = { ...harness.engine, random: () => 0.5 };
      const request = {
        everyMs: HOUR,
        jitterMs: 50 * MINUTE,
        missed: "skip",
        job: { name: "work" },
      } as const;
      await putSchedule(jittery, "tick", request, "api");
      harness.clock.block(3 * HOUR + 5 * MINUTE);
      await fireDue(jittery);
      expect(await history(harness)).toEqual([`missed ${HOUR}..${2 * HOUR}`, `enqueued ${3 * HOUR}`]);
    });

    contract.test("skip: of many the latest counts", async (harness) => {
      await put(harness, { everyMs: 1_000, missed: "skip" });
      await after(harness, 110_500);
      expect(await history(harness)).toEqual(["missed 1000..109000", "enqueued 110000"]);
    });

    contract.test("CLK-03 all: the latest of them, up to the limit, oldest first", async (harness) => {
      await put(harness, { everyMs: 1_000, missed: "all", maxMissed: 10 });
      await after(harness, 110_500);
      const expected = Array.from({ length: 10 }, (_, index) => 101_000 + index * 1_000);
      expect(await slots(harness)).toEqual(expected);
      expect((await history(harness))[0]).toBe("missed 1000..100000");
      await after(harness, 500);
      expect((await slots(harness)).at(-1)).toBe(111_000);
    });

    contract.test("all: fewer than the limit are all made, nothing is missed", async (harness) => {
      await put(harness, { everyMs: 1_000, missed: "all" });
      await after(harness, 5_000);
      expect(await slots(harness)).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
      expect((await existing(harness)).totals).toEqual({ enqueued: 5, skipped: 0, missed: 0 });
    });
  });

  describe("schedules: jobs that have not ended", () => {
    contract.test("SCH-13 skip: at most one at a time, and not stuck afterwards", async (harness) => {
      await put(harness, { overlap: "skip" });
      await after(harness, MINUTE);
      const job = await harness.claimOne();
      await after(harness, MINUTE);
      await harness.fail(job, { delayMs: 90_000 });
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([MINUTE]);
      await harness.store.claims.promote(10);
      harness.clock.block(30_000);
      await harness.store.claims.promote(10);
      await harness.complete(await harness.claimOne());
      await after(harness, 30_000);
      expect(await slots(harness)).toEqual([MINUTE, 4 * MINUTE]);
      expect(await history(harness)).toEqual([
        `enqueued ${MINUTE}`,
        `skipped ${2 * MINUTE}`,
        `skipped ${3 * MINUTE}`,
        `enqueued ${4 * MINUTE}`,
      ]);
      expect((await existing(harness)).totals).toEqual({ enqueued: 2, skipped: 2, missed: 0 });
      expect(harness.events.of("schedule.skipped")).toHaveLength(2);
    });

    const ends: Readonly<Record<string, (harness: Harness) => Promise<unknown>>> = {
      completed: async (harness) => harness.complete(await harness.claimOne()),
      dead: async (harness) => harness.fail(await harness.claimOne(), "never"),
      cancelled: (harness) => harness.store.jobs.cancel("1"),
      deleted: (harness) => harness.store.jobs.delete("1", true),
    };
    for (const [end, happen] of Object.entries(ends)) {
      contract.test(`a job that is ${end} makes room for the next slot`, async (harness) => {
        await put(harness, { overlap: "skip" });
        await after(harness, MINUTE);
        await happen(harness);
        await after(harness, MINUTE);
        expect((await history(harness)).at(-1)).toBe(`enqueued ${2 * MINUTE}`);
      });
    }

    contract.test("skip: found also when the history has long passed it", async (harness) => {
      await put(harness, { everyMs: 1_000, overlap: "skip" });
      for (let round = 0; round < MAX_SCHEDULE_RUNS_KEPT + 50; round += 1) await after(harness, 1_000);
      expect(await slots(harness)).toEqual([1_000]);
      await harness.complete(await harness.claimOne());
      await after(harness, 1_000);
      await after(harness, 1_000);
      expect(await slots(harness)).toHaveLength(2);
      expect((await history(harness)).length).toBeLessThanOrEqual(MAX_SCHEDULE_RUNS_KEPT);
    });

    contract.test(
      "queue: one slot waits until the job has ended, the others are skipped",
      async (harness) => {
        await put(harness, { overlap: "queue" });
        await after(harness, MINUTE);
        const job = await harness.claimOne();
        await after(harness, MINUTE);
        await after(harness, MINUTE);
        expect(await slots(harness)).toEqual([MINUTE]);
        expect((await existing(harness)).waitingSlot).toBe(T0 + 2 * MINUTE);
        await harness.complete(job);
        await after(harness, 10);
        expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
        expect((await existing(harness)).waitingSlot).toBeNull();
        expect(await history(harness)).toEqual([
          `enqueued ${MINUTE}`,
          `enqueued ${2 * MINUTE}`,
          `skipped ${3 * MINUTE}`,
        ]);
        expect((await existing(harness)).totals).toEqual({ enqueued: 2, skipped: 1, missed: 0 });
      },
    );

    contract.test("queue: a later slot never overtakes the one that waits", async (harness) => {
      await put(harness, { overlap: "queue" });
      await after(harness, MINUTE);
      const job = await harness.claimOne();
      await after(harness, MINUTE);
      await harness.complete(job);
      harness.clock.block(MINUTE);
      await fireDue(harness.engine);
      expect(await slots(harness)).toEqual([MINUTE]);
      await fireWaiting(harness.engine);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
      expect((await history(harness)).at(-1)).toBe(`skipped ${3 * MINUTE}`);
    });

    contract.test("queue: a waiting slot that cannot be made holds up no other schedule", async (harness) => {
      await put(harness, { overlap: "queue" });
      await put(harness, {}, "good");
      await after(harness, MINUTE);
      await after(harness, MINUTE);
      const { store } = harness;
      for (const { jobId } of await store.schedules.runs("tick", 9, null)) {
        if (jobId !== null) await store.jobs.cancel(jobId);
      }
      store.schedules.fireWaiting = () => Promise.reject(new TypeError("the template has no tags"));
      await fireWaiting(harness.engine);
      expect(await existing(harness)).toMatchObject({ next: null, problem: "the template has no tags" });
      await after(harness, MINUTE);
      expect((await history(harness, "good")).at(-1)).toBe(`enqueued ${3 * MINUTE}`);
    });

    contract.test("queue: of all that start the waiting slot a single one does", async (harness) => {
      await put(harness, { overlap: "queue" });
      await after(harness, MINUTE);
      await after(harness, MINUTE);
      const waiting = await existing(harness);
      const others = await Promise.all(Array.from({ length: 4 }, () => harness.another()));
      const start = jobOfSlot(waiting, waiting.waitingSlot!);
      expect(await harness.store.schedules.fireWaiting("tick", start)).toBeNull();
      await harness.complete(await harness.claimOne());
      const fired = await Promise.all(others.map((store) => store.schedules.fireWaiting("tick", start)));
      expect(fired.filter((one) => one !== null)).toHaveLength(1);
      expect(await slots(harness)).toEqual([MINUTE, 2 * MINUTE]);
    });

    contract.test(
      "whichever processes fire, at most one job has not ended, and each slot is told once",
      async (harness) => {
        const engines = [harness.engine, { ...harness.engine, store: await harness.another() }];
        await put(harness, { overlap: "queue" }, "tick");
        await put(harness, { overlap: "skip" }, "tock");
        const rounds = 40;
        for (let round = 0; round < rounds; round += 1) {
          harness.clock.block(MINUTE);
          // One of the two ends every other time, so that slots find the job of the one before.
          const running = await harness.claim({ max: 9 });
          const ends = running.slice(round % 2).map((job) => harness.complete(job));
          await Promise.all([
            ...ends,
            ...engines.flatMap((engine) => [fireDue(engine), fireWaiting(engine), fireDue(engine)]),
          ]);
          for (const key of ["tick", "tock"]) {
            const runs = await harness.store.schedules.runs(key, 1_000, null);
            const open = runs.filter(({ jobState }) => jobState === "pending" || jobState === "running");
            expect(open.length, `${key} in round ${round}`).toBeLessThanOrEqual(1);
          }
          for (const job of running.slice(0, round % 2)) await harness.complete(job);
        }
        // Who finds a schedule under another's hands leaves it to the next look, of which there is none any more.
        await fireDue(harness.engine);
        for (const key of ["tick", "tock"]) {
          const runs = await harness.store.schedules.runs(key, 1_000, null);
          const every = Array.from({ length: rounds }, (_, round) => T0 + (rounds - round) * MINUTE);
          expect(runs.map(({ slot }) => slot)).toEqual(every);
        }
      },
    );

    contract.test("queue: another policy skips the slot that waits", async (harness) => {
      await put(harness, { overlap: "queue" });
      await after(harness, MINUTE);
      await after(harness, MINUTE);
      await put(harness, { overlap: "allow" });
      expect(await existing(harness)).toMatchObject({
        waitingSlot: null,
        totals: { enqueued: 1, skipped: 1 },
      });
      expect(await history(harness)).toEqual([`enqueued ${MINUTE}`, `skipped ${2 * MINUTE}`]);
      await put(harness, { overlap: "skip" });
      expect((await existing(harness)).totals).toMatchObject({ skipped: 1 });
    });

    contract.test("all with skip: a job of the same catch-up counts as not ended", async (harness) => {
      await put(harness, { everyMs: 1_000, missed: "all", overlap: "skip" });
      await after(harness, 3_000);
      expect(await history(harness)).toEqual(["enqueued 1000", "skipped 2000", "skipped 3000"]);
    });
  });

  describe("schedules: by hand", () => {
    contract.test("a pause fires nothing, and the resume makes no burst", async (harness) => {
      await put(harness);
      await pauseSchedule(harness.engine, "tick", "holidays");
      await after(harness, 90 * MINUTE);
      expect(await existing(harness)).toMatchObject({ pausedAt: T0, pauseReason: "holidays" });
      expect(await harness.store.schedules.nextDue()).toBeNull();
      expect(await resumeSchedule(harness.engine, "tick")).toMatchObject({
        pausedAt: null,
        pauseReason: null,
        next: { slot: T0 + 91 * MINUTE },
      });
      await after(harness, MINUTE);
      expect(await slots(harness)).toEqual([91 * MINUTE]);
    });

    contract.test(
      "a second pause keeps the first one's time, a second resume changes nothing",
      async (harness) => {
        await put(harness);
        await pauseSchedule(harness.engine, "tick", "a");
        harness.clock.block(5);
        expect(await pauseSchedule(harness.engine, "tick", "b")).toMatchObject({
          pausedAt: T0,
          pauseReason: "b",
        });
        const resumed = await resumeSchedule(harness.engine, "tick");
        expect(await resumeSchedule(harness.engine, "tick")).toEqual(resumed);
      },
    );

    contract.test("a paused one can be edited and stays paused", async (harness) => {
      await put(harness);
      await pauseSchedule(harness.engine, "tick", null);
      await put(harness, { everyMs: 2 * MINUTE });
      await after(harness, 10 * MINUTE);
      expect(await slots(harness)).toEqual([]);
      expect((await existing(harness)).pausedAt).toBe(T0);
    });

    contract.test("run now makes a job of this moment and moves nothing", async (harness) => {
      await put(harness);
      await pauseSchedule(harness.engine, "tick", null);
      harness.clock.block(12_345);
      const job = await runSchedule(harness.engine, "tick");
      expect(await harness.job(job.id)).toMatchObject({
        state: "pending",
        schedule: { key: "tick", slot: T0 + 12_345 },
      });
      await resumeSchedule(harness.engine, "tick");
      expect(await existing(harness)).toMatchObject({ next: { slot: T0 + MINUTE }, totals: { enqueued: 1 } });
      expect(await history(harness)).toEqual(["enqueued by hand 12345"]);
    });

    contract.test("runs by hand keep the history bounded too", async (harness) => {
      await put(harness);
      for (let run = 0; run < MAX_SCHEDULE_RUNS_KEPT + 20; run += 1) {
        const { id } = await runSchedule(harness.engine, "tick");
        await harness.store.jobs.cancel(id);
      }
      expect(await history(harness)).toHaveLength(MAX_SCHEDULE_RUNS_KEPT);
    });

    contract.test("one that is not understood any more resumes with its problem", async (harness) => {
      const { schedule } = await put(harness, { cron: "* * * * *" });
      const { store, engine } = harness;
      const write = { key: "tick", source: "api", next: "keep", expectedVersion: schedule.version } as const;
      await store.schedules.write({ ...write, definition: { ...schedule, timezone: "Mars/Olympus" } });
      await pauseSchedule(engine, "tick", null);
      expect(await resumeSchedule(engine, "tick")).toMatchObject({
        pausedAt: null,
        next: null,
        problem: expect.stringContaining("Mars/Olympus") as string,
      });
    });

    contract.test("one that is understood again resumes without its problem", async (harness) => {
      const { store, engine } = harness;
      const { schedule } = await put(harness);
      expect(await store.schedules.stop("tick", schedule.version, "the zone was not known")).toBe(true);
      expect(await existing(harness)).toMatchObject({ next: null, problem: "the zone was not known" });
      await pauseSchedule(engine, "tick", null);
      expect(await resumeSchedule(engine, "tick")).toMatchObject({
        problem: null,
        next: { slot: T0 + MINUTE },
      });
    });

    contract.test("a job by hand counts as one that has not ended", async (harness) => {
      await put(harness, { overlap: "skip" });
      await runSchedule(harness.engine, "tick");
      await after(harness, MINUTE);
      expect((await history(harness)).at(-1)).toBe(`skipped ${MINUTE}`);
    });
  });
}
