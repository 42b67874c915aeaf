import { expect, test } from "vitest";
import type { Exchange } from "../../src/index.ts";
import { addressChecks, judgeAddress } from "../../src/manifest-checks/addresses.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";

/** What these checks find in an app with one guard or one webhook. @param answer whose parameter ends the app */
async function verified(only: readonly string[], answer: (end: () => void) => CallHandler) {
  const isWebhook = only.some((name) => name.startsWith("webhook"));
  const serves = isWebhook ? { webhooks: [webhookEntry("events")] } : { guards: [guardEntry("office")] };
  await using app = await startFakeApp({ manifest: manifestOf(serves) });
  app.answer(answer(() => void app.close()));
  await using sim = await startPlatform({ app: { url: app.url } });
  const { checks, ...result } = await sim.verify({ only, wait: 0 });
  return { ...result, url: app.url, checks: checks.filter(({ result: each }) => each !== "skip") };
}

const NOTHING = "nothing listens there any more";
/** An app that goes down at the first correct call, which the check of its address makes, too. */
const atOnce = (end: () => void) => end;

test.each([
  ["manifest.address", atOnce, `the app went down during it: ${NOTHING}`],
  ["guard.answer.decides", atOnce, `the app went down during a correct first call: ${NOTHING}`],
  ["webhook.delivery.acknowledged", atOnce, `on a correct delivery, the app did not answer: ${NOTHING}`],
  [
    "manifest.address",
    (): CallHandler => (call) => call.reset(),
    "the app closed the connection without an answer, and that of the next request, too",
  ],
  [
    "guard.answer.decides",
    (): CallHandler => (call) => call.reset(),
    "on a correct first call, the app did not answer: the app closed the connection without an answer",
  ],
])("an app that goes down fails %s", async (id, answer, reason) => {
  const { checks } = await verified([id], answer);
  expect(checks).toMatchObject([
    { result: "fail", reason, hint: expect.stringMatching(/^Look (in|at) the app's own log/) },
  ]);
});

test("an app that went down before the checks of its guard does not pass them", async () => {
  const { outcome, checks } = await verified(["manifest.address", "guard"], atOnce);
  expect(outcome).toBe("failed");
  expect(checks.map(({ id, result, reason }) => [id, result, reason])).toEqual([
    ["manifest.address.guard", "fail", `the app went down during it: ${NOTHING}`],
    ["guard.answer.decides", "inconclusive", `the app was gone before a correct first call: ${NOTHING}`],
  ]);
});

test("if no check ran because the app went down, the outcome says during which call", async () => {
  const { url, outcome, reason, hint } = await verified(["guard.token"], atOnce);
  expect({ outcome, reason, hint }).toEqual({
    outcome: "failed",
    reason: `no check ran: the app went down during a correct first call to guard office (POST ${url}/office): ${NOTHING}; its own log may say why`,
    hint: null,
  });
});

test.each([
  ["answered", "answered", "pass", null],
  ["answered", "unreachable", "fail", `the app was gone after it: ${NOTHING}`],
  // A server may cut connections to unknown addresses.
  ["answered", "disconnected", "pass", null],
  ["disconnected", "answered", "pass", null],
  ["unreachable", "unreachable", "inconclusive", `the app was gone before it: ${NOTHING}`],
])("an address: %s, and then an unknown one: %s", (declared, elsewhere, result, reason) => {
  const exchange = (role: string, kind: string) =>
    ({
      check: { role },
      outcome: { kind },
      request: { method: "POST", url: "http://127.0.0.1:3000/office" },
      response: kind === "answered" ? { status: 200, headers: [] } : null,
    }) as unknown as Exchange;
  const exchanges = [exchange("declared", declared), exchange("elsewhere", elsewhere)];
  expect(judgeAddress(addressChecks.guard, exchanges)).toMatchObject({ result, reason });
});
