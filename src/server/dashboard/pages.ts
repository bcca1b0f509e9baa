/** Addresses that are pages of the dashboard. It is one document: which page it shows is decided in the browser. */
export const DASHBOARD_PAGES = [
  "/",
  "/queues",
  // A queue's name may have slashes; the address has them percent-encoded, and proxies decode some of them.
  "/queues/*",
  "/jobs",
  "/jobs/:id",
  "/dead",
  "/schedules",
  "/schedules/*",
  "/workers",
  "/metrics-ui",
  "/settings",
] as const;
