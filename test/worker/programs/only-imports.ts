/** A process that imports the library and does nothing with it. */

// Node.js itself closes the files of its start after this one has begun.
while (process.getActiveResourcesInfo().includes("CloseReq"))
  await new Promise((resolve) => setImmediate(resolve));

const before = {
  resources: process.getActiveResourcesInfo(),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
};

const library = await import("../../../src/index.js");
await new Promise((resolve) => setImmediate(resolve));

process.send?.({
  exported: Object.keys(library),
  before,
  after: {
    resources: process.getActiveResourcesInfo(),
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  },
});
process.disconnect();

export {};
