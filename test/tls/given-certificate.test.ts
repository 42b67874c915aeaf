import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAuthority } from "../../src/tls/authority.ts";
import { serverCertificate } from "../../src/tls/certificates.ts";
import { readGivenCertificate } from "../../src/tls/given-certificate.ts";
import { prepareTls } from "../../src/tls/server-tls.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const DAY_MS = 86_400_000;
const now = Date.now();
const pemOf = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();

let directory: TempDir;
const at = (name: string) => `${directory.path}/${name}`;

beforeAll(async () => {
  directory = makeTempDir();
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authority = await openAuthority(["localhost", "sim.example.test"], null, { now, onTrouble: () => {} });
  const certificate = (time: number) =>
    serverCertificate({ publicKey: pair.publicKey, names: ["sim.example.test"] }, authority.privateKey, time, 14);
  directory.write("cert.pem", certificate(now) + authority.certificate);
  directory.write("expired.pem", certificate(now - 20 * DAY_MS));
  directory.write("early.pem", certificate(now + 20 * DAY_MS));
  directory.write("key.pem", pemOf(pair.privateKey));
  directory.write("other-key.pem", pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey));
  const cipher = { cipher: "aes-256-cbc", passphrase: "secret words" };
  directory.write("encrypted.pem", pair.privateKey.export({ type: "pkcs8", format: "pem", ...cipher }).toString());
  directory.write("text.pem", "some text\n");
  directory.write("cut.pem", `${certificate(now).slice(0, 200)}\n-----END CERTIFICATE-----\n`);
});
afterAll(() => directory[Symbol.dispose]());

it("is read with those of its issuers", async () => {
  const { leaf, cert, key } = await readGivenCertificate({ cert: at("cert.pem"), key: at("key.pem") }, now);
  expect(leaf.subjectAltName).toBe("DNS:sim.example.test");
  expect(cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(key).toContain("BEGIN PRIVATE KEY");
});

it.each([
  ["nowhere.pem", "key.pem", "--cert", "cannot be read (ENOENT)", "--tls on its own"],
  ["cert.pem", "nowhere.pem", "--key", "cannot be read (ENOENT)", "--tls on its own"],
  [".", "key.pem", "--cert", "cannot be read (EISDIR)", "PEM file"],
  ["text.pem", "key.pem", "--cert", "contains no PEM certificate", "BEGIN CERTIFICATE"],
  ["cut.pem", "key.pem", "--cert", "contains no PEM certificate", "BEGIN CERTIFICATE"],
  ["key.pem", "cert.pem", "--cert", "contains no PEM certificate", "swapped"],
  ["cert.pem", "text.pem", "--key", "contains no PEM private key", "BEGIN PRIVATE KEY"],
  ["cert.pem", "cert.pem", "--key", "contains no PEM private key", "swapped"],
  ["cert.pem", "encrypted.pem", "--key", "is encrypted", "openssl pkey -in"],
  ["cert.pem", "other-key.pem", "--key", "is not the key of the certificate", "created together"],
  ["expired.pem", "key.pem", "--cert", "expired at 20", "renew it"],
  ["early.pem", "key.pem", "--cert", "is not valid before 20", "clock of this machine"],
])("%s with %s is refused: %s %s", async (cert, key, flag, says, advice) => {
  const error = await usageErrorOf(readGivenCertificate({ cert: at(cert), key: at(key) }, now));
  expect(error).toMatchObject({ code: "certificate-invalid", hint: expect.stringContaining(advice) });
  expect(error.message).toContain(says);
  expect(error.message).toContain(flag);
});

it.each([
  [null, "the certificate is not for 127.0.0.1, so clients reject it at https://127.0.0.1:7410"],
  ["https://other.example.test", "the certificate is not for other.example.test"],
  ["https://sim.example.test:8443", null],
])("with the public URL %s: %s", async (publicUrl, says) => {
  const told: string[] = [];
  const config = {
    ...{ port: 7410, publicUrl, tls: { cert: at("cert.pem"), key: at("key.pem") } },
    organization: { id: 1, domain: "acme", edition: "enterprise" as const },
  };
  await prepareTls(config, null, { now: () => now, onTrouble: (message) => told.push(message) });
  expect(told).toEqual(says === null ? [] : [expect.stringContaining(says)]);
});
