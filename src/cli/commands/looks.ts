import type { Command } from "commander";
import { listOption, wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/looks.js");

/** What only shows how the server is, or what happens there. */
export function addLooks(program: Command): void {
  const workers = program
    .command("workers")
    .description("workers that were heard of lately")
    .action(lazily(async () => (await load()).listWorkers));
  addRemoteOptions(workers, FORMATS);
  addExamples(
    workers,
    "konveier workers",
    "konveier workers -o jsonl | jq 'select(.running == .concurrency) | .id'",
  );

  const events = program
    .command("events")
    .description("follow what happens, as JSON lines, until Ctrl-C")
    .option("--topics <list>", "kinds: job, queue, schedule, operation", listOption)
    .option("--queue <list>", "of these queues", listOption)
    .option("--job <list>", "of these jobs, by id", listOption)
    .option("--state <list>", "of jobs that come into these states", listOption)
    .option("--after <id>", "go on after this event (its seq)", wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option("--limit <number>", "end after so many events", wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(lazily(async () => (await import("../actions/events.js")).followEvents));
  addRemoteOptions(events, []);
  addExamples(
    events,
    "konveier events --state dead",
    "konveier events --queue emails --after 5120 | jq .transition",
  );

  const stats = program
    .command("stats")
    .description("every queue as it is, and what happened in the last hour")
    .action(lazily(async () => (await load()).showStats));
  addRemoteOptions(stats, ["table", "json"]);
  addExamples(stats, "konveier stats", "konveier stats -o json | jq .all.counts");

  const audit = program
    .command("audit")
    .description("who changed what, and who was refused, newest first")
    .option("--limit <number>", "how many", wholeNumber(1, 1_000_000), 50)
    .action(lazily(async () => (await load()).listAudit));
  addRemoteOptions(audit, ["table", "json", "jsonl"]);
  addExamples(audit, "konveier audit --limit 20", "konveier audit -o jsonl | jq 'select(.status == 403)'");
}
