import { expect, it } from "vitest";
import { judgeRedeemed, type RedeemedCode } from "../../src/guard-checks/newest-code.ts";

const facts = { id: "x", area: "page", title: "", section: "3.1", severity: "must", why: "", fix: "" } as const;

/** A letter for each login: of the first user or the second one, large where the guard accepted its code. */
const codes = (logins: string): RedeemedCode[] =>
  [...logins].map((letter) => ({
    isOther: letter.toLowerCase() === "b",
    isAccepted: letter.toUpperCase() === letter,
  }));

it.each([
  ["AA", "pass"],
  ["AB", "pass"],
  ["aA", "pass"],
  ["aAbB", "pass"],
  ["ABab", "pass"],
  ["aa", "fail"],
  ["Ab", "fail"],
  ["aAbb", "fail"],
  ["aAAB", "warn"],
  ["AAbB", "warn"],
])("codes of logins at the same time: %s: %s", (logins, result) => {
  expect(judgeRedeemed(facts, codes(logins), { steps: [] }).result).toBe(result);
});
