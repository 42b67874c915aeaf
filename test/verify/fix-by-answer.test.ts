import { expect, test } from "vitest";
import { fixByAnswer } from "../../src/checking/fix-by-answer.ts";

test.each([
  ["on the correct request before it, the app answered 429", expect.stringContaining("raise the limit")],
  [
    "on the correct request after it, the app answered 429 (Retry-After 900)",
    expect.stringContaining("raise the limit"),
  ],
  ["on the correct request after it, the app answered 500", null],
  ["the app answered 429 to a forged delivery", null],
  [null, null],
])("the fix for an app with a rate limit: %s", (reason, expected) => {
  expect(fixByAnswer({ result: "inconclusive", reason }, [])).toEqual(expected);
});
