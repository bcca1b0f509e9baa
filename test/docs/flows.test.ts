import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { translated } from "../support/translated.js";
import { tempDirectory } from "../support/temp-directory.js";

const TEXT = readFileSync(new URL("../../docs/flows.md", import.meta.url), "utf8");

test("the example of docs/flows.md makes its flows, and the fan-in collects what the others returned", async () => {
  const example = /```js\n([^]*?)```/.exec(TEXT)?.[1] ?? "";
  const library = pathToFileURL(translated(new URL("../../src/index.ts", import.meta.url))).href;
  const cwd = tempDirectory();
  const work = `
    const worker = konveier.worker({ jobs: [resize, publish] });
    await worker.start();
    await konveier.jobs.waitFor((await konveier.flows.jobs(album.id)).items.at(-1).id);
    await konveier.close();`;
  writeFileSync(join(cwd, "example.mjs"), example.replace('"konveier"', JSON.stringify(library)) + work);
  await promisify(execFile)(process.execPath, ["example.mjs"], { cwd });
  const konveier = await Konveier.open(`sqlite:${join(cwd, "jobs.db")}`);
  const { items } = await konveier.flows.list();
  expect(items.map(({ name, counts }) => [name, counts.jobs])).toEqual([
    ["night", 2],
    ["album", 4],
  ]);
  expect(await konveier.jobs.result("4")).toEqual({ widths: [320, 640, 1280] });
  await konveier.close();
});
