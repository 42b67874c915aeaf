import { describe, expect, test } from "vitest";
import { webhookChecks } from "../../src/webhook-checks/checks.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, harbourFaults, variationsOf } from "./faults.ts";

describe.concurrent("the webhook of the sample app", () => {
  test("passes every check", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["webhook"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test("W5: is asked to compare what its owner says, and nothing else", async () => {
    const webhooks = { "translation-events": { compares: ["module" as const] } };
    await using edited = await startEditedApp([], { verify: { webhooks } });
    const { checks } = await edited.sim.verify({ only: ["webhook.recipient"] });
    expect(checks.map(({ id, result, hint }) => [id, result, hint])).toEqual([
      ["webhook.recipient.module", "pass", null],
      [
        "webhook.recipient.organization",
        "skip",
        'name the headers that yours compares: {"verify":{"webhooks":{"translation-events":{"compares":["module","organization"]}}}}',
      ],
    ]);
  });

  test.each(faultsOf("webhook"))("$id: $says", async ({ edits, choices = {}, verify = {}, checks: expected }) => {
    await using edited = await startEditedApp(edits, { choices, verify });
    // An answer to a forgery is where an app says too much.
    const { checks } = await edited.sim.verify({ only: [...expected, "webhook.signature.missing"] });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([...expected]));
  });

  test.each(variationsOf("webhook"))("right too: $id: $says", async ({ edits, choices = {} }) => {
    await using edited = await startEditedApp(edits, { choices });
    const { checks } = await edited.sim.verify({ only: ["webhook"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
  });

  test("an app with another signature scheme is not accused, but does not pass either: a hint names the choice", async () => {
    const [base64] = variationsOf("webhook").filter(({ id }) => id === "base64");
    await using edited = await startEditedApp(base64?.edits ?? []);
    const { checks, outcome } = await edited.sim.verify({ only: ["manifest", "webhook"] });
    expect(outcome).toBe("inconclusive");
    const [first, ...others] = checks.filter(({ area }) => area === "webhook");
    expect(first).toMatchObject({ id: "webhook.delivery.acknowledged", result: "inconclusive" });
    expect(new Set(others.map(({ result }) => result))).toEqual(new Set(["skip"]));
    expect(first?.reason).toContain("webhook.signature.encoding=base64");
    expect(first?.hint).toMatch(
      /^let it verify .* in lower-case hex, as sent here; or, .*--choose webhook\.signature\.encoding=base64$/,
    );
  });

  test("every check finds a fault", () => {
    const found = new Set([...faultsOf("webhook"), ...harbourFaults()].flatMap(({ checks }) => checks));
    expect(webhookChecks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
  });
});
