import { QueryObserver, type QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { createQueryClient } from "../query-client.js";
import { Refresher } from "./refresher.js";

const HOUR = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

function observe(client: QueryClient, load: () => Promise<number>): () => void {
  const meta = { refresh: { topics: ["jobs"] } } as const;
  const observer = new QueryObserver(client, { queryKey: ["jobs"], queryFn: load, meta });
  return observer.subscribe(() => undefined);
}

it("reads what has changed, and what one comes back to, after the wall clock has stepped back", async () => {
  vi.useFakeTimers();
  const client = createQueryClient();
  const refresher = new Refresher(client);
  let read = 0;
  const load = (): Promise<number> => Promise.resolve((read += 1));
  const leave = observe(client, load);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(read).toBe(1);
  vi.setSystemTime(Date.now() - HOUR);
  refresher.changed(["jobs"], []);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read).toBe(2);
  refresher.stop();
  leave();
  vi.setSystemTime(Date.now() - HOUR);
  observe(client, load);
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toBe(3);
  client.clear();
});
