import type { Command } from "commander";
import type { DoctorFlags } from "../doctor/doctor.js";
import type { Finding } from "../doctor/finding.js";
import { EXIT } from "../exit-codes.js";

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("look for what would keep the server from running well; changes nothing")
    .option("--database <url>", "database (DATABASE_URL, default sqlite:./data/konveier.db)")
    .option("--url <url>", "a server that should be running (default: HOST and PORT of the environment)")
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      "\nRun it as the user of the server, with its environment.\n\nExit codes: 0 no fault, 1 at least one fault.\n\nExamples:\n  konveier doctor\n  konveier doctor --database sqlite:/data/konveier.db --url http://127.0.0.1:8085 --json",
    )
    .action(async ({ json, ...flags }: DoctorFlags & { readonly json?: true }) => {
      const { examine } = await import("../doctor/doctor.js");
      const findings = await examine(process.env, flags);
      console.log(json === true ? JSON.stringify({ findings }) : findings.map(lineOf).join("\n"));
      const faulty = findings.some(({ verdict }) => verdict === "fault");
      process.exitCode = faulty ? EXIT.failure : EXIT.ok;
    });
}

function lineOf({ check, verdict, found, advice }: Finding): string {
  const line = `${verdict.padEnd(8)} ${check.padEnd(14)} ${found}`;
  return advice === null ? line : `${line}\n${" ".repeat(24)}${advice}`;
}
