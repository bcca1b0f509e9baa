/** A process that opens a database, does a little, closes it, and has to end by itself. */
import { Konveier, defineJob } from "../../../src/index.js";

export interface OneJobInput {
  readonly file: string;
  /** Whether it runs the job that it enqueues. */
  readonly run: boolean;
}

const { file, run } = JSON.parse(process.argv[2] ?? "") as OneJobInput;

const konveier = await Konveier.open(`sqlite:${file}`);
const ran = new Promise<void>((resolve) => {
  konveier.on("job.completed", () => {
    resolve();
  });
});
const greet = defineJob("greet", {
  timeoutMs: 60_000,
  handler: async ({ progress, log, signal }) => {
    await Promise.all([progress(50), log("half"), log(String(signal.aborted))]);
    return "hello";
  },
});
await konveier.enqueue(greet, null, { timeoutMs: 60_000 });
// Something is scheduled too: its timer must not keep the process.
await konveier.enqueue(greet, null, { delayMs: 3_600_000 });
if (run) {
  await konveier.worker({ jobs: [greet] }).start();
  await ran;
}
await konveier.close();
// The channel to the test is the only thing that may still be open.
process.disconnect();
