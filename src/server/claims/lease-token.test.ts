import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Signer } from "../signer.js";
import { claimKeyOf, leaseTokenOf, readLeaseToken } from "./lease-token.js";

const secret = randomBytes(32);
const signer = new Signer(secret);
const claim = { id: "12", token: 345 };
const leaseToken = leaseTokenOf(signer, claim);

describe("a lease token", () => {
  test("is the fencing token and 128 bits of an HMAC over job and token", () => {
    const digest = createHmac("sha256", secret).update("12.345").digest().subarray(0, 16);
    expect(leaseToken).toBe(`lt_345_${digest.toString("base64url")}`);
  });

  test("stands for its claim", () => {
    expect(readLeaseToken(signer, "12", leaseToken)).toEqual(claim);
    expect(claimKeyOf(signer, "12", leaseToken)).toEqual(claim);
  });

  test("holds the largest fencing token", () => {
    const largest = { id: "9007199254740991", token: Number.MAX_SAFE_INTEGER };
    expect(readLeaseToken(signer, largest.id, leaseTokenOf(signer, largest))).toEqual(largest);
  });

  test("is refused for another job, also one whose id and token read the same together", () => {
    expect(readLeaseToken(signer, "13", leaseToken)).toBeNull();
    expect(readLeaseToken(signer, "123", leaseToken.replace("lt_345_", "lt_45_"))).toBeNull();
    expect(readLeaseToken(signer, "012", leaseToken)).toBeNull();
  });

  test("is refused from another database", () => {
    expect(readLeaseToken(new Signer(randomBytes(32)), "12", leaseToken)).toBeNull();
  });

  test.each([
    ["empty", ""],
    ["without a signature", "lt_345_"],
    ["with a higher fencing token", leaseToken.replace("345", "346")],
    ["with a zero in front", leaseToken.replace("345", "0345")],
    ["with a space", ` ${leaseToken}`],
    ["with a line after it", `${leaseToken}\n`],
    ["cut", leaseToken.slice(0, -1)],
    ["longer", `${leaseToken}A`],
    ["with padding", `${leaseToken}==`],
    ["with another last letter that decodes to the same bytes", otherSpelling(leaseToken)],
    ["of letters that base64url does not have", `lt_345_${"ю".repeat(22)}`],
  ])("is refused %s", (_how, forged) => {
    expect(readLeaseToken(signer, "12", forged)).toBeNull();
    expect(() => claimKeyOf(signer, "12", forged)).toThrow(expect.objectContaining({ code: "lease_lost" }));
  });
});

/** 22 base64url letters hold four bits more than 128: the last letter has 16 spellings. */
function otherSpelling(text: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = letters.indexOf(text.at(-1)!);
  return text.slice(0, -1) + letters[last ^ 1]!;
}
