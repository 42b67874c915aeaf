import { describe, expect, test } from "vitest";
import { randomChecks } from "../../src/fuzz-checks/checks.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

const areas = ["import", "webhook", "guard"] as const;
const only = areas.map((area) => `${area}.fuzz`);
/** What of the guards is asked alike is asked of one of them. */
const modules = ["tidy-strings", "translation-events", "network", "terms"];

describe("the sample app", () => {
  test.each([1, 2, 3])("has no finding with 100 cases of each check and seed %i", async (seed) => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only, modules, fuzz: 100, seed });
    expect(checks.filter(({ result }) => result !== "pass")).toEqual([]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(randomChecks.length);
  });
});

describe("a fault that random cases show", () => {
  test.concurrent.each(faultsOf("fuzz"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: expected, modules, fuzz: 100, seed: 1 });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn");
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([...expected]));
    for (const { reason, hint } of found) {
      expect(reason).toContain("; the smallest case: ");
      expect(hint).toMatch(/^app-sim verify --only \S+ --module \S+ --fuzz 100 --seed 1 --app http:\S+$/m);
    }
  });
});

/** Random jobs share their uniqIds: what this app says about the earlier text of a string is about another job. */
const TELLS_CHANGES = "tells-changes";

describe.each(areas)("a right way to write the app: %s", (area) => {
  test.concurrent.each(variationsOf(area).filter(({ id }) => id !== TELLS_CHANGES))(
    "$id: $says",
    async ({ edits, choices = {} }) => {
      await using edited = await startEditedApp(edits, { choices });
      const { checks } = await edited.sim.verify({ only: [`${area}.fuzz`], modules, fuzz: 25, seed: 5 });
      expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    },
  );
});
