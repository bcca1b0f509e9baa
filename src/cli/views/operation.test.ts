import { expect, test } from "vitest";
import type { OperationView } from "../../api/operation.js";
import { operationDetail } from "./operation.js";

const OPERATION: OperationView = {
  id: "1",
  action: "cancel",
  q: "priority:3",
  queues: null,
  state: "running",
  perSecond: 500,
  reason: null,
  matched: 5,
  changed: 3,
  createdAt: "2026-01-05T09:00:00.000Z",
  createdBy: "root",
  finishedAt: null,
};

test.each([
  [3, "3/5"],
  [7, "7/7"],
])("an operation that has changed %d of 5 jobs that matched in its preview shows %s", (changed, text) => {
  expect(operationDetail(0).fields({ ...OPERATION, changed })).toContainEqual(["changed", text]);
});
