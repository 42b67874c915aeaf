import { expect, test } from "vitest";
import { canFill, fillOf, othersValues } from "../../src/guard-checks/pages/walk/fill-by-role.ts";

const fill: Parameters<typeof fillOf>[0] = {
  terms: "yes",
  rules: true,
  boxes: ["one", "two"],
  pin: { manager: "2468", member: "1357" },
};

test.each([
  ["manager", { terms: "yes", rules: "true", boxes: ["one", "two"], pin: "2468" }, true, ["1357"]],
  ["member", { terms: "yes", rules: "true", boxes: ["one", "two"], pin: "1357" }, true, ["2468"]],
  ["owner", { terms: "yes", rules: "true", boxes: ["one", "two"] }, false, ["2468", "1357"]],
] as const)("what a user of role %s fills in, can fill in, and leaves to others", (role, own, isAble, others) => {
  expect(fillOf(fill, { role })).toEqual(own);
  expect(canFill(fill, { role })).toBe(isAble);
  expect(othersValues(fill, "pin", { role })).toEqual(others);
  expect(othersValues(fill, "terms", { role })).toEqual([]);
  expect(othersValues(fill, "unknown", { role })).toEqual([]);
});
