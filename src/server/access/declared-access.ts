import type { RouteOptions } from "fastify";

/** The hook that lets no route be added that does not say who may call it. */
export function requireDeclaredAccess({ method, url, config }: RouteOptions): void {
  if (config?.access === undefined) throw new Error(`The route ${String(method)} ${url} declares no access`);
}
