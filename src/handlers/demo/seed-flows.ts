import type { FlowRequest } from "../../core/flow-request.js";
import type { JobRequest } from "../../core/job-request.js";
import type { EngineContext } from "../../engine/context.js";
import { createFlow } from "../../engine/flows/make.js";
import { emailRequest, imageRequest } from "./requests.js";
import type { Simulation } from "./simulation.js";

const MINUTE = 60_000;
const NO_MAILBOX = { failAttempts: 1_000, error: "550 no such mailbox", final: true };

/** One that completes, one that goes on for as long as somebody may look, one that fails, and one that gets stuck. */
const FLOWS: readonly FlowRequest[] = [
  {
    name: "photo.publish",
    jobs: [
      { ref: "original", ...image(1, { takesMs: 800 }) },
      ...["small", "medium", "large"].map((size, n) => ({
        ref: size,
        ...image(n + 2, {}),
        dependsOn: ["original"],
      })),
      { ref: "announce", ...email(1, {}), dependsOn: ["small", "medium", "large"] },
    ],
  },
  {
    name: "album.publish",
    jobs: [
      { ref: "cover", ...image(5, {}) },
      ...[6, 7, 8, 9].map((number) => ({
        ref: `photo-${number}`,
        ...image(number, { takesMs: (number - 5) ** 2 * MINUTE }),
        dependsOn: ["cover"],
      })),
      { ref: "contact-sheet", ...image(10, {}), dependsOn: ["photo-6", "photo-7", "photo-8", "photo-9"] },
      { ref: "tell-owner", ...email(2, {}), dependsOn: ["cover", "contact-sheet"] },
      { ref: "tell-friends", ...email(3, {}), dependsOn: ["contact-sheet"] },
    ],
  },
  {
    name: "newsletter.issue",
    jobs: [
      { ref: "picture", ...image(11, {}) },
      { ref: "readers", ...email(4, {}), dependsOn: ["picture"] },
      { ref: "partners", ...email(5, NO_MAILBOX), dependsOn: ["picture"] },
      { ref: "thanks", ...email(6, {}), dependsOn: ["partners"] },
      {
        ref: "report",
        ...email(7, {}),
        dependsOn: ["readers", "partners"],
        onDependencyFailure: "run",
      },
    ],
  },
  {
    name: "invoice.send",
    jobs: [
      { ref: "scan", ...image(12, {}) },
      { ref: "send", ...email(8, NO_MAILBOX), dependsOn: ["scan"] },
      {
        ref: "file-copy",
        ...image(13, {}),
        dependsOn: [{ ref: "send", onFailure: "block" }],
      },
    ],
  },
];

/** Makes the flows of the demo, each once. @returns how many jobs they have */
export async function seedFlows(context: EngineContext): Promise<number> {
  for (const flow of FLOWS) await createFlow(context, { ...flow, idempotencyKey: `demo-${flow.name}` });
  return FLOWS.reduce((sum, { jobs }) => sum + jobs.length, 0);
}

function email(number: number, simulate: Simulation): JobRequest {
  return emailRequest(number, "receipt", simulate);
}

function image(number: number, simulate: Simulation): JobRequest {
  return imageRequest(number, simulate);
}
