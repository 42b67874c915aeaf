import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { languageTable } from "../../src/config/languages.ts";
import { type CardinalRules, type PluralForms, pluralForms } from "../../src/config/plural-rules.ts";

const cldr: CardinalRules = createRequire(import.meta.url)("cldr-core/supplemental/plurals.json").supplemental[
  "plurals-type-cardinal"
];

const integers = [
  ...Array.from({ length: 2001 }, (_, n) => n),
  ...[1e4, 1e5, 1e6, 1_000_001, 1_000_011, 1_000_100, 1.1e6, 2e6, 1e7, 1e9, 1e12],
];

/** CLDR has no plural rule for these (all is `other`), and Intl no data: it would count as in its default locale. */
const withoutRules = ["ba", "ht", "qu", "shn"];

/** CLDR has rules for these, but the ICU of a Node with CLDR 46 (20.19.0, 22.12) has no such locale. */
const newInIcu = ["cv", "kok"];

function counter({ pluralCategoryNames, pluralRules }: PluralForms): (n: number) => string | undefined {
  const index = new Function("n", `return Number(${pluralRules});`);
  return (n) => pluralCategoryNames[index(n)];
}

function forms(rules: Record<string, string>): PluralForms {
  const own = Object.entries(rules).map(([category, rule]) => [`pluralRule-count-${category}`, rule]);
  return pluralForms("xx", { xx: Object.fromEntries(own) });
}

