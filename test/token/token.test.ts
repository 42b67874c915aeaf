import { createHmac } from "node:crypto";
import jwt from "jsonwebtoken";
import { expect, it, test } from "vitest";
import { startSimulator } from "../../src/index.ts";
import { guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { always, bearerOf, onlyCall, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const secret = "app-sim-client-secret-long-enough-for-HS256";
const audience = "app-sim-client";
const serves = manifestOf({ guards: [guardEntry("office"), guardEntry("vpn")] });

it("has the claims of the token that the guard receives", async () => {
  await using run = await startSimulation({ serves, answer: always({ success: true }) });
  await run.sim.guard({ modules: ["office"] });
  const sent = jwt.decode(bearerOf(onlyCall(run.app)), { json: true });
  const own = { iat: expect.any(Number), exp: expect.any(Number), jti: expect.any(String) };
  const made = jwt.verify(await run.sim.token({ module: "office" }), secret, { algorithms: ["HS256"], audience });
  expect(made).toEqual({ ...sent, ...own });
});

it.each([
  ["of another user", { user: "admin" }, { sub: "102" }],
  ["of the first module where none is named", {}, { module: "office", sub: "104" }],
] as const)("%s", async (_, options, claims) => {
  await using run = await startSimulation({ serves });
  expect(jwt.verify(await run.sim.token(options), secret, { audience })).toMatchObject(claims);
});

it("may be expired, unsigned, or signed differently, and otherwise stays the same", async () => {
  await using run = await startSimulation({ serves });
  const [expired, none, longer] = await Promise.all([
    run.sim.token({ module: "office", expired: true }),
    run.sim.token({ module: "office", algorithm: "none" }),
    run.sim.token({ module: "office", algorithm: "HS512" }),
  ]);
  expect(() => jwt.verify(expired, secret, { audience })).toThrow("jwt expired");
  expect(jwt.verify(expired, secret, { audience, ignoreExpiration: true })).toMatchObject({ module: "office" });
  expect(none).toMatch(/^[\w-]+\.[\w-]+\.$/);
  expect(jwt.decode(none, { complete: true })).toMatchObject({ header: { alg: "none" }, payload: { aud: audience } });
  expect(jwt.verify(longer, secret, { algorithms: ["HS512"], audience })).toMatchObject({ module: "office" });
});

it("needs no app if the module is named", async () => {
  await using sim = await startSimulator({ app: { url: "http://127.0.0.1:9" } });
  expect(jwt.verify(await sim.token({ module: "any" }), secret, { audience })).toMatchObject({ module: "any" });
  await expect(sim.token()).rejects.toMatchObject({ code: "token-module-unknown" });
});

it("refuses a module that the manifest of a running app does not declare", async () => {
  await using app = await startFakeApp({ manifest: serves });
  await using sim = await startSimulator({ app: { url: app.url } });
  await expect(sim.token({ module: "vpm" })).rejects.toMatchObject({
    code: "token-module-unknown",
    message: expect.stringContaining('Did you mean "vpn"?'),
  });
});

it("sim.env() has everything that an app must know", async () => {
  await using sim = await startSimulator();
  expect(sim.env()).toMatchObject({ PLATFORM_AUTH_URL: sim.url, PLATFORM_CLIENT_SECRET: secret });
  expect(Object.keys(sim.env("ACME_"))).toContain("ACME_CLIENT_ID");
});

test("app-sim token prints only the token, or its parts as JSON", async () => {
  using directory = makeTempDir();
  await using app = await startFakeApp({ manifest: serves });
  const args = ["token", "--app", app.url, "--module", "vpn"];
  const { code, stdout, stderr } = await runLine(args, { cwd: directory.path });
  const [head = "", body = "", signature] = stdout.trim().split(".");
  expect([code, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
  expect(signature).toBe(createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url"));
  const asJson = await runLine([...args, "--format", "json"], { cwd: directory.path });
  expect(onlyObject(asJson.stdout)).toMatchObject({ header: { alg: "HS256" }, claims: { module: "vpn" } });
});
