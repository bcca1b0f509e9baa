import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { NonRetryableError, RetryAfter } from "../../core/outcomes.js";
import type { JobContext } from "../../core/define-job.js";
import { emailSend, imageResize, type EmailPayload, type ImagePayload } from "./jobs.js";
import type { Simulation } from "./simulation.js";

let clock: FakeClock;
let controller: AbortController;
let said: string[];

beforeEach(() => {
  clock = new FakeClock();
  controller = new AbortController();
  said = [];
});

function contextOf<Payload>(payload: Payload, attempt = 1): JobContext<Payload> {
  return {
    job: {
      id: "1",
      queue: "emails",
      name: "email.send",
      priority: 4,
      attempt,
      maxAttempts: 3,
      failures: attempt - 1,
      createdAt: 0,
      runAt: 0,
      startedAt: 0,
      leaseExpiresAt: 30_000,
      timeoutMs: null,
      backoff: null,
      schedule: null,
      flow: null,
      traceparent: null,
      tracestate: null,
    },
    payload,
    signal: controller.signal,
    token: 7,
    step: () => Promise.reject(new Error("The demo has no steps")),
    within: () => {
      throw new Error("The demo has no transactions");
    },
    get flow(): JobContext["flow"] {
      throw new Error("The demo has no flows");
    },
    progress: (percent, message) => {
      said.push(`${Math.round(percent)} % ${message ?? ""}`);
      return Promise.resolve();
    },
    log: (message, level = "info") => {
      said.push(`${level}: ${message}`);
      return Promise.resolve();
    },
  };
}

async function send(simulate: Simulation, { attempt = 1, withinMs = 1_000 } = {}): Promise<unknown> {
  const outcome = Promise.resolve(
    emailSend(clock).handler(contextOf<EmailPayload>({ to: "ada@example.com", simulate }, attempt)),
  ).catch((error: unknown) => error);
  await clock.advance(withinMs);
  return outcome;
}

describe("email.send", () => {
  it("says everywhere that it is simulated", async () => {
    expect(await send({ takesMs: 400 })).toEqual({
      simulated: true,
      note: "simulated: no email was sent",
      to: "ada@example.com",
      template: "plain",
    });
    expect(said).toEqual([
      "info: simulated: connecting to the mail server",
      "50 % simulated: connecting to the mail server",
      "info: simulated: sending the message",
      "100 % simulated: sending the message",
    ]);
  });

  it("fails as often as it is told", async () => {
    expect(await send({ failAttempts: 2, error: "421 busy" }, { attempt: 2 })).toEqual(
      new Error("simulated: 421 busy"),
    );
    expect(await send({ failAttempts: 2 }, { attempt: 3 })).toMatchObject({ simulated: true });
    expect(said).toContain("warn: simulated: 421 busy");
  });

  it("fails for good, or asks to be left alone for a while", async () => {
    const final = await send({ failAttempts: 1, final: true });
    expect(final).toBeInstanceOf(NonRetryableError);
    expect(await send({ failAttempts: 1, retryAfterMs: 5_000 })).toEqual(
      new RetryAfter(5_000, "simulated: the other side did not answer"),
    );
  });

  it.each([null, {}, "text", { to: "" }, { to: 5 }])("refuses the payload %j for good", async (payload) => {
    const refused = Promise.resolve(emailSend(clock).handler(contextOf(payload as unknown as EmailPayload)));
    await expect(refused).rejects.toBeInstanceOf(NonRetryableError);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "5" as unknown as number])(
    "does not hang on takesMs %j",
    async (takesMs) => {
      // A day is the most that anything may take.
      expect(await send({ takesMs }, { withinMs: 24 * 3_600_000 })).toMatchObject({ simulated: true });
    },
  );
});

describe("image.resize", () => {
  it("stops at once when its signal aborts, and leaves no timer", async () => {
    const outcome = Promise.resolve(
      imageResize(clock).handler(
        contextOf<ImagePayload>({ source: "a.jpg", simulate: { takesMs: 3_600_000 } }),
      ),
    ).catch((error: unknown) => error);
    await clock.advance(10_000);
    const reason = new Error("the worker stops");
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it("shows that long work moves", async () => {
    const outcome = imageResize(clock).handler(
      contextOf<ImagePayload>({ source: "a.jpg", width: 320, simulate: { takesMs: 60_000 } }),
    );
    await clock.advance(60_000);
    expect(await outcome).toMatchObject({ simulated: true, source: "a.jpg", width: 320 });
    expect(said.filter((text) => text.includes("%")).length).toBe(20);
    expect(said.filter((text) => text.startsWith("info"))).toEqual([
      "info: simulated: reading the image",
      "info: simulated: resizing",
      "info: simulated: writing the result",
    ]);
  });
});
