import type { Command } from "commander";
import { wholeNumber } from "../input/options.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";
import { FORMATS } from "../output/formats.js";

const MAX_LIMIT = 1_000_000;
const MAX_PER_SECOND = 10_000;
const FILTER = "a filter, as docs/filter.md has it, such as 'state:dead queue:emails'";

const looks = () => import("../actions/jobs.js");
const changes = () => import("../actions/job-changes.js");

export function addJobs(program: Command): void {
  const jobs = program.command("jobs").description("look at jobs and change them");
  addLooks(jobs);
  addChanges(jobs);
}

function addLooks(jobs: Command): void {
  const list = jobs
    .command("list")
    .description("jobs that match a filter, newest first; ended ones by their end")
    .option("-q, --query <filter>", FILTER)
    .option("--limit <number>", "how many, default 50", wholeNumber(1, MAX_LIMIT))
    .action(lazily(async () => (await looks()).listJobs));
  addRemoteOptions(list, FORMATS);
  addExamples(
    list,
    "konveier jobs list -q 'state:dead queue:emails' --limit 20",
    "konveier jobs list -q 'name:report.*' -o ids | konveier jobs cancel -",
  );

  const count = jobs
    .command("count")
    .description("how many jobs match a filter")
    .option("-q, --query <filter>", FILTER)
    .action(lazily(async () => (await looks()).countJobs));
  addRemoteOptions(count, ["table", "json"]);
  addExamples(count, "konveier jobs count -q 'state:pending'", "konveier jobs count -o json | jq .count");

  const get = jobs
    .command("get <id>")
    .description("one job, or a part of it")
    .option("--payload", "its payload, as it is stored")
    .option("--result", "what its handler returned, as it is stored")
    .option("--attempts", "its attempts, oldest first")
    .option("--steps", "the steps that its handler has done")
    .option("--logs", "its log")
    .action(lazily(async () => (await looks()).getJob));
  addRemoteOptions(get, FORMATS);
  addExamples(get, "konveier jobs get 41", "konveier jobs get 41 --payload | jq .to");

  const explain = jobs
    .command("explain <id>")
    .description("why a job is not running, or how it ended")
    .action(lazily(async () => (await looks()).explainJob));
  addRemoteOptions(explain, ["table", "json"]);
  addExamples(explain, "konveier jobs explain 41", "konveier jobs explain 41 -o json | jq -r .reason");
}

function addChanges(jobs: Command): void {
  const retry = jobs
    .command("retry [ids...]")
    .description("give dead or cancelled jobs a fresh budget of attempts")
    .action(lazily(async () => (await changes()).retryJobs));
  addBulkOptions(retry);
  addExamples(
    retry,
    "konveier jobs retry 41 42",
    "konveier jobs retry -q 'queue:emails error~timeout' --per-second 50 --reason 'the mail server is back'",
  );

  const cancel = jobs
    .command("cancel [ids...]")
    .description("cancel jobs that have not ended")
    .action(lazily(async () => (await changes()).cancelJobs));
  addBulkOptions(cancel);
  addExamples(cancel, "konveier jobs cancel 41", "konveier jobs cancel -q 'name:newsletter.send' --dry-run");

  const runNow = jobs
    .command("run-now <ids...>")
    .description("let scheduled jobs be claimed at once")
    .action(lazily(async () => (await changes()).runJobsNow));
  addRemoteOptions(runNow, FORMATS);
  addExamples(
    runNow,
    "konveier jobs run-now 41",
    "konveier jobs list -q 'state:scheduled' -o ids | konveier jobs run-now -",
  );

  const remove = jobs
    .command("delete [ids...]")
    .description("remove jobs with all that belongs to them")
    .option("--force", "also running ones, by id only")
    .action(lazily(async () => (await changes()).deleteJobs));
  addBulkOptions(remove);
  addExamples(
    remove,
    "konveier jobs delete 41",
    "konveier jobs delete -q 'state:completed finished<30d' --yes",
  );
}

/** For commands that take ids, or a filter. */
function addBulkOptions(command: Command): void {
  command
    .optionsGroup("Many at once:")
    .option("-q, --query <filter>", `instead of ids: ${FILTER}`)
    .option("--dry-run", "show what would be changed, and change nothing")
    .option(
      "--per-second <number>",
      "jobs changed in a second at the most, default 500",
      wholeNumber(1, MAX_PER_SECOND),
    )
    .option("--reason <text>", "why, for people")
    .option("--yes", "do not ask");
  addRemoteOptions(command, FORMATS);
  command.addHelpText("after", "\nIds are also read from stdin where - stands for them.");
}
