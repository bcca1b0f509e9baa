import { ClaimView } from "../../src/api/claim.js";
import type { HttpServer } from "../support/http-server.js";

/** A server with something of everything to look at: jobs in every state, a flow, schedules, a worker, tokens, a paused queue. */
export async function seed(server: HttpServer): Promise<void> {
  await server.post("/v1/jobs/batch", {
    jobs: Array.from({ length: 12 }, (_, index) => ({
      name: index % 3 === 0 ? "email.send" : "report.build",
      queue: "emails",
      payload: { to: `reader-${index}@example.com`, n: index },
      maxAttempts: 1,
      tags: ["vip"],
    })),
  });
  const claimed = (
    await server.post("/v1/claim", { workerId: "worker-1", queues: ["emails"], max: 8, leaseMs: 60_000 })
  ).as(ClaimView).jobs;
  for (const [index, { id, leaseToken }] of claimed.entries()) {
    if (index < 3) {
      await server.post(`/v1/jobs/${id}/steps`, { leaseToken, name: "connect", result: { ms: 12 } });
      await server.post(`/v1/jobs/${id}/steps`, { leaseToken, name: "send" });
      await server.post(`/v1/jobs/${id}/complete`, { leaseToken, result: { ok: true } });
    } else if (index < 6) {
      const error = {
        type: "SmtpError",
        message: `connection to 10.0.0.${index} refused`,
        stack: "SmtpError: x\n    at send (mail.js:1:1)",
      };
      await server.post(`/v1/jobs/${id}/logs`, {
        leaseToken,
        lines: [{ level: "info", message: "connecting" }],
      });
      await server.post(`/v1/jobs/${id}/fail`, { leaseToken, error });
    } else await server.post(`/v1/jobs/${id}/progress`, { leaseToken, percent: 40, message: "half way" });
  }
  await server.post("/v1/jobs", { name: "report.build", queue: "reports", delayMs: 3_600_000 });
  await server.post("/v1/jobs", { name: "newsletter.send", queue: "newsletter" });
  await server.post("/v1/queues/newsletter/pause", { reason: "waiting for the text" });
  const cancelled = (await server.post("/v1/jobs", { name: "report.build" })).json as { id: string };
  await server.post(`/v1/jobs/${cancelled.id}/cancel`);
  await server.send("PUT", "/v1/schedules/report.weekly", {
    json: {
      cron: "30 8 * * MON",
      timezone: "Europe/Berlin",
      job: { name: "report.build", queue: "reports" },
    },
  });
  await server.send("PUT", "/v1/schedules/cleanup", { json: { everyMs: 300_000, job: { name: "cleanup" } } });
  await server.post("/v1/schedules/cleanup/run");
  const orders = [
    { ref: "charge" },
    { ref: "pack", dependsOn: ["charge"] },
    { ref: "mail", dependsOn: [{ ref: "charge", onFailure: "run" }] },
    { ref: "ship", dependsOn: ["pack", { ref: "mail", onFailure: "block" }], onDependencyFailure: "run" },
  ].map((job) => ({ ...job, name: "order.step", queue: "orders" }));
  await server.post("/v1/flows", { name: "order", jobs: orders });
  const { items } = (await server.get("/v1/flows/1/jobs")).json as { items: { id: string }[] };
  await server.post(`/v1/jobs/${items[0]?.id ?? ""}/cancel`);
  await server.post("/v1/tokens", { name: "shop", scopes: ["producer"] });
}
