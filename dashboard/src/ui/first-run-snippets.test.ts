import { expect, test } from "vitest";
import { curlSnippet, firstQueue, pythonSnippet, typeScriptSnippet } from "./first-run-snippets.js";

test.each([
  [null, "default"],
  [["emails", "def*"], "default"],
  [["emails", "reports"], "emails"],
  [["emails.*"], "emails.first"],
  [["*.urgent"], "first.urgent"],
])("the first job is for a queue that the token covers: %j, %s", (globs, queue) => {
  expect(firstQueue(globs)).toBe(queue);
});

test("the command and the workers name the queue where it is not the usual one", () => {
  expect(curlSnippet("http://k", "emails")).toContain(`-d '{"queue": "emails", "name"`);
  expect(typeScriptSnippet("http://k", "emails")).toContain(`{ client, queues: ["emails"], jobs: [greet] }`);
  expect(pythonSnippet("http://k", "emails")).toContain(`token, queues=["emails"])`);
});
