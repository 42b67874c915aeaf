import { describe, expect, test } from "vitest";
import type { VerifyResult } from "../../src/checking/verify-result.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import type { RunningPlatform } from "../../src/start-platform.ts";
import { allChecks } from "../../src/verify/checks.ts";
import { judgeAgain, lastVerification } from "../../src/verify/judge-again.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import { startEditedApp } from "./edited-app.ts";
import { allFaults, faultsOf, harbourFaults } from "./faults.ts";

/** What no fault of the sample app shows: it knows no public key, and verify is told nothing about it. */
const unshown = [
  "hs256-with-public-key",
  "page.frame.reports-code",
  // Of a page that needs its scripts; see page.matrix.test.ts.
  "page.form.left",
  "page.frame-request.lead-away",
  "guard.answer.as-configured",
  // Of an app of which it is told something; see python.matrix.test.ts.
  "guard.answer.asks",
  "page.form.wrong-password",
  "page.frame.mistyped",
  "page.form.password-inside",
  "page.form.mistyped",
  "page.form.wrong-answered",
  "page.form.wrong-again",
  "page.form.tries",
  "page.form.required",
  "page.form.added-state",
  "page.form.escaped",
  "page.return.no-password",
];

/** By the journal alone, as it is read from its file. */
function expectSameAgain(sim: RunningPlatform, { checks }: VerifyResult): void {
  const records = JSON.parse(JSON.stringify(sim.journal.list())) as JournalRecord[];
  expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), sim)).toEqual(checks);
}

test("the sample app has no finding", async () => {
  await using edited = await startEditedApp([]);
  const result = await edited.sim.verify({ skip: ["page.frame", "page.frame-request"] });
  expect(result.checks.filter(({ result: end }) => end !== "pass" && end !== "skip")).toEqual([]);
  expect(result).toMatchObject({ outcome: "passed", summary: { failed: 0, inconclusive: 0 } });
  expect(result.summary.passed).toBeGreaterThan(500);
  expectSameAgain(edited.sim, result);
});

describe.concurrent("a fault is found", () => {
  // The first one of each area: `npm run test:matrix` tries them all.
  const areas = ["guard", "import", "manifest", "oauth", "page", "webhook"];
  test.each(areas.flatMap((area) => faultsOf(area).slice(0, 1)))(
    "$id: $says",
    async ({ edits, choices = {}, verify = {}, checks: expected }) => {
      await using edited = await startEditedApp(edits, { choices, verify });
      const result = await edited.sim.verify({ only: expected, slow: true, seed: 1 });
      const found = result.checks.filter(({ result: end }) => end === "fail" || end === "warn").map(({ id }) => id);
      expect(found).toEqual(expect.arrayContaining([...expected]));
      expectSameAgain(edited.sim, result);
    },
  );
});

test("each fault has an id of its own", () => {
  const ids = allFaults().map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("every check finds a fault, every twin of a token in at least one place", () => {
  const twinOf = (id: string) => /\btoken\.([\w-]+)$/.exec(id)?.[1];
  const ids = [...allFaults(), ...harbourFaults()].flatMap(({ checks }) => checks);
  const shown = new Set<string | undefined>([...ids, ...ids.map(twinOf), ...unshown]);
  shown.delete(undefined);
  expect(allChecks.map(({ id }) => id).filter((id) => !shown.has(id) && !shown.has(twinOf(id)))).toEqual([]);
});
