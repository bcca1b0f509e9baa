import { expect, test } from "vitest";
import { KonveierError } from "./errors.js";
import type { PayloadSchema, SchemaResult } from "./define-job.js";
import { validatePayload } from "./payload-schema.js";

function schemaOf(result: SchemaResult<string> | Promise<SchemaResult<string>>): PayloadSchema<string> {
  return { "~standard": { version: 1, vendor: "test", validate: () => result } };
}

/** Pointers of the faults that these paths become. */
async function pointersOf(...paths: (readonly unknown[] | undefined)[]): Promise<string[]> {
  const issues = paths.map((path) => ({ message: "is wrong", path }));
  try {
    await validatePayload(schemaOf({ issues }), {});
  } catch (error) {
    if (error instanceof KonveierError) return error.faults.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
}

test("gives what the schema made of the payload, at once or later", async () => {
  expect(await validatePayload(schemaOf({ value: "made" }), "given")).toBe("made");
  expect(await validatePayload(schemaOf(Promise.resolve({ value: "later" })), "given")).toBe("later");
});

test("an empty list of issues is a refusal: the value has no form then", async () => {
  await expect(validatePayload(schemaOf({ issues: [] }), "given")).rejects.toMatchObject({
    code: "validation_failed",
  });
});

test("paths become JSON pointers, whichever way a validator writes them", async () => {
  expect(await pointersOf(undefined, [], ["to", 0, "name"])).toEqual([
    "/payload",
    "/payload",
    "/payload/to/0/name",
  ]);
  // Standard Schema allows `{ key }` for each part.
  expect(await pointersOf([{ key: "to" }, { key: 1 }])).toEqual(["/payload/to/1"]);
  expect(await pointersOf(["a/b", "m~n", ""])).toEqual(["/payload/a~1b/m~0n/"]);
  expect(await pointersOf([Symbol("s")])).toEqual(["/payload/Symbol(s)"]);
});
