import { expect, test } from "vitest";
import { BULK_ACTIONS, eligible, type BulkAction } from "./bulk-action.js";
import { parseJobQuery } from "./job-query/parse.js";
import { printJobQuery } from "./job-query/print.js";
import type { JobQuery } from "./job-query/query.js";
import { JOB_STATES, type JobState } from "./states.js";

/** States of the jobs that the query is true of, for a query about nothing else. */
function statesOf({ terms }: JobQuery): JobState[] {
  return JOB_STATES.filter((state) =>
    terms.every((term) => term.kind === "state" && term.values.includes(state) !== term.negated),
  );
}

const subsets = Array.from({ length: 2 ** JOB_STATES.length }, (_, bits) =>
  JOB_STATES.filter((_state, index) => ((bits >> index) & 1) === 1),
);

test.each(Object.keys(BULK_ACTIONS) as BulkAction[])(
  "the text of what %s is done to means that, whatever states were asked for",
  (action) => {
    const allowed: readonly JobState[] = BULK_ACTIONS[action];
    const texts = subsets.flatMap((some) => {
      const list = some.join(",");
      return some.length === 0
        ? [""]
        : [`state:${list}`, `-state:${list}`, `state:${list} -state:dead,pending`];
    });
    for (const text of texts) {
      const asked = parseJobQuery(text);
      const query = eligible(action, asked);
      const meant = statesOf(asked).filter((state) => allowed.includes(state));
      expect([text, statesOf(query)]).toEqual([text, meant]);
      expect([text, statesOf(parseJobQuery(printJobQuery(query)))]).toEqual([text, meant]);
    }
  },
);

test("other terms stay as they are", () => {
  const query = eligible("retry", parseJobQuery("state:dead queue:a -tag:b attempt>=2"));
  expect(printJobQuery(query)).toBe("queue:a -tag:b attempt>=2 state:dead");
});
