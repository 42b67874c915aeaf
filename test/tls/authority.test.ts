import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAuthority } from "../../src/tls/authority.ts";
import { permittedNames, serverCertificate } from "../../src/tls/certificates.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";
import { handshake, startTlsServer } from "../rig/tls.ts";

const DAY_MS = 86_400_000;
const here = ["localhost", "127.0.0.1", "::1"];
const now = Date.now();

let directory: TempDir;
let told: string[];
beforeEach(() => {
  directory = makeTempDir();
  told = [];
});
afterEach(() => directory[Symbol.dispose]());

const open = (names: readonly string[] = here, at = now) =>
  openAuthority(names, `${directory.path}/journal`, { now: at, onTrouble: (message) => told.push(message) });

/** A server's certificate of this authority, with its key. */
function issued({ privateKey: authorityKey }: Awaited<ReturnType<typeof open>>, names: readonly string[]) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: serverCertificate({ publicKey, names }, authorityKey, now, 14),
  };
}

it("is kept from run to run: the key only for its user, the certificate for everybody", async () => {
  const first = await open();
  const file = `${directory.path}/journal/tls-ca.pem`;
  expect(first.file).toBe(file);
  expect(readFileSync(file, "utf8")).toBe(first.certificate);
  expect(statSync(`${directory.path}/journal/key-tls-ca.json`).mode & 0o777).toBe(0o600);
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect((await open()).certificate).toBe(first.certificate);
  expect(told).toEqual([]);
});

it("has a certificate for more than a year, whose renewal with the same key is reported", async () => {
  const begin = now - 700 * DAY_MS;
  const first = await open(here, begin);
  const { validTo, validFrom, ca } = new X509Certificate(first.certificate);
  expect(ca).toBe(true);
  expect(Date.parse(validFrom)).toBeLessThan(begin);
  expect(Date.parse(validTo)).toBeGreaterThan(now);
  const later = await open(here, now);
  expect(later.certificate).not.toBe(first.certificate);
  expect(told).toEqual([
    expect.stringContaining("tls-ca.pem was replaced: restart the programs that trust the old one"),
  ]);
  const server = issued(first, ["localhost"]);
  await using served = await startTlsServer(server);
  for (const { certificate } of [first, later]) {
    expect(await handshake(served.port, "localhost", certificate)).toBe("trusted");
  }
});

it("is valid for its own names and those below them, and for nothing else", async () => {
  const authority = await open([...here, "sim.example.test"]);
  const { raw } = new X509Certificate(authority.certificate);
  expect(permittedNames(raw)).toEqual([...here, "sim.example.test"]);
  const outcomes: Record<string, string> = {};
  for (const name of ["localhost", "acme.localhost", "127.0.0.1", "a.sim.example.test", "bank.example", "10.0.0.1"]) {
    await using served = await startTlsServer(issued(authority, [name]));
    const servername = /^\d/.test(name) ? "" : name;
    outcomes[name] = await handshake(served.port, servername, authority.certificate);
  }
  expect(outcomes).toEqual({
    localhost: "trusted",
    "acme.localhost": "trusted",
    "127.0.0.1": "trusted",
    "a.sim.example.test": "trusted",
    "bank.example": "permitted subtree violation",
    "10.0.0.1": "permitted subtree violation",
  });
});

it("is replaced for another public name, but not if it already had the name", async () => {
  const first = await open();
  const second = await open([...here, "sim.example.test"]);
  expect(second.certificate).not.toBe(first.certificate);
  expect(told).toHaveLength(1);
  expect((await open()).certificate).toBe(second.certificate);
  expect(told).toHaveLength(1);
});

it.each(["", "no certificate"])("is replaced if its file has %j", async (content) => {
  const first = await open();
  directory.write("journal/tls-ca.pem", content);
  const { certificate } = await open();
  const publicKeyOf = (pem: string) => new X509Certificate(pem).publicKey.export({ type: "spki", format: "pem" });
  expect(publicKeyOf(certificate)).toBe(publicKeyOf(first.certificate));
});

it("lasts as long as the process without a directory, or if that cannot be written", async () => {
  const alone = await openAuthority(here, null, { now, onTrouble: (message) => told.push(message) });
  expect([alone.file, told]).toEqual([null, []]);
  expect(createPublicKey(alone.privateKey).asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  directory.write("file", "");
  const homeless = await openAuthority(here, `${directory.path}/file`, {
    now,
    onTrouble: (message) => told.push(message),
  });
  expect(homeless.file).toBeNull();
  expect(told).toContainEqual(expect.stringContaining("cannot be saved in"));
});
