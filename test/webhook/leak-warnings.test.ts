import { expect, it } from "vitest";
import { type CallHandler, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";

const SECRET = "app-sim-app-secret";
const trace = "Error: no\n    at judge (/srv/app/webhook.js:12:7)";

it.each<[string, CallHandler, string[]]>([
  [
    "a secret in a refusal",
    (call) => call.send(`not signed with ${SECRET}`, { status: 401 }),
    ["the app's answer holds the app secret"],
  ],
  [
    "a secret in a header of an acknowledgement",
    (call) => call.send("", { status: 204, headers: { "x-key": btoa(SECRET) } }),
    ["the app's header x-key holds the app secret"],
  ],
  ["a stack trace in an error", (call) => call.send(trace, { status: 500 }), ["the app's answer holds a stack trace"]],
  ["nothing", (call) => call.send("no such project", { status: 404 }), []],
])("a secret that answers to deliveries reveal is a warning, once: %s", async (_, answer, told) => {
  await using run = await startSimulation({ serves: manifestOf({ webhooks: [webhookEntry("events")] }), answer });
  const { warnings, deliveries } = await run.sim.webhook("project.translated", { duplicate: 1 });
  const [first] = deliveries.flatMap(({ attempts }) => attempts);
  expect(warnings).toEqual(told.map((what) => `webhook events: ${what} (exchange ${first?.exchange})`));
});
