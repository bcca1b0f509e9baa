/**
 * What each folder of src/ may import, besides itself. Imports point one way.
 * "store" means the interface files directly in src/store/, not the stores in the folders below it.
 */
const MAY_IMPORT = {
  core: [],
  cron: ["core"],
  store: ["core"],
  "store/job-search": ["core", "store"],
  "store/limits": ["core", "store"],
  "store/sqlite": ["core", "store", "store/job-search", "store/limits"],
  "store/postgres": ["core", "store", "store/job-search", "store/limits"],
  engine: ["core", "cron", "store"],
  worker: ["core", "store", "engine"],
  api: ["core"],
  server: ["core", "store", "engine", "worker", "api"],
  client: ["core", "api"],
  handlers: ["core", "store", "engine", "worker"],
  otel: ["core"],
};

const TEST = "([.]test[.]ts$|^test/)";
const TOP_LEVEL = "^src/[^/]+$";

function filesOf(folder) {
  return folder === "store" ? "^src/store/[^/]+$" : `^src/${folder}/`;
}

const layers = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `layer-${folder.replace("/", "-")}`,
  comment: `src/${folder} may import only itself${allowed.map((other) => `, src/${other}`).join("")}.`,
  severity: "error",
  from: { path: filesOf(folder), pathNot: TEST },
  to: { path: "^src/", pathNot: [folder, ...allowed].map(filesOf) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: "layer-top-level",
      comment: "The library must not pull in the command line or the HTTP server.",
      severity: "error",
      from: { path: TOP_LEVEL, pathNot: TEST },
      to: { path: "^src/(cli|server)/" },
    },
    {
      name: "layer-unknown",
      comment: "A new folder of src/ needs its line in MAY_IMPORT. Only src/cli may import anything.",
      severity: "error",
      from: { path: "^src/.+/", pathNot: [...Object.keys(MAY_IMPORT).map(filesOf), "^src/cli/"] },
      to: {},
    },
    {
      name: "dashboard",
      comment:
        "The dashboard runs in a browser: the wire contract and the client's parts are all it may import.",
      severity: "error",
      // Its tests may ask the server's code whether both count alike.
      from: { path: "^dashboard/", pathNot: TEST },
      to: { path: "^src/", pathNot: ["^src/api/", "^src/client/", "^src/core/"] },
    },
    {
      name: "dashboard-is-a-page",
      comment: "Nothing imports the dashboard: it is built and served as files.",
      severity: "error",
      from: { path: "^src/", pathNot: TEST },
      to: { path: "^dashboard/" },
    },
    {
      name: "sqlite-driver",
      comment: "Only the SQLite store talks to SQLite.",
      severity: "error",
      from: { pathNot: ["^src/store/sqlite/", TEST] },
      to: { path: "node_modules/(@types/)?better-sqlite3/" },
    },
    {
      name: "opentelemetry",
      comment:
        "Only src/otel talks to OpenTelemetry, and src/cli/tracing.ts loads an SDK where it is configured.",
      severity: "error",
      from: { pathNot: ["^src/otel/", "^src/cli/tracing[.]ts$", TEST] },
      to: { path: ["node_modules/@opentelemetry/", "^src/otel/"] },
    },
    {
      name: "no-circular",
      comment: "Modules that import each other cannot be understood one at a time.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "The imported module does not exist.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-undeclared-package",
      comment: "An imported package must be listed in package.json.",
      severity: "error",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    },
    {
      name: "no-dev-dependency",
      // The SDK of OpenTelemetry is loaded where it is installed; src/cli/tracing.ts goes on without.
      comment: "Users of the package do not have its development dependencies.",
      severity: "error",
      from: { path: "^src/", pathNot: [TEST, "^src/cli/tracing[.]ts$"] },
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only", "npm-peer"],
        pathNot: "node_modules/@types/",
      },
    },
    {
      name: "no-test-code",
      comment: "The product must not import tests or their support code.",
      severity: "error",
      from: { path: "^src/", pathNot: TEST },
      to: { path: TEST },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Type-only imports count as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
