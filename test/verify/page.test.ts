import { describe, expect, test } from "vitest";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

describe("the pages of the sample app", () => {
  test("pass every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["page"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test.each(faultsOf("page"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["page"] });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    for (const id of expected) expect(found).toContain(id);
  });

  test.each(variationsOf("page"))("right too: $id: $says", async ({ edits }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["page"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });
});
