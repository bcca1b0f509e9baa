import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openStore } from "../../src/open-store.js";
import { startHttpServer } from "../support/http-server.js";
import { tempDirectory } from "../support/temp-directory.js";
import { issueToken } from "../support/tokens.js";

test("a limited token learns nothing of other queues from scans, workers and keys", async () => {
  const server = await startHttpServer();
  const jobs = Array.from({ length: 300 }, (_, index) => ({
    name: "a",
    queue: index === 7 ? "own" : "other",
  }));
  await server.post("/v1/jobs/batch", { jobs });
  // Jobs that have ended are found by their state, whatever their queues.
  for (const id of [1, 2, 3, 8, 9]) await server.post(`/v1/jobs/${id}/cancel`);
  await server.post("/v1/claim", { workerId: "w", queues: ["own", "other"], names: ["secret"] });
  await server.post("/v1/claim", { workerId: "v", queues: ["own"], names: ["mine"] });
  await server.send("PUT", "/v1/schedules/taken", {
    json: { schedule: { every: "1h" }, job: { name: "a", queue: "other" } },
  });
  const { token } = await issueToken(server, ["operator"], { queues: ["own"] });
  for (const path of [
    "/v1/jobs?q=state:cancelled -payload.x=1",
    "/v1/jobs/count?q=state:cancelled -payload.x=1",
    "/v1/jobs?q=state:cancelled payload.x=1",
  ]) {
    const answer = await server.get(path, { token });
    const { scan } = answer.json as { scan: { examined: number } | null };
    expect([path, scan?.examined], answer.text).toEqual([path, 1]);
  }
  await vi.waitFor(async () => {
    const { items } = (await server.get("/v1/workers", { token })).json as {
      items: { id: string; names: string[] | null }[];
    };
    expect(items).toMatchObject([
      { id: "v", names: ["mine"] },
      { id: "w", names: [] },
    ]);
  });
});

test("the audit log takes some refusals of one token in a minute, and those of others", async () => {
  const server = await startHttpServer();
  const first = await issueToken(server, ["metrics"]);
  const second = await issueToken(server, ["metrics"]);
  for (let call = 0; call < 40; call += 1) await server.get("/v1/jobs", { token: first.token });
  await server.get("/v1/jobs", { token: second.token });
  await vi.waitFor(async () => {
    const { items } = (await server.get("/v1/audit?limit=200")).json as { items: { tokenId: string }[] };
    expect(items.filter(({ tokenId }) => tokenId === first.id)).toHaveLength(30);
    expect(items.filter(({ tokenId }) => tokenId === second.id)).toHaveLength(1);
  });
});

test("over TLS only the cookie with the prefix opens a session", async () => {
  const server = await startHttpServer({ trustedProxies: ["127.0.0.1"] });
  const headers = { "x-forwarded-proto": "https" };
  const { token } = await issueToken(server, ["operator"]);
  const login = await server.send("POST", "/v1/session", { token: null, json: { token }, headers });
  const good = login.headers.get("set-cookie")?.split(";")[0] ?? "";
  const plain = good.replace("__Host-", "");
  const ask = async (cookie: string) =>
    (await server.get("/v1/jobs", { token: null, headers: { ...headers, cookie } })).status;
  expect(await ask(`konveier_session=evil; ${good}`)).toBe(200);
  expect(await ask(`${good}; konveier_session=evil`)).toBe(200);
  expect(await ask(plain)).toBe(401);
});

test("no database is made where a link leads to nothing", async () => {
  const directory = tempDirectory();
  const link = join(directory, "k.db");
  symlinkSync(join(directory, "elsewhere.db"), link);
  await expect(openStore(`sqlite:${link}`)).rejects.toThrow(
    expect.objectContaining({ code: "store_unsupported" }),
  );
  expect(existsSync(join(directory, "elsewhere.db"))).toBe(false);
  await (await openStore(`sqlite:${join(directory, "elsewhere.db")}`)).close();
  await (await openStore(`sqlite:${link}`)).close();
});
