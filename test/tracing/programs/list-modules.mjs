// Loaded before the server: writes which CommonJS modules were loaded, when the process ends. All packages
// of OpenTelemetry are such modules.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { cache } = createRequire(import.meta.url);
const file = process.env["MODULES_FILE"];
process.on("exit", () => {
  writeFileSync(file, Object.keys(cache).join("\n"));
});
