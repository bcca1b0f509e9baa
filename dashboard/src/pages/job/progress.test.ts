import { expect, it } from "vitest";
import type { JobState } from "../../api/types.js";
import { isOfPresentRun } from "./progress.js";

const startedAt = "2026-01-05T10:00:00.000Z";

it.each<[JobState, string | null, string, boolean]>([
  ["running", startedAt, "2026-01-05T10:00:00.000Z", true],
  ["running", startedAt, "2026-01-05T09:59:59.999Z", false],
  ["running", null, "2026-01-05T10:00:01.000Z", false],
  ["scheduled", startedAt, "2026-01-05T10:00:01.000Z", false],
  ["dead", startedAt, "2026-01-05T10:00:01.000Z", false],
])("a %s job, begun at %s, has said at %s how far it is now: %s", (state, begun, at, is) => {
  expect(isOfPresentRun({ state, startedAt: begun }, { at })).toBe(is);
});
