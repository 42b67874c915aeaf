import { generateKeyPairSync, sign } from "node:crypto";

/** A private key and a certificate that nobody trusts, as `node:https` takes them (PEM). */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate (X.509 version 1, ECDSA P-256, named `localhost`, valid until 2049) signed by its own key. */
export function selfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(COMMON_NAME, der(0x0c, Buffer.from("localhost")))));
  const validity = sequence(utcTime("200101000000Z"), utcTime("491231235959Z"));
  const subject = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(der(0x02, Buffer.from([1])), ECDSA_WITH_SHA256, name, validity, name, subject);
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", body, privateKey)]));
  const certificate = sequence(body, ECDSA_WITH_SHA256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** One DER value: its tag, its length, its content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return der(0x30, ...content);
}

function set(...content: readonly Buffer[]): Buffer {
  return der(0x31, ...content);
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

const COMMON_NAME = der(0x06, Buffer.from([0x55, 0x04, 0x03]));
const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));
