import { expect, test } from "vitest";
import { Feed } from "../../src/inspector/feed.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { always, startSimulation } from "../rig/simulation.ts";

test("an exchange that made a check fail counts as a fault, although the app answered 200", async () => {
  const serves = manifestOf({ guards: [guardEntry("office")] });
  await using run = await startSimulation({ serves, answer: always({ success: true }) });
  const { checks } = await run.sim.verify({ only: ["guard.token.alg-none"] });
  const feed = new Feed(run.sim);
  for (const record of run.sim.journal.list()) feed.add(record);
  const [failed] = checks;
  expect(failed?.result).toBe("fail");
  expect(feed.row(failed?.twin ?? "")).toMatchObject({
    status: 200,
    isFault: true,
    tone: "bad",
    note: "guard.token.alg-none: the app answered 200 with success: true",
  });
  expect(feed.row(failed?.control ?? "")).toMatchObject({ isFault: false });
});
