import { createHmac, timingSafeEqual } from "node:crypto";
import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import type { Evidence, TrialCheck } from "../../src/checking/check.ts";
import type { Reply } from "../../src/checking/reply.ts";
import type { Exchange } from "../../src/index.ts";
import { paintWith } from "../../src/output/paint.ts";
import { noEvidence } from "../../src/platform/result-evidence.ts";
import { verifyText } from "../../src/verify/text/verify-text.ts";
import { webhookChecks } from "../../src/webhook-checks/checks.ts";
import { type AppCall, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";
import { startEditedApp } from "./edited-app.ts";

const SECRET = "app-sim-app-secret";
const rightOf = (call: AppCall) => createHmac("sha256", SECRET).update(call.body).digest("hex");
const paint = paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY);

async function verifyWebhook(status: (call: AppCall) => number, only: readonly string[]) {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: (call) => call.send("", { status: status(call) }),
  });
  return await run.sim.verify({ only });
}

/** Compares without a look at the lengths, as many apps do. */
function careless(call: AppCall): number {
  try {
    const given = Buffer.from(call.header("X-Platform-Signature") as string);
    return timingSafeEqual(given, Buffer.from(rightOf(call))) ? 204 : 401;
  } catch {
    return 500;
  }
}

describe("a delivery at which the app breaks", () => {
  test("a forged one of another length: the length is named, and the plain findings come first", async () => {
    const result = await verifyWebhook(careless, ["webhook.signature", "webhook.input.signature"]);
    const found = result.checks.filter(({ result: each }) => each === "fail");
    const odd = result.checks.find(({ id }) => id === "webhook.input.signature");
    expect(odd).toMatchObject({ result: "warn", hint: found[0]?.hint });
    expect(found.map(({ id }) => id)).toContain("webhook.signature.unknown-organization");
    for (const { reason, hint } of found) {
      expect(reason).toMatch(/the app answered 500, which is no decision$/);
      expect(hint).toContain("timingSafeEqual throws because lengths differ");
    }
    const shown = verifyText(result, noEvidence, paint).filter((line) => line.startsWith("✗"));
    expect(shown).toEqual([
      "✗ FAILED webhook.signature.missing",
      "✗ FAILED webhook.signature.empty",
      expect.stringContaining("more of webhook.signature"),
    ]);
    expect(verifyText(result, noEvidence, paint).join("\n")).toMatch(/mend .*timingSafeEqual throws/);
  });

  test("a right one: the usual causes are named, as webhook names them", async () => {
    const { checks } = await verifyWebhook(() => 500, ["webhook.delivery.acknowledged"]);
    expect(checks[0]).toMatchObject({
      result: "fail",
      hint: expect.stringMatching(/usual causes: .*express\.json\(\).*PLATFORM_APP_SECRET.*timingSafeEqual/),
    });
  });

  test("a right one that is refused: the signature is what is looked at", async () => {
    const { checks } = await verifyWebhook(() => 401, ["webhook.delivery.acknowledged"]);
    expect(checks[0]?.hint).toMatch(/^Verify the HMAC-SHA256 of the raw body/);
  });
});

test("an app that checks no signature is not said to mix up what comes at once", async () => {
  const { checks } = await verifyWebhook(() => 204, ["webhook.repeat.at-once"]);
  expect(checks[0]).toMatchObject({ result: "skip", reason: expect.stringMatching(/comes alone either: see/) });
});

test.each<[what: string, alone: Reply["kind"], forged: Reply["kind"], right: Reply["kind"], expected: object]>([
  [
    "breaks on right ones",
    "accepted",
    "accepted",
    "broken",
    { result: "fail", reason: "the app  to a right delivery" },
  ],
  ["refuses a right one", "accepted", "accepted", "refused", { result: "fail" }],
  ["takes forged ones only then", "refused", "accepted", "accepted", { result: "fail" }],
  ["tells them apart", "refused", "refused", "accepted", { result: "pass" }],
])("deliveries at once: an app that %s", (_, alone, forged, right, expected) => {
  const check = webhookChecks.find(({ id }) => id === "webhook.repeat.at-once") as TrialCheck;
  const kinds: Readonly<Record<string, Reply["kind"]>> = { "forged alone": alone, forged, right };
  const steps = Object.keys(kinds).map((role) => ({ role, exchange: { role, response: null } as unknown as Exchange }));
  const read = (exchange: Exchange) => ({ kind: kinds[(exchange as unknown as { role: string }).role], says: "" });
  expect(check.judge({ steps, read } as unknown as Evidence)).toMatchObject(expected);
});

test("a job that is too large for the app: every finding says to raise its limit", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("tidy")] }),
    answer: (call) => {
      if (call.body.length > 100_000) return call.send("", { status: 413 });
      return call.reply({ data: { strings: (call.json() as { strings?: unknown }).strings ?? [] } });
    },
  });
  const { checks } = await run.sim.verify({
    only: ["import.same.many", "import.limit.request", "import.limit.long-text"],
  });
  expect(checks.map(({ reason, hint }) => [reason, hint])).toEqual(
    checks.map(() => [
      expect.stringContaining("the app answered 413"),
      expect.stringMatching(/^raise the limit of the app for bodies, up to 5 MB/),
    ]),
  );
  expect(checks).toHaveLength(3);
});

test("two logins of an app that sends no state are mixed up for want of it", { timeout: 60_000 }, async () => {
  const from = "const [state, verifier] = [unguessable(), unguessable()];";
  const to = 'const [state, verifier] = ["", unguessable()];';
  await using edited = await startEditedApp([{ file: "oauth-login.js", from, to }]);
  const { checks } = await edited.sim.verify({ only: ["oauth.login.two-tabs"] });
  expect(checks[0]).toMatchObject({
    result: "fail",
    reason: expect.stringMatching(/: without a state the app cannot tell them apart$/),
    hint: expect.stringMatching(/^Send an unguessable state/),
  });
});
