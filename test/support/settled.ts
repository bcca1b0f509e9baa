/**
 * Resolves when the event loop has nothing left to do but timers and input: every promise chain and every
 * `setImmediate` has run. The store commits and the worker acts in `setImmediate`, so this waits for what
 * was begun, however many steps it takes, without sleeping.
 */
export async function settled(): Promise<void> {
  let quietTurns = 0;
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    // One quiet turn may end before another promise chain reaches its own `setImmediate`.
    quietTurns = process.getActiveResourcesInfo().includes("Immediate") ? 0 : quietTurns + 1;
    if (quietTurns === 2) return;
  }
  throw new Error(`Still busy after ${MOST_TURNS} turns of the event loop: a busy loop?`);
}

const MOST_TURNS = 20_000;
