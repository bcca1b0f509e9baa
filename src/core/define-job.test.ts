import { expect, test } from "vitest";
import { KonveierError } from "./errors.js";
import { defineJob, type JobHandler } from "./define-job.js";

const handler = (): undefined => undefined;

test("keeps the name and the options", () => {
  const options = { handler, queue: "mail", maxAttempts: 3, timeoutMs: 5 };
  expect(defineJob("email.send", options)).toEqual({ ...options, name: "email.send" });
});

test.each(["", " ", "a b", "*", "../x", "a/b", "-a", "x".repeat(129), "a\0", "é"])(
  "PAY-15 refuses %j as a name",
  (name) => {
    expect(() => defineJob(name, { handler })).toThrow(KonveierError);
    expect(() => defineJob(name, { handler })).toThrow("name must be 1 to 128 letters");
  },
);

test("refuses a definition without a handler", () => {
  expect(() => defineJob("work", { handler: "no" as unknown as JobHandler })).toThrow(
    "needs a handler function",
  );
});
