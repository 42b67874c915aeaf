import { describe, expect, test } from "vitest";
import { oauthChecks } from "../../src/verify/checks/oauth-checks.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

const TIMEOUT_MS = 60_000;

describe.concurrent("the sample app as an OAuth client", () => {
  test("passes every check", { timeout: TIMEOUT_MS }, async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["oauth"] });
    expect(checks.filter(({ result }) => result !== "pass")).toEqual([]);
    expect(checks).toHaveLength(oauthChecks.length);
  });

  test.each(faultsOf("oauth"))("$id: $says", { timeout: TIMEOUT_MS }, async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: expected });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    for (const id of expected) expect(found).toContain(id);
  });

  test.each(variationsOf("oauth"))("right too: $id: $says", { timeout: TIMEOUT_MS }, async ({ edits }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["oauth"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    expect(checks.filter(({ result }) => result === "pass").length).toBeGreaterThan(30);
  });
});

test("every check finds at least one fault", () => {
  const found = new Set(faultsOf("oauth").flatMap(({ checks }) => checks));
  expect(oauthChecks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
});
