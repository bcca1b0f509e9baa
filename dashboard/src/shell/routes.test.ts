import { expect, test } from "vitest";
import { DASHBOARD_PAGES } from "../../../src/server/dashboard/pages.js";
import { SECTIONS } from "./routes.js";

test("every section has an address that the server knows as a page", () => {
  expect(DASHBOARD_PAGES).toEqual(expect.arrayContaining(SECTIONS.map(({ path }) => path)));
});
