import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyReply, FastifyRequest } from "fastify";
import { KonveierError } from "../../core/errors.js";
import { namedQuality } from "../accept-header.js";
import { isApiAddress } from "../addresses.js";
import type { App } from "../app.js";
import { homeRoute } from "../routes/home.js";
import { readFiles, type Copy, type DashboardFile } from "./files.js";
import { DASHBOARD_PAGES, SLASHED_PAGES } from "./pages.js";

/** Where the build puts the dashboard, seen from the compiled server and from its source. */
const BUILT = ["../../dashboard/", "../../../dist/dashboard/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** A new build has other file names, so the browser asks whether there is one. */
const ALWAYS_ASKED = "public, max-age=0";

/** The names of assets have a hash of what is in them. */
const NEVER_ASKED = "public, max-age=31536000, immutable";

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
export function dashboardRoutes(app: App): void {
  const root = BUILT.find((directory) => existsSync(join(directory, "index.html")));
  if (root === undefined) {
    homeRoute(app);
    return;
  }
  const files = readFiles(root);
  const assets = readFiles(join(root, "assets"));
  const open = { schema: { hide: true }, config: { access: "public" } } as const;
  const page = files.get("index.html");
  for (const path of [...DASHBOARD_PAGES, ...SLASHED_PAGES]) {
    app.get(path, open, (request, reply) => send(request, reply, page, ALWAYS_ASKED));
  }
  app.addHook("onSend", (request, reply, payload, done) => {
    // A person has come here: the page says in their language what the problem document says to a program.
    const isLost = page !== undefined && request.is404 && isForPeople(request);
    done(null, isLost ? dressed(request, reply, page).bytes : payload);
  });
  for (const name of ["theme.js", "favicon.svg"]) {
    app.get(`/${name}`, open, (request, reply) => send(request, reply, files.get(name), ALWAYS_ASKED));
  }
  app.get<{ Params: { "*": string } }>("/assets/*", open, (request, reply) =>
    send(request, reply, assets.get(request.params["*"]), NEVER_ASKED),
  );
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile | undefined,
  caching: string,
): FastifyReply {
  if (file === undefined) throw new KonveierError("not_found", "There is no such file.");
  const { bytes, etag } = dressed(request, reply, file);
  // Every other answer is never to be stored; these may be.
  reply.headers({ "Cache-Control": caching, ETag: etag });
  // Caches on the way may weaken a tag.
  const known =
    request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  if (!known.includes(etag) && !known.includes("*")) return reply.send(bytes);
  return reply.removeHeader("Content-Encoding").removeHeader("Content-Type").code(304).send();
}

/** The copy of a file that the client can read, with the headers that go with it. */
function dressed({ headers }: FastifyRequest, reply: FastifyReply, { type, copies }: DashboardFile): Copy {
  const copy = copies.find(
    ({ encoding }) => encoding === null || namedQuality(headers["accept-encoding"], encoding) > 0,
  );
  if (copy === undefined) throw new Error("A file of the dashboard has no copy of itself");
  reply.headers({
    "Content-Type": type,
    // A worker's policy is that of its script, so all files have it.
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    // Or a cache would hand compressed bytes to whoever cannot read them.
    Vary: "Accept-Encoding",
    ...(copy.encoding !== null && { "Content-Encoding": copy.encoding }),
  });
  return copy;
}

/** Whether a browser goes to an address that a person may have typed. */
function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  return method === "GET" && !isApiAddress(url) && namedQuality(headers.accept, "text/html") > 0;
}
