#!/usr/bin/env node
import { Command } from "commander";
import { addBackup } from "./commands/backup.js";
import { addDoctor } from "./commands/doctor.js";
import { addHealthcheck } from "./commands/healthcheck.js";
import { addServe } from "./commands/serve.js";
import { EXIT } from "./exit-codes.js";
import { version } from "../server/version.js";

const program = new Command("konveier")
  .description("Durable background jobs: an HTTP server and workers over one SQLite file")
  .version(version())
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.ok : EXIT.usage));
addServe(program);
addBackup(program);
addDoctor(program);
addHealthcheck(program);
await program.parseAsync();
