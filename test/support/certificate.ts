import { generateKeyPairSync, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** Makes certificates for tests. Node can read X.509 and not write it. Not part of the product. */

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
const COMMON_NAME = der(0x06, Buffer.from("550403", "hex"));
const SUBJECT_ALT_NAME = der(0x06, Buffer.from("551d11", "hex"));

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for a host name or an IPv4 address, valid from 2020 to 2049. */
export function certificateFor(host: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(host)))));
  const alternativeNames = der(
    SEQUENCE,
    isIPv4(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host)),
  );
  const extension = der(SEQUENCE, SUBJECT_ALT_NAME, der(0x04, alternativeNames));
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("490101000000Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", content, privateKey)]);
  const bytes = der(SEQUENCE, content, ECDSA_WITH_SHA256, der(0x03, signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  if (bytes.length < 0x80) return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([tag, 0x82, bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
