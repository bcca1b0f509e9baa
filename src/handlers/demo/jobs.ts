import { systemClock, type Clock } from "../../core/clock.js";
import { NonRetryableError } from "../../core/outcomes.js";
import { defineJob, type AnyJobDefinition, type JobDefinition } from "../../core/define-job.js";
import { simulate, SIMULATED, type Simulation } from "./simulation.js";

export interface EmailPayload {
  readonly to: string;
  readonly template?: string;
  readonly simulate?: Simulation;
}

export interface EmailResult {
  readonly simulated: true;
  readonly note: string;
  readonly to: string;
  readonly template: string;
}

export interface ImagePayload {
  readonly source: string;
  readonly width?: number;
  readonly simulate?: Simulation;
}

export interface ImageResult {
  readonly simulated: true;
  readonly note: string;
  readonly source: string;
  readonly width: number;
}

/** Handlers that only pretend: nothing is sent, read or written. */
export function demoJobs(clock: Clock = systemClock): readonly AnyJobDefinition[] {
  return [emailSend(clock), imageResize(clock)];
}

const EMAIL_STAGES = ["connecting to the mail server", "sending the message"];

export function emailSend(clock: Clock): JobDefinition<EmailPayload, EmailResult> {
  return defineJob("email.send", {
    handler: async (context) => {
      const to = requiredText(context.payload, "to");
      const { template = "plain", simulate: told = {} } = context.payload;
      await simulate(context, clock, EMAIL_STAGES, told);
      return { simulated: true, note: `${SIMULATED} no email was sent`, to, template };
    },
  });
}

const IMAGE_STAGES = ["reading the image", "resizing", "writing the result"];

export function imageResize(clock: Clock): JobDefinition<ImagePayload, ImageResult> {
  return defineJob("image.resize", {
    handler: async (context) => {
      const source = requiredText(context.payload, "source");
      const { width = 800, simulate: told = {} } = context.payload;
      await simulate(context, clock, IMAGE_STAGES, told);
      return { simulated: true, note: `${SIMULATED} no image was read or written`, source, width };
    },
  });
}

/** Anybody may enqueue a job of these names, so the payload may be anything. */
function requiredText(payload: unknown, field: string): string {
  const value = (payload as Readonly<Record<string, unknown>> | null)?.[field];
  if (typeof value === "string" && value !== "") return value;
  throw new NonRetryableError(`payload.${field} must be a text`);
}
