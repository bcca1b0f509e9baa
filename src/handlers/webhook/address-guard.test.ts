import type { LookupFunction } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { NonRetryableError } from "../../core/outcomes.js";
import { guardedLookup } from "./address-guard.js";
import { addressPolicy } from "./address-policy.js";
import { callWebhook, failureOf, fakeLookup, startReceiver } from "../../../test/support/webhook.js";

function refusal(address: string, host = address): NonRetryableError {
  return new NonRetryableError(
    `address ${address} of host ${host} is not public; allow it with KONVEIER_WEBHOOK_ALLOW_CIDRS`,
  );
}

describe("an address in the URL is refused without a lookup", () => {
  it.each([
    ["http://169.254.169.254/", "169.254.169.254"],
    ["http://127.0.0.1/", "127.0.0.1"],
    ["http://127.0.0.1./", "127.0.0.1"],
    ["http://[::1]/", "::1"],
    ["http://[::]/", "::"],
    ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["http://[::127.0.0.1]/", "::7f00:1"],
    ["http://[64:ff9b::127.0.0.1]/", "64:ff9b::7f00:1"],
    ["http://[2002:7f00:1::]/", "2002:7f00:1::"],
    ["http://[fd00:ec2::254]/", "fd00:ec2::254"],
    ["http://[fe80::1]/", "fe80::1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://0x7f000001/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://0177.0.0.1/", "127.0.0.1"],
    ["http://017700000001/", "127.0.0.1"],
    ["http://127.1/", "127.0.0.1"],
    ["http://0/", "0.0.0.0"],
    ["http://①②⑦.⓪.⓪.①/", "127.0.0.1"],
    ["http://127。0。0。1/", "127.0.0.1"],
    ["http://%31%32%37.0.0.1/", "127.0.0.1"],
    ["http://100.64.0.1/", "100.64.0.1"],
    ["http://10.0.0.1:80\\@example.com/", "10.0.0.1"],
    ["https://192.168.0.1/?example.com", "192.168.0.1"],
    ["http:127.0.0.1", "127.0.0.1"],
    ["HTTP:\\\\127.0.0.1\\", "127.0.0.1"],
  ])("%s", async (url, address) => {
    const lookup = fakeLookup(["1.1.1.1"]);
    expect(await failureOf(callWebhook({ url }, { allowCidrs: [], lookup }))).toEqual(refusal(address));
    expect(lookup.names).toEqual([]);
  });

  it.each(["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.localhost."])(
    "http://%s/, which means one",
    async (host) => {
      const lookup = fakeLookup(["1.1.1.1"]);
      const error = await failureOf(callWebhook({ url: `http://${host}/` }, { allowCidrs: [], lookup }));
      expect(error).toEqual(refusal("127.0.0.1", host.toLowerCase()));
      expect(lookup.names).toEqual([]);
    },
  );

  it("but called when its network is allowed", async () => {
    await using receiver = await startReceiver((_, response) => response.end());
    for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"]) {
      const url = `http://${host}:${receiver.port}/`;
      const lookup = fakeLookup(["127.0.0.1"]);
      expect((await callWebhook({ url }, { allowCidrs: ["127.0.0.1/32"], lookup })).status).toBe(200);
    }
  });
});

describe("an address that a name leads to", () => {
  const url = "http://hook.test/a";

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "fd00:ec2::254",
    "fe80::1%eth0",
    "not an address",
  ])("is refused: %s", async (address) => {
    const lookup = fakeLookup([address]);
    expect(await failureOf(callWebhook({ url }, { allowCidrs: [], lookup }))).toEqual(
      refusal(address, "hook.test"),
    );
    expect(lookup.names).toEqual(["hook.test"]);
  });

  it("is refused when all of several are", async () => {
    const lookup = fakeLookup(["10.0.0.1", "::1"]);
    const error = await failureOf(callWebhook({ url }, { allowCidrs: [], lookup }));
    expect(error).toEqual(refusal("10.0.0.1", "hook.test"));
  });

  it("is left out when others are permitted", async () => {
    await using receiver = await startReceiver((_, response) => response.end());
    const lookup = fakeLookup(["10.0.0.1", "127.0.0.1", "::1"]);
    const settings = { allowCidrs: ["127.0.0.1/32"], lookup };
    expect((await callWebhook({ url: `http://hook.test:${receiver.port}/` }, settings)).status).toBe(200);
  });

  it("is looked up once, so that it is the one that was checked, and again for every attempt", async () => {
    await using receiver = await startReceiver((_, response) => response.end());
    const lookup = fakeLookup(["127.0.0.1"], ["10.0.0.1"]);
    const settings = { allowCidrs: ["127.0.0.1/32"], lookup };
    const payload = { url: `http://hook.test:${receiver.port}/` };
    await callWebhook(payload, settings);
    expect(lookup.names).toHaveLength(1);
    expect(await failureOf(callWebhook(payload, settings))).toEqual(refusal("10.0.0.1", "hook.test"));
    expect(receiver.connections()).toBe(1);
  });

  it("gets the name of the URL as its Host", async () => {
    await using receiver = await startReceiver((_, response) => response.end());
    await callWebhook({ url: `http://hook.test:${receiver.port}/` }, { lookup: fakeLookup(["127.0.0.1"]) });
    expect(receiver.requests[0]?.headers.host).toBe(`hook.test:${receiver.port}`);
  });
});

describe("guardedLookup", () => {
  const ask = (
    answer: LookupFunction,
    options: { readonly all?: boolean; readonly family?: number },
  ): Promise<Parameters<Parameters<LookupFunction>[2]>> =>
    new Promise((resolve) => {
      guardedLookup(addressPolicy([]), answer)("hook.test", options, (...result) => {
        resolve(result);
      });
    });

  it("gives all permitted addresses to who asks for all", async () => {
    const [error, addresses] = await ask(fakeLookup(["10.0.0.1", "1.1.1.1", "::1", "2606:4700::1"]), {
      all: true,
    });
    expect([error, addresses]).toEqual([
      null,
      [
        { address: "1.1.1.1", family: 4 },
        { address: "2606:4700::1", family: 6 },
      ],
    ]);
  });

  it("gives the first permitted address to who asks for one", async () => {
    expect(await ask(fakeLookup(["10.0.0.1", "2606:4700::1", "1.1.1.1"]), {})).toEqual([
      null,
      "2606:4700::1",
      6,
    ]);
  });

  it("checks the answer of a lookup that gives only one", async () => {
    const single =
      (address: string): LookupFunction =>
      (_host, _options, callback) => {
        callback(null, address);
      };
    expect(await ask(single("1.1.1.1"), {})).toEqual([null, "1.1.1.1", 4]);
    expect(await ask(single("10.0.0.1"), {})).toEqual([refusal("10.0.0.1", "hook.test"), []]);
  });

  it("passes the options on", async () => {
    const lookup = vi.fn(fakeLookup(["1.1.1.1"]));
    await ask(lookup, { family: 4 });
    expect(lookup.mock.calls[0]?.slice(0, 2)).toEqual(["hook.test", { family: 4, all: true }]);
  });
});
