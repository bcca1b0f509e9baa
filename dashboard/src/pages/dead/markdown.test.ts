import { describe, expect, it } from "vitest";
import { groupMarkdown } from "./markdown.js";

const group = {
  fingerprint: "00ff",
  queue: "emails",
  name: "email.send",
  type: "TimeoutError",
  message: "no answer within <n> ms",
  count: 812,
  firstAt: "2026-01-05T00:00:00.000Z",
  lastAt: "2026-01-06T00:00:00.000Z",
  latestJobId: "42",
};

describe("a group as Markdown", () => {
  it("has what a ticket needs", () => {
    expect(groupMarkdown(group, "http://localhost/jobs/42")).toBe(
      `**812 dead** · \`email.send\` in queue \`emails\`

\`\`\`
TimeoutError: no answer within <n> ms
\`\`\`

- first: 2026-01-05T00:00:00.000Z
- last: 2026-01-06T00:00:00.000Z
- newest: [job 42](http://localhost/jobs/42)
- fingerprint: \`00ff\`
`,
    );
  });

  it("keeps an error with backticks in its block", () => {
    const text = groupMarkdown({ ...group, message: "a\n```\n# b", name: "x`y" }, null);
    expect(text).toContain("\n````\nTimeoutError: a\n```\n# b\n````\n");
    expect(text).toContain("`` x`y ``");
  });
});
