import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as afterPendingEvents } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { callWebhook, failureOf, startReceiver, StillClock } from "../../../test/support/webhook.js";

/** Waits until Node has parsed the head of an answer and the code behind it has run. */
async function onceHeadArrived(): Promise<void> {
  await new Promise<void>((resolve) => {
    const listener = (): void => {
      unsubscribe("http.client.response.finish", listener);
      resolve();
    };
    subscribe("http.client.response.finish", listener);
  });
  await afterPendingEvents();
}

describe("a timeout", () => {
  it("while connecting is retried and says what it waited for", async () => {
    const clock = new StillClock();
    const lookup = (): void => {
      clock.advance(60_000);
      clock.advance(30_000);
    };
    const failure = failureOf(
      callWebhook({ url: "https://hook.test/a?b", timeoutMs: 90_000 }, { clock, lookup }),
    );
    expect(await failure).toEqual(
      new Error("POST https://hook.test/a did not finish within timeoutMs 90000 (while connecting)"),
    );
  });

  it("while waiting for the answer closes the connection", async () => {
    const clock = new StillClock();
    await using receiver = await startReceiver(() => {
      clock.advance(30_000);
    });
    const error = await failureOf(callWebhook({ url: receiver.url }, { clock }));
    expect(error).toEqual(
      new Error(`POST ${receiver.url}/ did not finish within timeoutMs 30000 (while waiting for the answer)`),
    );
    await receiver.idle();
  });

  it("while reading the answer closes the connection", async () => {
    const clock = new StillClock();
    await using receiver = await startReceiver((_, response) => response.writeHead(200).write("a"));
    const headArrived = onceHeadArrived();
    const failure = failureOf(callWebhook({ url: receiver.url, timeoutMs: 10 }, { clock }));
    await headArrived;
    clock.advance(10);
    expect(await failure).toEqual(
      new Error(`POST ${receiver.url}/ did not finish within timeoutMs 10 (while reading the answer)`),
    );
    await receiver.idle();
  });

  it("leaves no timer behind when the call is over", async () => {
    const clock = new StillClock();
    await using receiver = await startReceiver((_, response) => response.end());
    await callWebhook({ url: receiver.url }, { clock });
    expect(clock.timers).toBe(0);
  });
});

describe("the job's signal", () => {
  it("aborts a call at once, with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("the worker stops");
    await using receiver = await startReceiver(() => {
      controller.abort(reason);
    });
    expect(await failureOf(callWebhook({ url: receiver.url }, { signal: controller.signal }))).toBe(reason);
    await receiver.idle();
  });

  it("aborts a call that still waits for the lookup", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const failure = failureOf(
      callWebhook(
        { url: "http://hook.test/" },
        {
          signal: controller.signal,
          lookup: () => {
            controller.abort(reason);
          },
        },
      ),
    );
    expect(await failure).toBe(reason);
  });

  it("keeps a call from beginning", async () => {
    const reason = new Error("too late");
    await using receiver = await startReceiver((_, response) => response.end());
    const signal = AbortSignal.abort(reason);
    expect(await failureOf(callWebhook({ url: receiver.url }, { signal }))).toBe(reason);
    expect(receiver.connections()).toBe(0);
  });
});
