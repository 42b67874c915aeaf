import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import jwt from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { systemClock } from "../../src/app-client/ports.ts";
import { startSimulator } from "../../src/index.ts";
import { guardEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { always, assemble, bearerOf, jobWith, onlyCall, record, startSimulation } from "../rig/simulation.ts";

// Interface 5.1: calls from the service to an app. An app that does verify is the judge.

const issued = { clientId: "my-app", clientSecret: "client secret é", appSecret: "app secret é" };
const job = { name: "job", job: jobWith([record("1", " Save ")]) };

async function outcomesWith(configured: Partial<typeof issued>) {
  const app = await startSampleApp({ ...issued, authUrl: "http://127.0.0.1:7410" });
  await using sim = await startSimulator({ app: { url: app.url, ...issued, ...configured } });
  try {
    const [imported] = (await sim.postImport(job)).jobs;
    return [(await sim.guard()).outcome, imported?.outcome, (await sim.webhook("project.approved")).outcome];
  } finally {
    await app.close();
  }
}

describe("5.1 an app that verifies every call", () => {
  it("accepts them with the issued secrets", async () => {
    expect(await outcomesWith({})).toEqual(["granted", "imported", "acknowledged"]);
  });

  it.each([
    ["clientSecret", ["failed", "failed", "acknowledged"]],
    ["clientId", ["failed", "failed", "acknowledged"]],
    ["appSecret", ["granted", "imported", "failed"]],
  ] as const)("refuses them with another %s", async (name, outcomes) => {
    expect(await outcomesWith({ [name]: `${issued[name]}x` })).toEqual(outcomes);
  });
});

describe("5.1.1 the token of a guard call", () => {
  it("is a JWT with an expiry, for this app and this module", async () => {
    const serves = manifestOf({ guards: [guardEntry("office")] });
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    await run.sim.guard();
    const token = jwt.verify(bearerOf(onlyCall(run.app)), "app-sim-client-secret-long-enough-for-HS256", {
      complete: true,
    });
    expect(token.header).toEqual({ alg: "HS256", typ: "JWT" });
    const { iat = 0, exp = 0, ...claims } = token.payload as jwt.JwtPayload;
    expect(exp - iat).toBe(900);
    expect(claims).toMatchObject({ aud: "app-sim-client", module: "office" });
  });

  it("has the claims and the lifetime of the choices", async () => {
    const serves = manifestOf({ guards: [guardEntry("office")] });
    await using run = await startSimulation({
      serves,
      answer: always({ success: true }),
      choices: {
        "guard.jwt.claims": { add: { iss: "sim" }, rename: { aud: "client" }, drop: ["module"] },
        "guard.jwt.lifetime": 5,
      },
    });
    const { choices } = await run.sim.guard();
    const claims = jwt.verify(
      bearerOf(onlyCall(run.app)),
      "app-sim-client-secret-long-enough-for-HS256",
    ) as jwt.JwtPayload;
    expect(claims).toMatchObject({ iss: "sim", client: "app-sim-client", sub: "104" });
    expect(claims).not.toHaveProperty("aud");
    expect(claims).not.toHaveProperty("module");
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(5);
    expect(choices).toEqual(expect.arrayContaining(["guard.jwt.claims", "guard.jwt.lifetime"]));
  });
});

describe("5.1.2 the signature of a delivery", () => {
  it("is HMAC-SHA256 of the body, keyed with the app secret", async () => {
    const serves = manifestOf({ webhooks: [webhookEntry("events")] });
    await using run = await startSimulation({ serves, answer: (call) => call.send("") });
    await run.sim.webhook("project.approved", { count: 50, set: ["project.id=é👋/"] });
    const call = onlyCall(run.app);
    const digest = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
    expect(call.header("x-platform-signature")).toBe(digest);
    expect(call.header("authorization")).toBeUndefined();
  });

  const encodings = ["hex", "base64", "base64url"] as const;
  const contents = ["body", "timestamp.body"] as const;
  const ways = encodings.flatMap((encoding) =>
    ["", "sha256="].flatMap((prefix) => contents.map((content) => ({ encoding, prefix, content }))),
  );
  it.each(ways)("is made as the choices say: $encoding, $prefix, $content", async ({ encoding, prefix, content }) => {
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
    app.answer((call) => call.send(""));
    const now = Date.UTC(2031, 4, 6, 7, 8, 9, 999);
    const choices = {
      "webhook.signature.encoding": encoding,
      "webhook.signature.prefix": prefix,
      "webhook.signature.content": content,
      "wire.headerPrefix": "X-Acme-",
    } as const;
    const sim = await assemble({ app: { url: app.url }, choices }, { clock: { ...systemClock, now: () => now } });
    const result = await sim.webhook("project.approved", { set: ["project.id=é👋/\u2028"] });
    const call = onlyCall(app);
    const seconds = String(Math.floor(now / 1000));
    const signed = content === "body" ? call.body : Buffer.concat([Buffer.from(`${seconds}.`), call.body]);
    const digest = createHmac("sha256", "app-sim-app-secret").update(signed).digest(encoding);
    expect(call.header("x-acme-signature")).toBe(prefix + digest);
    expect(call.header("x-acme-timestamp")).toBe(content === "body" ? undefined : seconds);
    expect(result.choices).toEqual(expect.arrayContaining(Object.keys(choices)));
  });

  it.each([
    ["compressed", (body: Buffer) => body],
    ["uncompressed", (body: Buffer) => gunzipSync(body)],
  ] as const)(
    "of a gzip body covers the bytes that the choice webhook.signature.gzip names: %s",
    async (choice, signed) => {
      const serves = manifestOf({ webhooks: [webhookEntry("events")] });
      const choices = { "webhook.signature.gzip": choice };
      await using run = await startSimulation({ serves, answer: (call) => call.send(""), choices });
      const result = await run.sim.webhook("project.approved", { gzip: true });
      const call = onlyCall(run.app);
      const digest = createHmac("sha256", "app-sim-app-secret").update(signed(call.body)).digest("hex");
      expect(call.header("x-platform-signature")).toBe(digest);
      expect(result.choices).toContain("webhook.signature.gzip");
    },
  );
});
