import { describe, expect, it } from "vitest";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";

// Interface 2.4 and 2.5: what a post-import module may answer.

const serves = manifestOf({ imports: [importEntry("tidy")] });

async function importAnswered(answer: unknown, sent = record("1", "Save")) {
  await using run = await startSimulation({ serves, answer: always(answer) });
  return (await run.sim.postImport({ name: "job", job: jobWith([sent]) })).jobs[0];
}

describe("2.4 answer", () => {
  it.each([
    ["data.strings", { data: { strings: [record("1", "Save!")] } }],
    ["data.preview", { data: { strings: [record("1", "Save!")], preview: "PGI+PC9iPg==" } }],
    ["data.previewUrl", { data: { strings: [record("1", "Save!")], previewUrl: "https://example.com/preview" } }],
    ["further fields", { data: { strings: [record("1", "Save!")], more: 1 }, more: 2 }],
  ])("is read: %s", async (_, answer) => {
    expect(await importAnswered(answer)).toMatchObject({ outcome: "imported", changes: { changed: 1 }, findings: [] });
  });

  it("error.message is the text for the user, whatever else there is", async () => {
    const answer = { error: { message: "No title." }, data: { strings: [] } };
    expect(await importAnswered(answer)).toMatchObject({
      outcome: "failed",
      error: "No title.",
      changes: { removed: 0 },
    });
  });
});

describe("2.4 a preview", () => {
  const previews = { preview: "PGI+PC9iPg==", previewUrl: "https://example.com/preview" };

  it.each(["preview", "previewUrl"] as const)("beside plural strings is warned of: %s", async (field) => {
    const plural = record("1", { one: "a", other: "b" }, { hasPlurals: true });
    const answer = (string: typeof plural) => ({ data: { strings: [string], [field]: previews[field] } });
    expect(await importAnswered(answer(plural), plural)).toMatchObject({
      outcome: "imported",
      findings: [{ check: "import.preview.plurals", result: "warn", section: "2.4", path: "data.preview" }],
    });
    expect((await importAnswered(answer(record("1", "a"))))?.findings).toEqual([]);
  });
});

describe("2.5 string record", () => {
  const whole = {
    uniqId: "1",
    identifier: "key.1",
    context: "Toolbar",
    maxLength: 20,
    isHidden: true,
    hasPlurals: false,
    labels: ["ui"],
    attributes: { platformType: "html" },
    text: "Save",
    translations: { uk: { text: "Зберегти", status: "approved" as const } },
  };

  it("may have every field of the table", async () => {
    expect(await importAnswered({ data: { strings: [whole] } }, whole)).toMatchObject({
      outcome: "imported",
      changes: { changed: 0, unchanged: 1 },
    });
  });

  it("means the same with its defaults written out and left out", async () => {
    const defaults = { context: "", maxLength: null, isHidden: null, hasPlurals: false, labels: [], translations: {} };
    const [short, long] = [record("1", "Save"), record("1", "Save", defaults)];
    for (const [sent, received] of [
      [short, long],
      [long, short],
    ] as const) {
      expect(await importAnswered({ data: { strings: [received] } }, sent)).toMatchObject({
        changes: { unchanged: 1 },
      });
    }
  });

  it.each([
    ["identifier", { identifier: "other" }, { field: "identifier", before: "key.1", after: "other" }],
    ["context", { context: "Menu" }, { field: "context", before: "Toolbar", after: "Menu" }],
    ["maxLength", { maxLength: 21 }, { field: "maxLength", before: 20, after: 21 }],
    ["isHidden", { isHidden: false }, { field: "isHidden", before: true, after: false }],
    ["labels", { labels: ["ui", "x"] }, { field: "labels", before: ["ui"], after: ["ui", "x"] }],
    [
      "attributes",
      { attributes: { platformType: "json" } },
      { field: "attributes", before: { platformType: "html" }, after: { platformType: "json" } },
    ],
    ["text", { text: "Keep" }, { field: "text", before: "Save", after: "Keep" }],
    [
      "translations",
      { translations: { uk: { text: "Зберегти" } } },
      { field: "translations.uk.status", before: "approved", after: "translated" },
    ],
  ])("is compared in its %s", async (_, change, expected) => {
    const imported = await importAnswered({ data: { strings: [{ ...whole, ...change }] } }, whole);
    expect(imported?.changes.strings).toMatchObject([{ change: "changed", fields: [expected] }]);
  });

  it("has texts and statuses by plural category where hasPlurals is true", async () => {
    const plural = record("1", { one: "file", other: "files" }, { hasPlurals: true });
    const translations = {
      uk: {
        text: { one: "файл", few: "файли", many: "файлів", other: "файлу" },
        status: { one: "approved", few: "approved", many: "translated", other: "untranslated" },
      },
    } as const;
    const imported = await importAnswered({ data: { strings: [{ ...plural, translations }] } }, plural);
    expect(imported?.changes.strings).toMatchObject([
      {
        fields: [
          { field: "translations.uk.text", before: null, after: translations.uk.text },
          { field: "translations.uk.status", before: null, after: translations.uk.status },
        ],
      },
    ]);
  });
});
