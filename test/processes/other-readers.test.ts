import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Konveier } from "../../src/konveier.js";
import { openSqliteStore } from "../../src/store/sqlite/open.js";
import { defineJob } from "../../src/core/define-job.js";
import { checkSound } from "../crash/sound-database.js";
import { startProgram, type ChildProgram } from "../support/child-program.js";
import { allJobs } from "../support/recount.js";
import { tempDirectory } from "../support/temp-directory.js";
import { allFinished } from "./holds.js";
import type { ReaderCommand, ReaderInput, ReaderMessage } from "./programs/reader.js";

const MEBIBYTE = 1024 * 1024;
const PAYLOAD = "x".repeat(200_000);

it("nothing is lost while another program opens and closes the file again and again", async () => {
  const file = join(tempDirectory(), "konveier.db");
  const konveier = await Konveier.open(`sqlite:${file}`);
  await konveier.worker({ jobs: [defineJob("count", { handler: () => null })] }).start();
  const reader = startReader({ file, openings: 1_000 });
  await reader.message(({ type }) => type === "reading");

  const accepted: string[] = [];
  const progress = { reading: true };
  const exited = reader.exited.then((exit) => {
    progress.reading = false;
    return exit;
  });
  while (progress.reading) accepted.push((await konveier.enqueue("count", {})).id);
  expect(await exited, reader.output).toEqual({ code: 0, signal: null });
  expect(accepted.length).toBeGreaterThan(10);
  const onlooker = openSqliteStore(file);
  await allFinished(onlooker);
  await konveier.close();
  await onlooker.close();

  // What is in the file now, and not only in the memory of those who had it open.
  checkSound(file);
  const reopened = openSqliteStore(file);
  const completed = (await allJobs(reopened)).filter(({ state }) => state === "completed");
  expect(completed.map(({ id }) => id).sort()).toEqual(accepted.sort());
  await reopened.close();
});

it("the log that grew behind a reader shrinks once the reader has gone", async ({ annotate }) => {
  const file = join(tempDirectory(), "konveier.db");
  const konveier = await Konveier.open(`sqlite:${file}`, { synchronous: "normal" });
  const logMebibytes = () => statSync(`${file}-wal`).size / MEBIBYTE;
  const enqueueMebibytes = async (mebibytes: number): Promise<void> => {
    for (let n = 0; n < mebibytes; n += 1) {
      await konveier.enqueueMany(Array.from({ length: 5 }, () => ({ name: "later", payload: PAYLOAD })));
    }
  };
  await enqueueMebibytes(5);
  const reader = startReader({ file, openings: null });
  await reader.message(({ type }) => type === "reading");

  await enqueueMebibytes(100);
  const pinned = logMebibytes();
  expect(pinned).toBeGreaterThan(90);
  reader.send({ type: "release" });
  expect(await reader.exited, reader.output).toEqual({ code: 0, signal: null });

  // Two commits: the first one moves the log into the database, the next one begins it anew.
  await konveier.enqueue("later", {});
  await konveier.enqueue("later", {});
  const released = logMebibytes();
  expect(released).toBeLessThanOrEqual(65);
  await enqueueMebibytes(100);
  expect(logMebibytes()).toBeLessThanOrEqual(65);
  await annotate(`log: ${pinned.toFixed(0)} MiB behind a reader, ${released.toFixed(0)} MiB after it`);
  await konveier.close();
  checkSound(file);
});

function startReader(input: ReaderInput): ChildProgram<ReaderMessage, ReaderCommand> {
  return startProgram(new URL("./programs/reader.ts", import.meta.url), input);
}
