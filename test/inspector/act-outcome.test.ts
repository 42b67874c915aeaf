import { expect, it } from "vitest";
import { actOutcome, isActTrouble } from "../../src/inspector/page/act-outcome.ts";

it.each<[result: unknown, outcome: string, isActTrouble: boolean]>([
  [{ outcome: "granted" }, "granted", false],
  [{ outcome: "needs-user" }, "needs-user", true],
  [{ outcome: "denied" }, "denied", true],
  [{ jobs: [{ outcome: "imported" }] }, "imported", false],
  [{ jobs: [{ outcome: "imported" }, { outcome: "failed" }, { outcome: "imported" }] }, "imported, failed", true],
  [{ offsetMs: 0 }, "done", false],
  [null, "done", false],
])("%j ends as %s", (result, outcome, trouble) => {
  expect(actOutcome(result)).toBe(outcome);
  expect(isActTrouble(outcome)).toBe(trouble);
});
