import { expect, it } from "vitest";
import type { OverviewView } from "../../api/types.js";
import { worstFirst } from "./worst-first.js";

type Queue = OverviewView["queues"][number];

interface Told {
  readonly waitsSince?: string;
  readonly dead?: number;
  readonly diedLately?: number;
  readonly paused?: boolean;
}

/** A queue with no more than what the order asks for. */
function queue(name: string, { waitsSince, dead = 0, diedLately = 0, paused = false }: Told): Queue {
  return {
    name,
    pausedAt: paused ? "2026-03-01T00:00:00.000Z" : null,
    oldestPendingAt: waitsSince ?? null,
    counts: { pending: waitsSince === undefined ? 0 : 1, dead },
    lastHour: { jobs: { dead: diedLately } },
  } as unknown as Queue;
}

it("puts the longest wait first, then what died lately, then what is dead, and leaves out what is calm", () => {
  const queues = [
    queue("calm", {}),
    queue("paused", { paused: true }),
    queue("b-dead", { dead: 9 }),
    queue("a-dead", { dead: 9 }),
    queue("dying", { dead: 2, diedLately: 2 }),
    queue("waits", { waitsSince: "2026-03-01T12:00:00.000Z" }),
    queue("waits longer", { waitsSince: "2026-03-01T11:00:00.000Z" }),
  ];
  expect(worstFirst(queues).map(({ name }) => name)).toEqual([
    "waits longer",
    "waits",
    "dying",
    "a-dead",
    "b-dead",
    "paused",
  ]);
});
