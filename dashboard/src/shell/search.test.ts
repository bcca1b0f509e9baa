import { describe, expect, it } from "vitest";
import { queuesFor, searchPath } from "./search.js";

const QUEUES = ["mails", "emails", "reports", "mail & more"];

describe("a search", () => {
  it("leads to the job of a number", () => {
    expect(searchPath(" 17 ", QUEUES)).toBe("/jobs/17");
    expect(searchPath("#9007199254740993", QUEUES)).toBe("/jobs/9007199254740993");
  });

  it("leads to the queue of exactly this name", () => {
    expect(searchPath("emails", QUEUES)).toBe("/queues/emails");
    expect(searchPath("mail & more", QUEUES)).toBe("/queues/mail%20%26%20more");
    expect(searchPath("email", QUEUES)).toBe("/jobs?q=email");
  });

  it("leads to the jobs that a filter matches", () => {
    expect(searchPath("state:dead error~timeout", QUEUES)).toBe("/jobs?q=state%3Adead+error%7Etimeout");
    expect(searchPath("", QUEUES)).toBe("/jobs");
  });

  it("offers queues, those first that begin with what is typed", () => {
    expect(queuesFor("MAIL", QUEUES)).toEqual(["mail & more", "mails", "emails"]);
    expect(queuesFor(" ", QUEUES)).toEqual([]);
  });
});
