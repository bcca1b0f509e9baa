import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { NonRetryableError, RetryAfter } from "../../core/outcomes.js";
import {
  callWebhook,
  failureOf,
  fakeLookup,
  listen,
  startReceiver,
  StillClock,
} from "../../../test/support/webhook.js";

describe("an answer that ends the job", () => {
  it.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 426, 451, 499])("%i", async (status) => {
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end("secret"));
    const error = await failureOf(callWebhook({ url: `${receiver.url}/hook` }));
    expect(error).toEqual(new NonRetryableError(`POST ${receiver.url}/hook answered ${status}`));
  });

  it.each([300, 301, 302, 303, 304, 307, 308])("%i, which is not followed", async (status) => {
    await using other = await startReceiver((_, response) => response.end());
    await using receiver = await startReceiver((_, response) =>
      response.writeHead(status, { location: other.url, "retry-after": "5" }).end(),
    );
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(error).toEqual(
      new NonRetryableError(`POST ${receiver.url}/ answered ${status}: redirects are not followed`),
    );
    expect(other.connections()).toBe(0);
  });
});

describe("an answer that is retried", () => {
  it.each([408, 425, 429, 500, 501, 502, 503, 504, 599, 600, 999])("%i", async (status) => {
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end("secret"));
    const error = await failureOf(callWebhook({ url: `${receiver.url}/hook` }));
    expect(error).toEqual(new Error(`POST ${receiver.url}/hook answered ${status}`));
    await receiver.idle();
  });

  it.each([
    [408, "1", 1_000],
    [429, "120", 120_000],
    [500, "7", 7_000],
    [503, "Mon, 05 Jan 2026 12:00:30 GMT", 30_000],
    [503, "86400", 3_600_000],
  ])("%i with Retry-After %s is retried after that", async (status, retryAfter, delayMs) => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(status, { "retry-after": retryAfter }).end();
    });
    const error = await failureOf(callWebhook({ url: receiver.url }, { clock: new StillClock() }));
    expect(error).toEqual(
      new RetryAfter(delayMs, `POST ${receiver.url}/ answered ${status}: retry after ${delayMs / 1_000} s`),
    );
    expect(error).toHaveProperty("delayMs", delayMs);
  });

  it.each(["0", "soon", "Sun, 04 Jan 2026 12:00:00 GMT"])(
    "503 with Retry-After %s is retried by the backoff",
    async (retryAfter) => {
      await using receiver = await startReceiver((_, response) => {
        response.writeHead(503, { "retry-after": retryAfter }).end();
      });
      const error = await failureOf(callWebhook({ url: receiver.url }, { clock: new StillClock() }));
      expect(error).toEqual(new Error(`POST ${receiver.url}/ answered 503`));
    },
  );

  it("does not wait for its body", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(500).write("and"));
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(error.message).toBe(`POST ${receiver.url}/ answered 500`);
    await receiver.idle();
  });
});

describe("a connection that fails", () => {
  it("because nobody listens is retried", async () => {
    const receiver = await startReceiver(() => undefined);
    await receiver[Symbol.asyncDispose]();
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(error).toEqual(
      new Error(`POST ${receiver.url}/ failed: connect ECONNREFUSED 127.0.0.1:${receiver.port}`),
    );
  });

  it("because none of several addresses listens is retried", async () => {
    const receiver = await startReceiver(() => undefined);
    await receiver[Symbol.asyncDispose]();
    const settings = { allowCidrs: ["127.0.0.1/32", "::1/128"], lookup: fakeLookup(["127.0.0.1", "::1"]) };
    const error = await failureOf(callWebhook({ url: `http://hook.test:${receiver.port}` }, settings));
    // The second fails in another way where there is no IPv6.
    expect(error.message).toMatch(/ failed: connect ECONNREFUSED 127\.0\.0\.1:\d+; connect E[A-Z]+ ::1:/);
  });

  it.each(["ENOTFOUND", "EAI_AGAIN"])("because of %s is retried", async (code) => {
    const failed = Object.assign(new Error(`getaddrinfo ${code} hook.test`), { code });
    const error = await failureOf(
      callWebhook(
        { url: "https://hook.test/a" },
        {
          lookup: (_host, _options, callback) => {
            callback(failed, []);
          },
        },
      ),
    );
    expect(error).toEqual(new Error(`POST https://hook.test/a failed: getaddrinfo ${code} hook.test`));
  });

  it("because the name has no address is retried", async () => {
    const error = await failureOf(
      callWebhook(
        { url: "https://hook.test/a" },
        {
          lookup: (_host, _options, callback) => {
            callback(null, []);
          },
        },
      ),
    );
    expect(error).toEqual(new Error("POST https://hook.test/a failed: host hook.test has no address"));
  });

  it.each([
    ["closes without an answer", "", "socket hang up (ECONNRESET)"],
    ["speaks no HTTP", "secret\r\n\r\n", "Parse Error: Expected HTTP/, RTSP/ or ICE/ (HPE_INVALID_CONSTANT)"],
    [
      "sends too many headers",
      `HTTP/1.1 200 OK\r\nx: ${"secret".repeat(3_000)}\r\n\r\n`,
      "Parse Error: Header overflow (HPE_HEADER_OVERFLOW)",
    ],
    [
      "switches protocols",
      "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "the connection was closed without an answer",
    ],
  ])("because the peer %s is retried", async (_, answer, reason) => {
    const server = createServer((socket) => socket.once("data", () => socket.end(answer)));
    await using receiver = await listen(server);
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(error).toEqual(new Error(`POST ${receiver.url}/ failed: ${reason}`));
    await receiver.idle();
  });
});

describe("secrets", () => {
  it("of the URL stay out of every error", async () => {
    const urls = ["?token=s3cret#s3cret", "/hook?s3cret"];
    await using refusing = await startReceiver((_, response) => response.writeHead(500).end("s3cret"));
    await using breaking = await startReceiver((request) => request.socket.destroy());
    for (const suffix of urls) {
      for (const receiver of [refusing, breaking]) {
        const error = await failureOf(callWebhook({ url: receiver.url + suffix }));
        expect(JSON.stringify([error.message, error.stack, error.cause ?? null])).not.toContain("s3cret");
      }
    }
    expect(refusing.requests.map(({ path }) => path)).toEqual(["/?token=s3cret", "/hook?s3cret"]);
  });

  it("of a URL that is refused stay out of the error", async () => {
    for (const url of ["https://user:s3cret@example.com/", "nonsense s3cret", "ftp://example.com/?s3cret"]) {
      const error = await failureOf(callWebhook({ url }));
      expect(error).toBeInstanceOf(NonRetryableError);
      expect(error.message).not.toContain("s3cret");
    }
  });

  it("of a peer's broken answer stay out of the error's properties", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.end("s3cret\r\n\r\n")));
    await using receiver = await listen(server);
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(Object.keys(error)).toEqual([]);
    expect(error.cause).toBeUndefined();
  });
});
