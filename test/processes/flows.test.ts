import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { KonveierError } from "../../src/core/errors.js";
import { ON_FAILURE, type OnFailure } from "../../src/core/flow-request.js";
import type { FlowJob } from "../../src/core/flow.js";
import { isFinished } from "../../src/core/states.js";
import { Konveier } from "../../src/konveier.js";
import { checkBooks } from "../support/recount.js";
import { seededRandom } from "../support/seeded-random.js";
import { eventually } from "../support/server-process.js";
import { tempDirectory } from "../support/temp-directory.js";
import { testDatabase } from "../support/test-database.js";
import { FlowCrew } from "./flow-crew.js";
import type { Fate, FlowPayload, JournalLine } from "./programs/flow-worker.js";

const [FLOWS, MOST_JOBS, ACTIONS, TIMEOUT_MS] =
  process.env["KONVEIER_LONG_TESTS"] === "1" ? [12, 500, 200, 900_000] : [5, 36, 14, 60_000];
const PROCESSES = 3;
const MAX_DEPENDENCIES = 4;
/** Runs between two things that the test does to the flows. */
const RUNS_BETWEEN = 8;

interface Node {
  readonly ref: string;
  readonly payload: FlowPayload;
  readonly dependsOn: readonly { readonly ref: string; readonly onFailure: OnFailure }[];
}

