import type { Command } from "commander";
import { isStoreError } from "../../core/errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";

interface MigrateStoreFlags {
  readonly from: string;
  readonly to: string;
  readonly schema: string;
  readonly json?: true;
}

export function addMigrateStore(program: Command): void {
  program
    .command("migrate-store")
    .description("move everything from a SQLite file to PostgreSQL")
    .requiredOption("--from <url>", "the file, such as sqlite:./data/konveier.db")
    .requiredOption("--to <url>", "the database, such as postgres://user:password@host:5432/jobs")
    .option("--schema <name>", "the schema in it", process.env["KONVEIER_SCHEMA"] ?? "konveier")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", HELP)
    .action(async (flags: MigrateStoreFlags) => {
      process.exitCode = await migrateStore(flags);
    });
}

const HELP = `
Stop all servers and workers on the file first: it is locked while it is moved. Jobs,
attempts, logs, schedules, queues, tokens, sessions, the audit log, counters and figures
move, with their ids; fencing tokens go on where they were. Then both sides are compared.
The target must be empty. Interrupted, the same command goes on where it was. The file is
not changed.

Exit codes: 0 moved and compared, 1 failed, 78 an address cannot be meant.

Examples:
  konveier migrate-store --from sqlite:./data/konveier.db --to postgres://konveier@db.internal/jobs`;

async function migrateStore({ from, to, schema, json }: MigrateStoreFlags): Promise<ExitCode> {
  // Loaded only when wanted: help should not wait for a database driver.
  const { moveStore } = await import("../../move-store.js");
  const { databaseAddressOf } = await import("../database-url.js");
  for (const url of [from, to]) databaseAddressOf(url);
  try {
    const report = await moveStore(from, { url: to, schema }, (table, rows) => {
      if (rows > 0) console.error(`${table}: ${counted(rows, "row")}`);
    });
    console.log(
      json === true
        ? JSON.stringify(report)
        : `${counted(report.jobs, "job")} and all that belongs there moved; both sides are the same.`,
    );
    return EXIT.ok;
  } catch (error) {
    if (!isStoreError(error)) throw error;
    console.error(`konveier: ${error.message}`);
    return EXIT.failure;
  }
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? "" : "s"}`;
}
