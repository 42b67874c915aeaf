import { describe, expect, it } from "vitest";
import type { VerifyResult } from "../../src/index.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { always, startSimulation } from "../rig/simulation.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";

const wanted = { only: ["guard.token.missing", "guard.final.code", "page.error"], modules: ["network", "terms"] };

/** Everybody is asked, as where terms have to be accepted at each login. */
const asksEverybody: Edit = {
  file: "guard-redirect.js",
  from: "managers.has(userId) ?",
  to: "userId > 0 ?",
};

/** The rows of a login that a run took, and why it did not take others. */
function loginRows({ coverage }: VerifyResult) {
  const rows = coverage.filter(({ section }) => section === "3.1");
  return {
    taken: rows.filter(({ result }) => result === "exercised").map(({ row }) => row),
    not: Object.fromEntries(rows.flatMap(({ row, reason }) => (reason === null ? [] : [[row, reason]]))),
  };
}

describe("the rows of a login's table (interface 3.1)", () => {
  it("are exercised if the app reached them", async () => {
    await using edited = await startEditedApp([]);
    const { taken } = loginRows(await edited.sim.verify(wanted));
    expect(taken).toEqual([
      "direct: success true",
      "direct: success false",
      "redirect: success false",
      "redirect: success true",
      "redirect: callback with code",
      "redirect: callback with error",
      "final verification: success true",
      "final verification: success false",
    ]);
  });

  it("a guard that asks everybody every time does not fail a run: the missing row is listed", async () => {
    await using edited = await startEditedApp([asksEverybody]);
    const result = await edited.sim.verify(wanted);
    expect(result.outcome).toBe("passed");
    const { taken, not } = loginRows(result);
    expect(taken).toContain("final verification: success true");
    expect(not["redirect: success true"]).toBe(
      "no redirect guard let anybody in on the first call: name somebody in verify.guards.KEY.lets",
    );
  });

  it("an app that lets everybody in exercises no denial row, and an answer to a wrong call does not count", async () => {
    await using simulation = await startSimulation({ serves: manifestOf({ guards: [guardEntry("open")] }) });
    simulation.app.answer(always({ success: true }));
    const { taken, not } = loginRows(await simulation.sim.verify({ only: ["guard.token.missing"] }));
    expect(taken).toEqual(["direct: success true"]);
    expect(not["direct: success false"]).toMatch(/^no direct guard denied anybody on the first call/);
    expect(not["frame: success false"]).toBe("the manifest declares no frame guard");
    await using denying = await startSimulation({ serves: manifestOf({ guards: [guardEntry("closed")] }) });
    denying.app.answer((call) =>
      call.reply({ success: !call.headers.some(([name]) => name.toLowerCase() === "authorization") }),
    );
    expect(loginRows(await denying.sim.verify({ only: ["guard.token.missing"] })).taken).toEqual([
      "direct: success false",
    ]);
  });
});
