import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyReply } from "fastify";
import type { App } from "../app.js";
import { homeRoute } from "../routes/home.js";
import { DASHBOARD_PAGES } from "./pages.js";

/** Where the build puts the dashboard, seen from the compiled server and from its source. */
const BUILT = ["../../dashboard/", "../../../dist/dashboard/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const YEAR_MS = 365 * 24 * 3_600_000;

/** A new build has other file names, so the browser asks whether there is one. */
const ALWAYS_ASKED = { maxAge: 0, immutable: false };

/** Scripts, styles and answers come from here and from nowhere else; nothing is written into the document itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * The dashboard: its pages and the files that they load. They hold no data, so nobody has to sign in for them; what
 * they show comes from the API. Where the dashboard was not built, `/` says so in a few words.
 */
export async function dashboardRoutes(app: App): Promise<void> {
  const root = BUILT.find((directory) => existsSync(join(directory, "index.html")));
  if (root === undefined) {
    homeRoute(app);
    return;
  }
  // Ranges are for films: whoever asks for one gets the file whole.
  await app.register(fastifyStatic, { root, serve: false, preCompressed: true, acceptRanges: false });
  const open = { schema: { hide: true }, config: { access: "public" } } as const;
  const assets = join(root, "assets");
  for (const page of DASHBOARD_PAGES) {
    app.get(page, open, (_request, reply) => sendFile(reply, "index.html", root, ALWAYS_ASKED));
  }
  app.get<{ Params: { "*": string } }>("/assets/*", open, (request, reply) =>
    // Their names have a hash of what is in them.
    sendFile(reply, request.params["*"], assets, { maxAge: YEAR_MS, immutable: true }),
  );
  for (const file of ["theme.js", "favicon.svg"]) {
    app.get(`/${file}`, open, (_request, reply) => sendFile(reply, file, root, ALWAYS_ASKED));
  }
}

function sendFile(
  reply: FastifyReply,
  file: string,
  directory: string,
  caching: { readonly maxAge: number; readonly immutable: boolean },
): FastifyReply {
  // A worker's policy is that of its script, so all files have it.
  reply.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  // There are compressed copies, and caches must not hand them to whoever cannot read them.
  reply.header("Vary", "Accept-Encoding");
  // Every other answer is never to be stored; these may be.
  reply.removeHeader("Cache-Control");
  return reply.sendFile(file, directory, caching);
}
