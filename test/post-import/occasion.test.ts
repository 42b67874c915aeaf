import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forOccasion, jobsFor, occasionOf } from "../../src/post-import/rules/occasion.ts";
import { type Occasion, occasions } from "../../src/protocol/occasion.ts";
import { record } from "../rig/simulation.ts";

const languages = (...ids: string[]) => ids.map((id) => ({ id }));

describe("2.3 targetLanguages", () => {
  it.each([
    [0, "source-upload"],
    [1, "translation-upload"],
    [2, "multilingual"],
    [7, "multilingual"],
  ] as const)("%i of them mean a %s", (count, occasion) => {
    expect(occasionOf(Array.from({ length: count }))).toBe(occasion);
  });

  it.each<[Occasion | undefined, string[], [Occasion, string[]][]]>([
    [undefined, [], [["source-upload", []]]],
    [undefined, ["uk"], [["translation-upload", ["uk"]]]],
    [undefined, ["uk", "pl"], [["multilingual", ["uk", "pl"]]]],
    ["source-upload", [], [["source-upload", []]]],
    ["source-upload", ["uk", "pl"], [["source-upload", []]]],
    ["source-update", [], [["source-update", []]]],
    ["source-update", ["uk"], [["source-update", []]]],
    ["translation-upload", ["uk"], [["translation-upload", ["uk"]]]],
    [
      "translation-upload",
      ["uk", "pl"],
      [
        ["translation-upload", ["uk"]],
        ["translation-upload", ["pl"]],
      ],
    ],
    ["multilingual", ["uk", "pl"], [["multilingual", ["uk", "pl"]]]],
  ])("a fixture with occasion %s may have %j", (occasion, ids, jobs) => {
    expect(jobsFor(occasion, languages(...ids))).toEqual({
      ok: true,
      jobs: jobs.map(([name, targets]) => ({ occasion: name, targetLanguages: languages(...targets) })),
    });
  });

  it.each<[Occasion, string[], string, string]>([
    ["translation-upload", [], "a target language, but this fixture has none", "source-upload, source-update"],
    ["multilingual", [], "at least two target languages, but this fixture has none", "source-upload, source-update"],
    [
      "multilingual",
      ["uk"],
      "at least two target languages, but this fixture has uk",
      "source-upload, source-update, translation-upload",
    ],
  ])("a fixture cannot have occasion %s with %j", (occasion, ids, reason, others) => {
    expect(jobsFor(occasion, languages(...ids))).toEqual({
      ok: false,
      reason: `the occasion ${occasion} needs ${reason}`,
      hint: `add targetLanguages to the fixture, or choose another occasion: ${others}`,
    });
  });

  it("every job of an occasion has as many target languages as the interface says", () => {
    const counts = {
      "source-upload": [0, 0],
      "source-update": [0, 0],
      "translation-upload": [1, 1],
      multilingual: [2, 99],
    };
    fc.assert(
      fc.property(fc.constantFrom(...occasions), fc.uniqueArray(fc.string(), { maxLength: 6 }), (occasion, ids) => {
        const planned = jobsFor(occasion, languages(...ids));
        if (!planned.ok) return;
        const [fewest = 0, most = 0] = counts[occasion];
        for (const job of planned.jobs) {
          expect(job.occasion).toBe(occasion);
          expect(job.targetLanguages.length).toBeGreaterThanOrEqual(fewest);
          expect(job.targetLanguages.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});

describe("forOccasion", () => {
  const uk = { text: "Зберегти" };
  const pl = { text: "Zapisz", status: "approved" as const };
  const both = record("1", "Save", { translations: { uk, pl }, labels: ["a"] });

  it("keeps the translations into the languages of the job", () => {
    expect(forOccasion(both, ["uk"])).toEqual(record("1", "Save", { translations: { uk }, labels: ["a"] }));
  });

  it.each([[[]], [["de"]]])("omits translations if none remain: %j", (ids) => {
    const kept = forOccasion(both, ids);
    expect(kept).toEqual(record("1", "Save", { labels: ["a"] }));
    expect(kept).not.toHaveProperty("translations");
  });

  it.each([
    ["all are kept", both, ["pl", "uk", "de"]],
    ["there are none", record("1", "Save"), []],
    ["there are none, in so many words", record("1", "Save", { translations: {} }), []],
    ["there are none, by null", record("1", "Save", { translations: null }), ["uk"]],
  ])("returns the string itself if %s", (_, string, ids) => {
    expect(forOccasion(string, ids)).toBe(string);
  });
});
