import { describe, expect, it } from "vitest";
import { readConfig, type ServeFlags } from "./config.js";
import type { ServeConfig } from "./serve-config.js";
import { settingsHelp } from "./settings-help.js";
import { StartError } from "./start-error.js";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

type Env = Readonly<Record<string, string | undefined>>;

function read(env: Env = {}, flags: ServeFlags = {}, files: Readonly<Record<string, string>> = {}) {
  return readConfig(env, flags, (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return text;
  });
}

function config(
  env: Env = {},
  flags: ServeFlags = {},
  files: Readonly<Record<string, string>> = {},
): ServeConfig {
  return read(env, flags, files).config;
}

/** What is said about settings that cannot be used. */
function refusal(env: Env, flags: ServeFlags = {}, files: Readonly<Record<string, string>> = {}): StartError {
  try {
    read(env, flags, files);
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("readConfig", () => {
  it("has a default for everything", () => {
    expect(read()).toEqual({
      config: {
        host: "127.0.0.1",
        port: 8085,
        databaseUrl: "sqlite:./data/konveier.db",
        database: { kind: "sqlite", file: "./data/konveier.db" },
        store: { synchronous: "full", schema: undefined, listenUrl: undefined },
        apiToken: null,
        trustedProxies: [],
        seedDemo: false,
        worker: { concurrency: 20, queues: ["default"], leaseMs: 30_000 },
        stopDelayMs: 0,
        shutdownGraceMs: 10_000,
        tracing: false,
        retention: {},
        log: { level: "info", format: "auto" },
        webhook: { allowCidrs: [], signingSecrets: [] },
        environment: null,
        effective: expect.any(Array) as unknown,
      },
      warnings: [],
    });
  });

  it("reads every setting", () => {
    const env = {
      API_TOKEN: "a-long-token-of-the-operator",
      SEED_DEMO: "1",
      HOST: "::1",
      PORT: "0",
      DATABASE_URL: "sqlite:/var/lib/konveier/jobs.db",
      KONVEIER_ENV_LABEL: "staging",
      KONVEIER_ENV_COLOR: "#0369a1",
      KONVEIER_TRUST_PROXY: "10.0.0.0/8, ::1",
      KONVEIER_SYNCHRONOUS: "normal",
      KONVEIER_SCHEMA: "jobs_2",
      KONVEIER_LISTEN_URL: "postgres://u:p@db.internal/jobs",
      KONVEIER_CONCURRENCY: "1000",
      KONVEIER_QUEUES: "a, b,a",
      KONVEIER_LEASE_MS: "1000",
      KONVEIER_STOP_DELAY_MS: "60000",
      KONVEIER_SHUTDOWN_GRACE_MS: "0",
      KONVEIER_RETENTION_COMPLETED_MS: "0",
      KONVEIER_RETENTION_CANCELLED_MS: "60000",
      KONVEIER_RETENTION_DEAD_MS: "never",
      KONVEIER_RETENTION_MAX_COMPLETED: "10000",
      KONVEIER_LOG_LEVEL: "DEBUG",
      KONVEIER_LOG_FORMAT: "json",
      KONVEIER_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8,fd00::/8",
      KONVEIER_WEBHOOK_SECRETS: `${SECRET},${OTHER_SECRET}`,
    };
    expect(read(env)).toEqual({
      config: {
        host: "::1",
        port: 0,
        databaseUrl: "sqlite:/var/lib/konveier/jobs.db",
        database: { kind: "sqlite", file: "/var/lib/konveier/jobs.db" },
        store: {
          synchronous: "normal",
          schema: "jobs_2",
          listenUrl: "postgres://u:p@db.internal/jobs",
        },
        apiToken: { value: "a-long-token-of-the-operator", file: null },
        trustedProxies: ["10.0.0.0/8", "::1"],
        seedDemo: true,
        worker: { concurrency: 1_000, queues: ["a", "b"], leaseMs: 1_000 },
        stopDelayMs: 60_000,
        shutdownGraceMs: 0,
        tracing: false,
        retention: { completedMs: 0, cancelledMs: 60_000, deadMs: null, maxCompleted: 10_000 },
        log: { level: "debug", format: "json" },
        webhook: { allowCidrs: ["10.0.0.0/8", "fd00::/8"], signingSecrets: [SECRET, OTHER_SECRET] },
        environment: { label: "staging", color: "#0369a1" },
        effective: expect.any(Array) as unknown,
      },
      warnings: [],
    });
  });

  it("lets flags win over variables", () => {
    const { host, port, database } = config(
      { HOST: "0.0.0.0", PORT: "1", DATABASE_URL: "sqlite:./a.db" },
      { host: "localhost", port: "2", database: "sqlite:./b.db" },
    );
    expect([host, port, database]).toEqual(["localhost", 2, { kind: "sqlite", file: "./b.db" }]);
  });

  it("takes an empty variable for one that is not set", () => {
    expect(config({ PORT: "", HOST: "", KONVEIER_QUEUES: "", SEED_DEMO: "", DATABASE_URL: "" })).toEqual(
      config(),
    );
  });

  it("serves the demo queues when seeding, unless queues are named", () => {
    const demo = ["default", "emails", "images", "webhooks", "reports", "newsletter"];
    expect(config({ SEED_DEMO: "true" }).worker.queues).toEqual(demo);
    expect(config({ SEED_DEMO: "true", KONVEIER_QUEUES: "mine" }).worker.queues).toEqual(["mine"]);
    expect(config({ SEED_DEMO: "0" }).worker.queues).toEqual(["default"]);
  });

  it("reads secrets from files, without the line break at their end", () => {
    const { apiToken, webhook } = config(
      { API_TOKEN_FILE: "/run/token", KONVEIER_WEBHOOK_SECRETS_FILE: "/run/hooks" },
      {},
      { "/run/token": "secret-token\n", "/run/hooks": `${SECRET}\n${OTHER_SECRET}\n` },
    );
    expect(apiToken).toEqual({ value: "secret-token", file: "/run/token" });
    expect(webhook.signingSecrets).toEqual([SECRET, OTHER_SECRET]);
  });
});

describe("faults", () => {
  it("are all told at once, by the name that was used, with exit code 78", () => {
    const error = refusal(
      { HOST: "http://localhost", KONVEIER_CONCURRENCY: "many", API_TOKEN: "" },
      { port: "70000" },
    );
    expect(error.exitCode).toBe(78);
    expect(error.message.split("\n")).toEqual([
      "The configuration has 4 faults:",
      '  HOST                  must be an IP address or a host name, not "http://localhost"',
      '  --port                must be a whole number from 0 to 65535, not "70000"',
      "  API_TOKEN             is empty; give it a value or do not set it",
      '  KONVEIER_CONCURRENCY  must be a whole number from 1 to 1000, not "many"',
      "`konveier serve --help` lists every setting.",
    ]);
  });

  it.each(["-1", "1.5", " ", "10abc", "0x10", "1e3", "null", "99999999999999999999", "+5", "٣"])(
    "are numbers that are not plain: %j",
    (value) => {
      const error = refusal({ PORT: value, KONVEIER_LEASE_MS: value, KONVEIER_RETENTION_DEAD_MS: value });
      expect(error.message).toContain("The configuration has 3 faults:");
    },
  );

  it.each([
    ["PORT", "65536"],
    ["KONVEIER_CONCURRENCY", "0"],
    ["KONVEIER_CONCURRENCY", "1001"],
    ["KONVEIER_LEASE_MS", "99"],
    ["KONVEIER_LEASE_MS", "86400001"],
    ["KONVEIER_STOP_DELAY_MS", "60001"],
    ["KONVEIER_STOP_DELAY_MS", "1s"],
    ["KONVEIER_SHUTDOWN_GRACE_MS", "3600001"],
    ["KONVEIER_RETENTION_DEAD_MS", "always"],
    ["KONVEIER_RETENTION_MAX_COMPLETED", "never"],
    ["KONVEIER_SYNCHRONOUS", "off"],
    ["KONVEIER_LOG_LEVEL", "verbose"],
    ["KONVEIER_LOG_FORMAT", "xml"],
    ["KONVEIER_QUEUES", "a/b"],
    ["KONVEIER_QUEUES", " , "],
    ["KONVEIER_WEBHOOK_ALLOW_CIDRS", "10.0.0.0/33"],
    ["SEED_DEMO", "perhaps"],
    ["HOST", "127.0.0.1:80"],
    ["HOST", "a b"],
    ["DATABASE_URL", "./konveier.db"],
    ["DATABASE_URL", "sqlite:"],
    ["DATABASE_URL", "sqlite:./konveier.db?mode=ro"],
    ["DATABASE_URL", "file:konveier.db"],
    ["DATABASE_URL", "file:./konveier.db"],
    ["DATABASE_URL", "file://host/konveier.db"],
    ["DATABASE_URL", "file:///konveier.db?mode=ro"],
    ["DATABASE_URL", "file:///a%2Fb.db"],
    ["DATABASE_URL", "sqlite://konveier.db"],
    ["DATABASE_URL", "sqlite://host/konveier.db"],
    ["DATABASE_URL", "sqlite:./data/"],
    ["DATABASE_URL", "sqlite::memory:x"],
    ["DATABASE_URL", "mysql://u:p@host/db"],
    ["DATABASE_URL", "postgres://u:p@host"],
    ["DATABASE_URL", "postgres://u:p#%@host/db"],
    ["KONVEIER_SCHEMA", "Jobs"],
    ["KONVEIER_SCHEMA", "pg_jobs"],
    ["KONVEIER_SCHEMA", 'a"b'],
    ["KONVEIER_LISTEN_URL", "sqlite:./a.db"],
    ["KONVEIER_LISTEN_URL", "nonsense"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "nonsense"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://collector"],
    ["KONVEIER_TRUST_PROXY", "proxy.example"],
    ["KONVEIER_TRUST_PROXY", "10.0.0.1/8"],
    ["KONVEIER_TRUST_PROXY", "10.0.0.0/8,true"],
    ["API_TOKEN", "two words"],
    ["API_TOKEN", "токен"],
  ])("are values that %s does not know: %s", (name, value) => {
    expect(refusal({ [name]: value }).message).toMatch(
      new RegExp(`^The configuration has a fault:\n  ${name}  \\S.+\n\`konveier serve --help\``),
    );
  });

  it("never repeat a secret or the password of a database", () => {
    const { message } = refusal({
      DATABASE_URL: "postgres://app:passw0rd@db/jobs",
      API_TOKEN: "hush hush",
      KONVEIER_WEBHOOK_SECRETS: "whsec_hush",
      OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://user:passw0rd@collector",
    });
    expect(message).not.toMatch(/hush|passw0rd/);
  });

  it("are secrets that are given twice, empty, or cannot be read", () => {
    const twice = refusal({ API_TOKEN: "abc", API_TOKEN_FILE: "/f" }, {}, { "/f": "def" });
    expect(twice.message).toContain("API_TOKEN_FILE  excludes API_TOKEN; set only one of them");
    const empty = refusal({ API_TOKEN_FILE: "/f" }, {}, { "/f": "\n" });
    expect(empty.message).toContain("API_TOKEN_FILE  names an empty file: /f");
    const missing = refusal({ API_TOKEN_FILE: "/none" });
    expect(missing.message).toContain("API_TOKEN_FILE  cannot be read: ENOENT");
    const three = refusal({ KONVEIER_WEBHOOK_SECRETS: [SECRET, OTHER_SECRET, SECRET].join(",") });
    expect(three.message).toContain("KONVEIER_WEBHOOK_SECRETS  holds more than two secrets");
  });

  it("do not carry control characters to the terminal", () => {
    const escapes = "\u001b[2J\u009b31m";

    expect(refusal({ HOST: escapes, PORT: escapes }).message).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});

describe("warnings", () => {
  it("name variables that look like settings, with the nearest one", () => {
    expect(read({ KONVEIER_CONCURENCY: "5", KONVEIER_XYZZY: "", OTHER: "1" }).warnings).toEqual([
      "KONVEIER_CONCURENCY is not a setting of Konveier and has no effect. Did you mean KONVEIER_CONCURRENCY?",
      "KONVEIER_XYZZY is not a setting of Konveier and has no effect.",
    ]);
  });

  it("tell of a proxy list that trusts everybody", () => {
    expect(read({ KONVEIER_TRUST_PROXY: "10.0.0.0/8,::/0" }).warnings).toEqual([
      expect.stringContaining("KONVEIER_TRUST_PROXY trusts everybody"),
    ]);
  });

  it("tell of a short token where other machines can try it", () => {
    expect(read({ API_TOKEN: "demo", HOST: "0.0.0.0" }).warnings).toEqual([
      "API_TOKEN has only 4 characters, and 0.0.0.0 can be reached from other machines. Use a long random one.",
    ]);
    expect(read({ API_TOKEN: "demo" }).warnings).toEqual([]);
    expect(read({ API_TOKEN: "0123456789abcdef", HOST: "::" }).warnings).toEqual([]);
  });
});

describe("the mark of an installation", () => {
  it("is a label, and a colour when there is one", () => {
    const env = { KONVEIER_ENV_LABEL: " Production ", KONVEIER_ENV_COLOR: "#B91C1C" };
    expect(config(env).environment).toEqual({ label: "Production", color: "#b91c1c" });
    expect(config({ KONVEIER_ENV_LABEL: "Тест" }).environment).toEqual({ label: "Тест", color: null });
  });

  it.each([
    [{ KONVEIER_ENV_LABEL: "x".repeat(41) }, "1 to 40 printable"],
    [{ KONVEIER_ENV_LABEL: "a\u202eb" }, "1 to 40 printable"],
    [{ KONVEIER_ENV_LABEL: "a", KONVEIER_ENV_COLOR: "red;x:y" }, "must be a colour"],
    [{ KONVEIER_ENV_LABEL: "a", KONVEIER_ENV_COLOR: "#fff" }, "must be a colour"],
    [{ KONVEIER_ENV_COLOR: "#ffffff" }, "needs KONVEIER_ENV_LABEL"],
  ])("is refused: %j", (env, why) => {
    expect(refusal(env).message).toContain(why);
  });
});

describe("the settings that administrators see", () => {
  it("are all that can be set, with their source", () => {
    const env = { PORT: "9000", HOST: "0.0.0.0", API_TOKEN: SECRET, KONVEIER_WEBHOOK_SECRETS_FILE: "s" };
    const { effective } = config(env, { host: "::1" }, { s: SECRET });
    const by = new Map(effective.map((setting) => [setting.name, setting]));
    expect(by.get("PORT")).toEqual({ name: "PORT", value: "9000", secret: false, source: "environment" });
    expect(by.get("HOST")).toMatchObject({ value: "::1", source: "flag" });
    expect(by.get("KONVEIER_RETENTION_DEAD_MS")).toMatchObject({ value: "7776000000", source: "default" });
    expect(by.get("API_TOKEN")).toMatchObject({ value: null, secret: true, source: "environment" });
    expect(by.get("KONVEIER_WEBHOOK_SECRETS")).toMatchObject({ value: null, secret: true, source: "file" });
    const names = settingsHelp().matchAll(/^ {2}([A-Z][A-Z_]+?)(?:_FILE)? {2,}/gm);
    expect(new Set(by.keys())).toEqual(new Set([...names].map(([, name]) => name)));
  });

  it("hold no secret, no path and no address with a password", () => {
    const { effective } = config(
      {
        API_TOKEN: "token-token-token-token",
        DATABASE_URL: "sqlite:/var/lib/private/jobs.db",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:word@host:4318",
        KONVEIER_WEBHOOK_SECRETS_FILE: "/run/secrets/webhook",
      },
      {},
      { "/run/secrets/webhook": SECRET },
    );
    const text = JSON.stringify(effective);
    for (const hidden of ["token-token", "private", "word", "/run", "whsec"])
      expect(text).not.toContain(hidden);
    expect(effective.find(({ name }) => name === "DATABASE_URL")?.value).toBe("sqlite");
  });
});
