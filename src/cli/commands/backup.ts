import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit-codes.js";

interface BackupFlags {
  readonly database?: string;
  readonly json?: true;
}

export function addBackup(program: Command): void {
  program
    .command("backup")
    .description("copy the database to a new file while servers use it")
    .argument("<file>", "the file to write; it must not exist, its directory must")
    .option("--database <url>", "database (DATABASE_URL, default sqlite:./data/konveier.db)")
    .option("--json", "print the outcome as JSON")
    .addHelpText("after", HELP)
    .action(async (file: string, flags: BackupFlags) => {
      process.exitCode = await backup(file, flags);
    });
}

const HELP = `
The copy gets its name when it is complete, checked and on disk. Until then it is
<file>.partial-…, which an interrupted backup leaves behind and which may be removed.

Exit codes: 0 done, 1 failed, 2 the file exists or cannot be meant, 78 the address of the
database cannot be meant.

Examples:
  konveier backup konveier-$(date +%F).db
  konveier backup --database sqlite:/data/konveier.db --json /backups/konveier.db`;

async function backup(target: string, { database, json }: BackupFlags): Promise<ExitCode> {
  // Loaded only when wanted: help should not wait for a database driver.
  const { backupStore } = await import("../../open-store.js");
  const { BackupTargetError } = await import("../../store/sqlite/backup.js");
  const { databaseUrlOf } = await import("../database-url.js");
  const url = databaseUrlOf(database);
  try {
    const report = await backupStore(url, target);
    const { file, bytes, jobs, schemaVersion } = report;
    console.log(
      json === true
        ? JSON.stringify(report)
        : `${file}: ${jobs} jobs, ${bytes} bytes, schema version ${schemaVersion}, checked`,
    );
    return EXIT.ok;
  } catch (error) {
    console.error(`konveier: ${(error as Error).message}`);
    return error instanceof BackupTargetError ? EXIT.usage : EXIT.failure;
  }
}
