import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { KonveierError } from "../core/errors.js";
import { EXIT } from "./exit-codes.js";
import { StartError } from "./start-error.js";
import { startFailure } from "./start-failure.js";

/** The error of listening where that is not possible. */
async function listenError(host: string, port: number): Promise<unknown> {
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  server.listen(port, host);
  const [error] = (await once(server, "error")) as [unknown];
  return error;
}

describe("startFailure", () => {
  it("names another port when the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => {
      other.close();
    });
    const { port } = other.address() as AddressInfo;
    const error = await listenError("127.0.0.1", port);
    expect(startFailure(error, { host: "127.0.0.1", port })).toEqual({
      text: `Port ${port} on 127.0.0.1 is taken by another program. Stop that program, or choose another port, such as PORT=${port + 1}.`,
      exitCode: 1,
      unexpected: false,
    });
  });

  it("knows addresses that this machine does not have", async () => {
    // 192.0.2.0/24 is for documentation and belongs to nobody.
    const error = await listenError("192.0.2.1", 0);
    expect(startFailure(error, { host: "192.0.2.1", port: 0 }).text).toMatch(
      /^HOST 192\.0\.2\.1 is no address of this machine\./,
    );
  });

  it("repeats what the store and the configuration say", () => {
    const settings = { host: "127.0.0.1", port: 8085 };
    const store = new KonveierError("store_too_new", "jobs.db has schema version 9. Update Konveier.");
    expect(startFailure(store, settings)).toEqual({ text: store.message, exitCode: 1, unexpected: false });
    const start = new StartError("PORT is wrong", EXIT.configuration);
    expect(startFailure(start, settings)).toEqual({ text: "PORT is wrong", exitCode: 78, unexpected: false });
  });

  it("asks for the stack only of what nobody expected", () => {
    const failure = startFailure(new TypeError("x is not a function"), { host: "127.0.0.1", port: 8085 });
    expect(failure).toEqual({
      text: "Something unexpected failed: x is not a function",
      exitCode: 1,
      unexpected: true,
    });
  });
});
