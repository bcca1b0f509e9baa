import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseSigningSecret, webhookSignature } from "./signature.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("webhookSignature", () => {
  it("gives the signature of the Standard Webhooks specification", () => {
    const signature = webhookSignature(
      [parseSigningSecret(SECRET)],
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330,
      '{"test": 2432232314}',
    );
    expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("signs with every key, in their order", () => {
    const keys = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
    const expected = keys.map(
      (key) => `v1,${createHmac("sha256", key).update("job_1.5.x").digest("base64")}`,
    );
    expect(webhookSignature(keys, "job_1", 5, "x")).toBe(expected.join(" "));
  });
});

describe("parseSigningSecret", () => {
  it.each([24, 32, 64])("takes %i bytes", (length) => {
    const key = Buffer.alloc(length, 0xfe);
    expect(parseSigningSecret(`whsec_${key.toString("base64")}`)).toEqual(key);
  });

  it.each([
    ["nothing", ""],
    ["another prefix", SECRET.replace("whsec_", "whsk_")],
    ["no prefix", SECRET.replace("whsec_", "")],
    ["a prefix alone", "whsec_"],
    ["23 bytes", `whsec_${Buffer.alloc(23, 1).toString("base64")}`],
    ["65 bytes", `whsec_${Buffer.alloc(65, 1).toString("base64")}`],
    ["a stray character", `${SECRET} `],
    ["the URL alphabet", `whsec_${Buffer.alloc(24, 0xff).toString("base64url")}`],
    ["lost padding", `whsec_${Buffer.alloc(25, 1).toString("base64").replace(/=+$/, "")}`],
  ])("refuses %s without repeating it", (_, secret) => {
    expect(() => parseSigningSecret(secret)).toThrow(
      new RangeError("must be whsec_ and the base64 of 24 to 64 bytes"),
    );
  });
});
