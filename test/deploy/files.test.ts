import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEFAULT_GRACE_MS } from "../../src/core/defaults.js";
import { tempDirectory } from "../support/temp-directory.js";
import { all, execForm, one, repositoryFile, stagesOf } from "./dockerfile.js";

const STOP_MS = DEFAULT_GRACE_MS + 12_000;
const VERSION = (JSON.parse(repositoryFile("package.json")) as { version: string }).version;

describe("the Dockerfile", () => {
  const stages = stagesOf(repositoryFile("Dockerfile"));
  const last = stages.at(-1)!;
  const everything = stages.flat();

  it("starts from images with a tag, and adds nothing from elsewhere", () => {
    for (const image of all(everything, "FROM")) expect(image).toMatch(/^node:20-bookworm-slim( AS \w+)?$/);
    expect(all(everything, "ADD")).toEqual([]);
    expect(repositoryFile("Dockerfile")).not.toMatch(/curl|wget|sudo|:latest/);
    for (const step of all(everything, "RUN").filter((text) => text.includes("apt-get install"))) {
      expect(step).toMatch(/^apt-get update .*--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists\/\*/);
    }
  });

  it("runs without rights, as one program that gets the signals", () => {
    expect(one(last, "USER")).toBe("10001:0");
    expect(execForm(one(last, "ENTRYPOINT"))).toEqual([
      "/usr/bin/tini",
      "--",
      "node",
      "/app/dist/cli/main.js",
    ]);
    expect(execForm(one(last, "CMD"))).toEqual(["serve"]);
    expect(one(last, "STOPSIGNAL")).toBe("SIGTERM");
    const words = last.map(({ word }) => word);
    expect(words.lastIndexOf("RUN")).toBeLessThan(words.indexOf("USER"));
  });

  it("leaves no package manager of Node.js in the image", () => {
    for (const path of ["lib/node_modules", "bin/npm", "bin/npx", "bin/corepack", "bin/yarn"]) {
      expect(one(last, "RUN")).toContain(`/usr/local/${path}`);
    }
  });

  it("keeps its data in a volume, listens for others, and says how it is", () => {
    expect(execForm(one(last, "VOLUME"))).toEqual(["/data"]);
    expect(one(last, "ENV")).toBe(
      "NODE_ENV=production HOST=0.0.0.0 PORT=8085 DATABASE_URL=sqlite:/data/konveier.db",
    );
    expect(one(last, "EXPOSE")).toBe("8085");
    const [, test = ""] = /CMD (.*)$/.exec(one(last, "HEALTHCHECK")) ?? [];
    expect(execForm(test)).toEqual(["node", "/app/dist/cli/main.js", "healthcheck", "--ready"]);
    expect(one(last, "ARG")).toBe(`VERSION=${VERSION}`);
  });
});

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck: { readonly test: readonly string[] };
}

function servicesOf(file: string): Readonly<Record<string, Service>> {
  return (parse(repositoryFile(file), { merge: true }) as { services: Record<string, Service> }).services;
}

describe.each([
  ["compose.yaml", ["konveier"]],
  ["compose.postgres.yaml", ["konveier-1", "konveier-2"]],
])("%s", (file, names) => {
  it.each(names)("runs %s with as few rights as it needs", (name) => {
    const service = servicesOf(file)[name]!;
    expect(service).toMatchObject({
      image: `konveier:${VERSION}`,
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      healthcheck: { test: ["CMD", "node", "/app/dist/cli/main.js", "healthcheck", "--ready"] },
    });
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:8085$/);
    expect(Number.parseInt(service.stop_grace_period ?? "0") * 1_000).toBeGreaterThan(STOP_MS);
  });
});

it("compose.yaml keeps its data in a named volume, and passes on a token only when there is one", () => {
  const { volumes, environment } = servicesOf("compose.yaml")["konveier"]!;
  expect(volumes).toEqual(["konveier-data:/data"]);
  expect(environment).toEqual(["API_TOKEN"]);
});

it("compose.postgres.yaml holds no password", () => {
  expect(servicesOf("compose.postgres.yaml")["konveier-1"]!.environment["DATABASE_URL"]).toMatch(
    /^postgres:\/\/konveier:\$\{POSTGRES_PASSWORD:\?/,
  );
});

describe("the systemd unit", () => {
  const unit = repositoryFile("deploy/systemd/konveier.service");
  const values = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value);

  it("has what it needs, and not what kills V8", () => {
    expect(values("MemoryDenyWriteExecute")).toEqual([]);
    expect(values("StateDirectory")).toEqual(["konveier"]);
    expect(values("RestartPreventExitStatus")).toEqual(["78"]);
    expect(values("NoNewPrivileges")).toEqual(["yes"]);
    expect(values("ProtectSystem")).toEqual(["strict"]);
    expect(values("CapabilityBoundingSet")).toEqual([""]);
    expect(Number(values("TimeoutStopSec")[0]) * 1_000).toBeGreaterThan(STOP_MS);
  });

  const verifier = spawnSync("systemd-analyze", ["--version"]).status === 0;

  it.skipIf(!verifier)("is understood by systemd as it is", () => {
    // The programs that it names are not there, so they are replaced by one that is.
    const directory = tempDirectory();
    const copy = join(directory, "konveier.service");
    writeFileSync(copy, unit.replace("/usr/bin/node", process.execPath));
    const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", copy], {
      encoding: "utf8",
    });
    const lines = (stdout + stderr).split("\n").filter((line) => line.includes("konveier.service"));
    expect(lines).toEqual([]);
  });
});
