import { expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { systemClock } from "../../src/app-client/ports.ts";
import { answerPace } from "../../src/verify/answer-pace.ts";
import { manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { assemble } from "../rig/simulation.ts";

function paceAfter(...answers: readonly number[]): string {
  const pace = answerPace();
  for (const ms of answers) pace.answered(ms);
  return pace.text();
}

it("reports an app that is slow now, whatever it was before, but not a single slow answer", () => {
  expect(paceAfter()).toBe("");
  expect(paceAfter(9, 12, 999)).toBe("");
  expect(paceAfter(9200, 9000, 8900)).toBe("; the app takes about 9 s to answer");
  expect(paceAfter(5, 5, 5, ...Array.from({ length: 10 }, () => 2000))).toBe("; the app takes about 2 s to answer");
  expect(paceAfter(5, 5, 120_000)).toBe("");
});

it("is shown with the progress of a verification, and the current module", async () => {
  await using app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
  app.answer((call) => call.send("", { status: 204 }));
  const gateway = createAppGateway(systemClock);
  const slow = {
    call: async (call: Parameters<typeof gateway.call>[0]) => {
      const answer = await gateway.call(call);
      return { ...answer, timings: { ...answer.timings, totalMs: 9000 } };
    },
  };
  const told: string[] = [];
  const onProgress = ({ what }: { readonly what: string }) => void told.push(what);
  const sim = await assemble({ app: { url: app.url } }, { gateway: slow, onProgress });
  await sim.verify({ only: ["webhook.delivery.acknowledged"] });
  expect(told).toContain("checks (at events); the app takes about 9 s to answer");
});
