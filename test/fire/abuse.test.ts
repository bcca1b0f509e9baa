import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProgram } from "../support/child-program.js";
import { connectTo, exchange, statusOf, untilClosed } from "../support/raw-http.js";
import { eventually } from "../support/server-process.js";
import type { NormalClientReport } from "./programs/normal-client.js";
import { ADMIN_TOKEN, WatchedServer } from "./watched-server.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
const [IDLE, WAITING, SLOW, TIMEOUT_MS] = LONG ? [5_000, 1_000, 300, 400_000] : [1_000, 500, 100, 120_000];

const MIB = 1024 * 1024;
/** Of the whole process, above what it had at rest: buffers of a few bodies, and some KiB for each connection. */
const MAY_GROW = (LONG ? 400 : 200) * MIB;

const AUTHORIZED = `Host: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n`;
const JSON_TYPE = "Content-Type: application/json\r\n";
const BATCH = `POST /v1/jobs/batch HTTP/1.1\r\n${AUTHORIZED}${JSON_TYPE}`;

/** A request with its body, answered; the connection ends after it. */
function post(url: string, head: string, body: string): Promise<string> {
  const end = `Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return exchange(url, head + end + body);
}

/** A batch of one job that is exactly so long. */
function batchOf(bytes: number): string {
  const [begin, end] = ['{"jobs":[{"name":"a"}]', "}"];
  return begin + " ".repeat(bytes - begin.length - end.length) + end;
}

function fields(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join(",");
}

function chunked(body: string): string {
  return `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** Opens connections, a hundred at a time, and sends the same on each. */
async function crowd(url: string, size: number, bytes: (index: number) => string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let from = 0; from < size; from += 100) {
    const some = Array.from({ length: Math.min(100, size - from) }, () => connectTo(url));
    for (const [index, socket] of (await Promise.all(some)).entries()) {
      sockets.push(socket);
      const text = bytes(from + index);
      if (text !== "") socket.write(text);
    }
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

async function waiters(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  return Number(/^konveier_claim_waiters (\d+)$/m.exec(await answer.text())?.[1]);
}

describe("a server under abuse", () => {
  test(
    `answers a normal client, refuses the rest, and its memory stays bounded (${IDLE} idle, ${WAITING} waiting)`,
    async () => {
      const server = await WatchedServer.start();
      const { url } = server;
      const atRest = await server.measure();
      const normal = startProgram<NormalClientReport, "stop">(
        new URL("./programs/normal-client.ts", import.meta.url),
        { url, token: ADMIN_TOKEN },
      );

      // Connections that do nothing, or as little as they can.
      const idle = await crowd(url, IDLE, () => `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
      const waiting = await crowd(url, WAITING, (index) => {
        const body = `{"workerId":"w${index}","queues":["never"],"waitMs":60000}`;
        return `POST /v1/claim HTTP/1.1\r\n${AUTHORIZED}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}`;
      });
      await crowd(url, SLOW, () => "");
      const slowHeaders = await crowd(url, SLOW, () => "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      const slowBodies = await crowd(url, SLOW, () => `${BATCH}Content-Length: 1000000\r\n\r\n{`);
      const drip = setInterval(() => {
        for (const socket of [...slowHeaders, ...slowBodies]) if (!socket.destroyed) socket.write("x");
      }, 1_000);
      onTestFinished(() => {
        clearInterval(drip);
      });
      await eventually(
        () => waiters(url),
        (count) => count === WAITING,
        60_000,
      );
      const crowded = await server.measure();

      // What is refused, while all of these are there.
      const slowHeadersEnd = Promise.all(slowHeaders.map(untilClosed));
      for (let round = 0; round < (LONG ? 10 : 2); round += 1) await refusals(url);

      // Headers have 15 seconds, whatever drips.
      for (const answer of await slowHeadersEnd) expect(statusOf(answer)).toBe(408);
      expect(slowBodies.filter(({ destroyed }) => destroyed)).toEqual([]);
      normal.send("stop");
      const served = await normal.message(() => true);
      const end = await server.measure();
      const blocked = { crowding: crowded.longestBlockMs, refusing: end.longestBlockMs };
      const mib = (bytes: number) => Math.round(bytes / MIB);
      if (LONG)
        console.log("milliseconds of a normal client:", served, "event loop blocked:", blocked, "MiB:", {
          atRest: { rss: mib(atRest.rssBytes), heap: mib(atRest.heapBytes) },
          crowded: { rss: mib(crowded.rssBytes), heap: mib(crowded.heapBytes) },
          end: { rss: mib(end.rssBytes), heap: mib(end.heapBytes), peakRss: mib(end.peakRssBytes) },
        });
      expect(served.statuses).toEqual([201]);
      expect(end.peakRssBytes - atRest.rssBytes).toBeLessThan(MAY_GROW);
      expect(idle.filter(({ destroyed }) => destroyed)).toEqual([]);
      expect(waiting.filter(({ destroyed }) => destroyed)).toEqual([]);

      const { faults, errors } = await server.stop();
      expect({ faults, errors }).toEqual({ faults: [], errors: [] });
    },
    TIMEOUT_MS,
  );
});

/** One round of requests that ask for too much. */
async function refusals(url: string): Promise<void> {
  const LIMIT = 8 * MIB;
  const nobody = BATCH.replace(`Authorization: Bearer ${ADMIN_TOKEN}\r\n`, "");
  const atLimit = batchOf(LIMIT);
  const deep = `{"jobs":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const job = BATCH.replace("/batch", "");
  const cases: [what: string, answer: Promise<string>, status: number[]][] = [
    ["a body at the limit", post(url, BATCH, atLimit), [201]],
    ["a body at the limit in chunks", exchange(url, BATCH + chunked(atLimit)), [201]],
    ["a body of one byte more", exchange(url, `${BATCH}Content-Length: ${LIMIT + 1}\r\n\r\n`), [413]],
    ["a body of one byte more in chunks", exchange(url, BATCH + chunked(`${atLimit} `)), [413]],
    ["a body without credentials", exchange(url, `${nobody}Content-Length: ${LIMIT}\r\n\r\n`), [401]],
    ["chunks without credentials", exchange(url, `${nobody}Transfer-Encoding: chunked\r\n\r\n`), [401]],
    ...["gzip", "br", "deflate"].map((encoding): [string, Promise<string>, number[]] => [
      encoding,
      exchange(url, `${BATCH}Content-Encoding: ${encoding}\r\nContent-Length: 1000000\r\n\r\n`),
      [415],
    ]),
    ["100 000 levels", post(url, job, `{"name":"a","payload":${deep}}`), [422]],
    ["100 000 levels of a batch", post(url, BATCH, deep), [422]],
    ["600 000 fields", post(url, BATCH, `{"jobs":[{"name":"a",${fields(600_000)}}]}`), [413]],
    ["2 700 000 objects", post(url, BATCH, `{"jobs":[${"{},".repeat(2_700_000)}{}]}`), [413]],
    [
      "2 000 000 numbers",
      post(url, BATCH, `{"jobs":[{"name":"a","payload":[${"1,".repeat(2_000_000)}1]}]}`),
      [413],
    ],
    [
      "10 000 query parameters",
      exchange(
        url,
        `GET /v1/jobs?${"a=1&".repeat(3_000)} HTTP/1.1\r\n${AUTHORIZED}Connection: close\r\n\r\n`,
      ),
      [422],
    ],
    [
      "10 000 query parameters, beyond the limit of headers",
      exchange(url, `GET /v1/jobs?${"a=1&".repeat(10_000)} HTTP/1.1\r\n${AUTHORIZED}\r\n`),
      [400, 431],
    ],
    [
      "100 KiB of headers",
      exchange(url, `GET / HTTP/1.1\r\nX: ${"x".repeat(100 * 1024)}\r\n\r\n`),
      [400, 431],
    ],
    [
      "a length and chunks",
      exchange(url, `${BATCH}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      [400],
    ],
  ];
  for (const [what, answer, expected] of cases) {
    const text = await answer;
    // A server that closes on a client that still sends may lose its last answer on the way.
    if (text !== "") expect(expected, `${what}: ${text.slice(0, 300)}`).toContain(statusOf(text));
  }
}

/** How many connections a process may have: with fewer this cannot be tested. */
const openFiles = Number(/^Max open files\s+(\d+)/m.exec(readLimits())?.[1] ?? 0);

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

test("there are enough file descriptors for this", () => {
  if (openFiles > 0) expect(openFiles).toBeGreaterThan(IDLE + WAITING + 4 * SLOW);
});
