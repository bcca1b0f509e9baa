import { describe, expect, it } from "vitest";
import { unservedKinds } from "./unserved.js";

const SEND = { queue: "mailings", name: "email.send" };
const SMS = { queue: "mailings", name: "sms.send" };

describe("jobs that no live worker takes", () => {
  it("are told by queue and name, each kind once", () => {
    expect(unservedKinds([SEND, SMS, SEND], [])).toEqual([SEND, SMS]);
  });

  it("are not those of a worker that takes all names of the queue", () => {
    expect(unservedKinds([SEND, SMS], [{ queues: ["other", "mailings"], names: null }])).toEqual([]);
  });

  it("are not those of a worker whose names are hidden from the token", () => {
    expect(unservedKinds([SEND], [{ queues: ["mailings"], names: [] }])).toEqual([]);
  });

  it("are those of other names and of other queues", () => {
    expect(unservedKinds([SEND, SMS], [{ queues: ["mailings"], names: ["sms.send"] }])).toEqual([SEND]);
    expect(unservedKinds([SEND], [{ queues: ["mail"], names: null }])).toEqual([SEND]);
  });
});
