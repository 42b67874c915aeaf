import { expect, test } from "vitest";
import type { CheckFacts } from "../../src/checking/check.ts";
import { flagNeeded, isSelected, requireKnown } from "../../src/verify/rules/select.ts";
import { selectedNothing } from "../../src/verify/rules/selected-nothing.ts";

const check = (id: string, changes: Partial<CheckFacts> = {}) =>
  ({ id, area: id.split(".")[0], ...changes }) as CheckFacts;

test.each([
  ["everything without a selection", [], [], true],
  ["a check", ["guard.final.code"], [], true],
  ["the beginning of an id", ["guard.final"], [], true],
  ["an area", ["guard"], [], true],
  ["one of several", ["import", "guard"], [], true],
  ["half a word", ["guard.fin"], [], false],
  ["another check", ["guard.final.code.reused"], [], false],
  ["a pattern", ["*.final.*"], [], true],
  ["a pattern with the end", ["guard.*.code"], [], true],
  ["a pattern that is only in the middle", ["*final"], [], false],
  ["a pattern that is only at the beginning", ["final*"], [], false],
  ["a pattern whose dot is no other character", ["guard*final.c.de"], [], false],
  ["a skipped area", [], ["guard"], false],
  ["a selected but skipped one", ["guard"], ["*.code"], false],
  ["one of which another is skipped", ["guard"], ["guard.token"], true],
])("selects guard.final.code: %s", (_, only, skip, expected) => {
  expect(isSelected({ only, skip }, "guard.final.code")).toBe(expected);
});

test.each([
  ["a check", {}, {}, null],
  ["a slow one", { isSlow: true }, {}, "slow"],
  ["a slow one with --slow", { isSlow: true }, { slow: true }, null],
  ["a random one", { isRandom: true }, {}, "fuzz"],
  ["a random one with --slow", { isRandom: true }, { slow: true }, "fuzz"],
  ["a random one with --fuzz 0", { isRandom: true }, { fuzz: 0 }, null],
  ["a slow random one with --slow", { isSlow: true, isRandom: true }, { slow: true }, "fuzz"],
] as const)("the flag that is missing for %s", (_, facts, flags, expected) => {
  expect(flagNeeded(check("guard.body.random", facts), flags)).toBe(expected);
});

const all = ["guard.final.code.reused", "guard.final.code", "guard.token.expired", "manifest.events"].map((id) =>
  check(id),
);

test.each([
  ["guard", ""],
  ["page", ""],
  ["guard.token", ""],
  ["*.code", ""],
  ["guard.tokens", ' Did you mean "guard.token"?'],
  ["guard.code", ' Did you mean "guard.final.code"?'],
  ["final", ' Did you mean "guard.final"?'],
  ["events", ' Did you mean "manifest.events"?'],
  ["code.final", ""],
])("knows %s, or what it should be", (name, instead) => {
  const known = ["guard", "page", "guard.token", "*.code"].includes(name);
  const require = () => requireKnown(all, { only: [], skip: [name] });
  if (known) expect(require).not.toThrow();
  else expect(require).toThrow(expect.objectContaining({ message: `there is no check "${name}".${instead}` }));
});

test.each([
  ["terms", true, true],
  ["events", true, true],
  ["my.terms", true, true],
  ["final.code", false, true],
  ["guards", false, true],
  ["terms*", false, true],
  ["terms", true, false],
])("an unknown name %s may be the key of a module: %s", (name, mayBe, isOnly) => {
  const expected = isOnly ? `Then --module ${name}; ` : "Then name the others with --module KEY; ";
  let hint: string | null = null;
  try {
    requireKnown(all, isOnly ? { only: [name], skip: [] } : { only: [], skip: [name] });
  } catch (error) {
    hint = (error as { readonly hint: string }).hint;
  }
  expect(hint).toMatch(mayBe ? /^is it the key of a module\? / : /^`app-sim verify --list`/);
  if (mayBe) expect(hint).toContain(expected);
});

const app = (modules: object) =>
  ({
    manifest: { guards: [], imports: [], webhooks: [], ...modules },
    reading: { value: modules },
  }) as unknown as Parameters<typeof selectedNothing>[2]["apps"][number];

test.each([
  [{ only: [], skip: ["guard", "manifest"] }, [], [], "--skip guard,manifest skips every check"],
  [{ only: ["guard"], skip: ["*"] }, [], [], "--skip * skips every check of --only guard"],
  [
    { only: ["guard"], skip: [] },
    [],
    [],
    "the selected checks are for guard, but the manifest has no module: `app-sim manifest` shows what it declares",
  ],
  [
    { only: [], skip: [] },
    [app({ guards: [{ key: "g" }], webhooks: [{ key: "w" }] }), app({ imports: [{ key: "i" }] })],
    [],
    "the selected checks are for guard, manifest, but the manifest has auth-guard g, webhook w, file-post-import i",
  ],
  [
    { only: ["guard"], skip: [] },
    [app({ webhooks: [{ key: "w" }] })],
    ["w", "x"],
    "the selected checks are for guard, but none of them is for --module w,x; the manifest has webhook w",
  ],
])("no check to run: %j", (selection, apps, wanted, expected) => {
  expect(selectedNothing(all, selection, { apps, wanted })).toBe(expected);
});