/** A flow, with its jobs by their refs. */
interface Graph {
  readonly id: string;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** What the test did by hand, by the ids of jobs and flows. */
interface ByHand {
  readonly cancelled: Set<string>;
  readonly retried: Set<string>;
}

/** The jobs of a flow as they are now, by their refs. */
type Jobs = ReadonlyMap<string, FlowJob>;

it.each(["sqlite", "postgres"])(
  "on %s, flows end as their rules say, over three processes that are killed and frozen",
  async (kind) => {
    const directory = tempDirectory();
    const database = testDatabase(kind);
    const { url, schema } = database;
    const konveier = await Konveier.open(url, schema === undefined ? {} : { schema });
    onTestFinished(() => konveier.close());
    konveier.startBackground();
    const { store } = konveier.context;
    const random = seededRandom(7);

    const graphs: Graph[] = [];
    for (let n = 0; n < FLOWS; n += 1) graphs.push(await makeFlow(konveier, random));
    const crew = new FlowCrew(store, { url, ...(schema !== undefined && { schema }), directory }, PROCESSES);

    const byHand: ByHand = { cancelled: new Set(), retried: new Set() };
    const firstEnd = allOver(konveier, graphs).then(() => "over" as const);
    for (let action = 0; action < ACTIONS; action += 1) {
      if ((await Promise.race([crew.runs(RUNS_BETWEEN), firstEnd])) === "over") break;
      await disturb(konveier, crew, pick(graphs, random), byHand, random);
    }
    await firstEnd;
    await allOver(konveier, graphs);
    await checkBooks(store);
    const first = readJournal(directory);
    const before: Jobs[] = [];
    for (const graph of graphs) {
      const jobs = await jobsOf(konveier, graph);
      before.push(jobs);
      await checkAttempts(konveier, jobs, first);
      checkEnds(graph, jobs, byHand);
      for (const node of graph.nodes.values()) checkStart(graph, node, jobs, first, byHand);
    }

    writeFileSync(join(directory, "healed"), "");
    for (const { id } of graphs) await whenFree(() => konveier.flows.retry(id));
    const healed = allOver(konveier, graphs);
    await Promise.race([crew.runs(RUNS_BETWEEN), healed]);
    crew.killOne(random);
    await healed;
    await checkBooks(store);
    const journal = readJournal(directory);
    for (const [index, graph] of graphs.entries()) {
      expect(await konveier.flows.get(graph.id)).toMatchObject({ state: "completed", stuck: false });
      const jobs = await jobsOf(konveier, graph);
      await checkAttempts(konveier, jobs, journal);
      for (const node of graph.nodes.values())
        checkRetry(node, before[index]!, jobs, journal.slice(first.length));
    }
    expect(journal.filter(({ what }) => what === "taken")).toEqual([]);
    expect(journal.filter(({ what }) => what === "refused")).not.toEqual([]);
    expect(crew.deaths).toBeGreaterThan(0);
    await crew.stop();
  },
  TIMEOUT_MS,
);

async function makeFlow(konveier: Konveier, random: () => number): Promise<Graph> {
  const count = 2 + Math.floor(random() * (MOST_JOBS - 1));
  const nodes = Array.from({ length: count }, (_, place): Node => {
    const refs = Array.from({ length: Math.floor(random() * MAX_DEPENDENCIES) }, () =>
      Math.floor(random() * place),
    );
    const dependsOn = place === 0 ? [] : [...new Set(refs)];
    return {
      ref: `n${String(place)}`,
      payload: payloadOf(random),
      dependsOn: dependsOn.map((other) => ({
        ref: `n${String(other)}`,
        onFailure: pick(ON_FAILURE, random),
      })),
    };
  });
  const jobs = nodes.map((node) => ({ ...node, name: "node", backoff: AT_ONCE }));
  const flow = await konveier.flows.create({ name: "graph", jobs: jobs.toReversed() });
  return { id: flow.id, nodes: new Map(nodes.map((node) => [node.ref, node])) };
}

const AT_ONCE = { type: "fixed", delayMs: 0 } as const;

function payloadOf(random: () => number): FlowPayload {
  const fate = fateOf(random());
  if (fate !== "spawn") return { fate };
  return { fate, children: Array.from({ length: 3 }, () => pick(["complete", "fail", "die"], random)) };
}

function fateOf(chance: number): Fate {
  if (chance < 0.12) return "fail";
  if (chance < 0.2) return "die";
  if (chance < 0.22) return "crash";
  if (chance < 0.24) return "freeze";
  return chance < 0.32 ? "spawn" : "complete";
}

/** Does something that a person, or fate, may do at any time. */
async function disturb(
  konveier: Konveier,
  crew: FlowCrew,
  graph: Graph,
  byHand: ByHand,
  random: () => number,
): Promise<void> {
  const chance = random();
  if (chance < 0.4) {
    crew.killOne(random);
    return;
  }
  const jobs = [...(await jobsOf(konveier, graph)).values()];
  if (chance < 0.45) {
    byHand.cancelled.add(graph.id);
    await whenFree(() => konveier.flows.cancel(graph.id));
  } else if (chance < 0.7) {
    const { id } = pick(jobs, random);
    byHand.cancelled.add(id);
    await whenFree(() => konveier.jobs.cancel(id)).catch(isNoChange);
  } else if (chance < 0.85) {
    const failed = jobs.filter(({ state }) => state === "dead" || state === "cancelled");
    if (failed.length === 0) return;
    const { id } = pick(failed, random);
    byHand.retried.add(id);
    await whenFree(() => konveier.jobs.retry(id)).catch(isNoChange);
  } else {
    byHand.retried.add(graph.id);
    await whenFree(() => konveier.flows.retry(graph.id));
  }
}

/** Tries again for as long as a process that is frozen in a transaction keeps others waiting. */
async function whenFree<Answer>(change: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof KonveierError) || error.code !== "store_busy") throw error;
    }
  }
}

/** The job was in another state than a moment ago. */
function isNoChange(error: unknown): void {
  expect(error).toMatchObject({ code: "invalid_state" });
}

/** Resolves when in none of the flows anything goes on. */
async function allOver({ flows }: Konveier, graphs: readonly Graph[]): Promise<void> {
  for (const { id } of graphs) {
    await eventually(
      () => flows.get(id),
      (flow) => flow?.state !== "running" || flow.stuck,
      TIMEOUT_MS,
    );
  }
}

async function jobsOf({ flows }: Konveier, { id }: Graph): Promise<Jobs> {
  const { items } = (await flows.jobs(id, { limit: 10_000 })) ?? { items: [] };
  return new Map(items.map((job) => [job.ref, job]));
}

/** All lines of all processes, oldest first. */
function readJournal(directory: string): JournalLine[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith("journal-"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JournalLine)
    .toSorted((a, b) => a.at - b.at);
}

