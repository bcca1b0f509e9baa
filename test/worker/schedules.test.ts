import { describe, expect, test } from "vitest";
import { KonveierError } from "../../src/core/errors.js";
import { Konveier, type KonveierOptions } from "../../src/konveier.js";
import { defineJob, type PayloadSchema } from "../../src/core/define-job.js";
import { FakeClock, T0 } from "../support/fake-clock.js";
import { SqliteFile } from "../support/sqlite-file.js";
import { Rig } from "./rig.js";

const HOUR = 3_600_000;

const onlyText: PayloadSchema<string> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof value === "string" ? { value: value.trim() } : { issues: [{ message: "no text" }] },
  },
};

describe("schedules in code", () => {
  test("SCH-12 a handler learns which slot its job is for", async () => {
    const { konveier, clock } = new Rig();
    const seen: unknown[] = [];
    const tick = defineJob<string>("tick", {
      queue: "ticks",
      maxAttempts: 3,
      schema: onlyText,
      handler: ({ payload, job }) => void seen.push([payload, job.schedule]),
    });
    await konveier.schedules.put("hourly", { cron: "0 * * * *", job: tick, payload: " hello " });
    const worker = konveier.worker({ jobs: [tick], queues: ["ticks"] });
    await worker.start();
    for (let hour = 1; hour <= 3; hour += 1) await clock.advance(HOUR);
    expect(seen).toEqual([1, 2, 3].map((hour) => ["hello", { key: "hourly", slot: T0 + hour * HOUR }]));
    expect(await konveier.schedules.get("hourly")).toMatchObject({ source: "api", job: { maxAttempts: 3 } });
    await konveier.close();
  });

  test("settings win over the definition's, a job may be a bare name", async () => {
    const { konveier } = new Rig();
    const tick = defineJob("tick", { queue: "ticks", handler: () => undefined });
    await konveier.schedules.put("a", {
      everyMs: 5_000,
      job: tick,
      settings: { queue: "other", priority: 9 },
    });
    await konveier.schedules.put("b", { everyMs: 5_000, job: "elsewhere" });
    expect(await konveier.schedules.get("a")).toMatchObject({ job: { queue: "other", priority: 9 } });
    expect(await konveier.schedules.get("b")).toMatchObject({ job: { name: "elsewhere", payload: "null" } });
    await konveier.close();
  });

  test("a payload that its schema refuses is refused at once", async () => {
    const { konveier } = new Rig();
    const tick = defineJob<string>("tick", { schema: onlyText, handler: () => undefined });
    const put = konveier.schedules.put("a", { everyMs: 5_000, job: tick, payload: 5 as unknown as string });
    await expect(put).rejects.toMatchObject({ code: "validation_failed" });
    expect((await konveier.schedules.list()).items).toEqual([]);
    await konveier.close();
  });

  test("can be looked at and changed by hand", async () => {
    const { konveier, clock } = new Rig();
    const { schedules } = konveier;
    await schedules.put("daily", { cron: "30 2 * * *", timezone: "Europe/Berlin", job: "work" });
    const march = Date.UTC(2026, 2, 28, 12);
    expect(await schedules.next("daily", { count: 2, after: march })).toMatchObject({
      next: [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 2, 30, 0, 30)],
      notes: [{ at: Date.UTC(2026, 2, 29, 1), shift: "after_gap" }],
    });
    expect((await schedules.next("daily", { after: new Date(march), count: 1 })).next).toHaveLength(1);
    for (const faulty of [{ count: Infinity }, { count: 0 }, { after: NaN }, { after: "soon" }]) {
      await expect(schedules.next("daily", faulty)).rejects.toMatchObject({ code: "validation_failed" });
    }
    expect(await schedules.pause("daily", "why")).toMatchObject({ pauseReason: "why" });
    expect(await schedules.resume("daily")).toMatchObject({ pausedAt: null });
    clock.block(5);
    const { id } = await schedules.run("daily");
    expect(await schedules.runs("daily")).toMatchObject([{ jobId: id, manual: true, jobState: "pending" }]);
    await schedules.delete("daily");
    await expect(schedules.next("daily")).rejects.toMatchObject({ code: "schedule_not_found" });
    await konveier.close();
  });
});

describe("schedules of Konveier.open", () => {
  const open = (file: SqliteFile, clock: FakeClock, schedules: KonveierOptions["schedules"]) =>
    Konveier.open(`sqlite:${file.path}`, { clock, ...(schedules === undefined ? {} : { schedules }) });

  test("SCH-01 are there at once, and a restart over a slot loses it not", async () => {
    const file = new SqliteFile();
    const clock = new FakeClock();
    const schedules = { noon: { cron: "0 12 * * *", job: "work" } };
    await (await open(file, clock, schedules)).close();
    clock.block(12 * HOUR + 3_000);

    const konveier = await open(file, clock, schedules);
    expect(await konveier.schedules.get("noon")).toMatchObject({
      source: "code",
      version: 1,
      next: { slot: T0 + 12 * HOUR },
    });
    konveier.startBackground();
    await clock.advance(100);
    expect(await konveier.schedules.runs("noon")).toMatchObject([
      { slot: T0 + 12 * HOUR, outcome: "enqueued" },
    ]);
    await konveier.close();
  });

  test("overwrite what was changed by hand, and leave a pause and other schedules alone", async () => {
    const file = new SqliteFile();
    const clock = new FakeClock();
    const schedules = { noon: { cron: "0 12 * * *", job: "work" } };
    const first = await open(file, clock, schedules);
    await first.schedules.put("noon", { cron: "0 13 * * *", job: "work" });
    await first.schedules.pause("noon");
    await first.schedules.put("mine", { everyMs: 60_000, job: "work" });
    await first.close();

    const second = await open(file, clock, schedules);
    expect(await second.schedules.get("noon")).toMatchObject({ cron: "0 12 * * *", pausedAt: T0 });
    expect((await second.schedules.list()).items.map(({ key }) => key)).toEqual(["mine", "noon"]);
    await second.close();
  });

  test("with a fault are refused, by name, and the database is closed again", async () => {
    const file = new SqliteFile();
    const opened = open(file, new FakeClock(), { noon: { cron: "0 25 * * *", job: "work" } });
    const error: unknown = await opened.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KonveierError);
    expect((error as KonveierError).message).toContain("noon");
    expect((error as KonveierError).faults).toMatchObject([{ code: "invalid_cron" }]);
    // Nobody holds it: an exclusive lock is granted.
    file.raw().exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
  });
});
