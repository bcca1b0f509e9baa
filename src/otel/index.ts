/** Traces jobs with OpenTelemetry. Needs the package `@opentelemetry/api`, and an SDK that the program sets up. */
export { openTelemetry, type OpenTelemetryOptions } from "./open-telemetry.js";
