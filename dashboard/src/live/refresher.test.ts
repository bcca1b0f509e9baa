import { QueryObserver, type QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Problem } from "../api/problem.js";
import { Kept } from "../pages/dead/kept.js";
import { createQueryClient, SELF_KEY } from "../query-client.js";
import { Refresher } from "./refresher.js";

const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function observe(client: QueryClient, load: () => Promise<number>): () => void {
  const meta = { refresh: { topics: ["jobs"] } } as const;
  const observer = new QueryObserver(client, { queryKey: ["jobs"], queryFn: load, meta });
  return observer.subscribe(() => undefined);
}

it("reads what has changed, and what one comes back to, after the wall clock has stepped back", async () => {
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

it("reads what has no pace of its own in every turn, so that numbers of one page do not contradict each other", async () => {
  const client = createQueryClient();
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

it("tries again what could not be read, ever more rarely, and nothing else", async () => {
  const client = createQueryClient();
  const refresher = new Refresher(client);
  const tries: number[] = [];
  const begin = performance.now();
  let fault: Problem | null = new Problem(500, "internal", "");
  const hide = observe(client, () => {
    tries.push((performance.now() - begin) / 1_000);
    return fault === null ? Promise.resolve(1) : Promise.reject(fault);
  });
  let others = 0;
  const queryFn = (): Promise<number> => Promise.resolve((others += 1));
  const meta = { refresh: { topics: ["jobs"] } } as const;
  const hideOther = new QueryObserver(client, { queryKey: ["other"], queryFn, meta }).subscribe(
    () => undefined,
  );
  const wait = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      refresher.failed();
    }
  };
  await wait(150);
  expect(tries).toEqual([0, 5, 15, 35, 65, 95, 125]);
  fault = null;
  await wait(60);
  expect(tries.splice(0)).toHaveLength(8);
  expect(others).toBe(1);
  // A refusal would be the same again.
  fault = new Problem(403, "forbidden", "");
  refresher.changed(["jobs"], []);
  await wait(60);
  expect(tries).toHaveLength(1);
  refresher.stop();
  hide();
  hideOther();
});

it("drops what one token has read as soon as another one reads", async () => {
  const client = createQueryClient();
  new Refresher(client);
  const answer = (id: string): void => {
    client.setQueryData(SELF_KEY, { id });
  };
  const begun = new Kept<string>();
  begun.set("group", "a trial");
  const kept = (): unknown => client.getQueryData(["queue", "secret"]);
  client.setQueryData(["queue", "secret"], { pending: 7 });
  answer("tok_1");
  answer("tok_1");
  expect(kept()).toEqual({ pending: 7 });
  expect(begun.all().size).toBe(1);
  answer("tok_2");
  expect(kept()).toBeUndefined();
  expect(begun.all().size).toBe(0);
  expect(client.getQueryData(SELF_KEY)).toEqual({ id: "tok_2" });
  await vi.runAllTimersAsync();
  client.clear();
});
