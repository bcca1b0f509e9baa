import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { routesOf } from "../support/routes.js";
import { startServer, TOKEN, type ServerProcess } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";

const TEXT = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

/** Every documented route with its `curl` example. */
const ROUTES = TEXT.split("\n### ").flatMap((section) => {
  const [, method, path] = /^`([A-Z]+) (\S+)`/.exec(section) ?? [];
  if (method === undefined || path === undefined) return [];
  return [{ route: `${method} ${path}`, example: /```sh\n([^]*?)```/.exec(section)?.[1] ?? "" }];
});

/** A shell program of all blocks of the page in their order, in which what each of them prints goes to a file of its number. */
function wholePage(url: string): { readonly script: string; readonly titles: readonly string[] } {
  const titles: string[] = [];
  const blocks = TEXT.split(/\n#{2,3} /).flatMap((section) =>
    [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => {
      titles.push(section.split("\n", 1)[0] ?? "");
      return `echo ${titles.length - 1} >&2\n{\n${block}} > ${titles.length - 1}.out`;
    }),
  );
  const script = ["set -e", ...blocks].join("\n");
  return {
    script: script
      .replaceAll("http://localhost:8085", url)
      .replaceAll("API_TOKEN=demo", `API_TOKEN=${TOKEN}`),
    titles,
  };
}

describe("docs/http-api.md", () => {
  test("has every route, and no other", async () => {
    const server = await startHttpServer();
    const addresses = routesOf(server.server.app).map(({ url }) => url.replaceAll(/:(\w+)/g, "{$1}"));
    const paths = new Set(ROUTES.map(({ route }) => route.split(" ")[1] ?? ""));
    expect([...paths].sort()).toEqual([...new Set(addresses)].sort());
    // The methods that each address says it takes.
    for (const path of paths) {
      const answer = await server.send("OPTIONS", path.replaceAll(/\{\w+\}/g, "1"));
      const documented = ROUTES.filter(({ route }) => route.endsWith(` ${path}`)).map(
        ({ route }) => route.split(" ")[0],
      );
      const allowed = answer.headers
        .get("allow")
        ?.split(", ")
        .filter((method) => method !== "HEAD");
      expect(allowed, path).toEqual(documented.sort());
    }
  });

  test("has an example of every route", () => {
    expect(ROUTES.filter(({ example }) => !example.includes("curl"))).toEqual([]);
  });

  const hasCurl = spawnSync("curl", ["--version"]).status === 0;
  test.skipIf(!hasCurl)(
    "its examples work from the top to the end on the demo",
    { timeout: 120_000 },
    async () => {
      const home = tempDirectory();
      const server = await startServer({ cwd: home, env: { SEED_DEMO: "1" } });
      // An error must fail the example.
      writeFileSync(join(home, ".curlrc"), "fail\n");
      const { script, titles } = wholePage(server.url);
      const env = { PATH: process.env["PATH"], CURL_HOME: home };
      const run = promisify(execFile)("/bin/sh", ["-uc", script], { env, cwd: home });
      await run.catch((error: unknown) => {
        const { stderr } = error as { readonly stderr: string };
        const last = titles[Number(stderr.trim().split("\n").at(-1))];
        throw new Error(`The example of ${last ?? "nothing"} failed: ${stderr}`);
      });
      for (const [number, title] of titles.entries()) {
        const told = readFileSync(join(home, `${number}.out`), "utf8");
        const isText = /`GET (\/|\/metrics)`/.test(title);
        if (title === "`GET /v1/live`") expect(told).toMatch(/^retry: \d+\n\nevent: snapshot\ndata: \{/);
        else if (told.startsWith("retry: "))
          expect([title, told]).toEqual([
            "`GET /v1/events`",
            expect.stringMatching(/^retry: \d+\nid: \d+\n\n/),
          ]);
        else if (told !== "" && !isText)
          expect(() => JSON.parse(told) as unknown, `${title}: ${told}`).not.toThrow();
      }
      await expectOnlyOwnChanged(server);
    },
  );
});

/** What the page changes of many jobs and of queues is in the queue of its own. */
async function expectOnlyOwnChanged(server: ServerProcess): Promise<void> {
  const { items } = (await server.get<{ items: { q: string; matched: number }[] }>("/v1/operations")).body;
  expect(items).toEqual([expect.objectContaining({ matched: 3 })]);
  expect(items[0]?.q).toContain("queue:examples");
  const edits = await server.get<{ items: { action: string; target: string }[] }>("/v1/audit?limit=200");
  const queues = edits.body.items.filter(({ action }) => action.endsWith("Queue"));
  expect(new Set(queues.map(({ target }) => target))).toEqual(new Set(["examples"]));
}
