import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { translated } from "./translated.js";

const MAIN = new URL("../../src/cli/main.ts", import.meta.url);

export interface CommandSettings {
  readonly cwd: string;
  /** The whole environment, besides `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `konveier` with these arguments in a process of its own, killed when the present test ends. */
export class Command {
  readonly outcome: Promise<Outcome>;
  readonly #child;

  constructor(args: readonly string[], { cwd, env = {} }: CommandSettings) {
    const child = spawn(process.execPath, [translated(MAIN), ...args], {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const read = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => (read[name] += text));
    }
    this.#child = child;
    this.outcome = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        resolve({ code, signal, ...read });
      });
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await this.outcome;
    });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

export function konveier(args: readonly string[], settings: CommandSettings): Promise<Outcome> {
  return new Command(args, settings).outcome;
}
