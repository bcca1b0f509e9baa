import type { JobRequest } from "../../core/job-request.js";
import type { Simulation } from "./simulation.js";

/** Templates of the simulated emails, each with the priority of its jobs. */
const PRIORITIES = { "password-reset": 9, receipt: 6, welcome: 4, "weekly-digest": 1 } as const;

export type DemoTemplate = keyof typeof PRIORITIES;
export const DEMO_TEMPLATES = Object.keys(PRIORITIES) as readonly DemoTemplate[];

const TENANTS = ["acme", "globex", "initech"] as const;
const WIDTHS = [320, 800, 1_600] as const;

/** `example.com` and names below `.invalid` are reserved: they lead to nobody. */
export function emailRequest(number: number, template: DemoTemplate, simulate: Simulation): JobRequest {
  return {
    name: "email.send",
    queue: "emails",
    payload: { to: `user-${number}@example.com`, template, simulate },
    priority: PRIORITIES[template],
    tags: [template, `tenant:${pick(TENANTS, number)}`],
  };
}

export function imageRequest(number: number, simulate: Simulation): JobRequest {
  const tenant = pick(TENANTS, number);
  return {
    name: "image.resize",
    queue: "images",
    payload: { source: `${tenant}/photo-${number}.jpg`, width: pick(WIDTHS, number), simulate },
    tags: [`tenant:${tenant}`],
  };
}

export function webhookRequest(number: number): JobRequest {
  return {
    name: "webhook.call",
    queue: "webhooks",
    payload: {
      url: "https://hooks.example.invalid/orders",
      body: { type: "order.paid", order: 1_000 + number },
    },
    tags: ["order.paid"],
  };
}

export function pick<T>(values: readonly [T, ...T[]], number: number): T {
  return values[number % values.length] ?? values[0];
}
