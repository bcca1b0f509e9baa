import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { ChildProgram } from "../support/child-program.js";
import { tempDirectory } from "../support/temp-directory.js";
import { all, execForm, one, repositoryFile, stagesOf, type Instruction } from "./dockerfile.js";

// No Docker engine is needed: the steps of the Dockerfile are read from it and done in a clean directory. What the
// base images, apt-get and the kernel's isolation bring is not seen here.

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const UID = 12_345;
const AS_ROOT = process.getuid?.() === 0;

vi.setConfig({ testTimeout: LONG ? 900_000 : 240_000 });

/** What the engine would send as context: `.dockerignore` here excludes everything and names what it lets in. */
function copyContext(to: string): void {
  const [first, ...rules] = repositoryFile(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(first).toBe("*");
  for (const rule of rules) {
    expect(rule).toMatch(/^![\w.-]+$/);
    cpSync(join(REPOSITORY, rule.slice(1)), join(to, rule.slice(1)), { recursive: true });
  }
}

/** Does the `COPY` and npm steps of the build stage. */
function build(stage: readonly Instruction[], context: string, app: string): void {
  for (const { word, rest } of stage) {
    if (word === "COPY") copy(rest, context, app);
    if (word !== "RUN" || !rest.startsWith("npm ")) continue;
    if (rest.startsWith("npm ci") && !LONG) {
      symlinkSync(join(REPOSITORY, "node_modules"), join(app, "node_modules"));
    } else if (rest.startsWith("npm run") || LONG) {
      execFileSync("/bin/sh", ["-c", rest], { cwd: app, stdio: "pipe" });
    }
  }
}

function copy(rest: string, from: string, to: string): void {
  const words = rest.split(" ").filter((word) => !word.startsWith("--from="));
  const target = join(to, words.pop() ?? "");
  for (const source of words) {
    const path = join(from, source.replace(/^\/app\//, ""));
    // Into a directory for several sources, in its place for a directory.
    const isDirectory = statSync(path).isDirectory();
    cpSync(path, isDirectory ? target : join(target, path.slice(dirname(path).length)), { recursive: true });
  }
}

/** What `npm prune --omit=dev` leaves, by the lock file. */
function copyProductionPackages(to: string): void {
  const lock = JSON.parse(repositoryFile("package-lock.json")) as {
    packages: Record<string, { dev?: true; devOptional?: true; optional?: true }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    if (path === "" || dev === true || devOptional === true || !existsSync(join(REPOSITORY, path))) continue;
    mkdirSync(join(to, path), { recursive: true });
    cpSync(join(REPOSITORY, path), join(to, path), { recursive: true });
  }
}

function finalStage(stage: readonly Instruction[], built: string, app: string): void {
  for (const { rest } of stage.filter(({ word }) => word === "COPY")) {
    if (rest.includes("node_modules") && !LONG) copyProductionPackages(app);
    else copy(rest, built, app);
  }
}

/** Nobody may write the program, everybody may read it: a read-only root and an arbitrary uid. */
function makeReadOnly(directory: string): void {
  execFileSync("chmod", ["-R", "a+rX,a-w", directory]);
  onTestFinished(() => {
    execFileSync("chmod", ["-R", "u+w", directory]);
  });
}

/** An arbitrary uid with the group 0, as clusters choose them, where this user may become another one. */
function unprivileged(command: readonly string[]): readonly string[] {
  if (!AS_ROOT || spawnSync("setpriv", ["--version"]).status !== 0) return command;
  return ["setpriv", `--reuid=${UID}`, "--regid=0", "--clear-groups", "--no-new-privs", ...command];
}

it("the steps of the Dockerfile make a server that runs read-only, without rights, and stops when asked", async () => {
  const [first, last] = stagesOf(repositoryFile("Dockerfile"));
  const directory = tempDirectory();
  chmodSync(directory, 0o755);
  const at = (name: string): string => {
    mkdirSync(join(directory, name));
    return join(directory, name);
  };
  const context = at("context");
  copyContext(context);
  const built = at("built");
  build(first!, context, built);
  const app = at("app");
  // Registered before: test hooks run in reverse order, and the directory is removed last.
  finalStage(last!, built, app);
  expect(readdirSync(app).sort()).toEqual(["LICENSE", "dist", "node_modules", "package.json"]);
  expect(existsSync(join(app, "node_modules", "typescript"))).toBe(false);
  makeReadOnly(app);
  const data = at("data");
  chmodSync(data, 0o770);

  const place = (word: string): string =>
    word.replace(/^\/app\//, `${app}/`).replace(/^node$/, process.execPath);
  const env = {
    ...Object.fromEntries(
      one(last!, "ENV")
        .split(" ")
        .map((pair) => pair.split("=")),
    ),
    PATH: process.env["PATH"],
    DATABASE_URL: `sqlite:${data}/konveier.db`,
    PORT: "0",
  } as Record<string, string>;
  const entry = execForm(one(last!, "ENTRYPOINT")).slice(2);
  const [command = "", ...words] = unprivileged([...entry, ...execForm(all(last!, "CMD")[0]!)].map(place));
  const child = spawn(command, words, { cwd: app, env, stdio: ["ignore", "pipe", "pipe"] });
  const server = new ChildProgram<never, never>(child);
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await server.exited;
  });
  await server.until(() => server.output.includes("Ctrl-C"));

  // Made, shown once, and kept for the owner alone.
  const shown = /API token, shown only once: (\S+)/.exec(server.output)?.[1];
  const kept = join(data, "api-token");
  expect(readFileSync(kept, "utf8").trim()).toBe(shown);
  for (const file of ["api-token", "konveier.db", "konveier.db-wal"]) {
    const { mode, uid } = statSync(join(data, file));
    expect([file, mode & 0o777, uid]).toEqual([file, 0o600, AS_ROOT ? UID : process.getuid?.()]);
  }

  const port = /ready at http:\/\/[^:]+:(\d+)/.exec(server.output)?.[1] ?? "";
  const [, test = ""] = /CMD (.*)$/.exec(one(last!, "HEALTHCHECK")) ?? [];
  const [probe = "", ...rest] = unprivileged(execForm(test).map(place));
  const healthcheck = () =>
    spawnSync(probe, rest, { cwd: app, env: { ...env, PORT: port }, encoding: "utf8" });
  expect(healthcheck()).toMatchObject({ status: 0, stdout: "", stderr: "" });

  server.kill("SIGTERM");
  expect(await server.exited, server.output).toEqual({ code: 0, signal: null });
  expect(healthcheck().status).toBe(1);
});
