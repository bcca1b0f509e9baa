import { Option, type Command } from "commander";
import { FLOW_STATES } from "../../core/flow.js";
import { wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/flows.js");

export function addFlows(program: Command): void {
  const flows = program.command("flows").description("look at flows, cancel and retry them");

  const list = flows
    .command("list")
    .description("flows, newest first")
    .addOption(new Option("--state <state>", "only those of this state").choices(FLOW_STATES))
    .option("--name <name>", "only those of this name")
    .option("--limit <number>", "how many", wholeNumber(1, 100_000), 50)
    .action(lazily(async () => (await load()).listFlows));
  addRemoteOptions(list, FORMATS);
  addExamples(list, "konveier flows list --state failed", "konveier flows list --name order -o ids");

  const get = flows
    .command("get <id>")
    .description("one flow, its counts, and its jobs with what they wait for")
    .option("--limit <number>", "how many jobs", wholeNumber(1, 100_000), 100)
    .action(lazily(async () => (await load()).getFlow));
  addRemoteOptions(get, FORMATS);
  addExamples(get, "konveier flows get 1", "konveier flows get 1 -o json | jq .states");

  const cancel = flows
    .command("cancel <id>")
    .description("cancel every job that has not ended")
    .action(lazily(async () => (await load()).cancelFlow));
  addRemoteOptions(cancel, FORMATS);
  addExamples(cancel, "konveier flows cancel 1", "konveier flows cancel 1 -o json");

  const retry = flows
    .command("retry <id>")
    .description("start every dead and every cancelled job over")
    .action(lazily(async () => (await load()).retryFlow));
  addRemoteOptions(retry, FORMATS);
  addExamples(retry, "konveier flows retry 1", "konveier flows retry 1 -o json | jq .changed");
}
