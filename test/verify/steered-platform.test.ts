import { describe, expect, test } from "vitest";
import type { RunningPlatform } from "../../src/start-platform.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf } from "./faults.ts";

/** Seconds by which a clock was set, in words of the clock. */
const set: readonly [how: string, set: (clock: RunningPlatform["clock"]) => void][] = [
  ["ahead", (clock) => clock.advance("2h")],
  ["behind", (clock) => clock.set(Date.now() - 86_400_000)],
  ["frozen", (clock) => clock.freeze("2031-05-06T07:08:09Z")],
];
const aboutTime = ["guard.token.expired", "guard.token.not-yet-valid", "guard.token.clock-ahead"];
const noExpiry = faultsOf("guard").flatMap(({ id, edits }) => (id === "guard-no-expiry" ? edits : []));

describe("a platform whose clock is not the app's", () => {
  test.each(set)("judges a correct app by real time: %s", async (_, setClock) => {
    await using edited = await startEditedApp([]);
    const { sim } = edited;
    setClock(sim.clock);
    const { offsetMs, frozen } = sim.clock.state();
    const { outcome, summary, warnings } = await sim.verify({ only: [...aboutTime, "import.token.expired"] });
    expect({ outcome, failed: summary.failed, inconclusive: summary.inconclusive }).toEqual({
      outcome: "passed",
      failed: 0,
      inconclusive: 0,
    });
    expect(warnings).toEqual([expect.stringMatching(/^the platform's clock was set \(.*verify used real time/)]);
    const after = sim.clock.state();
    expect(after.frozen).toBe(frozen);
    expect(Math.abs(sim.clock.now().getTime() - Date.now() - (frozen ? after.offsetMs : offsetMs))).toBeLessThan(
      60_000,
    );
  });

  test("still finds an app that ignores exp", async () => {
    await using edited = await startEditedApp(noExpiry);
    edited.sim.clock.advance("2h");
    const { checks } = await edited.sim.verify({ only: aboutTime, modules: ["network"] });
    expect(checks.filter(({ result }) => result === "fail").map(({ id }) => id)).toContain("guard.token.expired");
  });

  test("is not changed if the app's own clock was set with it", async () => {
    await using edited = await startEditedApp([
      {
        file: "jwt.js",
        from: "    clockTolerance: 10,",
        to: "    clockTolerance: 10,\n    currentDate: new Date(Date.now() + 7_200_000),",
      },
      {
        file: "app.js",
        from: 'server.on("request", (request, response) => void handle(routes, request, response));',
        to: `server.on("request", (request, response) => {
          response.setHeader("Date", new Date(Date.now() + 7_200_000).toUTCString());
          void handle(routes, request, response);
        });`,
      },
    ]);
    edited.sim.clock.advance("2h");
    const { outcome, warnings } = await edited.sim.verify({ only: aboutTime });
    expect({ outcome, warnings }).toEqual({ outcome: "passed", warnings: [] });
  });
});

describe("a platform that has a fault", () => {
  test("is not blamed on the app, and the report says how to remove it", async () => {
    await using edited = await startEditedApp([], { faults: ["token=500"] });
    const { checks, reason, hint } = await edited.sim.verify({ only: ["oauth"] });
    expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(["skip"]));
    expect(reason).toBe("no check ran: a requested fault is active on the platform: token=500");
    expect(hint).toContain("fault clear");
    const beside = await edited.sim.verify({ only: ["guard.token.expired", "oauth"] });
    expect(beside.outcome).toBe("passed");
    expect(beside.warnings).toEqual([expect.stringContaining("(token=500), and the app may encounter them")]);
  });
});
