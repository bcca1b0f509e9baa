import { once } from "node:events";
import { createServer } from "node:net";
import { fault, ok, type Finding } from "./finding.js";

const LIMIT_MS = 3_000;

/** Whether our server answers there and is ready. `null`: nobody listens. */
export async function checkServer(url: string): Promise<Finding | null> {
  const check = "server";
  let answer: { readonly status: number; readonly text: string };
  try {
    const response = await fetch(new URL("/readyz", url), {
      redirect: "manual",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    answer = { status: response.status, text: (await response.text()).slice(0, 1_000) };
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    if (code === "ECONNREFUSED") return null;
    const reason = cause instanceof Error ? cause.message : message;
    return fault(
      check,
      `${url} does not answer: ${reason}`,
      "Look whether the server hangs or a firewall is between.",
    );
  }
  if (answer.status === 200 && isStatus(answer.text, "ok")) return ok(check, `${url} answers and is ready`);
  if (answer.status === 503 && isStatus(answer.text, "unavailable")) {
    return fault(
      check,
      `${url} answers and is not ready`,
      "It is stopping, or its database fails: see its log.",
    );
  }
  return fault(check, `another program answers on ${url}`, "Stop that program, or choose another PORT.");
}

/** Whether the server could listen there. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  const check = "server";
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, "listening");
    return ok(check, `no server runs, and port ${port} on ${host} is free`);
  } catch (error) {
    const found = `port ${port} on ${host} cannot be opened: ${(error as Error).message}`;
    return fault(check, found, "Choose another HOST or PORT.");
  } finally {
    server.close();
  }
}

function isStatus(text: string, status: string): boolean {
  try {
    return (JSON.parse(text) as { readonly status?: unknown } | null)?.status === status;
  } catch {
    return false;
  }
}
