import { describe, expect, it } from "vitest";
import { MAX_URL_LENGTH, readPayload } from "./payload.js";

const URL_TEXT = "https://example.com/hook";

function issuesOf(payload: unknown): string[] {
  return (readPayload(payload).issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("readPayload", () => {
  it("fills in the defaults", () => {
    const { request } = readPayload({ url: URL_TEXT });
    expect(request).toEqual({
      url: new URL(URL_TEXT),
      method: "POST",
      headers: new Map(),
      body: undefined,
      timeoutMs: 30_000,
    });
  });

  it("takes all fields, header names in any case", () => {
    const payload = {
      url: "http://example.com",
      method: "PUT",
      headers: { "X-A": "1" },
      body: null,
      timeoutMs: 1,
    };
    expect(readPayload(payload).request).toEqual({
      url: new URL("http://example.com"),
      method: "PUT",
      headers: new Map([["x-a", "1"]]),
      body: null,
      timeoutMs: 1,
    });
  });

  it.each([
    ["no payload", undefined, ": must be an object with a url"],
    ["null", null, ": must be an object with a url"],
    ["a list", [], ": must be an object with a url"],
    ["text", URL_TEXT, ": must be an object with a url"],
    ["an unknown field", { url: URL_TEXT, header: {} }, "header: is not a field of webhook.call"],
  ])("refuses %s", (_, payload, issue) => {
    expect(issuesOf(payload)).toEqual([issue]);
  });

  it("reports all faults at once", () => {
    expect(issuesOf({ method: "get", headers: { Host: "a", "x-b": 1 }, timeoutMs: 0 })).toEqual([
      "url: must be a text",
      "method: must be one of GET, HEAD, POST, PUT, PATCH, DELETE",
      "headers.Host: may not be set by a payload",
      "headers.x-b: must be text",
      "timeoutMs: must be a whole number from 1 to 120000",
    ]);
  });
});

describe("url", () => {
  it.each([
    ["a number", 5, "must be a text"],
    ["nothing", "", "must be an absolute URL"],
    ["a path", "/hook", "must be an absolute URL"],
    ["no URL", "http://exa mple", "must be an absolute URL"],
    ["an IPv4 address out of range", "http://256.1.1.1/", "must be an absolute URL"],
    ["a zone", "http://[fe80::1%25eth0]/", "must be an absolute URL"],
    ["file:", "file:///etc/passwd", "must be an http or https URL"],
    ["ftp:", "ftp://example.com/", "must be an http or https URL"],
    ["data:", "data:text/plain,x", "must be an http or https URL"],
    ["a user name", "https://user@example.com/", "must not have a user name or password"],
    ["a password", "https://:secret@example.com/", "must not have a user name or password"],
    [
      "a host that looks like userinfo",
      "https://1.1.1.1@127.0.0.1/",
      "must not have a user name or password",
    ],
    ["port 0", "http://example.com:0/", "must not have port 0"],
    ["too long", `https://example.com/${"a".repeat(MAX_URL_LENGTH)}`, "must have at most 8192 characters"],
  ])("refuses %s", (_, url, message) => {
    expect(issuesOf({ url })).toEqual([`url: ${message}`]);
  });

  it("takes the longest one", () => {
    const url = "https://example.com/".padEnd(MAX_URL_LENGTH, "a");
    expect(issuesOf({ url })).toEqual([]);
  });
});

describe("method", () => {
  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])("takes %s", (method) => {
    expect(readPayload({ url: URL_TEXT, method }).request?.method).toBe(method);
  });

  it.each(["post", "OPTIONS", "CONNECT", "TRACE", "", null, 5])("refuses %j", (method) => {
    expect(issuesOf({ url: URL_TEXT, method })).toEqual([
      "method: must be one of GET, HEAD, POST, PUT, PATCH, DELETE",
    ]);
  });
});

