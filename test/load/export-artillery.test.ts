import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { type RunningSimulator, startSimulator } from "../../src/index.ts";
import type { ArtilleryExport } from "../../src/load/export/export-artillery.ts";
import { variablesFor } from "../../src/settings/variables.ts";
import { runArtillery, withEnvironment } from "../rig/artillery.ts";
import { type AppCall, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { onlyCall, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const secret = "app-sim-app-secret";
const environment = { PLATFORM_APP_SECRET: secret };
const event = "project.translated";
const serves = manifestOf({
  webhooks: [webhookEntry("first"), webhookEntry("second", [event]), webhookEntry("third", ["other"])],
});
/** Two braces that are no template, neither of ours nor of Artillery's, and what is easily changed on the way. */
const data = { text: '\\{{ target }} 👩‍💻 é \u2028 \ud800 "\\u0041" \u0000 </script>', number: 1.5 };

function contentOf({ files }: Pick<ArtilleryExport, "files">, name: string): string {
  const file = files.find((each) => each.name === name);
  if (file === undefined) throw new Error(`no ${name} in ${files.map((each) => each.name)}`);
  return file.content;
}

function linesOf(exported: ArtilleryExport): { url: string; module: string; secret: string; body: string }[] {
  return contentOf(exported, "bodies.ndjson")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const scriptOf = (exported: ArtilleryExport) => parse(contentOf(exported, "webhooks.yml"));

const isSigned = ({ header, body }: AppCall) =>
  header("x-platform-signature") === createHmac("sha256", secret).update(body).digest("hex");

/** Acknowledges what is signed right. */
const verifies = (call: AppCall) => call.send("", { status: isSigned(call) ? 204 : 401 });

interface Processor {
  sign(request: SentRequest, context: object, events: object, next: () => void): void;
}

interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Loads the functions as Artillery does. */
function processorIn(dir: TempDir, exported: ArtilleryExport): Processor {
  for (const { name, content } of exported.files) dir.write(name, content);
  return createRequire(import.meta.url)(join(dir.path, "processor.cjs"));
}

/** The request that the functions make of the one that the script says. */
async function signedRequest(exported: ArtilleryExport, variables = environment): Promise<SentRequest> {
  using dir = makeTempDir();
  const request: SentRequest = { url: "/", headers: {}, body: Buffer.alloc(0) };
  await withEnvironment(variables, () => processorIn(dir, exported).sign(request, {}, {}, () => {}));
  return request;
}

describe("6 load as a test for Artillery, in its engine", () => {
  it("sends that many deliveries to the modules in turn, each signed over the bytes that arrive", async () => {
    await using run = await startSimulation({ serves, answer: verifies });
    using dir = makeTempDir();
    const exported = await run.sim.exportLoad(event, { rate: 100, count: 60, batch: 3, data });
    const counters = await runArtillery(dir, exported.files, environment);
    expect(counters).toMatchObject({
      "vusers.created": 60,
      "vusers.failed": 0,
      "http.codes.204": 60,
      "deliveries.acknowledged": 60,
      "deliveries.failed": 0,
    });
    const { calls } = run.app;
    expect(calls.filter(({ path }) => path === "/first")).toHaveLength(30);
    const bodies = new Set(linesOf(exported).map(({ body }) => body));
    expect(calls.every(({ body }) => bodies.has(body.toString()))).toBe(true);
    const text = data.text.replace("\\{{", "{{");
    expect(calls[0]?.json()).toEqual({ events: Array.from({ length: 3 }, () => ({ event, ...data, text })) });
  });

  it("says how many were not acknowledged, and follows no redirect", async () => {
    const answers = [200, 204, 302, 401, 500];
    let came = 0;
    await using run = await startSimulation({
      serves,
      answer: (call) => {
        const status = answers[came++ % answers.length] ?? 200;
        call.send("", { status, headers: status === 302 ? { location: "/elsewhere" } : {} });
      },
    });
    using dir = makeTempDir();
    const counters = await runArtillery(
      dir,
      (await run.sim.exportLoad(event, { rate: 100, count: 20 })).files,
      environment,
    );
    expect(counters).toMatchObject({ "deliveries.acknowledged": 8, "deliveries.failed": 12, "http.codes.302": 4 });
    expect(run.app.calls).toHaveLength(20);
    expect(run.app.calls.some(({ path }) => path === "/elsewhere")).toBe(false);
  });

  it("has that many in flight in a closed loop, until all are sent", async () => {
    let underWay = 0;
    let most = 0;
    await using run = await startSimulation({
      serves,
      answer: (call) => {
        most = Math.max(most, ++underWay);
        setImmediate(() => {
          underWay--;
          verifies(call);
        });
      },
    });
    using dir = makeTempDir();
    const exported = await run.sim.exportLoad(event, { concurrency: 4, count: 50 });
    const counters = await runArtillery(dir, exported.files, environment);
    expect(counters).toMatchObject({ "vusers.created": 4, "deliveries.acknowledged": 50, "deliveries.failed": 0 });
    expect(most).toBeLessThanOrEqual(4);
    expect(exported.warnings.join()).toContain("closed loop");
  });

  it("ends a closed loop after its time", async () => {
    await using run = await startSimulation({ serves, answer: verifies });
    using dir = makeTempDir();
    const exported = await run.sim.exportLoad(event, { concurrency: 2, durationMs: 300 });
    const counters = await runArtillery(dir, exported.files, environment);
    expect(counters).toMatchObject({ "vusers.created": 2, "vusers.failed": 0 });
    expect(counters["deliveries.acknowledged"]).toBe(run.app.calls.length);
    expect(run.app.calls.length).toBeGreaterThanOrEqual(2);
  });
});

describe("2.6 the header lines", () => {
  it("are those of app-sim's own deliveries", async () => {
    const choices = { "webhook.delivery.header": "X-Delivery", "wire.userAgent": "Acme/2" };
    await using run = await startSimulation({
      serves: manifestOf({ webhooks: [webhookEntry("only")] }),
      answer: verifies,
      choices,
    });
    const exported = await run.sim.exportLoad(event, { count: 1, seed: 7 });
    await run.sim.webhook(event, { seed: 7 });
    const ours = onlyCall(run.app);
    const { url, headers, body } = await signedRequest(exported);
    expect(url).toBe("/only");
    expect(body.toString()).toBe(ours.body.toString());
    const ofTheConnection = ["host", "connection", "content-length"];
    const expected = ours.headers.filter(([name]) => !ofTheConnection.includes(name.toLowerCase()));
    expect(Object.keys(headers).toSorted()).toEqual(expected.map(([name]) => name).toSorted());
    for (const [name, value] of expected) if (name !== "X-Delivery") expect(headers[name]).toBe(value);
    expect(headers["X-Delivery"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("5.1 the signature", () => {
  const encodings = ["hex", "base64", "base64url"] as const;
  test.each(
    encodings.flatMap((encoding) => (["body", "timestamp.body"] as const).map((content) => ({ encoding, content }))),
  )("is $encoding of $content", async ({ encoding, content }) => {
    await using run = await startSimulation({
      serves,
      choices: {
        "webhook.signature.encoding": encoding,
        "webhook.signature.content": content,
        "webhook.signature.prefix": "v1=",
        "wire.headerPrefix": "X-Acme-",
      },
    });
    const exported = await run.sim.exportLoad(event, { data });
    const { headers, body } = await signedRequest(exported);
    const timestamp = headers["X-Acme-Timestamp"];
    expect(timestamp).toEqual(content === "body" ? undefined : expect.stringMatching(/^[1-9]\d{9}$/));
    const signed = timestamp === undefined ? body : Buffer.concat([Buffer.from(`${timestamp}.`), body]);
    expect(headers["X-Acme-Signature"]).toBe(`v1=${createHmac("sha256", secret).update(signed).digest(encoding)}`);
    expect(exported.choices).toEqual(
      expect.arrayContaining(["webhook.signature.encoding", "webhook.signature.content", "webhook.timeout"]),
    );
  });
});

describe("S27 the secret", () => {
  it("is in no file, and the error for a missing one names the variable", async () => {
    await using run = await startSimulation({ serves });
    const exported = await run.sim.exportLoad(event);
    for (const { name, content } of exported.files) expect(content, name).not.toContain(secret);
    await expect(signedRequest(exported, { PLATFORM_APP_SECRET: "" })).rejects.toThrow(
      "PLATFORM_APP_SECRET is not set",
    );
  });

  it("of each of several apps is in a variable of its own, as `app-sim env` names it", async () => {
    await using other = await startFakeApp({ manifest: serves });
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("own")] }) });
    const sim = await startSimulator({
      apps: [
        { url: app.url, appSecret: "secret one" },
        { url: other.url, appSecret: "secret two" },
      ],
    });
    const exported = await sim.exportLoad(event);
    await sim.close();
    const variables = variablesFor(sim.config, "PLATFORM_");
    const places = new Map(linesOf(exported).map(({ url, secret }) => [url, variables[secret]]));
    expect(Object.fromEntries(places)).toEqual({
      "/own": "secret one",
      [`${other.url}/first`]: "secret two",
      [`${other.url}/second`]: "secret two",
    });
    const { url, headers, body } = await signedRequest(exported, variables as typeof environment);
    expect(url).toBe("/own");
    expect(headers["X-Platform-Signature"]).toBe(createHmac("sha256", "secret one").update(body).digest("hex"));
  });
});

describe("the script", () => {
  const phases: readonly [Parameters<RunningSimulator["exportLoad"]>[1], object][] = [
    [
      { rate: 20, durationMs: 30_000 },
      { arrivalRate: 20, duration: "30000ms" },
    ],
    [
      { rate: 0.5, durationMs: 30_000 },
      { arrivalCount: 15, duration: "30000ms" },
    ],
    [
      { rate: 2.5, durationMs: 500 },
      { arrivalCount: 2, duration: "500ms" },
    ],
    [
      { rate: 50, count: 1000 },
      { arrivalCount: 1000, duration: "20000ms" },
    ],
    [{ concurrency: 8 }, { arrivalCount: 8, duration: "8ms" }],
    [
      { concurrency: 8, count: 3 },
      { arrivalCount: 3, duration: "3ms" },
    ],
  ];
  it.each(phases)("of %j has the phase %j", async (options, phase) => {
    await using run = await startSimulation({ serves });
    expect(scriptOf(await run.sim.exportLoad(event, options)).config.phases).toEqual([phase]);
  });

  it("waits as long as the platform, and keeps as many connections as load()", async () => {
    await using run = await startSimulation({ serves, choices: { "webhook.timeout": 2500 } });
    const exported = await run.sim.exportLoad(event, { rate: 1, connections: 7 });
    expect(scriptOf(exported).config).toMatchObject({
      target: run.app.url,
      http: { timeout: 2.5, pool: 7 },
      includeFiles: ["bodies.ndjson"],
    });
  });

  it("is the same for the same seed, including the bodies", async () => {
    await using run = await startSimulation({ serves });
    const options = { seed: 5, rate: 10, data: { id: "{{string.uuid}}" } };
    const [once, again, other] = [
      await run.sim.exportLoad(event, options),
      await run.sim.exportLoad(event, options),
      await run.sim.exportLoad(event, { ...options, seed: 6 }),
    ];
    expect(again.files).toEqual(once.files);
    expect(contentOf(other, "bodies.ndjson")).not.toBe(contentOf(once, "bodies.ndjson"));
    expect(linesOf(once).filter(({ module }) => module === "first")).toHaveLength(256);
  });
});

describe("nothing is exported", () => {
  it("when no module names the event", async () => {
    await using run = await startSimulation({ serves });
    const exported = await run.sim.exportLoad("project.aproved.late");
    expect(exported).toMatchObject({ outcome: "failed", files: [] });
    expect(exported.reason).toContain("no webhook module gets project.aproved.late");
  });

  it("when the app cannot be reached", async () => {
    await using run = await startSimulation({ serves });
    await run.app.close();
    expect(await run.sim.exportLoad(event)).toMatchObject({ outcome: "failed", failure: "unreachable", files: [] });
  });

  it("for options that exclude each other", async () => {
    await using run = await startSimulation({ serves });
    const error = await usageErrorOf(run.sim.exportLoad(event, { rate: 1, concurrency: 1 }));
    expect(error.message).toContain("rate");
  });
});

describe("S27 what Artillery reads as a variable", () => {
  const leak = "{{$processEnvironment.PLATFORM_APP_SECRET}}";

  it("in an address arrives unchanged", async () => {
    const webhooks = [{ ...webhookEntry("only"), url: `/hook?key=${leak}` }];
    await using run = await startSimulation({ serves: manifestOf({ webhooks }), answer: verifies });
    using dir = makeTempDir();
    const exported = await run.sim.exportLoad(event, { rate: 10, count: 1 });
    await runArtillery(dir, exported.files, environment);
    const { path } = onlyCall(run.app);
    expect(decodeURIComponent(path)).toBe(`/hook?key=${leak}`);
    expect(path).not.toContain(secret);
  });

  it.each([
    ["the module's key", { key: leak }, {}],
    ["the signature's prefix", {}, { "webhook.signature.prefix": "{{x}}" }],
    ["the user agent", {}, { "wire.userAgent": "{{x}}" }],
  ])("in %s is not exported", async (_what, module, choices) => {
    const webhooks = [{ ...webhookEntry("only"), ...module }];
    await using run = await startSimulation({ serves: manifestOf({ webhooks }), choices });
    expect(await usageErrorOf(run.sim.exportLoad(event))).toMatchObject({ code: "export-template" });
  });

  it.each([
    ["payload", { data: { text: secret } }, {}],
    ["address", {}, { url: `/hook?key=${secret}` }],
  ])("a secret in the %s is not exported", async (_where, options, module) => {
    const webhooks = [{ ...webhookEntry("only"), ...module }];
    await using run = await startSimulation({ serves: manifestOf({ webhooks }) });
    expect(await usageErrorOf(run.sim.exportLoad(event, options))).toMatchObject({ code: "export-secret" });
  });
});
