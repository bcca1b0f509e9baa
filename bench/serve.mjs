import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Starts the built server on a free port.
 *
 * @param options of the process, such as its environment, which `PATH` and `PORT` are added to
 * @returns the process and its address, as soon as it is ready
 */
export async function serve({ env, ...options }) {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const server = spawn(process.execPath, [main, "serve"], {
    ...options,
    env: { PATH: process.env.PATH, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const text of server.stdout) {
    output += text;
    const url = /is ready at (\S+)/.exec(output)?.[1];
    if (url !== undefined) return { server, url };
  }
  throw new Error(`The server did not start: ${output}`);
}
