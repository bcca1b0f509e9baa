import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createContext } from "../engine/context.js";
import { enqueue } from "../engine/enqueue.js";
import { openSqliteStore } from "../store/sqlite/open.js";
import { createServer, type ServerOptions } from "./index.js";

test.each([
  [{ dashboard: false }, "`context`"],
  [{ context: {} }, "`apiToken`"],
])("a call without what it needs says what that is: %j", async (options, named) => {
  const call = createServer(options as unknown as ServerOptions);
  await expect(call).rejects.toThrow(TypeError);
  await expect(call).rejects.toThrow(named);
});

test("a server that does not listen answers injected requests, and closes", async () => {
  const store = openSqliteStore(":memory:");
  onTestFinished(() => store.close());
  const context = createContext(store);
  const server = await createServer({ context, apiToken: "t", logger: pino({ enabled: false }) });
  await enqueue(context, { name: "a" });
  const claim = await server.app.inject({
    method: "POST",
    url: "/v1/claim",
    headers: { authorization: "Bearer t" },
    payload: { workerId: "w", queues: ["default"], waitMs: 1_000 },
  });
  expect(claim.json()).toMatchObject({ jobs: [{ id: "1", attempt: 1 }] });
  await server.close();
  await server.close();
  // The store belongs to whoever opened it.
  await expect(store.check()).resolves.toBeUndefined();
});
