import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type WebhookResult, webhookResultSchema } from "../../src/index.ts";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

// The classic mistake: an app that hashes JSON that it parsed and wrote again. One request shows it to the command.

let app: FakeApp;

beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("one"), webhookEntry("two")] }) });
});
afterAll(() => app.close());

const digest = (bytes: string | Buffer) => createHmac("sha256", "app-sim-app-secret").update(bytes).digest("hex");
const believesIf = (isRight: boolean, call: AppCall) => call.send("", { status: isRight ? 204 : 401 });
const verifies = (call: AppCall) => believesIf(call.header("x-platform-signature") === digest(call.body), call);
/** As `JSON.stringify(request.body)` does in Express; only the module `one`. */
const rewrites = (call: AppCall) => {
  const signed = call.path === "/one" ? JSON.stringify(call.json()) : call.body;
  believesIf(call.header("x-platform-signature") === digest(signed), call);
};

async function webhook(answer: (call: AppCall) => void, ...args: string[]) {
  app.answer(answer);
  const before = app.calls.length;
  const { code, stdout, stderr } = await runLine(["webhook", "--app", app.url, "project.translated", ...args]);
  const isJson = args.includes("json");
  const result: WebhookResult | null = isJson ? webhookResultSchema.parse(onlyObject(stdout)) : null;
  return { code, stdout, stderr, result, calls: app.calls.slice(before) };
}

const json = ["--format", "json"];
const told = expect.stringMatching(
  /^webhook one refused its delivery with reformatted JSON \(exchange \w+\) and acknowledged it as JSON.stringify writes it: /,
);

describe("an app that hashes the received bytes", () => {
  test("gets each event once, without a warning", async () => {
    const { code, result, stderr, calls } = await webhook(verifies, "--count", "3", "--batch", "1", ...json);
    expect([code, stderr, result?.outcome, result?.warnings]).toEqual([0, "", "acknowledged", []]);
    expect(calls).toHaveLength(6);
    expect(result?.deliveries.map(({ module, respelled }) => [module, respelled])).toEqual([
      ["one", true],
      ["one", false],
      ["one", false],
      ["two", true],
      ["two", false],
      ["two", false],
    ]);
    const [first, second] = calls;
    expect(first?.body.toString()).toMatch(/^\{"events": \[\{"event": "project.translated","project": /);
    expect(second?.body.toString()).toBe(JSON.stringify(second?.json()));
  });

  test("gets only the usual spelling with --no-respell, and from the library", async () => {
    const { calls } = await webhook(verifies, "--no-respell");
    expect(calls.map((call) => call.body.toString())).toEqual(calls.map((call) => JSON.stringify(call.json())));
  });
});

describe("an app that hashes re-serialized JSON", () => {
  test("gets a warning, after a second attempt that it acknowledges; exit 0, and 1 with --strict", async () => {
    const { code, result, calls } = await webhook(rewrites, ...json);
    expect([code, result?.outcome, result?.warnings]).toEqual([0, "acknowledged", [told]]);
    expect(result?.deliveries[0]).toMatchObject({
      respelled: true,
      acknowledged: true,
      attempts: [
        { number: 1, outcome: "refused" },
        { number: 2, outcome: "acknowledged" },
      ],
    });
    expect(calls.map(({ path }) => path)).toEqual(["/one", "/one", "/two"]);
    const strict = await webhook(rewrites, "--strict");
    expect([strict.code, strict.stdout]).toEqual([1, expect.stringContaining("A warning fails this run (--strict)")]);
    expect(strict.stdout.match(/^ +attempt .*$/gm)).toEqual([
      "  attempt 1: reformatted JSON",
      "  attempt 2: the same as JSON.stringify writes it",
    ]);
    expect(strict.stderr).toContain("--no-respell sends only JSON as JSON.stringify writes it");
  });

  test("is not found with --no-respell, or if an app refuses for another reason", async () => {
    expect((await webhook(rewrites, "--no-respell", ...json)).result?.warnings).toEqual([]);
    let busy = 0;
    const late = (call: AppCall) => {
      busy += 1;
      call.send("", { status: busy === 1 ? 429 : 204 });
    };
    const retried = await webhook(late, "--choose", "webhook.retries=1", "--choose", "webhook.backoff=1", ...json);
    expect([retried.result?.outcome, retried.result?.warnings]).toEqual(["acknowledged", []]);
  });
});

test("an app that refuses everything gets the same report as without another spelling", async () => {
  const { code, result, calls } = await webhook((call) => call.send("", { status: 401 }), ...json);
  expect([code, result?.outcome, result?.warnings]).toEqual([1, "failed", []]);
  expect(result?.reason).toBe("the app answered 401: it did not accept the call as authentic");
  expect(calls.map((call) => call.body.toString().includes(": "))).toEqual([true, false, true, false]);
});

describe("an app that hashes the received bytes and refuses duplicates is not accused", () => {
  const refusesAgain = (status: number, keyOf: (call: AppCall) => string) => {
    const seen = new Set<string>();
    return (call: AppCall) => {
      const key = call.path + keyOf(call);
      call.send("", { status: seen.has(key) ? status : 204 });
      seen.add(key);
    };
  };
  const bytesOf = ({ body }: AppCall) => body.toString();
  const eventsOf = (call: AppCall) => JSON.stringify(call.json());

  test.each([
    [409, "its bytes", bytesOf],
    [400, "its events", eventsOf],
  ] as const)("%i, known by %s", async (status, _, keyOf) => {
    const { code, result } = await webhook(refusesAgain(status, keyOf), "--duplicate", "1", ...json);
    expect([code, result?.warnings]).toEqual([1, []]);
    expect(result?.reason).toBe(`the app refuses a delivery that it acknowledged before: the app answered ${status}`);
  });

  test("400, and it treats the usual spelling as another delivery", async () => {
    const { code, result } = await webhook(refusesAgain(400, bytesOf), "--duplicate", "1", ...json);
    expect([code, result?.outcome, result?.warnings]).toEqual([0, "acknowledged", []]);
  });
});
