import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { webhookResultSchema } from "../../src/index.ts";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

const both = manifestOf({
  webhooks: [webhookEntry("all"), webhookEntry("approvals", ["project.approved"])],
});

let app: FakeApp;

beforeAll(async () => {
  app = await startFakeApp({ manifest: both });
});
afterAll(() => app.close());
afterEach(() => {
  app.manifest = both;
});

const acknowledge = (call: AppCall) => call.send("", { status: 204 });

async function webhook(answer: (call: AppCall) => void, ...args: string[]) {
  app.answer(answer);
  const before = app.calls.length;
  const result = await runLine(["webhook", "--app", app.url, ...args]);
  return { ...result, calls: app.calls.slice(before) };
}

async function webhookJson(answer: (call: AppCall) => void, ...args: string[]) {
  const { stdout, stderr, code, calls } = await webhook(answer, ...args, "--format", "json");
  return { code, stderr, calls, result: webhookResultSchema.parse(onlyObject(stdout)) };
}

describe("a delivery that is acknowledged", () => {
  test("as text: what was sent, what came back, exit 0", async () => {
    const { code, stdout, stderr } = await webhook(acknowledge, "project.translated");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Delivery \w+ of 1 event to webhook all\n +→ POST .*\/all\n/);
    expect(stdout).toMatch(/X-Platform-Signature: HMAC-SHA256 over these \d+ bytes\n/);
    expect(stdout).toMatch(/← 204 with an empty body/);
    expect(stdout).toMatch(/\nAcknowledged by 1 webhook module\n/);
  });

  test("as JSON: one batch for each module that names one of the events, with only those events", async () => {
    const { code, result, calls } = await webhookJson(acknowledge, "project.translated", "project.approved");
    expect(code).toBe(0);
    expect(result).toMatchObject({
      outcome: "acknowledged",
      reason: null,
      deliveries: [
        { module: "all", url: `${app.url}/all`, events: 2, result: "acknowledged", asExpected: true },
        { module: "approvals", url: `${app.url}/approvals`, events: 1, result: "acknowledged", asExpected: true },
      ],
    });
    expect(result.deliveries[0]?.attempts).toMatchObject([{ outcome: "acknowledged", status: 204 }]);
    expect(result.choices).toContain("webhook.signature.content");
    const names = calls.map((call) =>
      (call.json() as { events: { event: string }[] }).events.map(({ event }) => event),
    );
    expect(names).toEqual([["project.translated", "project.approved"], ["project.approved"]]);
  });

  test("the headers and the signature are those of interface 2.6, over the bytes that arrived", async () => {
    const value = 'project.id=Zażółć/😀"';
    const { calls } = await webhook(acknowledge, "project.translated", "--set", value);
    const [call] = calls;
    if (call === undefined) throw new Error("nothing was delivered");
    const signature = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
    expect(Object.fromEntries(call.headers)).toMatchObject({
      "User-Agent": "Platform-Webhook",
      "Content-Type": "application/json",
      "X-Platform-Id": "200000001",
      "X-Platform-Domain": "acme",
      "X-Platform-Signature": signature,
      "X-Module-Key": "all",
    });
    expect(call.json()).toMatchObject({ events: [{ project: { id: 'Zażółć/😀"' } }] });
  });
});

