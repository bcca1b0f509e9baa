import { Option, type Command } from "commander";
import { MAX_MAX_ATTEMPTS, MAX_PRIORITY } from "../../core/defaults.js";
import { CONFLICT_POLICIES } from "../../core/unique.js";
import { durationOption, instantOption } from "../input/durations.js";
import { repeatedOption, wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

export function addEnqueue(program: Command): void {
  const enqueue = program
    .command("enqueue [name]")
    .description("make a job, or many of a file")
    .option("--queue <name>", "queue, default `default`")
    .option("--payload <json>", "payload")
    .option("--payload-file <path>", "file with the payload, - for stdin")
    .option("--delay <duration>", "run it later, such as 30s", durationOption)
    .option("--run-at <instant>", "run it at this time, such as 2026-01-05T09:00:00Z", instantOption)
    .option("--priority <number>", "0 to 9, 9 first", wholeNumber(0, MAX_PRIORITY))
    .option("--max-attempts <number>", "attempts until it is dead", wholeNumber(1, MAX_MAX_ATTEMPTS))
    .option("--timeout <duration>", "longest time for one attempt", durationOption)
    .option("--key <key>", "idempotency key: one job, however often this is said")
    .option("--unique <key>", "unique key: no second job of this queue and name while one has it")
    .addOption(
      new Option("--on-conflict <what>", "what happens when one has it, default `existing`").choices(
        CONFLICT_POLICIES,
      ),
    )
    .option("--expires-in <duration>", "cancel it when it has not started by then", durationOption)
    .option("--tag <tag>", "a tag; may be repeated", repeatedOption)
    .option("--concurrency-key <text>", "what the concurrency per key of the queue counts the job under")
    .option("--rate-key <text>", "what the rate per key of the queue counts the job under")
    .option("--wait", "wait until it has finished, and print its result")
    .option("--wait-timeout <duration>", "how long to wait, default 60s", durationOption)
    .option("--batch <path>", "instead of a name: file with one job as JSON on each line, - for stdin")
    .action(lazily(async () => (await import("../actions/enqueue.js")).enqueueJob));
  addRemoteOptions(enqueue, FORMATS);
  addExamples(
    enqueue,
    `konveier enqueue email.send --queue emails --payload '{"to": "ada@example.com"}'`,
    "konveier enqueue report.build --payload-file report.json --wait --wait-timeout 5m",
    "konveier enqueue --batch jobs.jsonl -o ids",
  );
}
