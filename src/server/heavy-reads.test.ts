import { expect, test } from "vitest";
import { HeavyReads } from "./heavy-reads.js";

test("who asks before it begins shares it; who asks later gets a later one", async () => {
  const reads = new HeavyReads();
  let begun = 0;
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const make = async (): Promise<string> => {
    begun += 1;
    const mine = String(begun);
    await gate;
    return mine;
  };
  const first = [reads.once("a", make), reads.once("a", make)];
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const later = [reads.once("a", make), reads.once("a", make)];
  const other = reads.once("b", make);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(begun).toBe(2);
  letGo();
  const texts = await Promise.all([...first, ...later, other]);
  expect(texts.map(String)).toEqual(["1", "1", "3", "3", "2"]);
  expect(texts[0]).toBe(texts[1]);
});

test("one that fails fails for those who share it only", async () => {
  const reads = new HeavyReads();
  const failing = () => Promise.reject(new Error("broken"));
  const both = [reads.once("a", failing), reads.once("a", failing)];
  for (const each of both) await expect(each).rejects.toThrow("broken");
  expect(String(await reads.once("a", () => Promise.resolve("good")))).toBe("good");
});
