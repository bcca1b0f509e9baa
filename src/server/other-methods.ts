import type { FastifyContextConfig, FastifyInstance, RouteOptions } from "fastify";
import { KonveierError } from "../core/errors.js";

interface Known {
  readonly methods: Set<string>;
  readonly access: FastifyContextConfig["access"];
}

/**
 * Makes every address answer 405 and `Allow` to the methods that it does not take.
 *
 * @returns what to call when all routes are there
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Known>();
  app.addHook("onRoute", ({ url, method, config }: RouteOptions) => {
    const entry = known.get(url) ?? { methods: new Set(), access: config?.access };
    for (const each of [method].flat()) entry.methods.add(each);
    known.set(url, entry);
  });

  return () => {
    for (const [url, { methods, access }] of [...known]) {
      const allowed = [...methods].sort().join(", ");
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        schema: { hide: true },
        config: { access: access === "public" ? "public" : "any" },
        // Before the body is read, but after the check of the token.
        onRequest: (_request, reply, done) => {
          reply.header("Allow", allowed);
          done(new KonveierError("method_not_allowed", `This address takes ${allowed}.`));
        },
        handler: () => undefined,
      });
    }
  };
}
