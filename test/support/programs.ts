import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { translated } from "./translated.js";

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a TypeScript program several times at once. A program may write "ready" and wait for the end of
 * its stdin: all of them are let go together, when the last one is ready.
 */
export async function runPrograms(times: number, program: URL, args: readonly string[]): Promise<Output[]> {
  const children = Array.from({ length: times }, () => start(program, args));
  const outputs = children.map(outputOf);
  await Promise.all(
    children.map((child) => Promise.race([once(child.stdout, "data"), once(child, "close")])),
  );
  for (const child of children) child.stdin.end();
  return Promise.all(outputs);
}

/** Runs a TypeScript program to its end. */
export async function runProgram(program: URL, args: readonly string[] = []): Promise<Output> {
  const child = start(program, args);
  child.stdin.end();
  return outputOf(child);
}

function start(program: URL, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [translated(program), ...args]);
}

async function outputOf(child: ChildProcessWithoutNullStreams): Promise<Output> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
