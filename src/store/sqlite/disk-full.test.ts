import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { allJobs, checkBooks } from "../../../test/support/recount.js";
import { connectionOf, SqliteFile } from "../../../test/support/sqlite-file.js";
import { ERRORS, type KonveierError } from "../../core/errors.js";
import { createContext } from "../../engine/context.js";
import { enqueue } from "../../engine/enqueue.js";

const LARGE = "x".repeat(200_000);
const REQUEST = { workerId: "w", queues: ["default"], names: null, max: 100, leaseMs: 60_000 } as const;

/** A store whose file may grow by a few pages only. */
async function setUp() {
  const file = new SqliteFile();
  const clock = new FakeClock();
  const store = file.open({ clock });
  const context = createContext(store, { clock });
  for (let n = 0; n < 5; n += 1) await enqueue(context, { name: "work" });
  const db = connectionOf(store);
  const limit = (pages: number) => db.pragma(`max_page_count = ${pages}`);
  const pages = db.pragma("page_count", { simple: true }) as number;
  limit(pages + 3);
  return {
    file,
    store,
    add: (payload: unknown) => enqueue(context, { name: "work", payload }),
    makeRoom: () => limit(1_000_000),
    integrity: () => db.pragma("integrity_check", { simple: true }),
  };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "done",
    (error: unknown) => (error as KonveierError).code,
  );
}

describe("SQL-04 disk full", () => {
  test("a job that does not fit is refused, clearly and as something that can pass", async () => {
    const { file, store, add } = await setUp();
    const error = (await add(LARGE).catch((thrown: unknown) => thrown)) as KonveierError;
    expect(error).toMatchObject({ code: "store_full", retryable: true });
    expect(error.message).toContain(file.path);
    expect(error.message).toContain("Free disk space");
    expect(ERRORS[error.code].status).toBe(507);
    expect(await allJobs(store)).toHaveLength(5);
  });

  test("a write that fits is not harmed by one of its group that does not", async () => {
    const { store, add } = await setUp();
    const codes = await Promise.all([add(1), add(LARGE), add(2)].map(codeOf));
    expect(codes).toEqual(["done", "store_full", "done"]);
    expect(await allJobs(store)).toHaveLength(7);
    await checkBooks(store);
  });

  test("filled to the last page: reads work, nothing is lost, and with room all goes on", async () => {
    const { store, add, makeRoom, integrity } = await setUp();
    const [claimed] = await store.claims.claim(REQUEST);
    let accepted = 0;
    while ((await codeOf(add("x".repeat(500)))) === "done") accepted += 1;
    expect(accepted).toBeLessThan(100);
    const before = await allJobs(store);
    expect(before).toHaveLength(5 + accepted);

    const complete = {
      verb: "complete",
      id: claimed!.id,
      token: claimed!.token,
      result: JSON.stringify(LARGE),
      resultProblem: null,
    } as const;
    expect(await codeOf(store.claims.settle([complete]))).toBe("store_full");
    expect(await store.claims.current(claimed!)).toMatchObject({ id: claimed!.id });
    expect(await allJobs(store)).toEqual(before);
    await store.check();

    makeRoom();
    expect(await store.claims.settle([complete])).toMatchObject([{ ok: true, state: "completed" }]);
    expect(await store.jobs.result(claimed!.id)).toBe(JSON.stringify(LARGE));
    expect((await add(LARGE)).state).toBe("pending");
    expect(integrity()).toBe("ok");
    await checkBooks(store);
  });

  test("a key whose job did not fit is free", async () => {
    const { store, makeRoom } = await setUp();
    const context = createContext(store);
    const request = { name: "work", payload: LARGE, idempotencyKey: "K" };
    expect(await codeOf(enqueue(context, request))).toBe("store_full");
    makeRoom();
    expect((await enqueue(context, request)).deduplicated).toBe(false);
  });
});
