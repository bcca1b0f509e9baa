/** Every variable that `konveier serve` reads, for `--help`. docs/operating.md says more about each. */
const SETTINGS: readonly (readonly [name: string, meaning: string])[] = [
  ["API_TOKEN", "token that clients send; without it one is made and kept beside the database"],
  ["API_TOKEN_FILE", "file that holds the token"],
  ["SEED_DEMO", "1: fill an empty database with demo jobs and simulate their work"],
  ["HOST", "address to listen on, default 127.0.0.1"],
  ["PORT", "port to listen on, default 8085"],
  ["DATABASE_URL", "sqlite:… or postgres://…, default sqlite:./data/konveier.db"],
  ["DATABASE_URL_FILE", "file that holds it"],
  ["KONVEIER_ENV_LABEL", "what the dashboard calls this installation, such as production"],
  ["KONVEIER_ENV_COLOR", "colour of that label, such as #b91c1c"],
  ["KONVEIER_TRUST_PROXY", "proxies whose X-Forwarded headers count, such as 10.0.0.0/8, default none"],
  ["KONVEIER_SYNCHRONOUS", "SQLite: full or normal, default full: accepted jobs survive a power cut"],
  ["KONVEIER_SCHEMA", "PostgreSQL: the schema that everything is in, default konveier"],
  ["KONVEIER_LISTEN_URL", "PostgreSQL: where to listen, past a PgBouncer in transaction mode"],
  ["KONVEIER_LISTEN_URL_FILE", "file that holds it"],
  ["KONVEIER_CONCURRENCY", "jobs that the worker runs at a time, default 20"],
  ["KONVEIER_QUEUES", "queues of the worker, separated by commas, default is the queue default"],
  ["KONVEIER_LEASE_MS", "how long a job of a dead worker stays taken, default 30000"],
  ["KONVEIER_STOP_DELAY_MS", "how long a stop only makes /readyz say 503, before it begins, default 0"],
  ["KONVEIER_SHUTDOWN_GRACE_MS", "how long a stop waits for running jobs, default 10000"],
  ["KONVEIER_RETENTION_COMPLETED_MS", "how long completed jobs are kept, or never to remove, default 7 days"],
  ["KONVEIER_RETENTION_CANCELLED_MS", "the same for cancelled jobs, default 7 days"],
  ["KONVEIER_RETENTION_DEAD_MS", "the same for dead jobs, default 90 days"],
  ["KONVEIER_RETENTION_MAX_COMPLETED", "completed jobs kept at the most, default without limit"],
  ["KONVEIER_LOG_LEVEL", "trace, debug, info, warn, error, fatal or silent, default info"],
  ["KONVEIER_LOG_FORMAT", "json or pretty, default pretty in a terminal"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "send spans to this OTLP receiver, such as http://localhost:4318"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "the same, as the whole address for spans"],
  ["OTEL_TRACES_EXPORTER", "none: send no spans"],
  ["OTEL_SDK_DISABLED", "true: send nothing"],
  ["KONVEIER_WEBHOOK_ALLOW_CIDRS", "private networks that webhook.call may reach, such as 10.1.0.0/16"],
  ["KONVEIER_WEBHOOK_SECRETS", "one or two secrets, whsec_…, that webhook.call signs with"],
  ["KONVEIER_WEBHOOK_SECRETS_FILE", "file that holds them"],
];

export function settingsHelp(): string {
  const width = Math.max(...SETTINGS.map(([name]) => name.length));
  return [
    "Environment:",
    ...SETTINGS.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`),
    "",
    "Examples:",
    "  API_TOKEN=demo SEED_DEMO=1 konveier serve",
    "  konveier serve --port 9000 --database sqlite:/var/lib/konveier/jobs.db",
  ].join("\n");
}
