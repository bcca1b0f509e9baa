import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import Fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { followCallEnds } from "./call-end.js";
import { limitUntakenAnswers } from "./untaken-answers.js";

/** More than the system takes for a client that does not read. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** A server with room for two and a half large answers, and clients that ask it and read nothing. */
async function startServer(large: string | Buffer) {
  const app = Fastify();
  followCallEnds(app);
  limitUntakenAnswers(app, 2.5 * LARGE_BYTES);
  app.get("/large", () => large);
  app.get("/small", () => "small");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const clients: Socket[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    await app.close();
  });
  const ask = async (path: string): Promise<Socket> => {
    const connection = once(app.server, "connection") as Promise<[Socket]>;
    const client = connect(port, "127.0.0.1");
    clients.push(client);
    client.pause();
    client.on("error", () => undefined);
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [served] = await connection;
    return served;
  };
  return { ask, port };
}

test.each([
  ["one byte", "x"],
  ["three bytes", "€"],
])(
  "the answer that waits the longest is given up when all are too much together: %s a character",
  async (_bytes, character) => {
    const text = character.repeat(Math.ceil(LARGE_BYTES / Buffer.byteLength(character)));
    const { ask, port } = await startServer(text);
    const small = await ask("/small");
    const first = await ask("/large");
    const second = await ask("/large");
    await vi.waitFor(() => {
      expect([first.writableLength > 0, second.writableLength > 0]).toEqual([true, true]);
    });
    // What is taken does not count.
    for (let times = 0; times < 3; times += 1) {
      expect((await fetch(`http://127.0.0.1:${port}/small`)).status).toBe(200);
    }
    expect(first.destroyed).toBe(false);
    const third = await ask("/large");
    await vi.waitFor(() => {
      expect(first.destroyed).toBe(true);
    });
    expect([small.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false]);
  },
);

test("An answer that was made once for many counts once", async () => {
  const { ask } = await startServer(Buffer.alloc(LARGE_BYTES));
  const clients = [await ask("/large"), await ask("/large"), await ask("/large"), await ask("/large")];
  await vi.waitFor(() => {
    for (const { writableLength } of clients) expect(writableLength).toBeGreaterThan(0);
  });
  expect(clients.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
});
