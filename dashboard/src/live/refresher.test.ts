import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Refresher } from "./refresher.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("reads what has no pace of its own in every turn, so that numbers of one page do not contradict each other", async () => {
  const client = new QueryClient();
  const refresher = new Refresher(client);
  const turns: string[][] = [];
  const show = (name: string, takesMs: number, everyMs?: number): (() => void) =>
    new QueryObserver(client, {
      queryKey: [name],
      queryFn: async () => {
        turns.at(-1)?.push(name);
        await new Promise((resolve) => setTimeout(resolve, takesMs));
        return name;
      },
      meta: { refresh: { topics: ["jobs"], ...(everyMs !== undefined && { everyMs }) } },
    }).subscribe(() => undefined);
  const hide = [show("rows", 30), show("operation", 5), show("chart", 5, 60_000)];
  await vi.advanceTimersByTimeAsync(500);
  for (let turn = 0; turn < 4; turn += 1) {
    turns.push([]);
    refresher.changed(["jobs"], []);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(turns).toEqual([
    ["rows", "operation"],
    ["rows", "operation"],
    ["rows", "operation"],
    ["rows", "operation"],
  ]);
  refresher.stop();
  for (const each of hide) each();
});
