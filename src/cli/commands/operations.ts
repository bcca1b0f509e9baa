import type { Command } from "commander";
import { wholeNumber } from "../input/options.js";
import { FORMATS } from "../output/formats.js";
import { addExamples, addRemoteOptions, lazily } from "../remote-flags.js";

const load = () => import("../actions/operations.js");

export function addOperations(program: Command): void {
  const operations = program.command("operations").description("look at bulk operations and stop them");

  const list = operations
    .command("list")
    .description("bulk operations, newest first")
    .option("--limit <number>", "how many", wholeNumber(1, 100_000), 50)
    .action(lazily(async () => (await load()).listOperations));
  addRemoteOptions(list, FORMATS);
  addExamples(
    list,
    "konveier operations list",
    "konveier operations list -o jsonl | jq 'select(.state == \"running\")'",
  );

  const get = operations
    .command("get <id>")
    .description("one bulk operation and how far it is")
    .action(lazily(async () => (await load()).getOperation));
  addRemoteOptions(get, FORMATS);
  addExamples(get, "konveier operations get 7", "konveier operations get 7 -o json | jq .changed");

  const cancel = operations
    .command("cancel <id>")
    .description("stop a bulk operation; jobs that it has changed stay changed")
    .action(lazily(async () => (await load()).cancelOperation));
  addRemoteOptions(cancel, FORMATS);
  addExamples(cancel, "konveier operations cancel 7", "konveier operations cancel 7 -o json");
}
