import { expect, test } from "vitest";
import { findRecord } from "../../src/journal/journal.ts";
import { noEvidence } from "../../src/platform/result-evidence.ts";
import { differenceText, findingFacts } from "../../src/verify/text/finding-facts.ts";
import { manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, startSimulation } from "../rig/simulation.ts";

test("a delivery that was changed after it was signed differs in that alone, though each has other events", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: always({ success: true }),
  });
  const { checks } = await run.sim.verify({ only: ["webhook.body.project-changed", "webhook.body.language-changed"] });
  const differences = checks.map((check) => {
    const find = (id: string) => {
      const record = findRecord(run.sim.journal.list(), id);
      return record?.type === "exchange" ? record : null;
    };
    return findingFacts(check, { ...noEvidence, find }).differences.map(differenceText);
  });
  expect(differences).toEqual([
    [expect.stringMatching(/^json\.events.*project.id: "\w+" → "\w+"$/)],
    [expect.stringMatching(/^json\.events.*targetLanguage.id: "[\w-]+" → "[\w-]+"$/)],
  ]);
});
