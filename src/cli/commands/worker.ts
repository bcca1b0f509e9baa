import type { Command } from "commander";
import { MAX_CLAIM } from "../../core/defaults.js";
import { durationOption } from "../input/durations.js";
import { listOption, wholeNumber } from "../input/options.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

export function addWorker(program: Command): void {
  const worker = program
    .command("worker <file>")
    .description("run the jobs that a module defines, until a signal comes")
    .option("--queues <list>", "queues in order of preference, default `default`", listOption)
    .option("--concurrency <number>", "handlers that run at once, default 10", wholeNumber(1, MAX_CLAIM))
    .option("--lease <duration>", "how long a claim holds without a heartbeat, default 30s", durationOption)
    .option("--grace <duration>", "how long handlers may finish at a stop, default 10s", durationOption)
    .option("--id <text>", "name of the worker, default host, process and random letters")
    .optionsGroup("Server:")
    .option("--database <url>", "work beside this database instead, such as sqlite:./jobs.db")
    .action(lazily(async () => (await import("../actions/worker.js")).runWorker));
  addRemoteOptions(worker, []);
  addExamples(
    worker,
    "konveier worker ./jobs.mjs --queues emails,default --concurrency 20",
    "konveier worker ./jobs.mjs --database sqlite:./jobs.db",
  );
}
