import { expect, test } from "vitest";
import { type AppCall, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";

/** The result for an app that answers with this status. */
async function verdictOn(status: (call: AppCall) => number, bytes = 262_144) {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    choices: { "webhook.batch.bytes": bytes },
    answer: (call) => call.send("", { status: status(call) }),
  });
  const { checks } = await run.sim.verify({ only: ["webhook.events.largest"] });
  return checks[0] ?? expect.fail("it was checked");
}

const upTo =
  (bytes: number) =>
  ({ body }: AppCall) =>
    body.length > bytes ? 413 : 204;

test("an app whose limit is that of the platform passes; one with the usual 100 kB gets a warning", async () => {
  expect(await verdictOn(upTo(262_144))).toMatchObject({ result: "pass" });
  const { result, reason, hint } = await verdictOn(upTo(102_400));
  expect([result, reason]).toEqual([
    "warn",
    expect.stringMatching(
      /^the app answered 413 to a delivery of 26\d,\d{3} bytes, but accepts one of 8\d,\d{3} with as/,
    ),
  ]);
  expect(hint).toMatch(/^raise the app's body size limit: /);
});

test("it is the platform's limit that counts", async () => {
  expect(await verdictOn(upTo(102_400), 102_400)).toMatchObject({ result: "pass" });
  expect(await verdictOn(upTo(60_000), 60_000)).toMatchObject({ result: "skip" });
});

test.each([
  ["names", ({ body }: AppCall) => (body.includes('"name"') ? 422 : 204), "webhook.events.new-field"],
  ["many events", ({ body }: AppCall) => (body.length > 50_000 ? 413 : 204), "webhook.events.most"],
])("an app that refuses %s is not judged by the size of a body", async (_, status, other) => {
  expect(await verdictOn(status)).toMatchObject({ result: "skip", reason: expect.stringContaining(other) });
});
