import type { ExplanationView } from "../../api/explanation.js";
import type { AttemptView, JobDetailView, JobView, LogLineView, StepView } from "../../api/job.js";
import type { ListView, ThingView } from "../output/output.js";
import type { Style } from "../output/terminal.js";
import { durationText, exactDuration, instantText, relative } from "../output/time-text.js";

const STATE_STYLES: Readonly<Record<string, Style>> = {
  running: "cyan",
  completed: "green",
  dead: "red",
  cancelled: "dim",
  scheduled: "yellow",
};

function stateStyle(state: string): Style | null {
  return STATE_STYLES[state] ?? null;
}

export function jobList(now: number): ListView<JobView> {
  return {
    id: ({ id }) => id,
    empty: "No jobs match.",
    columns: [
      { title: "ID", text: ({ id }) => id, align: "right" },
      { title: "STATE", text: ({ state }) => state, style: ({ state }) => stateStyle(state) },
      { title: "QUEUE", text: ({ queue }) => queue, least: 8 },
      { title: "NAME", text: ({ name }) => name, least: 10 },
      { title: "PRIO", text: ({ priority }) => String(priority), align: "right" },
      { title: "ATTEMPT", text: ({ attempt, maxAttempts }) => `${attempt}/${maxAttempts}`, align: "right" },
      { title: "CREATED", text: ({ createdAt }) => relative(createdAt, now), align: "right" },
      { title: "NOW", text: (job) => situation(job, now), least: 8 },
    ],
  };
}

/** What the instants of a job say about the state that it is in. */
function situation({ state, runAt, startedAt, finishedAt }: JobView, now: number): string {
  const since = (instant: string | null) =>
    instant === null ? "" : durationText(Math.max(0, now - Date.parse(instant)));
  if (state === "scheduled") return `due ${relative(runAt, now)}`;
  if (state === "pending") return `waits ${since(runAt)}`;
  if (state === "running") return `runs ${since(startedAt)}`;
  return finishedAt === null ? "" : `ended ${relative(finishedAt, now)}`;
}

export function jobDetail(now: number): ThingView<JobDetailView> {
  return {
    id: ({ id }) => id,
    fields: (job) => [
      ["id", job.id],
      ["name", job.name],
      ["queue", job.queue],
      ["state", job.state],
      ["attempt", `${job.attempt} of ${job.maxAttempts}`],
      ["priority", String(job.priority)],
      ["created", instantText(job.createdAt, now)],
      ["run at", instantText(job.runAt, now)],
      ["started", instantText(job.startedAt, now)],
      ["finished", instantText(job.finishedAt, now)],
      ["worker", job.workerId],
      ["lease ends", instantText(job.leaseExpiresAt, now)],
      ["timeout", job.timeoutMs === null ? null : exactDuration(job.timeoutMs)],
      ["backoff", job.backoff === null ? null : JSON.stringify(job.backoff)],
      ["tags", job.tags.length === 0 ? null : job.tags.join(", ")],
      ["key", job.idempotencyKey],
      ["unique key", job.unique === null ? null : `${job.unique.key}, scope ${job.unique.scope}`],
      ["expires", instantText(job.expiresAt, now)],
      ["cancelled", cancellationOf(job)],
      ["concurrency key", job.concurrencyKey],
      ["rate key", job.rateKey],
      ["schedule", job.schedule === null ? null : `${job.schedule.key}, slot ${job.schedule.slot}`],
      ["payload", `${job.payloadBytes} bytes`],
      ["result", job.resultBytes === null ? null : `${job.resultBytes} bytes`],
      ["result problem", job.resultProblem],
      ["progress", progressOf(job)],
      ["last error", job.lastError === null ? null : `${job.lastError.type}: ${job.lastError.message}`],
    ],
  };
}

/** Why a job is not running. `detail` has the facts in words. */
export function explanationDetail(id: string): ThingView<ExplanationView> {
  return {
    id: () => id,
    fields: ({ state, reason, detail }) => [
      ["id", id],
      ["state", state],
      ["reason", reason],
      ["detail", detail],
    ],
  };
}

function cancellationOf({ cancellation }: JobDetailView): string | null {
  if (cancellation === null) return null;
  const { reason, about } = cancellation;
  return about === null ? reason : `${reason}, for job ${about}`;
}

function progressOf({ progress }: JobDetailView): string | null {
  if (progress === null) return null;
  return progress.message === null ? `${progress.percent} %` : `${progress.percent} %, ${progress.message}`;
}

export function attemptList(now: number): ListView<AttemptView> {
  return {
    id: ({ number }) => String(number),
    empty: "It has not been attempted yet.",
    columns: [
      { title: "NUMBER", text: ({ number }) => String(number), align: "right" },
      { title: "OUTCOME", text: ({ outcome }) => outcome },
      { title: "STARTED", text: ({ startedAt }) => relative(startedAt, now), align: "right" },
      { title: "TOOK", text: tookOf, align: "right" },
      { title: "WORKER", text: ({ workerId }) => workerId, least: 10 },
      {
        title: "ERROR",
        text: ({ error }) => (error === null ? "" : `${error.type}: ${error.message}`),
        least: 16,
      },
    ],
  };
}

function tookOf({ startedAt, finishedAt }: AttemptView): string {
  return finishedAt === null ? "" : durationText(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)));
}

export const stepList: ListView<StepView> = {
  id: ({ seq }) => String(seq),
  empty: "It has no steps that are done.",
  columns: [
    { title: "AT", text: ({ at }) => at },
    { title: "ATTEMPT", text: ({ attempt }) => String(attempt), align: "right" },
    {
      title: "RESULT",
      text: ({ resultBytes }) => (resultBytes === null ? "" : `${resultBytes} bytes`),
      align: "right",
    },
    { title: "NAME", text: ({ name }) => name, least: 20 },
  ],
};

export const logList: ListView<LogLineView> = {
  id: ({ seq }) => String(seq),
  empty: "It has logged nothing.",
  columns: [
    { title: "AT", text: ({ at }) => at },
    { title: "ATTEMPT", text: ({ attempt }) => String(attempt), align: "right" },
    { title: "LEVEL", text: ({ level }) => level },
    { title: "MESSAGE", text: ({ message }) => message, least: 20 },
  ],
};

/** What `jobs delete` tells of each job. */
export const deletedList: ListView<{ readonly id: string; readonly deleted: true }> = {
  id: ({ id }) => id,
  empty: "Nothing was deleted.",
  columns: [
    { title: "ID", text: ({ id }) => id, align: "right" },
    { title: "STATE", text: () => "deleted" },
  ],
};
