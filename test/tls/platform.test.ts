import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ImportJob } from "../../src/index.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { authorizeUrl, garden, proof } from "../rig/oauth.ts";
import { type Simulation, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { handshake, requestByTls } from "../rig/tls.ts";

const PUBLIC = "https://sim.example.test";

/** The claims of a token. */
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

describe("a platform with TLS and a public URL", () => {
  let run: Simulation;
  let job: ImportJob;
  beforeAll(async () => {
    run = await startSimulation({
      serves: { ...manifestOf({ imports: [importEntry("tidy")] }), events: { installed: "/installed" } },
      answer: (call) => {
        if (call.path === "/installed") return call.reply({});
        job = call.json() as ImportJob;
        call.reply({ data: { strings: [] } });
      },
      ...{ tls: true, publicUrl: PUBLIC, oauth: { consent: "approve" } },
      choices: { "install.event": "on" },
    });
  });
  afterAll(() => run[Symbol.asyncDispose]());
  const ask = (address: string, options?: Parameters<typeof requestByTls>[2]) =>
    requestByTls(run.sim, address, options);

  it("has a certificate from its authority for each of its names", async () => {
    const { localUrl, tls } = run.sim;
    const port = Number(new URL(localUrl).port);
    for (const name of ["localhost", "acme.localhost", "sim.example.test", "acme.sim.example.test"]) {
      expect([name, await handshake(port, name, tls?.ca ?? "")]).toEqual([name, "trusted"]);
    }
    expect(await handshake(port, "", tls?.ca ?? "")).toBe("trusted");
    expect(await handshake(port, "evil.example", tls?.ca ?? "")).toContain("does not match certificate's altnames");
    expect((await ask(`${localUrl}/`)).status).toBe(200);
  });

  it("hands out its public URL alone", async () => {
    const { sim } = run;
    expect(sim.url).toBe(PUBLIC);
    expect(sim.localUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(sim.env()).toMatchObject({ PLATFORM_BASE_URL: PUBLIC, PLATFORM_AUTH_URL: PUBLIC, PLATFORM_API_URL: PUBLIC });
    const metadata = JSON.parse((await ask(`${PUBLIC}/.well-known/oauth-authorization-server`)).body);
    expect(metadata).toMatchObject({ issuer: PUBLIC, token_endpoint: `${PUBLIC}/oauth/token` });
    const home = await ask(`${sim.localUrl}/`, { headers: { accept: "text/html" } });
    expect(home.body).toContain(`${PUBLIC}/oauth/authorize`);
    expect(home.body).not.toContain(sim.localUrl);

    await sim.postImport(
      { name: "a", fixture: { file: { name: "a.json", content: "e30=" }, strings: [{ identifier: "a", text: "A" }] } },
      { via: "url" },
    );
    expect(job.organization).toMatchObject({ baseUrl: PUBLIC, apiBaseUrl: PUBLIC });
    expect(job.stringsUrl).toMatch(/^https:\/\/sim\.example\.test\/files\//);
    expect(job.file.contentUrl).toMatch(/^https:\/\/sim\.example\.test\/files\//);

    await sim.install();
    const event = run.app.calls.findLast(({ path }) => path === "/installed");
    expect(event?.json()).toMatchObject({ baseUrl: PUBLIC });
    const handedOut = JSON.stringify(sim.journal.list());
    expect(handedOut).not.toContain(sim.localUrl);
  });

  it("serves the organization's own API host below it, as SDKs call it", async () => {
    const own = await ask("https://acme.sim.example.test/api/v2/projects");
    expect(own.status).toBe(401);
    const other = await ask("https://other.sim.example.test/api/v2/projects");
    expect([other.status, JSON.parse(other.body).error.hint]).toEqual([
      403,
      expect.stringMatching(/^allowed: sim\.example\.test, acme\.sim\.example\.test, 127\.0\.0\.1:\d+/),
    ]);
  });

  it("sets no cookies, and nothing that browsers would keep for localhost", async () => {
    const { headers } = await ask(`${PUBLIC}/acme/login`, { headers: { accept: "text/html" } });
    expect(Object.keys(headers)).not.toContain("set-cookie");
    expect(Object.keys(headers)).not.toContain("strict-transport-security");
  });
});

describe("OAuth over TLS", () => {
  it("goes from the authorization to the API of the organization's own host", async () => {
    await using sim = await startPlatform({
      ...{ app: garden, tls: true, publicUrl: "https://sim.example.test:8443", oauth: { consent: "approve" } },
    });
    const { headers } = await requestByTls(sim, authorizeUrl(sim));
    const code = new URL(String(headers.location)).searchParams.get("code") ?? "";
    const body = {
      ...{ grant_type: "authorization_code", client_id: garden.clientId, client_secret: garden.clientSecret },
      ...{ redirect_uri: garden.redirectUris[0], code, code_verifier: proof.verifier },
    };
    const exchange = await requestByTls(sim, `${sim.url}/oauth/token`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    });
    const { access_token: token } = JSON.parse(exchange.body);
    expect(claimsOf(token)).toMatchObject({ iss: "https://sim.example.test:8443" });
    const projects = await requestByTls(sim, "https://acme.sim.example.test:8443/api/v2/projects", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([projects.status, JSON.parse(projects.body).data]).toEqual([200, expect.any(Array)]);
  });
});

describe("the certificate that app-sim makes", () => {
  it("is short-lived, and renewed while the platform runs", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    try {
      await using sim = await startPlatform({ tls: true });
      const serial = async () => {
        const { port } = new URL(sim.localUrl);
        const { connect } = await import("node:tls");
        const socket = connect({ host: "127.0.0.1", port: Number(port), ca: sim.tls?.ca ?? "" });
        await new Promise((resolve) => socket.once("secureConnect", resolve));
        const { serialNumber, valid_to: validTo } = socket.getPeerCertificate();
        socket.destroy();
        return { serialNumber, days: (Date.parse(validTo) - Date.now()) / 86_400_000 };
      };
      const first = await serial();
      expect(first.days).toBeLessThan(15);
      expect(await serial()).toMatchObject({ serialNumber: first.serialNumber });
      vi.advanceTimersByTime(2 * 3_600_000);
      const renewed = await serial();
      expect(renewed.serialNumber).not.toBe(first.serialNumber);
      expect(renewed.days).toBeGreaterThan(13);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is given to the app as a file only if there is one", async () => {
    await using sim = await startPlatform({ tls: true });
    expect(new X509Certificate(sim.tls?.ca ?? "").ca).toBe(true);
    expect(sim.tls).toMatchObject({ caFile: null, fingerprint: null });
    expect(Object.keys(sim.env())).not.toContain("NODE_EXTRA_CA_CERTS");
    await using plain = await startPlatform();
    expect([plain.tls, plain.localUrl]).toEqual([null, plain.url]);
  });
});

it.each([
  [{ publicUrl: "sim.example.test" }, "publicUrl"],
  [{ publicUrl: "https://sim.example.test/path" }, 'Did you mean "https://sim.example.test"?'],
  [{ publicUrl: "https://*.example.test" }, "without wildcards"],
  [{ tls: "yes" as never }, "expected true, false, or both cert and key"],
  [{ tls: { cert: "cert.pem" } as never }, "tls.key"],
  [{ tls: { cert: "cert.pem" } as never }, "is missing: expected the path of a PEM file (--key)"],
])("%j is refused", async (options, says) => {
  const error = await usageErrorOf(startPlatform(options));
  expect(`${error.message} ${JSON.stringify(error.problems)}`).toContain(says.replaceAll('"', '\\"'));
});
