import { Command, Option } from "commander";
import { version } from "../server/version.js";
import { addBackup } from "./commands/backup.js";
import { addDoctor } from "./commands/doctor.js";
import { addEnqueue } from "./commands/enqueue.js";
import { addFlows } from "./commands/flows.js";
import { addHealthcheck } from "./commands/healthcheck.js";
import { addJobs } from "./commands/jobs.js";
import { addLooks } from "./commands/looks.js";
import { addMigrateStore } from "./commands/migrate-store.js";
import { addOperations } from "./commands/operations.js";
import { addQueues } from "./commands/queues.js";
import { addSchedules } from "./commands/schedules.js";
import { addServe } from "./commands/serve.js";
import { addTokens } from "./commands/tokens.js";
import { addWorker } from "./commands/worker.js";
import { EXIT } from "./exit-codes.js";

/** All commands. What they do is loaded when one is run. */
export function createProgram(): Command {
  const program = new Command("konveier")
    .description(
      "Durable background jobs: an HTTP server, workers and a command line over SQLite or PostgreSQL",
    )
    .version(version())
    // `konveier help jobs` works, and would be a group of its own in every list.
    .configureHelp({ visibleCommands: ({ commands }) => [...commands] })
    // At the same place in the help of every command.
    .addHelpOption(new Option("-h, --help", "show this").helpGroup("Help:"))
    .configureOutput({
      outputError: (text, write) => {
        write(text.replace(/^error: /, "konveier: "));
      },
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage));
  program.commandsGroup("Run:");
  addServe(program);
  addWorker(program);
  program.commandsGroup("Jobs:");
  addEnqueue(program);
  addJobs(program);
  addOperations(program);
  addFlows(program);
  addQueues(program);
  addSchedules(program);
  program.commandsGroup("Look and manage:");
  addLooks(program);
  addTokens(program);
  program.commandsGroup("Operate:");
  addBackup(program);
  addDoctor(program);
  addHealthcheck(program);
  addMigrateStore(program);
  return program;
}
