import { describe, expect, it } from "vitest";
import { guardEntry, importEntry, manifestOf } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";

const serves = manifestOf({ guards: [guardEntry("door")], imports: [importEntry("import")] });

describe("an app that takes no right import proves nothing", () => {
  it.each([
    ["401, as without the right secret", { status: 401 }, /answered 401 to every right job/, /PLATFORM_CLIENT_SECRET/],
    ["403", { status: 403 }, /answered 403 to every right job/, /postImport\.auth=none, or query/],
    [
      "what it has against the file",
      { status: 400, body: { error: { message: "Only .strings files." } } },
      /answered 400/,
      /name a job that the app takes: "verify": \{ "fixtures"/,
    ],
    [
      "so with a 200",
      { status: 200, body: { error: { message: "Only .strings files." } } },
      /the error "Only \.strings files\."/,
      /"fixtures"/,
    ],
  ])("%s", async (_, { status, body }: { status: number; body?: unknown }, reason, hint) => {
    await using run = await startSimulation({
      serves,
      answer: (call) => (call.path === "/door" ? call.reply({ success: true }) : call.reply(body ?? {}, { status })),
    });
    const { outcome, failure, checks } = await run.sim.verify({ only: ["import", "guard.answer.decides"] });
    expect({ outcome, failure }).toEqual({ outcome: "inconclusive", failure: "other" });
    const tried = checks.filter(({ result }) => result !== "skip" && result !== "pass");
    expect(tried).toEqual([
      expect.objectContaining({
        ...{ id: "import.job.accepted", result: "inconclusive" },
        reason: expect.stringMatching(reason),
        hint: expect.stringMatching(hint),
      }),
    ]);
    expect(checks.find(({ id }) => id === "import.token.expired")).toMatchObject({ result: "skip" });
  });
});
