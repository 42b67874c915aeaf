import { createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SimulatorOptions } from "../../src/index.ts";
import type { WebhookOptions } from "../../src/webhook/webhook-options.ts";
import { type AppCall, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { onlyCall, startSimulation } from "../rig/simulation.ts";

// Interface 2.6: webhook delivery.

const serves = manifestOf({ webhooks: [webhookEntry("translation-events")] });
const organization = { id: 4711, domain: "example" };
const acknowledges = (call: AppCall) => call.send("");

interface More extends WebhookOptions {
  readonly choices?: SimulatorOptions["choices"];
}

async function delivered(events: string | string[], { choices = {}, ...options }: More = {}) {
  await using run = await startSimulation({ serves, answer: acknowledges, organization, choices });
  const result = await run.sim.webhook(events, options);
  return Object.assign(onlyCall(run.app), { result });
}

const valuesOf = ({ headers }: Pick<AppCall, "headers">, name: string) =>
  headers.filter(([line]) => line.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

const hmac = (body: Buffer) => createHmac("sha256", "app-sim-app-secret").update(body).digest("hex");

describe("2.6 headers", () => {
  it("are those of the table, with the same spelling", async () => {
    const call = await delivered("project.translated");
    const own = call.headers.filter(([name]) => !["host", "connection", "content-length"].includes(name.toLowerCase()));
    expect(own).toEqual([
      ["User-Agent", "Platform-Webhook"],
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
      ["X-Platform-Id", "4711"],
      ["X-Platform-Domain", "example"],
      ["X-Module-Key", "translation-events"],
      ["X-Platform-Signature", hmac(call.body)],
    ]);
  });

  it.each([
    ["of one event", ["project.approved"], {}],
    ["of many", ["project.approved", "project.translated"], { count: 40 }],
    ["in gzip", ["project.approved"], { gzip: true }],
    ["in chunks", ["project.approved"], { chunked: true }],
  ])("occur once each, whatever the delivery: %s", async (_, events, options) => {
    const call = await delivered(events, options);
    const rows = {
      "User-Agent": "Platform-Webhook",
      "Content-Type": "application/json",
      "X-Platform-Id": "4711",
      "X-Platform-Domain": "example",
      "X-Platform-Signature": hmac(call.body),
      "X-Module-Key": "translation-events",
    };
    expect(call.method).toBe("POST");
    for (const [name, value] of Object.entries(rows)) expect(valuesOf(call, name)).toEqual([value]);
  });

  it("have other names by the choices wire.headerPrefix and wire.userAgent, except X-Module-Key", async () => {
    const choices = { "wire.headerPrefix": "X-Acme-", "wire.userAgent": "Acme-Hooks/2" };
    const call = await delivered("project.approved", { choices });
    expect(valuesOf(call, "User-Agent")).toEqual(["Acme-Hooks/2"]);
    for (const name of ["Id", "Domain", "Signature"]) expect(valuesOf(call, `X-Acme-${name}`)).toHaveLength(1);
    expect(valuesOf(call, "X-Module-Key")).toEqual(["translation-events"]);
    expect(call.headers.filter(([name]) => /^x-platform/i.test(name))).toEqual([]);
    expect(call.result.choices).toEqual(expect.arrayContaining(["wire.headerPrefix", "wire.userAgent"]));
  });

  it("have the delivery's id only by the choice webhook.delivery.header", async () => {
    const choices = { "webhook.delivery.header": "X-Acme-Delivery" };
    const call = await delivered("project.approved", { choices });
    expect(valuesOf(call, "X-Acme-Delivery")).toEqual(call.result.deliveries.map(({ id }) => id));
    expect(call.result.choices).toContain("webhook.delivery.header");
  });

  it("say how the body is sent: its length, or chunked; gzip, or nothing", async () => {
    const plain = await delivered("project.approved");
    expect(valuesOf(plain, "Content-Length")).toEqual([String(plain.body.length)]);
    expect(valuesOf(plain, "Transfer-Encoding")).toEqual([]);
    expect(valuesOf(plain, "Content-Encoding")).toEqual([]);
    const other = await delivered("project.approved", { chunked: true, gzip: true });
    expect(valuesOf(other, "Content-Length")).toEqual([]);
    expect(valuesOf(other, "Transfer-Encoding")).toEqual(["chunked"]);
    expect(valuesOf(other, "Content-Encoding")).toEqual(["gzip"]);
    expect(gunzipSync(other.body)).toEqual(plain.body);
  });
});

describe("2.6 body", () => {
  const fields = { project: { id: "501" }, targetLanguage: { id: "uk" } };

  it("is an events array with the fields shown", async () => {
    const call = await delivered(["project.translated", "project.approved"]);
    expect(call.json()).toEqual({
      events: [
        { event: "project.translated", ...fields },
        { event: "project.approved", ...fields },
      ],
    });
  });

  it("is in bulk form even for a single event", async () => {
    const call = await delivered("project.approved");
    expect(call.json()).toEqual({ events: [{ event: "project.approved", ...fields }] });
  });

  it("has ids that are strings, or by the choice webhook.ids numbers; a language's is its code", async () => {
    const choices = { "webhook.ids": "numbers" } as const;
    const call = await delivered("project.approved", { choices });
    expect(call.json()).toEqual({
      events: [{ event: "project.approved", project: { id: 501 }, targetLanguage: { id: "uk" } }],
    });
    expect(call.result.choices).toContain("webhook.ids");
  });

  it.each(["é", "👩‍👧", "\u2028", '"\\/\n\t', "\ud800", "</script>", "\0"])(
    "is valid JSON in UTF-8, whatever its values: %j",
    async (value) => {
      const call = await delivered("project.approved", { set: [`project.id=${value}`] });
      const text = new TextDecoder("utf-8", { fatal: true }).decode(call.body);
      expect(JSON.parse(text)).toMatchObject({ events: [{ project: { id: value } }] });
      expect(valuesOf(call, "X-Platform-Signature")).toEqual([hmac(call.body)]);
    },
  );
});
