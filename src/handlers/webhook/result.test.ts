import { describe, expect, it } from "vitest";
import { NonRetryableError } from "../../core/outcomes.js";
import { encodeJson } from "../../core/payload.js";
import { callWebhook, failureOf, startReceiver } from "../../../test/support/webhook.js";

describe("a 2xx answer", () => {
  it.each([200, 201, 202, 204, 299])("completes the job: %i", async (status) => {
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end());
    expect(await callWebhook({ url: receiver.url })).toMatchObject({ status, body: "" });
  });

  it("gives status, some headers and the body as the result", async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(201, {
        "content-type": "application/json",
        date: "Mon, 05 Jan 2026 12:00:00 GMT",
        location: "/things/1",
        "x-request-id": "r1",
        "set-cookie": "session=secret",
        "x-other": "other",
        "content-length": "24",
      });
      response.end('{"big":9007199254740993}');
    });
    expect(await callWebhook({ url: receiver.url })).toEqual({
      status: 201,
      headers: {
        "content-length": "24",
        "content-type": "application/json",
        date: "Mon, 05 Jan 2026 12:00:00 GMT",
        location: "/things/1",
        "x-request-id": "r1",
      },
      body: '{"big":9007199254740993}',
    });
  });

  it("keeps its result within what can be stored, whatever the body", async () => {
    for (const filling of ["\x01", "\0", '"', "\\", "\n", "\x7f", "é", "\u2028", "😀", "\xff"]) {
      const body = Buffer.from(filling.repeat(70_000), filling === "\xff" ? "latin1" : "utf8");
      await using receiver = await startReceiver((_, response) => {
        response.writeHead(200, { location: "\xff".repeat(8_000), "x-request-id": '"'.repeat(7_000) });
        response.end(body);
      });
      const result = await callWebhook({ url: receiver.url });
      expect(result.truncated).toBe(true);
      expect(() => encodeJson(result)).not.toThrow();
    }
  });

  it("closes the connection afterwards", async () => {
    await using receiver = await startReceiver((_, response) => response.end("ok"));
    await callWebhook({ url: receiver.url });
    await receiver.idle();
  });

  it("may come after others that announce it", async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeProcessing();
      response.end("ok");
    });
    expect(await callWebhook({ url: receiver.url })).toMatchObject({ status: 200, body: "ok" });
  });

  it("is not complete when the connection breaks in its body", async () => {
    await using receiver = await startReceiver((request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half", () => request.socket.destroy());
    });
    const error = await failureOf(callWebhook({ url: receiver.url }));
    expect(error).not.toBeInstanceOf(NonRetryableError);
    expect(error.message).toBe(`POST ${receiver.url}/ failed: aborted (ECONNRESET)`);
  });
});

describe("a body of an answer", () => {
  const bodyOf = async (body: Buffer | string, contentType = "text/plain"): Promise<unknown> => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200, { "content-type": contentType }).end(body);
    });
    const { headers, status, ...rest } = await callWebhook({ url: receiver.url });
    expect([status, headers["content-type"]]).toEqual([200, contentType]);
    return rest;
  };

  it("is kept whole up to 64 KiB", async () => {
    const body = "a".repeat(65_536);
    expect(await bodyOf(body)).toEqual({ body });
  });

  it("is cut after 64 KiB", async () => {
    expect(await bodyOf("a".repeat(65_537))).toEqual({ body: "a".repeat(65_536), truncated: true });
  });

  it("is cut between characters", async () => {
    expect(await bodyOf(`a${"é".repeat(40_000)}`)).toEqual({
      body: `a${"é".repeat(32_767)}`,
      truncated: true,
    });
  });

  it("is kept as base64 when it is not UTF-8", async () => {
    const body = Buffer.from([0x61, 0xff, 0xfe]);
    expect(await bodyOf(body)).toEqual({ body: body.toString("base64"), bodyEncoding: "base64" });
  });

  it("is kept as base64 when it ends within a character", async () => {
    const body = Buffer.from([0x61, 0xc3]);
    expect(await bodyOf(body)).toEqual({ body: body.toString("base64"), bodyEncoding: "base64" });
  });

  it.each(["\0", "\x08", "\x0b", "\x1b"])(
    "is kept as base64 when it has the control character %j",
    async (text) => {
      expect(await bodyOf(text)).toEqual({
        body: Buffer.from(text).toString("base64"),
        bodyEncoding: "base64",
      });
    },
  );

  it("is text with tabs, line breaks and a byte order mark", async () => {
    expect(await bodyOf("\ufeffa\tb\r\nc")).toEqual({ body: "\ufeffa\tb\r\nc" });
  });

  it("without an end is cut and its connection closed", async () => {
    await using receiver = await startReceiver((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
      };
      response.on("drain", more);
      more();
    });
    const result = await callWebhook({ url: receiver.url });
    expect([result.body.length, result.truncated]).toEqual([65_536, true]);
    await receiver.idle();
  });
});
