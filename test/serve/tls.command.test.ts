import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAuthority } from "../../src/tls/authority.ts";
import { serverCertificate } from "../../src/tls/certificates.ts";
import { manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";
import { handshake, requestByTls, startTlsServer } from "../rig/tls.ts";

let directory: TempDir;
beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());
const run = (...args: string[]) => runLine(args, { cwd: directory.path });
const caFile = () => `${directory.path}/.app-sim/tls-ca.pem`;
/** Starts `app-sim serve` at a free port, and resolves with it once it is ready. */
async function startServe(...args: string[]) {
  const serve = startLine(["serve", "--port", "0", ...args], { cwd: directory.path });
  await serve.printed(/\n\n|\}\n/);
  const port = /https?:\/\/127\.0\.0\.1:(\d+)/.exec(serve.stdout())?.[1] ?? "";
  return Object.assign(serve, { port });
}

/** Files of a certificate for this name that nobody here has heard of. */
async function writeOwnCertificate(name: string): Promise<string[]> {
  const now = Date.now();
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authority = await openAuthority([name], null, { now, onTrouble: () => {} });
  directory.write("cert.pem", serverCertificate({ publicKey, names: [name] }, authority.privateKey, now, 14));
  directory.write("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return ["--cert", "cert.pem", "--key", "key.pem"];
}

describe("app-sim serve --tls", () => {
  it("names its certificate for clients, and other commands reach it", async () => {
    const manifest = manifestOf({ webhooks: [webhookEntry("events")] });
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.reply({}));
    await using serve = await startServe("--tls", "--app", app.url);
    expect(serve.stdout()).toContain(`The platform is ready at https://127.0.0.1:${serve.port}`);
    expect(serve.stdout()).toContain(`clients have to trust ${caFile()}`);
    expect(serve.stdout()).toContain(`NODE_EXTRA_CA_CERTS=${caFile()}`);
    const platform = ["--port", serve.port];
    expect(await run("clock", "advance", "2h", ...platform)).toMatchObject({ code: 0, stderr: "" });
    const delivered = await run("webhook", "project.translated", "--format", "json", ...platform);
    expect([delivered.code, delivered.stderr]).toEqual([0, ""]);
    expect(onlyObject((await run("inspect", "--format", "json", ...platform)).stdout).url).toMatch(
      /^https:\/\/127\.0\.0\.1:\d+\/#open=/,
    );
    expect(await run("webhook", "project.translated", "--tls", ...platform)).toMatchObject({ code: 0 });
    const other = await run("webhook", "project.translated", "--public-url", "https://sim.example.test", ...platform);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("publicUrl is null there")]);
  });

  it("accepts your own certificate, even for another name than its address, and other commands trust only that one", async () => {
    const own = await writeOwnCertificate("sim.example.test");
    await using serve = await startServe(...own, "--public-url", "https://sim.example.test");
    expect(serve.stderr()).not.toContain("warning");
    expect(serve.stdout()).toContain("The platform is ready at https://sim.example.test");
    expect(serve.stdout()).toMatch(/^ {2}listens at +https:\/\/127\.0\.0\.1:\d+$/m);
    expect(serve.stdout()).toMatch(/^ {2}certificate +your own/m);
    expect(await run("clock", "--port", serve.port)).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(caFile())).toBe(false);
    const ca = readFileSync(`${directory.path}/cert.pem`, "utf8");
    const [localUrl, tls] = [`https://127.0.0.1:${serve.port}`, { ca, caFile: null, fingerprint: null }];
    expect(new X509Certificate(ca).checkHost("sim.example.test")).toBeDefined();
    await expect(requestByTls({ localUrl, tls }, "https://sim.example.test/")).rejects.toThrow("unable to");
  });

  it("S28: another server with another certificate gets no token", async () => {
    await using serve = await startServe("--tls");
    const announcement = `${directory.path}/.app-sim/serve-${serve.port}.json`;
    const announced = JSON.parse(readFileSync(announcement, "utf8"));
    const other = await openAuthority(["127.0.0.1"], null, { now: Date.now(), onTrouble: () => {} });
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await using impostor = await startTlsServer({
      key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      cert: serverCertificate({ publicKey, names: ["127.0.0.1"] }, other.privateKey, Date.now(), 14),
    });
    const url = `https://127.0.0.1:${impostor.port}`;
    for (const fingerprint of [null, "00:11"]) {
      writeFileSync(announcement, JSON.stringify({ ...announced, url, trust: { ...announced.trust, fingerprint } }));
      const { code, stderr } = await run("clock", "--port", serve.port);
      expect([code, stderr]).toEqual([3, expect.stringContaining("tls-failed")]);
    }
    expect(impostor.requests).toEqual([]);
    expect(await handshake(impostor.port, "", other.certificate)).toBe("trusted");
  });

  it.each([
    [["--cert", "nowhere.pem", "--key", "key.pem"], "certificate-invalid", "nowhere.pem cannot be read"],
    [["--cert", "cert.pem"], "config-invalid", "tls.key is missing"],
    [["--public-url", "sim.example.test"], "config-invalid", "expected just scheme, host and port"],
  ])("refuses %j", async (flags, code, says) => {
    const { stdout, stderr, ...result } = await run("serve", "--port", "0", ...flags, "--format", "json");
    expect([result.code, stdout]).toEqual([2, ""]);
    expect(onlyObject(stderr).error.code).toBe(code);
    expect(stderr).toContain(says);
  });

  it("is configured in a file, with certificate paths relative to it", async () => {
    await writeOwnCertificate("127.0.0.1");
    directory.write("app-sim.config.json", { tls: { cert: "cert.pem", key: "key.pem" } });
    await using serve = await startServe("--format", "json");
    const [facts] = serve.stdout().split("\n");
    expect(JSON.parse(facts ?? "")).toMatchObject({ url: expect.stringMatching(/^https:/), tls: { caFile: null } });
  });
});

describe("app-sim env", () => {
  it("names the certificate that the app must trust, and creates it before the platform runs", async () => {
    const { stdout } = await run("env", "--tls", "--public-url", "https://sim.example.test", "--format", "json");
    expect(onlyObject(stdout)).toMatchObject({
      PLATFORM_BASE_URL: "https://sim.example.test",
      PLATFORM_CA_FILE: caFile(),
      NODE_EXTRA_CA_CERTS: caFile(),
    });
    const made = readFileSync(caFile(), "utf8");
    await using serve = await startServe("--tls", "--public-url", "https://sim.example.test");
    expect(readFileSync(caFile(), "utf8")).toBe(made);
    expect(await handshake(Number(serve.port), "acme.sim.example.test", made)).toBe("trusted");
    const plain = await run("env", "--format", "json");
    expect(Object.keys(onlyObject(plain.stdout)).filter((name) => /CA/.test(name))).toEqual([]);
  });
});

describe("app-sim exec --tls", () => {
  it("gives the command what it needs to call the platform", async () => {
    const script = "fetch(process.env.PLATFORM_BASE_URL).then(({ status }) => process.exit(status === 200 ? 7 : 8))";
    const { code, stderr } = await runLine(["exec", "--tls", "--", process.execPath, "-e", script], {
      cwd: directory.path,
    });
    expect([code, stderr]).toEqual([7, ""]);
  });
});
