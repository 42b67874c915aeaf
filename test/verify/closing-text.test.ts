import { Chalk } from "chalk";
import { expect, test } from "vitest";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { paintWith } from "../../src/output/paint.ts";
import { countResults } from "../../src/verify/rules/summary.ts";
import { closingText } from "../../src/verify/text/closing-text.ts";
import { checkResult } from "./check-result.ts";

const paint = paintWith(new Chalk({ level: 0 }), 120);
const closingOf = (...checks: CheckResult[]) =>
  closingText(
    {
      command: "verify",
      outcome: "failed",
      reason: null,
      hint: null,
      failure: "other",
      seed: 7,
      checks,
      coverage: [],
      summary: { ...countResults(checks), ms: 61_400 },
      warnings: [],
      choices: [],
    },
    paint,
  );

test("an app that went down is summed up before the numbers", () => {
  const fail = (reason: string) => checkResult({ result: "fail", reason });
  const gone = [fail("the app was gone after it"), fail("the app went down during it: nothing listens there any more")];
  expect(closingOf(...gone, fail("the app answered 200"))).toEqual([
    "Failed",
    "Your app went down during 2 checks: its own output says why",
    "0 passed, 3 failed; 1 min 1 s, seed 7",
  ]);
});

test("a run that only reads the manifest has no seed to name", () => {
  const ofManifest = checkResult({ area: "manifest", module: null, result: "fail", reason: "the app was slow" });
  expect(closingOf(ofManifest)).toEqual(["Failed", "0 passed, 1 failed; 1 min 1 s"]);
});
