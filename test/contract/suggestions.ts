import { describe, expect } from "vitest";
import { putSchedule } from "../../src/engine/schedules/put.js";
import type { Contract } from "./contract.js";

export function suggestionsContract(contract: Contract): void {
  describe("suggestions", () => {
    contract.test("are queues that have or had jobs, or are paused, in their order", async (harness) => {
      const { suggestions, queues, jobs } = harness.store;
      await harness.enqueueMany(["mail", "mail.b", "mail.a", "web"].map((queue) => ({ queue })));
      await harness.enqueueMany([
        { queue: "mail", name: "x" },
        { queue: "mail", delayMs: 9 },
      ]);
      await queues.pause("mail.paused", null);
      await queues.pause("mail", null);
      await jobs.delete("2", false);
      expect(await suggestions.queues("mail", null, 9)).toEqual(["mail", "mail.a", "mail.b", "mail.paused"]);
      expect(await suggestions.queues("mail", null, 2)).toEqual(["mail", "mail.a"]);
      expect(await suggestions.queues("", null, 9)).toHaveLength(5);
      expect(await suggestions.queues("", ["*.b", "web"], 9)).toEqual(["mail.b", "web"]);
      expect(await suggestions.queues("M", null, 9)).toEqual([]);
    });

    contract.test("are names of the queues that are covered, each once", async (harness) => {
      const { suggestions } = harness.store;
      await harness.enqueueMany([
        { queue: "a", name: "send" },
        { queue: "b", name: "send" },
        { queue: "b", name: "sender", delayMs: 5 },
        { queue: "b", name: "other" },
      ]);
      await harness.complete(await harness.claimOne({ queues: ["a"] }));
      expect(await suggestions.names("send", null, 9)).toEqual(["send", "sender"]);
      expect(await suggestions.names("send", ["a"], 9)).toEqual(["send"]);
      expect(await suggestions.names("", null, 1)).toEqual(["other"]);
    });

    contract.test("are tags of jobs that are there, with any character", async (harness) => {
      const { suggestions, jobs } = harness.store;
      await harness.enqueueMany([
        { tags: ["a%", "a_b", "a \u{1f600}"] },
        { tags: ["a%"] },
        { tags: ["b"] },
        { tags: ["ab"] },
      ]);
      expect(await suggestions.tags("a", 9)).toEqual(["a \u{1f600}", "a%", "a_b", "ab"].toSorted());
      expect(await suggestions.tags("a%", 9)).toEqual(["a%"]);
      expect(await suggestions.tags("a \u{1f600}", 9)).toEqual(["a \u{1f600}"]);
      await jobs.delete("1", false);
      expect(await suggestions.tags("a", 9)).toEqual(["a%", "ab"]);
      expect(await suggestions.tags("", 2)).toEqual(["a%", "ab"]);
    });

    contract.test("are schedules by the queue of their jobs", async (harness) => {
      const { suggestions } = harness.store;
      const put = (key: string, queue: string) =>
        putSchedule(harness.engine, key, { everyMs: 60_000, job: { name: "work", queue } }, "api", null);
      await put("nightly", "a");
      await put("night", "b");
      await put("day", "a");
      expect(await suggestions.schedules("night", null, 9)).toEqual(["night", "nightly"]);
      expect(await suggestions.schedules("", ["a"], 9)).toEqual(["day", "nightly"]);
      expect(await suggestions.schedules("", null, 1)).toEqual(["day"]);
    });
  });
}