describe("body", () => {
  it.each(["GET", "HEAD"])("is refused with %s, also as null", (method) => {
    expect(issuesOf({ url: URL_TEXT, method, body: "x" })).toEqual([
      `body: must not be given with ${method}`,
    ]);
    expect(issuesOf({ url: URL_TEXT, method, body: null })).toEqual([
      `body: must not be given with ${method}`,
    ]);
  });

  it("is refused as text that UTF-8 cannot carry", () => {
    expect(issuesOf({ url: URL_TEXT, body: "a\ud800" })).toEqual([
      "body: has a lone surrogate, which UTF-8 cannot carry",
    ]);
  });
});

describe("timeoutMs", () => {
  it.each([1, 30_000, 120_000])("takes %i", (timeoutMs) => {
    expect(readPayload({ url: URL_TEXT, timeoutMs }).request?.timeoutMs).toBe(timeoutMs);
  });

  it.each([0, -1, 1.5, 120_001, Number.NaN, Number.POSITIVE_INFINITY, "5", null, true])(
    "refuses %j",
    (timeoutMs) => {
      expect(issuesOf({ url: URL_TEXT, timeoutMs })).toEqual([
        "timeoutMs: must be a whole number from 1 to 120000",
      ]);
    },
  );
});

describe("headers", () => {
  const issuesOfHeaders = (headers: unknown): string[] => issuesOf({ url: URL_TEXT, headers });

  it.each([
    "Host",
    "content-length",
    "Transfer-Encoding",
    "CONNECTION",
    "keep-alive",
    "Proxy-Connection",
    "Proxy-Authorization",
    "proxy-authenticate",
    "TE",
    "Trailer",
    "Upgrade",
    "HTTP2-Settings",
    "Expect",
    "webhook-id",
    "Webhook-Signature",
    "webhook-anything",
    "Konveier-Token",
    "konveier-attempt",
  ])("refuses to set %s", (name) => {
    expect(issuesOfHeaders({ [name]: "x" })).toEqual([`headers.${name}: may not be set by a payload`]);
  });

  it.each(["Authorization", "content-type", "user-agent", "x-webhook-id", "accept-encoding", "__proto__"])(
    "takes %s",
    (name) => {
      const headers: unknown = JSON.parse(JSON.stringify({ x: "v" }).replace("x", name));
      const { request } = readPayload({ url: URL_TEXT, headers });
      expect(request?.headers).toEqual(new Map([[name.toLowerCase(), "v"]]));
    },
  );

  it.each(["", "a b", "a:", "a\r\nb", "é", "a\0"])("refuses the name %j", (name) => {
    expect(issuesOfHeaders({ [name]: "x" })).toEqual([`headers.${name}: is not a header name`]);
  });

  it.each(["a\r\nb: c", "a\rb", "a\nb", "a\0b", "a\x7fb", "é", "\u{1f600}", "\ud800"])(
    "refuses the value %j",
    (value) => {
      expect(issuesOfHeaders({ "x-a": value })).toEqual([
        "headers.x-a: must have only printable ASCII characters and tabs",
      ]);
    },
  );

  it.each([[["a"]], [5], [null], [{}]])("refuses the value %j", (value) => {
    expect(issuesOfHeaders({ "x-a": value })).toEqual(["headers.x-a: must be text"]);
  });

  it.each([["text"], [["x-a", "1"]], [null]])("refuses %j instead of an object", (headers) => {
    expect(issuesOfHeaders(headers)).toEqual(["headers: must be an object of header names and values"]);
  });

  it("refuses a name in two spellings", () => {
    expect(issuesOfHeaders({ "x-a": "1", "X-A": "2" })).toEqual(["headers.X-A: is there twice"]);
  });

  it("takes 50 headers and not 51", () => {
    const headers = (count: number): unknown =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]));
    expect(issuesOfHeaders(headers(50))).toEqual([]);
    expect(issuesOfHeaders(headers(51))).toEqual(["headers: must be at most 50"]);
  });

  it("takes 8 KiB of names and values and no more", () => {
    expect(issuesOfHeaders({ "x-a": "v".repeat(8_192 - 3) })).toEqual([]);
    expect(issuesOfHeaders({ "x-a": "v".repeat(8_192 - 2) })).toEqual([
      "headers: must have at most 8192 bytes together",
    ]);
  });
});
