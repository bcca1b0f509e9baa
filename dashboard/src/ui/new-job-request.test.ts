import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bodyOf, curlOf, faultsOf, fieldAt, type NewJob } from "./new-job-request.js";

const JOB: NewJob = {
  queue: "",
  name: "greet",
  payload: "",
  delay: "",
  delayUnitMs: 1_000,
  priority: "",
  maxAttempts: "",
  tags: "",
  idempotencyKey: "",
};

describe("bodyOf", () => {
  it("has nothing that was not given", () => {
    expect(bodyOf(JOB)).toBe('{"name": "greet"}');
  });

  it("has the payload as it was written", () => {
    const payload = '{"id": 9007199254740993, "x": 1.0}';
    expect(bodyOf({ ...JOB, payload })).toBe(`{"name": "greet", "payload": ${payload}}`);
  });

  it("has all fields in the server's units", () => {
    const job = {
      ...JOB,
      queue: 'a"b',
      delay: "2",
      delayUnitMs: 60_000,
      priority: "3",
      maxAttempts: "5",
      tags: " vip, a b ,,",
      idempotencyKey: "k",
    };
    expect(JSON.parse(bodyOf(job))).toEqual({
      name: "greet",
      queue: 'a"b',
      delayMs: 120_000,
      priority: 3,
      maxAttempts: 5,
      tags: ["vip", "a b"],
      idempotencyKey: "k",
    });
  });
});

describe("faultsOf", () => {
  it("finds what would change the body around it", () => {
    expect(faultsOf({ ...JOB, payload: '1, "queue": "x"' })).toEqual({ payload: "notJson" });
    expect(faultsOf({ ...JOB, name: " ", priority: "1.5", delay: "-1" })).toEqual({
      name: "required",
      priority: "wholeNumber",
      delay: "wholeNumber",
    });
    expect(faultsOf({ ...JOB, payload: "[1.0, 1e400]" })).toEqual({});
  });
});

it("quotes for a shell whatever is in the body", () => {
  const body = `{"name": "it's $HOME \`x\` \\\\"}`;
  const printed = curlOf("http://h/v1/jobs", body).replace(/^curl -s/, "printf %s\\\\n");
  expect(execFileSync("sh", ["-c", printed], { encoding: "utf8" }).split("\n")).toContain(body);
});

it("knows the field of a pointer", () => {
  expect(fieldAt("/payload/a/0")).toBe("payload");
  expect(fieldAt("/tags/3")).toBe("tags");
  expect(fieldAt("/backoff")).toBeNull();
});
