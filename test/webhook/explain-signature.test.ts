import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SignatureResult, signatureResultSchema } from "../../src/index.ts";
import type { WebhookOptions } from "../../src/webhook/webhook-options.ts";
import { manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, assemble, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const appSecret = "app-sécret/🔑";
const events = ["project.translated", "project.approved"];
const nowhere = { url: "http://127.0.0.1:9", appSecret };

/** The bytes that are signed, and their signature by plain node:crypto. */
function signedBytes({ signed }: SignatureResult): { bytes: Buffer; digest: Buffer } {
  const bytes = Buffer.from(signed.base64, "base64");
  return { bytes, digest: createHmac("sha256", appSecret).update(bytes).digest() };
}

describe("2.6 the explanation matches what is sent:", () => {
  const cases: [string, Record<string, unknown>, WebhookOptions][] = [
    ["one event", {}, {}],
    ["several events, shuffled, in bodies of 3", {}, { count: 5, batch: 3, shuffle: true }],
    ["gzip", {}, { gzip: true }],
    ["gzip, the bytes before it signed", { "webhook.signature.gzip": "uncompressed" }, { gzip: true }],
    ["base64, with a prefix", { "webhook.signature.encoding": "base64", "webhook.signature.prefix": "v1=" }, {}],
    ["base64url and other names", { "webhook.signature.encoding": "base64url", "wire.headerPrefix": "X-Acme-" }, {}],
    ["the id of the delivery in a header", { "webhook.delivery.header": "X-Delivery" }, {}],
    ["awkward characters", {}, { set: ["project.id=é 👩‍👧 \u2028 '"] }],
  ];
  test.each(cases)("%s", async (_, choices, options) => {
    using directory = makeTempDir();
    const manifest = directory.write("manifest.json", manifestOf({ webhooks: [webhookEntry("hook", events)] }));
    const setup = { serves: {}, answer: always({}), choices };
    await using simulation = await startSimulation(setup);
    const { url } = simulation.app;
    const simulator = await assemble({ app: { url, manifest, appSecret }, choices });
    const result = await simulator.explainSignature(events, { seed: 7, ...options });
    expect(signatureResultSchema.parse(result)).toEqual(result);
    expect(simulation.app.calls).toEqual([]);
    expect(simulator.journal.list()).toEqual([]);

    const { deliveries } = await simulator.webhook(events, { seed: 7, ...options });
    expect(deliveries.length).toBeGreaterThan(0);
    const sent = simulation.app.calls.find((call) => call.body.toString("base64") === result.body.base64);
    expect(sent?.header(result.header.name)).toBe(result.header.value);
    const names = (headers: readonly (readonly string[])[]) => headers.map(([name]) => name);
    expect(
      names(sent?.headers ?? []).filter((name) => !/^(host|connection|content-length)$/i.test(name ?? "")),
    ).toEqual(names(result.headers));
    expect(sent?.header("X-Module-Key")).toBe("hook");
    expect(result.headers).toContainEqual(["X-Module-Key", "hook"]);

    const { digest } = signedBytes(result);
    expect(result.digest).toBe(digest.toString("hex"));
    expect(result.header.value).toBe(result.prefix + digest.toString(result.encoding));
  });
});

describe("5.1", () => {
  test("a signed timestamp is in the signed bytes and in its header", async () => {
    const simulator = await assemble({ app: nowhere, choices: { "webhook.signature.content": "timestamp.body" } });
    const result = await simulator.explainSignature("project.approved");
    const { value = "" } = result.timestamp ?? {};
    expect(result.timestamp?.name).toBe("X-Platform-Timestamp");
    expect(signedBytes(result).bytes.toString()).toBe(`${value}.${result.body.text}`);
    expect(result.signed.what).toBe(`${value}. and the ${result.body.bytes} bytes of the body`);
    expect(result.digest).toBe(signedBytes(result).digest.toString("hex"));
    expect(result.headers).toContainEqual(["X-Platform-Timestamp", value]);
  });

  test("a compressed body is not shown as text; the explanation says which bytes are signed", async () => {
    const simulator = await assemble({ app: nowhere });
    const { body, signed } = await simulator.explainSignature("project.approved", { gzip: true });
    expect([body.text, signed.base64]).toEqual([null, body.base64]);
    expect(gunzipSync(Buffer.from(body.base64, "base64")).toString()).toContain("project.approved");
    expect(signed.what).toBe(`the ${body.bytes} bytes of the compressed body`);
  });

  test("S27: the key is described by its names and length, and never shown", async () => {
    const apps = [nowhere, { url: "http://127.0.0.1:10", appSecret: "another-secret" }];
    const result = await (await assemble({ apps })).explainSignature("project.approved");
    expect(result.key).toEqual({ setting: "apps[0].appSecret", variable: "PLATFORM_1_APP_SECRET", characters: 13 });
    expect(JSON.stringify(result)).not.toContain(appSecret);
  });

  test("there is code for each language, and the relevant choices are named", async () => {
    const { verifiers, choices } = await (await assemble({ app: nowhere })).explainSignature("project.approved");
    expect(verifiers.map(({ language }) => language)).toEqual([
      "node",
      "python",
      "php",
      "go",
      "ruby",
      "java",
      "csharp",
    ]);
    for (const { code } of verifiers) expect(code).toContain("X-Platform-Signature");
    expect(choices).toEqual(expect.arrayContaining(["webhook.signature.encoding", "webhook.signature.content"]));
  });
});

describe("the app need not be running", () => {
  let directory: TempDir;
  beforeEach(() => {
    directory = makeTempDir();
  });
  afterEach(() => directory[Symbol.dispose]());
  const withManifest = (manifest: unknown) =>
    assemble({ app: { ...nowhere, manifest: directory.write("manifest.json", manifest) } });

  test("without a manifest, the module has no key", async () => {
    const { headers, warnings } = await (await assemble({ app: nowhere })).explainSignature("project.approved");
    expect(headers).toContainEqual(["X-Module-Key", "MODULE-KEY"]);
    expect(warnings).toEqual([]);
  });

  test("with a manifest in a file, the first module that gets one of the events, with these events", async () => {
    const webhooks = [webhookEntry("other", ["file.added"]), webhookEntry("hook", ["project.approved"])];
    const simulator = await withManifest(manifestOf({ webhooks }));
    const { headers, body, warnings } = await simulator.explainSignature(events);
    expect(headers).toContainEqual(["X-Module-Key", "hook"]);
    expect(JSON.parse(body.text ?? "").events).toMatchObject([{ event: "project.approved" }]);
    expect(warnings).toEqual([expect.stringContaining("no webhook module gets project.translated")]);
  });

  test("events that no module gets are still explained", async () => {
    const simulator = await withManifest(manifestOf({ webhooks: [webhookEntry("other", ["file.added"])] }));
    const { body, warnings } = await simulator.explainSignature("project.approved");
    expect(body.text).toContain("project.approved");
    expect(warnings).toEqual([expect.stringContaining("no webhook module gets project.approved")]);
  });

  test("refuses what webhook() refuses", async () => {
    const simulator = await assemble({ app: nowhere });
    expect(await usageErrorOf(simulator.explainSignature("project.approved", { count: 0 }))).toMatchObject({
      code: "options-invalid",
      message: expect.stringContaining("explainSignature()"),
    });
  });
});