describe("pluralForms", () => {
  it.each([
    ["en", ["one", "other"], "(n != 1)"],
    ["de", ["one", "other"], "(n != 1)"],
    ["ja", ["other"], "0"],
    ["ti", ["one", "other"], "(n > 1)"],
    ["hi", ["one", "other"], "((n==0 || n==1) ? 0 : 1)"],
    ["he", ["one", "two", "other"], "(n==1 ? 0 : (n==2 ? 1 : 2))"],
    ["fr", ["one", "many", "other"], "((n==0 || n==1) ? 0 : (n%1000000==0 ? 1 : 2))"],
    ["cs", ["one", "few", "many", "other"], "(n==1 ? 0 : ((n>=2 && n<=4) ? 1 : 3))"],
    [
      "uk",
      ["one", "few", "many", "other"],
      "((n%10==1 && n%100!=11) ? 0 : ((n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)) ? 1 : ((n%10==0 || (n%10>=5 && n%10<=9) || (n%100>=11 && n%100<=14)) ? 2 : 3)))",
    ],
    [
      "pl",
      ["one", "few", "many", "other"],
      "(n==1 ? 0 : ((n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)) ? 1 : ((n%10<=1 || (n%10>=5 && n%10<=9) || (n%100>=12 && n%100<=14)) ? 2 : 3)))",
    ],
    [
      "lt",
      ["one", "few", "many", "other"],
      "((n%10==1 && (n%100<11 || n%100>19)) ? 0 : ((n%10>=2 && n%10<=9 && (n%100<11 || n%100>19)) ? 1 : 3))",
    ],
    ["sl", ["one", "two", "few", "other"], "(n%100==1 ? 0 : (n%100==2 ? 1 : ((n%100>=3 && n%100<=4) ? 2 : 3)))"],
    [
      "ar",
      ["zero", "one", "two", "few", "many", "other"],
      "(n==0 ? 0 : (n==1 ? 1 : (n==2 ? 2 : ((n%100>=3 && n%100<=10) ? 3 : ((n%100>=11 && n%100<=99) ? 4 : 5)))))",
    ],
    [
      "cy",
      ["zero", "one", "two", "few", "many", "other"],
      "(n==0 ? 0 : (n==1 ? 1 : (n==2 ? 2 : (n==3 ? 3 : (n==6 ? 4 : 5)))))",
    ],
  ])("writes %s as gettext catalogues do", (id, pluralCategoryNames, pluralRules) => {
    expect(pluralForms(id, cldr)).toEqual({ pluralCategoryNames, pluralRules });
  });

  it("uses the rules of the nearest parent, or else only other", () => {
    expect(pluralForms("en-GB", cldr)).toEqual(pluralForms("en", cldr));
    expect(pluralForms("zh-Hant-HK", cldr)).toEqual(pluralForms("zh", cldr));
    expect(pluralForms("pt-PT", cldr)).not.toEqual(pluralForms("pt", cldr));
    expect(pluralForms("tlh", cldr)).toEqual({ pluralCategoryNames: ["other"], pluralRules: "0" });
  });

  it("puts categories in CLDR's order, whatever the order of the rules", () => {
    const { pluralCategoryNames } = forms({
      many: "n = 4",
      other: "",
      two: "n = 2",
      zero: "n = 0",
      few: "n = 3",
      one: "n = 1",
    });
    expect(pluralCategoryNames).toEqual(["zero", "one", "two", "few", "many", "other"]);
  });

  it.each([
    ["a test that always holds", { one: "v = 0", other: "" }, "0"],
    ["a test that never holds", { one: "v != 0", other: "" }, "1"],
    ["0 within a range", { one: "e = 0..5 and n = 7", other: "" }, "(n==7 ? 0 : 1)"],
    ["0 outside a list", { one: "f % 10 != 4,6,9 and n = 7", other: "" }, "(n==7 ? 0 : 1)"],
  ])("simplifies what integers cannot change: %s", (_, rules, pluralRules) => {
    expect(forms(rules).pluralRules).toBe(pluralRules);
  });

  it.each([
    ["taken by an earlier category", { one: "n = 1", two: "n != 1 and n % 3 = 0..1" }, "(n==1 ? 0 : (n%3<=1 ? 1 : 2))"],
    [
      "taken only in part by an earlier one",
      { one: "n = 1 and n % 3 = 2", two: "n != 1" },
      "((n==1 && n%3==2) ? 0 : (n!=1 ? 1 : 2))",
    ],
    ["taken by a later one", { one: "n != 1 and n % 3 = 2", two: "n = 1" }, "((n!=1 && n%3==2) ? 0 : (n==1 ? 1 : 2))"],
  ])("tests only what is not yet decided: a number %s", (_, rules, pluralRules) => {
    expect(forms({ ...rules, other: "" }).pluralRules).toBe(pluralRules);
  });

  it.each(["n is 1", "n = ", "x = 1", "n = 1 and", "n = 1.5", "n % = 1", "constructor"])("refuses %j", (rule) => {
    expect(() => forms({ one: rule, other: "" })).toThrow(SyntaxError);
  });

  it("picks, for any rules, the first category whose rule holds", () => {
    const range = fc.tuple(fc.nat(2), fc.nat(2)).map(([low, extra]) => ({ low, high: low + extra }));
    const relation = fc.record({
      operand: fc.constantFrom("n", "i", "v", "f", "e"),
      modulus: fc.constantFrom(undefined, 3),
      equal: fc.boolean(),
      ranges: fc.array(range, { minLength: 1, maxLength: 3 }),
    });
    const rule = fc.array(fc.array(relation, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    const ruleSet = fc.array(rule, { minLength: 1, maxLength: 5 });
    const names = ["zero", "one", "two", "few", "many"];

    fc.assert(
      fc.property(ruleSet, fc.nat(8), (rules, n) => {
        const holds = rules.findIndex((alternatives) =>
          alternatives.some((relations) =>
            relations.every(({ operand, modulus, equal, ranges }) => {
              const value = operand === "n" || operand === "i" ? n : 0;
              const rest = modulus === undefined ? value : value % modulus;
              return ranges.some(({ low, high }) => low <= rest && rest <= high) === equal;
            }),
          ),
        );
        const texts = rules.map((alternatives) =>
          alternatives
            .map((relations) =>
              relations
                .map(({ operand, modulus, equal, ranges }) => {
                  const left = modulus === undefined ? operand : `${operand} % ${modulus}`;
                  const right = ranges.map(({ low, high }) => (low === high ? low : `${low}..${high}`)).join(",");
                  return `${left} ${equal ? "=" : "!="} ${right}`;
                })
                .join(" and "),
            )
            .join(" or "),
        );
        const { pluralCategoryNames, pluralRules } = forms({
          ...Object.fromEntries(texts.map((text, index) => [names[index], `${text} @integer 1, 2`])),
          other: "",
        });
        expect(counter({ pluralCategoryNames, pluralRules })(n)).toBe(holds === -1 ? "other" : names[holds]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("against Intl.PluralRules", () => {
  const offered = languageTable().map(({ id }) => id);
  const ids = [...new Set([...offered, ...Object.keys(cldr)])];

  it.each(ids.filter((id) => Intl.PluralRules.supportedLocalesOf(id).length > 0))("counts %s as Node does", (id) => {
    const ours = counter(pluralForms(id, cldr));
    const nodes = new Intl.PluralRules(id);
    expect(integers.filter((n) => ours(n) !== nodes.select(n))).toEqual([]);
  });

  it("leaves out only the named ones of the offered languages", () => {
    const leftOut = offered.filter((id) => Intl.PluralRules.supportedLocalesOf(id).length === 0);
    expect([...withoutRules, ...newInIcu]).toEqual(expect.arrayContaining(leftOut));
  });

  it.each(withoutRules)("counts %s, for which CLDR has no rules, as other", (id) => {
    expect(pluralForms(id, cldr)).toEqual({ pluralCategoryNames: ["other"], pluralRules: "0" });
  });
});
