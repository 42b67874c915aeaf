import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/checking/check.ts";
import { decisiveFirst } from "../../src/checking/decisive-first.ts";

/** Fails with the first answer of 500. */
const judge = (answers: readonly number[]): Verdict =>
  answers.includes(500) ? { result: "fail", reason: "an error" } : { result: "pass", reason: null };
const sorted = (answers: readonly number[], judged = judge) => decisiveFirst(answers, judged(answers), judged);

describe("the exchanges of a finding", () => {
  test.each<[what: string, answers: number[], expected: number[]]>([
    ["begins with what decided it", [200, 201, 500, 202], [500, 200, 201, 202]],
    ["stays as it is where the first decided it", [500, 200], [500, 200]],
    ["stays as it is where nothing is wrong", [200, 201], [200, 201]],
    ["is nothing where there is nothing", [], []],
  ])("%s", (_, answers, expected) => {
    expect(sorted(answers)).toEqual(expected);
  });

  test("start with the one that decided the reason, not with an earlier one", () => {
    const byLast = (answers: readonly number[]): Verdict => ({ result: "warn", reason: `${answers.at(-1)}` });
    expect(sorted([200, 201, 202], byLast)).toEqual([202, 200, 201]);
  });

  test("are not judged again for each of thousands", () => {
    const answers = Array.from({ length: 1000 }, (_, index) => (index === 500 ? 500 : 200));
    expect(sorted(answers)).toEqual(answers);
  });
});
