import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LiveMessage } from "./frames.js";
import { LiveStream } from "./stream.js";

const SNAPSHOT = `event: snapshot\ndata: {"at":"2026-01-05T00:00:00.000Z","version":"1"}\n\n`;
const HOUR_MS = 3_600_000;

/** A server that says one thing to each connection, and then nothing, also not that it is gone. */
function silentServer() {
  const fetching = vi.fn((_url: string, { signal }: { readonly signal: AbortSignal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(SNAPSHOT));
        signal.addEventListener("abort", () => {
          controller.error(signal.reason);
        });
      },
    });
    return Promise.resolve(new Response(body));
  });
  vi.stubGlobal("fetch", fetching);
  return fetching;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function opened() {
  const server = silentServer();
  const heard: LiveMessage[] = [];
  const stream = new LiveStream("http://localhost/v1/live", (message) => heard.push(message));
  stream.start();
  await vi.advanceTimersByTimeAsync(1);
  expect(stream.status).toBe("live");
  return { server, stream };
}

it("connects anew after 40 seconds of silence, and not before", async () => {
  const { server, stream } = await opened();
  await vi.advanceTimersByTimeAsync(35_000);
  expect(server).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(server).toHaveBeenCalledTimes(2);
  expect(stream.status).toBe("live");
  stream.stop();
});

it("connects anew at once when the machine wakes: its timers have stood still, its clock has not", async () => {
  const { server, stream } = await opened();
  vi.setSystemTime(Date.now() + HOUR_MS);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(server).toHaveBeenCalledTimes(2);
  stream.stop();
});

it("does not wait for longer because the clock was set back", async () => {
  const { server, stream } = await opened();
  vi.setSystemTime(Date.now() - HOUR_MS);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(server).toHaveBeenCalledTimes(2);
  stream.stop();
});
