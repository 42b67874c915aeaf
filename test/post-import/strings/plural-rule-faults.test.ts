import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { languageTable } from "../../../src/config/languages.ts";
import { pluralIndex } from "../../../src/config/plural-index.ts";
import { pluralRuleFaults } from "../../../src/post-import/checks/strings/plural-checks.ts";
import { language } from "./judge.ts";

describe("pluralRuleFaults", () => {
  it.each([
    ["an index that there is not", "n%10", "gives 2 for n = 2; 0 to 1 are in pluralCategoryNames"],
    ["a negative one", "0-n", "gives -1 for n = 1; 0 to 1 are in pluralCategoryNames"],
    ["none for large numbers", "n>=1000000 ? 2 : 0", "gives 2 for n = 1000000; 0 to 1 are in pluralCategoryNames"],
    ["a division by 0", "1/n", "gives Infinity for n = 0; 0 to 1 are in pluralCategoryNames"],
    ["no expression", "n is 1", "is not a C expression over n"],
  ])("%s", (_, pluralRules, message) => {
    const found = pluralRuleFaults({ ...language("en"), pluralRules });
    expect(found).toEqual([{ path: "pluralRules", value: pluralRules, message }]);
  });

  it("finds none in the languages of the platform, which follow CLDR", () => {
    const cldr = createRequire(import.meta.url)("cldr-core/package.json").version;
    expect(cldr).toBeTruthy();
    expect(languageTable().flatMap(pluralRuleFaults)).toEqual([]);
    const { pluralCategoryNames, pluralRules } = language("uk");
    const indexOf = pluralIndex(pluralRules);
    const rules = new Intl.PluralRules("uk");
    for (let n = 0; n <= 200; n++) expect(pluralCategoryNames[indexOf?.(n) ?? -1]).toBe(rules.select(n));
  });
});
