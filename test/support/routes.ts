import type { FastifyInstance } from "fastify";

/** Every route that the router knows, read from its own account. */
export function routesOf(app: FastifyInstance): { method: string; url: string }[] {
  const tree = app.printRoutes({ commonPrefix: false, includeHooks: false });
  const routes: { method: string; url: string }[] = [];
  const path: string[] = [];
  for (const line of tree.split("\n")) {
    const parts = /^((?:[│ ] {3})*)[├└]── (\S*)(?: \((.+)\))?$/u.exec(line);
    if (parts === null) continue;
    path.length = (parts[1] ?? "").length / 4;
    path.push(parts[2] ?? "");
    for (const method of (parts[3] ?? "").split(", ").filter(Boolean)) {
      routes.push({ method, url: path.join("") });
    }
  }
  return routes;
}
