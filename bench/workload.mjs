/** About 130 bytes of JSON. */
export function payload(number) {
  return { to: "someone@example.com", subject: "Your invoice", number, text: "x".repeat(50) };
}

/** Jobs per second of what `work` does. */
export async function rate(jobs, work) {
  const began = performance.now();
  await work();
  return (jobs / (performance.now() - began)) * 1000;
}

/**
 * The four measures of a queue, in jobs per second. Jobs of the concurrent callers go to a queue that nobody serves.
 *
 * @param enqueueMany of payloads, up to 1000 of them
 * @param enqueueOne of one payload, or nothing where a queue's makers advise against it
 * @param startWorker called once, with a function to call for each job that was completed
 */
export async function measureAll(jobs, { enqueueMany, enqueueOne, startWorker }) {
  const enqueueAll = async () => {
    for (let from = 0; from < jobs; from += 1000) {
      const size = Math.min(1000, jobs - from);
      await enqueueMany(Array.from({ length: size }, (_, index) => payload(from + index)));
    }
  };
  let left = jobs;
  let whenDone;
  const allCompleted = () =>
    new Promise((resolve) => {
      left = jobs;
      whenDone = resolve;
    });
  const completed = () => {
    left -= 1;
    if (left === 0) whenDone();
  };

  const enqueueConcurrent = enqueueOne && (await rate(jobs, () => concurrently(1000, jobs, enqueueOne)));
  const bulk = await rate(jobs, enqueueAll);
  const drain = await rate(jobs, async () => {
    const done = allCompleted();
    await startWorker(completed);
    await done;
  });
  const endToEnd = await rate(jobs, async () => {
    const done = allCompleted();
    await enqueueAll();
    await done;
  });
  return { enqueueConcurrent, enqueueMany: bulk, drain, endToEnd };
}

async function concurrently(callers, jobs, enqueueOne) {
  let next = 0;
  const caller = async () => {
    while (next < jobs) await enqueueOne(payload((next += 1)));
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
