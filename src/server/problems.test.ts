import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { ERRORS, KonveierError, LeaseLostError, type ErrorCode } from "../core/errors.js";
import { sendProblem } from "./problems.js";

/** An application whose every request fails with this, and what it logs. */
function failingWith(error: unknown): { app: FastifyInstance; log: string[] } {
  const log: string[] = [];
  const app = Fastify({ logger: { level: "error", stream: { write: (line: string) => log.push(line) } } });
  app.setErrorHandler(sendProblem);
  app.get("/v1/x", () => {
    throw error;
  });
  return { app, log };
}

describe("a problem", () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])(
    "of %s has the status and words of the table",
    async (code) => {
      const { app } = failingWith(new KonveierError(code, "The message"));
      const response = await app.inject({
        url: "/v1/x?secret=1",
        headers: { "x-request-id": "ignored here" },
      });
      expect(response.statusCode).toBe(ERRORS[code].status);
      expect(response.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
      expect(response.json()).toMatchObject({
        type: `urn:konveier:problem:${code}`,
        title: ERRORS[code].title,
        status: ERRORS[code].status,
        code,
        retryable: ERRORS[code].retryable,
        instance: "/v1/x",
        requestId: expect.any(String) as string,
      });
    },
  );

  test("of the store says nothing about the store, but the log does", async () => {
    const text = "/data/konveier.db: database disk image is malformed (SQLITE_CORRUPT)";
    for (const code of Object.keys(ERRORS).filter((each) => each.startsWith("store_")) as ErrorCode[]) {
      const { app, log } = failingWith(
        new KonveierError(code, text, { cause: new Error("SELECT * FROM jobs") }),
      );
      const response = await app.inject("/v1/x");
      expect(response.body).not.toMatch(/SQLITE|konveier\.db|SELECT|malformed/);
      expect(log.join("")).toContain("SQLITE_CORRUPT");
      expect(log.join("")).toContain(response.json<{ requestId: string }>().requestId);
    }
  });

  test.each([
    new Error("SELECT secret FROM x at /srv/konveier.js:1"),
    Object.assign(new Error("x"), { code: "SQLITE_CONSTRAINT" }),
    new TypeError("Cannot read properties of undefined (reading 'secret')"),
    "secret text",
    null,
    { statusCode: 200 },
  ])("of a defect says nothing about it: %s", async (error) => {
    const { app, log } = failingWith(error);
    const response = await app.inject("/v1/x");
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ code: "internal", retryable: false });
    expect(response.body).not.toMatch(/secret|SELECT|SQLITE|konveier\.js/);
    expect(log).toHaveLength(1);
  });

  test("carries every fault, and the first of many in its detail", async () => {
    const faults = [1, 2, 3, 4, 5].map((n) => ({
      pointer: `/f${n}`,
      code: "required" as const,
      detail: `fault ${n}`,
    }));
    const { app } = failingWith(new KonveierError("validation_failed", "long", { faults }));
    const body = (await app.inject("/v1/x")).json<{ errors: unknown; detail: string }>();
    expect(body.errors).toEqual(faults);
    expect(body.detail).toBe("/f1 fault 1; /f2 fault 2; /f3 fault 3; and 2 more");
  });

  test("of a lost lease is told as it is", async () => {
    const { app, log } = failingWith(new LeaseLostError("7", 3, "cancelled"));
    const response = await app.inject("/v1/x");
    expect(response.statusCode).toBe(409);
    expect(response.json<{ detail: string }>().detail).toContain("was cancelled");
    expect(log).toEqual([]);
  });

  test.each([
    ["store_busy", "1"],
    ["draining", "1"],
    ["store_full", "1"],
    ["store_corrupt", undefined],
    ["lease_lost", undefined],
    ["internal", undefined],
  ] as const)("of %s has Retry-After %s", async (code, seconds) => {
    const { app } = failingWith(new KonveierError(code, "x"));
    expect((await app.inject("/v1/x")).headers["retry-after"]).toBe(seconds);
  });
});
