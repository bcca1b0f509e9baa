import { Option, type Command } from "commander";
import { MAX_MAX_ATTEMPTS, MAX_MAX_MISSED, MAX_PRIORITY } from "../../core/defaults.js";
import { MISSED_POLICIES, OVERLAP_POLICIES } from "../../core/schedule.js";
import { durationOption, instantOption } from "../input/durations.js";
import { repeatedOption, wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/schedules.js");

export function addSchedules(program: Command): void {
  const schedules = program.command("schedules").description("look at schedules and change them");
  addLooks(schedules);
  addPut(schedules);
  addApply(schedules);
  addChanges(schedules);
}

function addLooks(schedules: Command): void {
  const list = schedules
    .command("list")
    .description("schedules, by key")
    .option("--limit <number>", "how many", wholeNumber(1, 100_000), 500)
    .action(lazily(async () => (await load()).listSchedules));
  addRemoteOptions(list, FORMATS);
  addExamples(list, "konveier schedules list", "konveier schedules list -o ids");

  const get = schedules
    .command("get <key>")
    .description("one schedule and its next runs")
    .action(lazily(async () => (await load()).getSchedule));
  addRemoteOptions(get, FORMATS);
  addExamples(
    get,
    "konveier schedules get report.weekly",
    "konveier schedules get report.weekly -o json | jq .next",
  );

  const preview = schedules
    .command("preview <expression>")
    .description("when a cron expression would fire")
    .option("--timezone <zone>", "IANA time zone, default UTC")
    .option("-n, --count <number>", "how many runs", wholeNumber(1, 100), 20)
    .option("--after <instant>", "from when on, default now", instantOption)
    .action(lazily(async () => (await load()).previewSchedule));
  addRemoteOptions(preview, FORMATS);
  addExamples(
    preview,
    "konveier schedules preview '30 8 * * MON' --timezone Europe/Berlin",
    "konveier schedules preview '0 2 * * *' -n 5 -o ids",
  );
}

function addPut(schedules: Command): void {
  const put = schedules
    .command("put <key>")
    .description("make a schedule, or make it what is given here")
    .optionsGroup("When:")
    .option("--cron <expression>", "a cron expression")
    .option("--every <duration>", "an interval, such as 5m", durationOption)
    .option("--timezone <zone>", "IANA time zone, default UTC")
    .option("--start-at <instant>", "not before", instantOption)
    .option("--end-at <instant>", "not after", instantOption)
    .option("--jitter <duration>", "spread the runs over this time", durationOption)
    .addOption(
      new Option("--missed <policy>", "what becomes of runs that were missed").choices(MISSED_POLICIES),
    )
    .option("--max-missed <number>", "how many missed runs are made up for", wholeNumber(1, MAX_MAX_MISSED))
    .addOption(
      new Option("--overlap <policy>", "what happens while the last job has not ended").choices(
        OVERLAP_POLICIES,
      ),
    )
    .optionsGroup("The job:")
    .requiredOption("--name <name>", "name of the job")
    .option("--queue <name>", "queue, default `default`")
    .option("--payload <json>", "payload")
    .option("--payload-file <path>", "file with the payload, - for stdin")
    .option("--priority <number>", "0 to 9, 9 first", wholeNumber(0, MAX_PRIORITY))
    .option("--max-attempts <number>", "attempts until it is dead", wholeNumber(1, MAX_MAX_ATTEMPTS))
    .option("--timeout <duration>", "longest time for one attempt", durationOption)
    .option("--tag <tag>", "a tag; may be repeated", repeatedOption)
    .action(lazily(async () => (await load()).putSchedule));
  addRemoteOptions(put, FORMATS);
  addExamples(
    put,
    "konveier schedules put report.weekly --cron '30 8 * * MON' --timezone Europe/Berlin --name report.send",
    "konveier schedules put cleanup --every 5m --name cleanup --queue maintenance --overlap skip",
  );
}

function addApply(schedules: Command): void {
  const apply = schedules
    .command("apply")
    .description("make the schedules of the server those of a file")
    .requiredOption("-f, --file <path>", "JSON object with schedules by their keys, - for stdin")
    .option("--prune", "delete schedules that are not in the file, unless they come from code")
    .option("--yes", "do not ask before deleting")
    .action(lazily(async () => (await import("../actions/apply-schedules.js")).applySchedules));
  addRemoteOptions(apply, FORMATS);
  addExamples(
    apply,
    "konveier schedules apply -f schedules.json",
    "konveier schedules apply -f schedules.json --prune --yes",
  );
}

function addChanges(schedules: Command): void {
  const pause = schedules
    .command("pause <key>")
    .description("let it make no jobs")
    .option("--reason <text>", "why, for people")
    .action(lazily(async () => (await load()).pauseSchedule));
  addRemoteOptions(pause, FORMATS);
  addExamples(
    pause,
    "konveier schedules pause report.weekly --reason holidays",
    "konveier schedules pause cleanup",
  );

  const resume = schedules
    .command("resume <key>")
    .description("let it make jobs again, from its next run on")
    .action(lazily(async () => (await load()).resumeSchedule));
  addRemoteOptions(resume, FORMATS);
  addExamples(resume, "konveier schedules resume report.weekly", "konveier schedules resume cleanup -o json");

  const run = schedules
    .command("run <key>")
    .description("make one job now, beside the rule")
    .action(lazily(async () => (await load()).runSchedule));
  addRemoteOptions(run, FORMATS);
  addExamples(run, "konveier schedules run report.weekly", "konveier schedules run report.weekly -o ids");

  const remove = schedules
    .command("delete <key>")
    .description("delete a schedule; jobs that it has made stay")
    .action(lazily(async () => (await load()).deleteSchedule));
  addRemoteOptions(remove, FORMATS);
  addExamples(remove, "konveier schedules delete report.weekly", "konveier schedules delete cleanup -o json");
}