/** Each job has completed once at the most, by the claim that was the last one, and no claim of another was accepted. */
async function checkAttempts(konveier: Konveier, jobs: Jobs, journal: readonly JournalLine[]): Promise<void> {
  for (const { id, ref, state, token } of jobs.values()) {
    const where = `job ${id} (${ref})`;
    const attempts = await konveier.jobs.attempts(id);
    const tokens = attempts.map((attempt) => attempt.token);
    expect(tokens, where).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
    const completed = attempts.filter(({ outcome }) => outcome === "completed");
    expect(completed, where).toHaveLength(state === "completed" ? 1 : 0);
    if (state !== "completed") continue;
    expect(attempts.at(-1), where).toMatchObject({ outcome: "completed", token });
    expect(await konveier.jobs.result(id), where).toBe(token);
    expect(endOf(id, token, journal), where).toBeDefined();
  }
}

function endOf(id: string, token: number | null, journal: readonly JournalLine[]): JournalLine | undefined {
  return journal.find((line) => line.id === id && line.token === token && line.what === "completed");
}

/** What may be when nothing goes on any more. */
function checkEnds(graph: Graph, jobs: Jobs, byHand: ByHand): void {
  const wasRetried = ({ id }: FlowJob) => byHand.retried.has(graph.id) || byHand.retried.has(id);
  for (const { ref, payload, dependsOn } of graph.nodes.values()) {
    const job = jobs.get(ref)!;
    const where = `job ${job.id} (${ref}) of flow ${graph.id}, ${job.state}`;
    const failed = dependsOn
      .map(({ ref: on, onFailure }) => ({ job: jobs.get(on)!, onFailure }))
      .filter(({ job: { state } }) => state !== "completed");
    const of = (policy: OnFailure) => failed.filter(({ onFailure }) => onFailure === policy);
    switch (job.state) {
      case "blocked":
        // Of one that is itself blocked, whatever the edge says.
        expect(
          of("block").length + failed.filter(({ job: other }) => other.state === "blocked").length,
          where,
        ).toBeGreaterThan(0);
        break;
      case "cancelled": {
        const others = dependsOn.map(({ ref: on }) => jobs.get(on)!);
        const reasons = [
          byHand.cancelled.has(job.id),
          byHand.cancelled.has(graph.id),
          of("cancel").some(({ job: other }) => isFinished(other.state)),
          others.some(wasRetried),
        ];
        expect(reasons, where).toContain(true);
        break;
      }
      case "dead":
        expect(payload.fate, where).toBe("die");
        break;
      case "completed":
        expect(payload.fate, where).not.toBe("die");
        break;
      default:
        expect.fail(`${where}: it should have gone on`);
    }
    if ((job.state === "completed" || job.state === "dead") && !wasRetried(job)) {
      expect([...of("cancel"), ...of("block")], where).toEqual([]);
    }
  }
}

/** A job runs when what it depends on has ended as its edges ask for. Of jobs that nobody has retried. */
function checkStart(
  graph: Graph,
  { ref, dependsOn }: Node,
  jobs: Jobs,
  journal: readonly JournalLine[],
  { retried }: ByHand,
): void {
  const job = jobs.get(ref)!;
  const wasRetried = ({ id }: FlowJob) => retried.has(graph.id) || retried.has(id);
  if (wasRetried(job)) return;
  const start = journal.find(({ id, what }) => id === job.id && what === "start");
  if (start === undefined) return;
  for (const { ref: on } of dependsOn) {
    const other = jobs.get(on)!;
    if (wasRetried(other)) continue;
    const last = journal.filter(({ id, what }) => id === other.id && what === "start").at(-1);
    const end = other.state === "completed" ? endOf(other.id, other.token, journal) : last;
    expect(start.at, `job ${job.id} (${ref}) behind ${other.id} (${on})`).toBeGreaterThan(end?.at ?? 0);
  }
}

/** A job that was started over has waited for those that were started over with it. */
function checkRetry(
  { ref, dependsOn }: Node,
  before: Jobs,
  jobs: Jobs,
  journal: readonly JournalLine[],
): void {
  const { id, state } = before.get(ref)!;
  if (state !== "dead" && state !== "cancelled") return;
  const start = journal.find((line) => line.id === id && line.what === "start");
  expect(start, `job ${id} (${ref})`).toBeDefined();
  for (const { ref: on } of dependsOn) {
    const other = jobs.get(on)!;
    const end = endOf(other.id, other.token, journal);
    expect(start?.at, `job ${id} (${ref}) behind ${other.id} (${on})`).toBeGreaterThan(end?.at ?? 0);
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!;
}
