import { expect, test } from "vitest";
import { guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { assemble, hurriedGateway } from "../rig/simulation.ts";

test.each([
  [{}, 2_000],
  // What takes a time limit to pass is measured by it.
  [{ slow: true }, 10_000],
])("a guard that never answers is called only a few times: %j", async (options, later) => {
  await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("network")] }) });
  app.answer(() => {});
  const gateway = hurriedGateway(200);
  const sim = await assemble({ app: { url: app.url } }, { gateway });
  const { outcome, checks } = await sim.verify({ only: ["guard"], ...options });
  expect(outcome).toBe("failed");
  expect(checks.filter(({ result }) => result === "fail").map(({ id }) => id)).toEqual(["guard.answer.decides"]);
  const [first, second, ...others] = gateway.limits;
  expect([first, second]).toEqual([10_000, 10_000]);
  expect(others.length).toBeLessThan(6);
  expect(new Set(others)).toEqual(new Set([later]));
});

test("an app that stops answering after a request fails the check of that request", async () => {
  await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("network")] }) });
  let isStuck = false;
  app.answer((call) => {
    isStuck ||= call.header("authorization") === undefined;
    if (!isStuck) call.reply({ success: true });
  });
  const sim = await assemble({ app: { url: app.url } }, { gateway: hurriedGateway(500) });
  const { checks } = await sim.verify({ only: ["guard.token.missing"] });
  expect(checks).toMatchObject([
    { result: "fail", reason: "the app answered neither it nor the correct request after it" },
  ]);
});
