// Self-signed certificates for tests of TLS, made by Node's own cryptography: no program and no package is needed.

import { generateKeyPairSync, sign } from "node:crypto";

/** A value of ASN.1, in DER: its tag, its length, its content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const ECDSA_WITH_SHA256 = sequence(objectId("2a8648ce3d040302"));
const COMMON_NAME = objectId("550403");
const SUBJECT_ALT_NAME = objectId("551d11");

const pem = (what: string, bytes: Buffer) =>
  `-----BEGIN ${what}-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${what}-----\n`;

/** A certificate of 127.0.0.1 and localhost, and its key, as texts of PEM files. */
export function selfSigned(name: string): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const owner = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const time = (text: string) => der(0x17, Buffer.from(text));
  const names = sequence(
    der(0x82, Buffer.from("localhost")), // a name of DNS
    der(0x87, Buffer.from([127, 0, 0, 1])), // an address
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    owner,
    sequence(time("200101000000Z"), time("491231235959Z")),
    owner,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  );
  const signature = sign("sha256", content, privateKey);
  const whole = sequence(content, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: pem("CERTIFICATE", whole),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
