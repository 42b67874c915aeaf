import { expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../../src/app-client/ports.ts";
import { answerPace } from "../../src/verify/answer-pace.ts";
import { manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { assemble } from "../rig/simulation.ts";

function paceAfter(...answers: readonly number[]): string | null {
  const pace = answerPace();
  for (const ms of answers) pace.answered(ms);
  return pace.text();
}

it("reports an app that is slow now, whatever it was before, but not a single slow answer", () => {
  expect(paceAfter()).toBe(null);
  expect(paceAfter(9, 12, 999)).toBe(null);
  expect(paceAfter(390, 410, 420)).toBe("the app takes about 0.4 s to answer");
  expect(paceAfter(9200, 9000, 8900)).toBe("the app takes about 9 s to answer");
  expect(paceAfter(5, 5, 5, ...Array.from({ length: 10 }, () => 2000))).toBe("the app takes about 2 s to answer");
  expect(paceAfter(5, 5, 120_000)).toBe(null);
});

/** A simulator to which each answer of the app seems to take 9 s. */
async function slowSimulator(url: string, parts: Parameters<typeof assemble>[1] = {}) {
  const gateway = createAppGateway(systemClock);
  const slow: AppGateway = {
    call: async (call) => {
      const answer = await gateway.call(call);
      return { ...answer, timings: { ...answer.timings, totalMs: 9000 } };
    },
  };
  return assemble({ app: { url } }, { gateway: slow, ...parts });
}

const serves = manifestOf({ webhooks: [webhookEntry("events")] });

it("is shown with the progress of a verification, and the current module", async () => {
  await using app = await startFakeApp({ manifest: serves });
  app.answer((call) => call.send("", { status: 204 }));
  const told: string[] = [];
  const sim = await slowSimulator(app.url, { onProgress: ({ what }) => void told.push(what) });
  await sim.verify({ only: ["webhook.delivery.acknowledged"] });
  expect(told).toContain("checks (at events); the app takes about 9 s to answer");
});

it("explains why a run did not complete in time", async () => {
  await using app = await startFakeApp({ manifest: serves });
  let left = 5;
  app.answer((call) => {
    left -= 1;
    if (left >= 0) call.send("", { status: 204 });
  });
  const sim = await slowSimulator(app.url);
  const { failure, warnings } = await sim.verify({ only: ["webhook"], timeout: 3000 });
  expect(failure).toBe("timed-out");
  expect(warnings).toEqual([
    "the app takes about 9 s to answer: allow more time with --timeout, or select checks with --only or --module",
  ]);
});
