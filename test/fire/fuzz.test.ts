import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/open-store.js";
import { IssuedTokenView } from "../../src/api/token.js";
import { checkBooks } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import { ApiDocument } from "./api-document.js";
import { Memory } from "./memory.js";
import { requestsFor, type FuzzRequest, type Sender } from "./requests.js";
import { Sending, type Outcome } from "./sending.js";
import { Check } from "typebox/value";
import { ADMIN_TOKEN, WatchedServer } from "./watched-server.js";

const LONG = process.env["KONVEIER_LONG_TESTS"] === "1";
/** Another one goes other ways: KONVEIER_FUZZ_SEED=7 npx vitest run test/fire/fuzz.test.ts */
const SEED = Number(process.env["KONVEIER_FUZZ_SEED"] ?? 1);
/** How often each operation is called. There are 55 of them. */
const [ROUNDS, TIMEOUT_MS] = LONG ? [1_000, 900_000] : [40, 120_000];
const AT_ONCE = 32;
/** What the heap may grow in the second half: caches fill up, and a leak of 200 bytes a request is more. */
const GROWTH_BYTES = 8 * 1024 * 1024;

test(
  `${ROUNDS} requests to each operation, valid, nearly valid and garbage: no 5xx, no hang, no growth (seed ${SEED})`,
  async () => {
    const server = await WatchedServer.start();
    const memory = new Memory(seededRandom(SEED));
    const limited = await limitedTokens(server.url);
    let turn = 0;
    const tokens: Record<Sender, () => string | null> = {
      admin: () => ADMIN_TOKEN,
      limited: () => limited[(turn += 1) % limited.length]!,
      nobody: () => null,
      stranger: () => "kv_nobody00_wrong",
    };
    const sending = new Sending(server.url, tokens, memory, AT_ONCE);
    onTestFinished(() => {
      sending.close();
    });

    const tally = new Tally();
    await sendAll(sending, 0, ROUNDS / 2, tally);
    const middle = await server.measure();
    await sendAll(sending, ROUNDS / 2, ROUNDS, tally);
    const end = await server.measure();
    if (LONG) console.log(tally.summary, { middle, end });
    expect(tally.faults).toEqual([]);
    expect(tally.resets).toBeLessThan(ROUNDS);
    expect(tally.answered).toBeGreaterThan(ROUNDS * 40);
    expect(end.heapBytes - middle.heapBytes).toBeLessThan(GROWTH_BYTES);

    const { faults, errors } = await server.stop();
    expect({ faults, errors }).toEqual({ faults: [], errors: [] });
    expect((await server.exited).code).toBe(0);
    const store = await openStore(`sqlite:${server.file}`);
    onTestFinished(() => store.close());
    await checkBooks(store);
  },
  TIMEOUT_MS,
);

/** The same requests for the same seed, shuffled so that operations meet each other. */
async function sendAll(sending: Sending, from: number, to: number, tally: Tally): Promise<void> {
  const document = new ApiDocument();
  const arbitraries = document.operations.map((operation) => requestsFor(document, operation));
  const ROUNDS_AT_A_TIME = 10;
  for (let round = from; round < to; round += ROUNDS_AT_A_TIME) {
    const numRuns = Math.min(ROUNDS_AT_A_TIME, to - round);
    const sampled = arbitraries.map((arbitrary) => fc.sample(arbitrary, { numRuns, seed: SEED + round }));
    const requests = Array.from({ length: numRuns }, (_, index) =>
      sampled.map((list) => list[index]!),
    ).flat();
    const queue = requests.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const request of queue) tally.add(request, await sending.send(request));
      }),
    );
  }
}

/** Tokens that may do some things, on some queues. Used once, so that wrong tokens do not lock them out. */
async function limitedTokens(url: string): Promise<string[]> {
  const bodies = [
    { name: "reader", scopes: ["read-only"], queues: ["a*"] },
    { name: "producer", scopes: ["producer"], queues: ["default"] },
    { name: "worker", scopes: ["worker", "metrics"], queues: ["default", "b"] },
    { name: "operator", scopes: ["operator"], queues: ["other"] },
  ];
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
  const tokens: string[] = [];
  for (const body of bodies) {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const issued: unknown = await (await fetch(`${url}/v1/tokens`, init)).json();
    if (!Check(IssuedTokenView, issued)) throw new Error(JSON.stringify(issued));
    await fetch(`${url}/v1/tokens/self`, { headers: { authorization: `Bearer ${issued.token}` } });
    tokens.push(issued.token);
  }
  return tokens;
}

/** What came of the requests. */
class Tally {
  readonly faults: string[] = [];
  readonly #outcomes = new Map<string, number>();

  add(request: FuzzRequest, outcome: Outcome): void {
    const what = outcome.type === "answered" ? String(outcome.status) : outcome.type;
    this.#outcomes.set(what, (this.#outcomes.get(what) ?? 0) + 1);
    if (isFault(outcome) && this.faults.length < 10) this.faults.push(shown(request, outcome));
  }

  get answered(): number {
    return [...this.#outcomes]
      .filter(([what]) => /^\d+$/.test(what))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  get resets(): number {
    return this.#outcomes.get("reset") ?? 0;
  }

  get summary(): Record<string, number> {
    return Object.fromEntries([...this.#outcomes].sort());
  }
}

function isFault(outcome: Outcome): boolean {
  if (outcome.type !== "answered") return outcome.type !== "left" && outcome.type !== "reset";
  // Streams are limited, and the limit is a healthy server's answer.
  return outcome.status >= 500 && !outcome.text.includes('"too_many_streams"');
}

function shown(request: FuzzRequest, outcome: Outcome): string {
  const body = request.body === null ? null : Buffer.from(request.body).toString("latin1").slice(0, 2_000);
  return JSON.stringify({ request: { ...request, path: request.path.slice(0, 2_000), body }, outcome });
}
