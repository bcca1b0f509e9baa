/** A process that imports the library and does nothing with it. */
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
