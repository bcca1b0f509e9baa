// Loaded before the server: hides the SDK of OpenTelemetry, as where it is not installed.
import { register } from "node:module";

const hooks = `export async function resolve(specifier, context, next) {
  if (!specifier.startsWith("@opentelemetry/sdk")) return next(specifier, context);
  throw Object.assign(new Error("Cannot find package " + specifier), { code: "ERR_MODULE_NOT_FOUND" });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
