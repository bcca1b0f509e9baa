import { describe, expect, test } from "vitest";
import { defineJob, type PayloadSchema } from "../../src/core/define-job.js";
import { Gate } from "./gate.js";
import { LEASE_MS, Rig, SHORT_LEASE } from "./rig.js";

interface Mail {
  readonly to: string;
}

/** As zod and its like have it: trims the address and refuses what is none. */
const mailSchema: PayloadSchema<Mail> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const to: unknown = (value as Partial<Mail> | null)?.to;
      return typeof to === "string" && to.includes("@")
        ? { value: { to: to.trim() } }
        : { issues: [{ message: "must be an address", path: ["to"] }, { message: "is no mail" }] };
    },
  },
};

function mailJob(rig: { seen: unknown[] }) {
  return defineJob("mail", {
    schema: mailSchema,
    handler: ({ payload }) => {
      rig.seen.push(payload.to);
    },
  });
}

describe("a payload schema", () => {
  test("refuses at enqueue with every issue, and nothing is stored", async () => {
    const rig = new Rig();
    const mail = mailJob({ seen: [] });
    const refused = rig.konveier.enqueue(mail, { to: "nobody" });
    await expect(refused).rejects.toMatchObject({
      code: "validation_failed",
      faults: [
        { pointer: "/payload/to", detail: "must be an address" },
        { pointer: "/payload", detail: "is no mail" },
      ],
    });
    expect((await rig.konveier.jobs.list()).items).toEqual([]);
  });

  test("gives the payload its form, at enqueue and for the handler", async () => {
    const rig = new Rig();
    const seen: unknown[] = [];
    const mail = mailJob({ seen });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [mail] }).start();
    const { id } = await rig.konveier.enqueue(mail, { to: " a@b.c " });
    await rig.now();
    expect(seen).toEqual(["a@b.c"]);
    expect(await rig.konveier.jobs.payload(id)).toEqual({ to: "a@b.c" });
  });

  test("makes a job whose stored payload does not fit dead at once, without its handler", async () => {
    const rig = new Rig();
    const seen: unknown[] = [];
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [mailJob({ seen })] }).start();
    const { id } = await rig.konveier.enqueue("mail", { to: "nobody" });
    await rig.now();
    expect(await rig.job(id)).toMatchObject({
      state: "dead",
      attempt: 1,
      lastError: { type: "NonRetryableError" },
    });
    expect((await rig.job(id)).lastError?.message).toContain("/payload/to must be an address");
    expect(seen).toEqual([]);
  });

  test("that fails itself is an ordinary failure: the next attempt may find it well", async () => {
    const rig = new Rig();
    let broken = true;
    const schema: PayloadSchema<Mail> = {
      "~standard": {
        ...mailSchema["~standard"],
        validate: (value) => (broken ? Promise.reject(new Error("no registry")) : { value: value as Mail }),
      },
    };
    const mail = defineJob("mail", { schema, handler: () => "sent" });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [mail] }).start();
    const { id } = await rig.konveier.enqueue("mail", { to: "a@b.c" });
    await rig.now();
    expect(await rig.job(id)).toMatchObject({ state: "scheduled", lastError: { message: "no registry" } });
    broken = false;
    await rig.clock.advance(1_000);
    expect(await rig.job(id)).toMatchObject({ state: "completed", attempt: 2 });
  });

  test("that takes longer than the job is held: the handler is not called any more", async () => {
    const rig = new Rig();
    const gate = new Gate();
    let calls = 0;
    const schema: PayloadSchema<Mail> = {
      "~standard": {
        ...mailSchema["~standard"],
        validate: async (value) => {
          await gate.promise;
          return { value: value as Mail };
        },
      },
    };
    const mail = defineJob("mail", { schema, handler: () => (calls += 1) });
    const timed = await rig.konveier.enqueue("mail", { to: "a@b.c" }, { timeoutMs: 1_000, maxAttempts: 1 });
    const cancelled = await rig.konveier.enqueue("mail", { to: "a@b.c" });
    await rig.konveier.worker({ ...SHORT_LEASE, jobs: [mail] }).start();
    await rig.now();
    await rig.konveier.jobs.cancel(cancelled.id);
    await rig.clock.advance(LEASE_MS);
    gate.open();
    await rig.now();
    expect(calls).toBe(0);
    expect((await rig.job(timed.id)).state).toBe("dead");
    expect((await rig.job(cancelled.id)).state).toBe("cancelled");
  });
});

describe("types", () => {
  test("flow from the definition to enqueue and to the handler", async () => {
    const rig = new Rig();
    const typed = defineJob<{ to: string; copies: number }>("typed", {
      handler: ({ payload }) => payload.copies * payload.to.length,
    });
    const mail = mailJob({ seen: [] });
    await rig.konveier.enqueue(typed, { to: "a", copies: 2 });
    await rig.konveier.enqueue(mail, { to: "a@b.c" });
    // @ts-expect-error -- a number is no text
    await rig.konveier.enqueue(typed, { to: 1, copies: 2 });
    // @ts-expect-error -- a part is missing
    await rig.konveier.enqueue(typed, { to: "a" });
    // @ts-expect-error -- the type comes from the schema
    await expect(rig.konveier.enqueue(mail, { to: 1 })).rejects.toThrow("must be an address");
    defineJob("other", {
      schema: mailSchema,
      // @ts-expect-error -- the handler knows the payload's type
      handler: ({ payload }) => payload.from as unknown,
    });
    await rig.konveier.enqueue("by-name", { what: "ever" });
    expect((await rig.konveier.jobs.list()).items).toHaveLength(5);
  });

  test("the definition's defaults hold for its jobs unless the call says otherwise", async () => {
    const rig = new Rig();
    const work = defineJob("work", {
      handler: () => undefined,
      queue: "slow",
      maxAttempts: 3,
      timeoutMs: 9_000,
      backoff: { type: "fixed", delayMs: 7 },
    });
    const first = await rig.konveier.enqueue(work, null);
    const second = await rig.konveier.enqueue(work, null, { queue: "fast", maxAttempts: 1, timeoutMs: 1 });
    const third = await rig.konveier.enqueue(work, null, { queue: undefined, maxAttempts: undefined });
    const defaults = { queue: "slow", maxAttempts: 3, timeoutMs: 9_000 };
    expect(await rig.job(first.id)).toMatchObject({ ...defaults, backoff: { type: "fixed", delayMs: 7 } });
    expect(await rig.job(second.id)).toMatchObject({ queue: "fast", maxAttempts: 1, timeoutMs: 1 });
    expect(await rig.job(third.id)).toMatchObject(defaults);
  });
});
