// Runs the jobs of the conformance test over HTTP, until SIGTERM. Says what it does on its standard output.
import { defineJob, KonveierClient, NonRetryableError, RemoteWorker } from "../../../src/client/index.js";

interface Input {
  readonly url: string;
  readonly token: string;
  readonly id: string;
  readonly leaseMs: number;
}

const { url, token, id, leaseMs } = JSON.parse(process.argv[2] ?? "") as Input;

const say = (...words: readonly (string | number)[]): void => {
  process.stdout.write(`${words.join(" ")}\n`);
};

const jobs = [
  defineJob<{ x: number }>("double", {
    handler: async ({ payload, log, progress }) => {
      await progress(50, "half");
      await log("doubling");
      return { doubled: payload.x * 2 };
    },
  }),
  defineJob("flaky", {
    handler: ({ job }) => {
      if (job.attempt === 1) throw new Error("the first attempt fails");
      return job.attempt;
    },
  }),
  defineJob("steps", {
    handler: async ({ job, step }) => {
      const done = (name: string, result?: object) => () => {
        say("did", name, job.attempt);
        return result;
      };
      const first = await step("first", done("first", { attempt: job.attempt }));
      const second = await step("second", done("second"));
      if (job.attempt === 1) throw new Error("the first attempt fails");
      const problem = await step("outer", () => step("inner", () => null)).catch(String);
      return [first, second, problem];
    },
  }),
  defineJob("unstorable", { handler: ({ step }) => step("it", () => Number.NaN) }),
  defineJob("hopeless", {
    handler: () => {
      throw new NonRetryableError("never");
    },
  }),
  defineJob("hang", {
    handler: async ({ job, signal }) => {
      say("began", job.id, job.attempt);
      if (!signal.aborted) {
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
      }
      say("stopped", job.id, job.attempt);
      throw new Error("stopped");
    },
  }),
  defineJob("parent", {
    handler: async ({ flow }) => {
      await flow.add([
        { ref: "a", name: "double", payload: { x: 1 } },
        { ref: "b", name: "double", payload: { x: 2 } },
      ]);
      await flow.wait(["a", "b"]);
      const done: unknown[] = [];
      for await (const { ref, state, result } of flow.results()) done.push([ref, state, result]);
      return done;
    },
  }),
  defineJob("trace", { handler: ({ job }) => [job.traceparent, job.tracestate] }),
];

const worker = new RemoteWorker({
  client: new KonveierClient({ url, token }),
  jobs,
  id,
  leaseMs,
  concurrency: 4,
  onProblem: (error, during) => {
    say("problem", during, String(error));
  },
});
process.once("SIGTERM", () => {
  worker.stop({ graceMs: 100 }).catch((error: unknown) => {
    say(String(error));
  });
});
await worker.start();
say("ready");
await worker.finished;
