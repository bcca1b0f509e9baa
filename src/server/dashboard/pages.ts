/** Addresses that are pages of the dashboard. It is one document: which page it shows is decided in the browser. */
export const DASHBOARD_PAGES = [
  "/",
  "/queues",
  // A queue's name may have slashes; the address has them percent-encoded, and proxies decode some of them.
  "/queues/*",
  "/jobs",
  "/jobs/:id",
  "/flows",
  "/flows/:id",
  "/dead",
  "/schedules",
  "/schedules/*",
  "/workers",
  "/metrics-ui",
  "/settings",
] as const;

/** The same with the slash that people and proxies put behind an address. */
export const SLASHED_PAGES = DASHBOARD_PAGES.filter((page) => page !== "/" && !page.endsWith("*")).map(
  (page) => `${page}/`,
);