describe("what is sent", () => {
  test("--count events of each name, --set in all of them or in one", async () => {
    app.manifest = manifestOf({ webhooks: [webhookEntry("all")] });
    const args = ["project.translated", "--count", "3", "--set", "project.id=42", "--set"];
    const { calls } = await webhook(acknowledge, ...args, "events[1].targetLanguage.id=pl");
    const event = (language: string) => ({
      event: "project.translated",
      project: { id: "42" },
      targetLanguage: { id: language },
    });
    expect(calls.map((call) => call.json())).toEqual([{ events: [event("uk"), event("pl"), event("pl")] }]);
  });

  test("nothing if no module names the event: exit 1, and the nearest name", async () => {
    const text = await webhook(acknowledge, "project.aproved");
    expect(text).toMatchObject({ code: 1, calls: [] });
    expect(text.stdout).toMatch(/^Nothing was sent: .*project\.aproved\. Did you mean "project\.approved"\?\nhint: /);
    const { code, result, calls } = await webhookJson(acknowledge, "project.aproved");
    expect([code, calls]).toEqual([1, []]);
    expect(result).toMatchObject({ outcome: "no-module", deliveries: [], hint: expect.stringContaining("approved") });
  });

  test("the events that a module names; a warning on stderr names an event that no module got", async () => {
    const args = ["project.approved", "task.done"];
    const { code, stderr, calls, result } = await webhookJson(acknowledge, ...args);
    expect([code, calls.length]).toEqual([0, 2]);
    expect(stderr).toMatch(/^warning: no webhook module gets task\.done: it was not sent[^\n]*\n$/);
    expect(result.warnings).toEqual([stderr.slice("warning: ".length, -1)]);
  });

  test("nothing if one of several names is misspelled: exit 1", async () => {
    const { code, stdout, calls } = await webhook(acknowledge, "project.translated", "project.aproved");
    expect([code, calls]).toEqual([1, []]);
    expect(stdout).toMatch(
      /^Nothing was sent: no webhook module gets project\.aproved\. Did you mean "project\.approved"\?/,
    );
  });

  test("nothing if a name is a number that was meant as an option: exit 2", async () => {
    const { code, stderr, calls } = await webhook(acknowledge, "project.translated", "5");
    expect([code, calls]).toEqual([2, []]);
    expect(stderr).toMatch(/^error: 5 is not an event name\nhint: use --count 5 for the number of events\n/);
  });

  test("nothing if the value of --set is among the names: exit 2", async () => {
    const { code, stderr, calls } = await webhook(acknowledge, "project.translated", "--set", "project.id", "42");
    expect([code, calls]).toEqual([2, []]);
    expect(stderr).toMatch(/^error: --set project\.id: expected path=value\nhint: .* --set project\.id=42\n/);
  });

  test("the report ends with the events that no module got, without a command to copy", async () => {
    const { code, stdout } = await webhook(acknowledge, "project.approved", "task.done");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\n! task\.done was not sent: no webhook module gets it\nOnly valid .*: app-sim webhook project\.approved --tamper all/,
    );
  });

  test("nothing to a module of the other edition, with a warning", async () => {
    app.manifest = manifestOf({ webhooks: [{ ...webhookEntry("all"), environments: ["platform"] }] });
    const { code, calls, stderr } = await webhookJson(acknowledge, "project.approved");
    expect([code, calls]).toEqual([1, []]);
    expect(stderr).toMatch(/^warning: webhook all .*platform/);
  });
});

test("a profile changes how it is signed", async () => {
  const { calls } = await webhook(acknowledge, "project.translated", "--profile", "base64-signature");
  const [call] = calls;
  const signature = createHmac("sha256", "app-sim-app-secret")
    .update(call?.body ?? "")
    .digest("base64");
  expect(call?.header("x-platform-signature")).toBe(`sha256=${signature}`);
});

test("webhook.retries: each attempt is shown, and the last one counts", async () => {
  app.manifest = manifestOf({ webhooks: [webhookEntry("all")] });
  const before = app.calls.length;
  const refuseFirst = (call: AppCall) => call.send("", { status: app.calls.length === before + 1 ? 503 : 200 });
  const { code, result } = await webhookJson(refuseFirst, "project.approved", "--choose", "webhook.retries=1");
  expect(code).toBe(0);
  expect(result.deliveries[0]).toMatchObject({
    result: "acknowledged",
    attempts: [
      { outcome: "server-error", status: 503, reason: expect.stringContaining("503") },
      { outcome: "acknowledged", status: 200, reason: null },
    ],
  });
});

describe("wrong usage", () => {
  test.each([
    [["--set", "projet.id=1"], "Did you mean"],
    [["--set", "project.id"], "path=value"],
    [["--count", "100001"], "100000"],
  ])("%j: exit 2 and nothing is sent", async (args, says) => {
    const result = await webhook(acknowledge, "project.approved", ...args, "--format", "json");
    expect(result).toMatchObject({ code: 2, stdout: "", calls: [] });
    const { error } = onlyObject(result.stderr);
    expect(`${error.message} ${error.hint}`).toContain(says);
  });
});
