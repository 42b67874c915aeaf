import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { explainOutcome } from "../../src/app-client/explain-outcome.ts";
import { startSimulator } from "../../src/index.ts";
import { openAuthority } from "../../src/tls/authority.ts";
import { serverCertificate } from "../../src/tls/certificates.ts";
import { runCli } from "../rig/cli.ts";
import { selfSigned } from "../rig/self-signed.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { startTlsServer } from "../rig/tls.ts";

/** A certificate for these names, by an authority that nobody knows. */
async function issued(names: readonly string[]) {
  const now = Date.now();
  const authority = await openAuthority(names, null, { now, onTrouble: () => {} });
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { key, cert: serverCertificate({ publicKey, names }, authority.privateKey, now, 14) + authority.certificate };
}

describe("an app that speaks TLS with a certificate of its own authority", () => {
  it.each([
    ["signed by itself", async () => selfSigned(), /the certificate itself \(PEM\)/],
    ["of an authority that is not known here", () => issued(["127.0.0.1"]), /the certificate of its issuer \(PEM\)/],
  ])("%s: the call fails, and the hint says how to make app-sim trust it", async (_, make, says) => {
    await using app = await startTlsServer(await make());
    const url = `https://127.0.0.1:${app.port}`;
    await using sim = await startSimulator({ app: { url }, listen: false });
    const { outcome, reason, hint } = await sim.guard();
    expect([outcome, reason]).toEqual(["failed", expect.stringContaining(`no TLS connection to ${url}`)]);
    expect(hint).toContain("start app-sim with NODE_EXTRA_CA_CERTS=FILE");
    expect(hint).toMatch(says);
    expect(app.requests).toEqual([]);
  });

  it("is called if its authority is trusted, only by the names of its certificate", async () => {
    using directory = makeTempDir();
    const { key, cert } = await issued(["localhost"]);
    await using app = await startTlsServer({ key, cert });
    directory.write("ca.pem", cert);
    const run = (host: string) =>
      runCli(["guard", "--app", `https://${host}:${app.port}`, "--format", "json"], {
        cwd: directory.path,
        env: { NODE_EXTRA_CA_CERTS: `${directory.path}/ca.pem` },
      });
    const [trusted, misnamed] = await Promise.all([run("localhost"), run("127.0.0.1")]);
    expect(trusted.stdout).not.toContain("no TLS connection");
    expect(app.requests[0]).toMatch(/^GET \/manifest\.json/);
    const { reason, hint } = JSON.parse(misnamed.stdout);
    expect(reason).toMatch(/no TLS connection to \S+: its certificate is for localhost, and not for 127\.0\.0\.1$/);
    expect(hint).toMatch(/^call the app by a name in its certificate \(--app URL; .* mkcert 127\.0\.0\.1$/);
  });
});

it.each([
  ["CERT_HAS_EXPIRED", "create a new certificate for the app"],
  ["CERT_NOT_YET_VALID", "is the clock of this machine right?"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "mkcert app.example"],
])("%s: %s", (code, says) => {
  const outcome = { kind: "tls-failed", code, detail: "what TLS says" } as const;
  const { reason, hint } = explainOutcome(outcome, "https://app.example:3443/guard");
  expect(reason).toBe("no TLS connection to https://app.example:3443: what TLS says");
  expect(hint).toContain(says);
});
