import { describe, expect, test } from "vitest";
import { Followers } from "./followers.js";

function setUp() {
  const calls: string[] = [];
  const begin = { answer: (): Promise<void> => Promise.resolve() };
  const followers = new Followers<string>(
    () => {
      calls.push("start");
      return begin.answer();
    },
    () => calls.push("stop"),
  );
  return { followers, calls, begin };
}

describe("followers", () => {
  test("the first starts the reading, the last ends it, and who comes then starts another one", async () => {
    const { followers, calls } = setUp();
    await Promise.all([followers.join("a"), followers.join("b")]);
    const first = followers.generation;
    followers.leave("a");
    followers.leave("a");
    followers.leave("nobody");
    expect([...followers]).toEqual(["b"]);
    expect(calls).toEqual(["start"]);
    followers.leave("b");
    expect(calls).toEqual(["start", "stop"]);
    await followers.join("c");
    expect(calls).toEqual(["start", "stop", "start"]);
    expect(followers.generation).not.toBe(first);
  });

  test("who is about to join keeps the reading going", async () => {
    const { followers, calls } = setUp();
    await followers.join("a");
    const joining = followers.join("b");
    followers.leave("a");
    await joining;
    expect(calls).toEqual(["start"]);
    expect([...followers]).toEqual(["b"]);
  });

  test("a start that fails is told to all who wait for it, ended once, and tried again by the next", async () => {
    const { followers, calls, begin } = setUp();
    const fault = new Error("disk");
    begin.answer = () => Promise.reject(fault);
    const outcomes = await Promise.allSettled([followers.join("a"), followers.join("b")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(calls).toEqual(["start", "stop"]);
    expect(followers.size).toBe(0);
    begin.answer = () => Promise.resolve();
    await followers.join("c");
    expect(calls).toEqual(["start", "stop", "start"]);
  });

  test("who leaves while all are told is still told, and who comes is not", async () => {
    const { followers } = setUp();
    await Promise.all([followers.join("a"), followers.join("b")]);
    const told: string[] = [];
    for (const follower of followers) {
      told.push(follower);
      followers.leave("b");
    }
    expect(told).toEqual(["a", "b"]);
  });
});
