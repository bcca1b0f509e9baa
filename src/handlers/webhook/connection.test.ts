import { createServer as createHttpsServer, type Server } from "node:https";
import { createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NonRetryableError } from "../../core/outcomes.js";
import { openConnection, type Route } from "./connection.js";
import { exchange } from "./exchange.js";
import { certificateFor, type TestCertificate } from "../../../test/support/certificate.js";
import { callWebhook, failureOf, fakeLookup, listen } from "../../../test/support/webhook.js";

const toLoopback = { permits: () => true, lookup: fakeLookup(["127.0.0.1"]) };
const { signal } = new AbortController();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("openConnection", () => {
  it("checks the address it reached before it writes anything", async () => {
    let bytesRead = Number.NaN;
    const server = createServer((socket) => {
      socket.resume().once("close", () => (bytesRead = socket.bytesRead));
    });
    await using receiver = await listen(server);
    for (const protocol of ["http", "https"]) {
      const permits = vi.fn().mockReturnValueOnce(true).mockReturnValueOnce(false);
      const url = new URL(`${protocol}://hook.test:${receiver.port}/`);
      const error = await failureOf(openConnection(url, { ...toLoopback, permits }, signal));
      expect(error).toEqual(
        new NonRetryableError(
          "address 127.0.0.1 of host hook.test is not public; allow it with KONVEIER_WEBHOOK_ALLOW_CIDRS",
        ),
      );
      expect(permits.mock.calls).toEqual([["127.0.0.1"], ["127.0.0.1"]]);
      await receiver.idle();
      expect(bytesRead).toBe(0);
    }
    expect(receiver.connections()).toBe(2);
  });

  it("closes what it opened when the signal aborts during the TLS handshake", async () => {
    const controller = new AbortController();
    const server = createServer((socket) => {
      socket.once("data", () => {
        controller.abort();
      });
    });
    await using receiver = await listen(server);
    const url = new URL(`https://hook.test:${receiver.port}/`);
    expect((await failureOf(openConnection(url, toLoopback, controller.signal))).name).toBe("AbortError");
    await receiver.idle();
  });
});

describe("https", () => {
  const certificate = certificateFor("hook.test");
  const serve = (options: object = {}): Server =>
    createHttpsServer({ ...certificate, ...options }, ({ socket, headers }, response) => {
      const serverName = socket instanceof TLSSocket && "servername" in socket ? socket.servername : null;
      response.end(`${String(serverName)} ${String(headers.host)}`);
    });
  const answerOver = async (url: string, { cert }: TestCertificate): Promise<string> => {
    const route: Route = { ...toLoopback, ca: cert };
    const socket = await openConnection(new URL(url), route, signal);
    const headers = new Map([["host", new URL(url).host]]);
    const response = await exchange(socket, { method: "GET", url: new URL(url), headers, body: null });
    return (await response.toArray()).join("");
  };

  it.each(["hook.test", "hook.test."])(
    "names %s in Host, and in the greeting without a final dot",
    async (host) => {
      await using receiver = await listen(serve());
      const answer = await answerOver(`https://${host}:${receiver.port}/`, certificate);
      expect(answer).toBe(`hook.test ${host}:${receiver.port}`);
      await receiver.idle();
    },
  );

  it("refuses the certificate of another host", async () => {
    await using receiver = await listen(serve());
    const error = await failureOf(answerOver(`https://other.test:${receiver.port}/`, certificate));
    expect(error).toHaveProperty("code", "ERR_TLS_CERT_ALTNAME_INVALID");
    await receiver.idle();
  });

  it("takes the certificate of the address in the URL", async () => {
    const ofAddress = certificateFor("127.0.0.1");
    await using receiver = await listen(serve(ofAddress));
    const answer = await answerOver(`https://127.0.0.1:${receiver.port}/`, ofAddress);
    expect(answer).toBe(`false 127.0.0.1:${receiver.port}`);
  });

  it("refuses a certificate for a name when the URL has an address", async () => {
    await using receiver = await listen(serve());
    const error = await failureOf(answerOver(`https://127.0.0.1:${receiver.port}/`, certificate));
    expect(error).toHaveProperty("code", "ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("refuses TLS before 1.2", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
    const server = serve(old).on("tlsClientError", () => undefined);
    await using receiver = await listen(server);
    const error = await failureOf(answerOver(`https://hook.test:${receiver.port}/`, certificate));
    expect(error).toHaveProperty("code", "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  });

  it.each(["1", "0"])(
    "refuses an unknown certificate, NODE_TLS_REJECT_UNAUTHORIZED=%s, and is retried",
    async (value) => {
      // Node itself warns of the variable.
      vi.spyOn(process, "emitWarning").mockReturnValue();
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", value);
      await using receiver = await listen(serve());
      const url = `https://hook.test:${receiver.port}/`;
      const error = await failureOf(callWebhook({ url }, { lookup: toLoopback.lookup }));
      expect(error).not.toBeInstanceOf(NonRetryableError);
      expect(error.message).toMatch(
        /^POST https:\/\/hook\.test:\d+\/ failed: self-signed certificate.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
      );
      await receiver.idle();
    },
  );
});
