import { expect, test } from "vitest";
import { KonveierClient, type LiveMessage } from "../../src/client/index.js";
import { API_TOKEN, startHttpServer } from "../support/http-server.js";

test("the client follows live numbers over a cut, and asks for one snapshot, for info and suggestions", async () => {
  const server = await startHttpServer();
  const client = new KonveierClient({ url: server.url, token: API_TOKEN, random: () => 0 });
  await client.enqueue({ name: "email.send" });
  await client.schedules.put("s", { cron: "@daily", job: { name: "a" } });
  await client.schedules.run("s");
  const messages: LiveMessage[] = [];
  for await (const message of client.live.follow()) {
    messages.push(message);
    if (messages.length === 1) await client.enqueue({ name: "email.send" });
    if (messages.length === 2) server.server.app.server.closeAllConnections();
    if (messages.length === 3) break;
  }
  expect(messages).toMatchObject([
    { type: "snapshot", queues: [{ name: "default", counts: { pending: 2 } }] },
    { type: "change", topics: ["jobs"], queues: [{ counts: { pending: 3 } }] },
    { type: "snapshot", queues: [{ counts: { pending: 3 } }] },
  ]);
  expect((await client.live.snapshot()).queues).toHaveLength(1);
  expect((await client.info()).store.kind).toBe("sqlite");
  expect(await client.suggest({ field: "name", prefix: "email" })).toEqual(["email.send"]);
  expect((await client.schedules.page({ runs: 1 })).items).toMatchObject([{ runs: [{ manual: true }] }]);
});
