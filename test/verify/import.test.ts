import { describe, expect, test } from "vitest";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

/** No right app is kept waiting so long; a fault may be that nothing ever comes. */
const quick = { choices: { "postImport.timeout": 2000 } };

describe("the import of the sample app", () => {
  test("passes every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["import"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test.each(faultsOf("import"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits, quick);
    const { checks } = await edited.sim.verify({ only: expected });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    for (const id of expected) expect(found).toContain(id);
  });

  test.each(variationsOf("import"))("right too: $id: $says", async ({ edits }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["import"], skip: ["import.token.*", "import.limit"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });
});
