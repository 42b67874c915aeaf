import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { manifestChecks } from "../../src/manifest-checks/checks.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

describe.concurrent("the manifest of the sample app", () => {
  test("passes every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["manifest"] });
    expect(checks.filter(({ result }) => result !== "pass")).toEqual([]);
  });

  test.each(faultsOf("manifest"))("$id: $says", async ({ edits, checks: expected }) => {
    await using edited = await startEditedApp(edits);
    const { checks, outcome } = await edited.sim.verify({ only: ["manifest"] });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn");
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([...expected]));
    expect(outcome).toBe(found.some(({ result }) => result === "fail") ? "failed" : "passed");
  });

  test.each(variationsOf("manifest"))("right too: $id: $says", async ({ edits }) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["manifest"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test("every check finds a fault", () => {
    const found = new Set(faultsOf("manifest").flatMap(({ checks }) => checks));
    expect(manifestChecks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
  });

  test("a faulty module is skipped, and the others are verified", async () => {
    const [fault] = faultsOf("manifest").filter(({ id }) => id === "manifest-no-name");
    await using edited = await startEditedApp(fault?.edits ?? []);
    const { checks } = await edited.sim.verify({ only: ["guard.token.missing"] });
    const results = checks.map(({ module, subject, result }) => ({ module, subject, result }));
    expect(results).toContainEqual({ module: null, subject: "modules.auth-guard[0]", result: "skip" });
    expect(results.filter(({ result }) => result === "pass").length).toBeGreaterThan(0);
  });

  test("a manifest in a file is judged by its content", async () => {
    const directory = await mkdtemp(join(tmpdir(), "manifest-"));
    const manifest = join(directory, "manifest.json");
    await writeFile(manifest, '{"modules":{"webhooks":[]}}');
    await using edited = await startEditedApp([]);
    await using sim = await startPlatform({ app: { url: edited.app.url, manifest } });
    const { checks } = await sim.verify({ only: ["manifest"] });
    const results = new Map(checks.map(({ id, result }) => [id, result]));
    expect(results.get("manifest.read.found")).toBe("skip");
    expect(results.get("manifest.read.json")).toBe("pass");
    expect(results.get("manifest.spelling.types")).toBe("fail");
    await rm(directory, { recursive: true });
  });

  test("with a manifest that is not JSON, dependent checks are skipped with a reason", async () => {
    const [fault] = faultsOf("manifest").filter(({ id }) => id === "manifest-page");
    await using edited = await startEditedApp(fault?.edits ?? []);
    const { checks, outcome } = await edited.sim.verify({ only: ["manifest.read.json", "webhook.signature.missing"] });
    expect(outcome).toBe("failed");
    expect(checks.map(({ id, result }) => [id, result])).toEqual([
      ["manifest.read.json", "fail"],
      ["webhook.signature.missing", "skip"],
    ]);
  });
});
