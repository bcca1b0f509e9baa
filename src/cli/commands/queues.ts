import { Option, type Command } from "commander";
import { MAX_QUEUE_LENGTH } from "../../core/defaults.js";
import { MAX_CONCURRENCY_LIMIT, ON_FULL } from "../../core/queue-limits.js";
import { durationOption, rateOption } from "../input/durations.js";
import { orNone, wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/queues.js");

export function addQueues(program: Command): void {
  const queues = program.command("queues").description("look at queues, limit, pause and resume them");

  const list = queues
    .command("list")
    .description("all queues, by name")
    .action(lazily(async () => (await load()).listQueues));
  addRemoteOptions(list, FORMATS);
  addExamples(list, "konveier queues list", "konveier queues list -o jsonl | jq 'select(.pausedAt)'");

  const get = queues
    .command("get <name>")
    .description("one queue, and what waits in it that no worker handles")
    .action(lazily(async () => (await load()).getQueue));
  addRemoteOptions(get, FORMATS);
  addExamples(get, "konveier queues get emails", "konveier queues get emails -o json | jq .counts.pending");

  const limit = queues
    .command("limit <name>")
    .description("change the limits of the queue; what is not named stays")
    .option(
      "--concurrency <number>",
      "jobs that may run at the same time, or none",
      orNone(wholeNumber(1, MAX_CONCURRENCY_LIMIT)),
    )
    .option("--rate <rate>", "starts in any such time, such as 100/s, or none", orNone(rateOption))
    .option(
      "--key-concurrency <number>",
      "as --concurrency, for each concurrency key",
      orNone(wholeNumber(1, MAX_CONCURRENCY_LIMIT)),
    )
    .option("--key-rate <rate>", "as --rate, for each rate key", orNone(rateOption))
    .option(
      "--ageing <duration>",
      "a job that waits for so long counts as one priority higher, or none",
      orNone(durationOption),
    )
    .option("--max-length <number>", "jobs that may wait, or none", orNone(wholeNumber(0, MAX_QUEUE_LENGTH)))
    .addOption(new Option("--on-full <what>", "what a new job of a full queue meets").choices(ON_FULL))
    .action(lazily(async () => (await load()).limitQueue));
  addRemoteOptions(limit, FORMATS);
  addExamples(
    limit,
    "konveier queues limit emails --rate 100/s --concurrency 20",
    "konveier queues limit emails --key-concurrency 2 --rate none",
    "konveier queues limit previews --max-length 100 --on-full drop-oldest",
  );

  const pause = queues
    .command("pause <name>")
    .description("let no job of the queue be claimed; running ones go on")
    .option("--reason <text>", "why, for people")
    .action(lazily(async () => (await load()).pauseQueue));
  addRemoteOptions(pause, FORMATS);
  addExamples(
    pause,
    "konveier queues pause emails --reason 'the mail server is down'",
    "konveier queues pause reports",
  );

  const resume = queues
    .command("resume <name>")
    .description("let jobs of the queue be claimed again")
    .action(lazily(async () => (await load()).resumeQueue));
  addRemoteOptions(resume, FORMATS);
  addExamples(resume, "konveier queues resume emails", "konveier queues resume emails -o json");
}
