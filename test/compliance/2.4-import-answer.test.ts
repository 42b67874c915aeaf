import { describe, expect, it } from "vitest";
import type { CallHandler } from "../rig/fake-app.ts";
import { byUrl, importing, linesOf, returning } from "../rig/imports.ts";
import { always, record } from "../rig/simulation.ts";

// Interface 2.4 and 2.5: what a post-import module may answer.

async function importAnswered(answer: unknown, sent = record("1", "Save")) {
  return (await importing([sent], always(answer))).imported;
}

const changed = [record("1", "Save!")];
const preview = "PGI+PC9iPg==";
const plural = record("1", { one: "a", other: "b" }, { hasPlurals: true });

describe("2.4 answer", () => {
  it.each([
    ["data.strings", always(returning(changed)), { received: { via: "inline" }, preview: null }],
    ["data.stringsUrl", byUrl(linesOf(changed)), { received: { via: "url" }, preview: null }],
    [
      "data.preview",
      always({ data: { strings: changed, preview } }),
      { preview: { via: "inline", bytes: 7 }, received: { via: "inline" } },
    ],
    [
      "data.previewUrl",
      byUrl("<b></b>", "previewUrl", { strings: changed }),
      { preview: { via: "url", bytes: 7 }, received: { via: "inline" } },
    ],
    ["further fields", always({ data: { strings: changed, more: 1 }, more: 2 }), { preview: null }],
  ])("is read: %s", async (_, answer, expected) => {
    const { imported } = await importing([record("1", "Save")], answer);
    expect(imported).toMatchObject({ outcome: "imported", changes: { changed: 1 }, findings: [], ...expected });
  });

  it.each<[field: string, answer: object, wanted: RegExp]>([
    ["data", { data: [] }, /expected an object/],
    ["data", { data: "strings" }, /expected an object/],
    ["data.strings", { data: { strings: {} } }, /expected an array/],
    ["data.strings", { data: { strings: "none" } }, /expected an array/],
    ["data.stringsUrl", { data: { stringsUrl: 5 } }, /expected a string/],
    ["data.preview", { data: { strings: [], preview: ["PGI+"] } }, /expected a string/],
    ["data.previewUrl", { data: { strings: [], previewUrl: true } }, /expected a string/],
    ["error", { error: "No title." }, /expected an object/],
    ["error.message", { error: { message: 5 } }, /expected a string/],
    ["error.message", { error: { message: "" } }, /is empty: leave error out if nothing is wrong/],
    ["error.message", { error: { text: "No title." } }, /is missing: .*, but error has only text$/],
    ["error.Message", { error: { Message: "No title." } }, /Did you mean "message"\?/],
  ])("has %s of the right type, or fails the import: %j", async (path, answer, wanted) => {
    const imported = await importAnswered(answer);
    expect(imported).toMatchObject({ outcome: "failed", changes: { unchanged: 0 } });
    expect(imported.findings).toMatchObject([
      { check: "import.answer.shape", section: "2.4", result: "fail", path, message: expect.stringMatching(wanted) },
    ]);
  });

  it.each<[what: string, answer: object, ...found: object[]]>([
    [
      "strings",
      returning([
        { ...record("1", "Save"), is_hidden: true },
        { ...record("2", "New"), is_hidden: true },
      ]),
      { path: "data.strings[0].is_hidden", message: expect.stringContaining('Did you mean "isHidden"?') },
      { path: "data.strings[1].is_hidden", message: expect.stringContaining('Did you mean "isHidden"?') },
    ],
    [
      "attributes",
      returning([record("1", "Save", { attributes: { platform_type: "html" } })]),
      { path: "data.strings[0].attributes.platform_type", message: expect.stringContaining('"platformType"') },
    ],
    [
      "translations",
      returning([record("1", "Save", { translations: { uk: { text: "S", Status: "approved" } } })]),
      { path: "data.strings[0].translations.uk.Status", message: expect.stringContaining('"status"') },
    ],
    [
      "data",
      { data: { strings: changed, preview_url: "http://a" } },
      { path: "data.preview_url", message: expect.stringContaining('"previewUrl"') },
    ],
    [
      "error",
      { data: { strings: changed }, error: { Message: "No." } },
      { path: "error.Message", message: expect.stringContaining('"message"') },
    ],
    [
      "the answer",
      { data: { strings: changed }, eror: { message: "No." } },
      { path: "eror", message: expect.stringContaining('"error"') },
    ],
  ])("has misspelled members, which are reported: of %s", async (_, answer, ...found) => {
    const { imported } = await importing([record("1", "Save"), record("2", "New")], always(answer));
    const told = imported.findings.filter(({ check }) => check === "import.answer.names");
    expect(told).toMatchObject(found.map((each) => ({ section: "2.4", result: "warn", ...each })));
    expect(imported.outcome).toBe("imported");
  });

  it("may return what the job had, whatever its name", async () => {
    const sent = { ...record("1", "Save"), is_hidden: true };
    expect((await importing([sent], always(returning([{ ...sent, text: "Save!" }])))).imported.findings).toEqual([]);
  });

  it("may have members of its own: those of strings are listed, as the platform ignores them", async () => {
    const uk = { text: "Зберегти", state: "final" };
    const own = [
      { ...record("1", "Save!"), foo: 1, translations: { uk } },
      { ...record("2", "New"), foo: 2 },
    ];
    const { imported } = await importing([record("1", "Save"), record("2", "New")], always(returning(own)));
    expect(imported).toMatchObject({
      findings: [],
      ignored: [
        { in: "string", name: "foo", strings: 2 },
        { in: "translation", name: "state", strings: 1 },
      ],
    });
  });

  it("has the status 200: another one is a warning", async () => {
    const answer: CallHandler = (call) => call.reply(returning(changed), { status: 201 });
    const { imported } = await importing([record("1", "Save")], answer);
    expect(imported).toMatchObject({
      outcome: "imported",
      findings: [{ check: "import.answer.status", result: "warn", message: expect.stringContaining("201") }],
    });
  });

  it.each([
    ["data.stringsUrl", "data.strings", { strings: changed, stringsUrl: "https://files.example/lines" }],
    ["data.previewUrl", "data.preview", { strings: changed, preview, previewUrl: "https://files.example/html" }],
  ])("has %s in place of %s: both fail the import", async (path, other, data) => {
    expect(await importAnswered({ data })).toMatchObject({
      outcome: "failed",
      findings: [
        {
          ...{ check: "import.answer.pairs", section: "2.4", result: "fail", path },
          message: `is given together with its alternative ${other}`,
        },
      ],
    });
  });

  it("has data.strings, data.stringsUrl or error.message", async () => {
    for (const answer of [{}, { data: {} }, { data: { preview } }, { error: {} }]) {
      expect(await importAnswered(answer)).toMatchObject({
        outcome: "failed",
        findings: [{ check: "import.answer.shape", path: "response", message: expect.stringMatching(/^has neither/) }],
      });
    }
    expect(await importAnswered({ data: { strings: null } })).toMatchObject({
      outcome: "failed",
      findings: [{ path: "data.strings", message: "is null: expected a list of strings" }],
    });
  });

  it("names members next to data that belong into it", async () => {
    expect(await importAnswered({ strings: [] })).toMatchObject({
      outcome: "failed",
      findings: [{ check: "import.answer.shape", path: "strings", message: "is ignored here: it belongs in data" }],
    });
  });

  it("names a message next to error", async () => {
    expect(await importAnswered({ message: "boom" })).toMatchObject({
      outcome: "failed",
      findings: [{ check: "import.answer.shape", path: "message", message: "is ignored here: it belongs in error" }],
    });
  });

  it("names members in a second data, which HTTP clients wrap around responses", async () => {
    expect(await importAnswered({ data: { data: { strings: [] } } })).toMatchObject({
      outcome: "failed",
      findings: [
        {
          check: "import.answer.shape",
          path: "data.data.strings",
          message: "is ignored here: there is one data too many",
        },
      ],
    });
  });

  it("asks whether the list is undefined in the app if data is empty", async () => {
    const { findings } = await importAnswered({ data: {} });
    expect(findings?.[0]?.message).toMatch(/; is the list undefined in the app\? does the app know this jobType/);
  });

  it("that is JSON without saying so gets a warning", async () => {
    const { imported } = await importing([record("1", "Save")], (call) =>
      call.send(JSON.stringify(returning(changed))),
    );
    expect(imported).toMatchObject({
      outcome: "imported",
      findings: [{ check: "import.content-type", section: "2.4", result: "warn", path: "response" }],
    });
  });

  it("error.message is the text for the user, whatever else the answer has", async () => {
    const answer = { error: { message: "No title." }, data: { strings: [] } };
    expect(await importAnswered(answer)).toMatchObject({
      outcome: "failed",
      error: "No title.",
      hint: "the user is shown this text",
      changes: { removed: 0 },
    });
    expect(await importAnswered({ ...answer, data: { strings: changed } })).toMatchObject({
      outcome: "failed",
      hint: expect.stringMatching(/because of the error none of the strings in data is imported: leave error out/),
    });
  });
});

describe("2.4 a preview", () => {
  it.each([
    ["data.preview", always({ data: { strings: [plural], preview } }), always({ data: { strings: changed, preview } })],
    [
      "data.previewUrl",
      byUrl("<b>", "previewUrl", { strings: [plural] }),
      byUrl("<b>", "previewUrl", { strings: changed }),
    ],
  ] as const)("with plural strings gets a warning and is left out: %s", async (path, withPlural, without) => {
    const { imported } = await importing([plural], withPlural);
    expect(imported).toMatchObject({
      outcome: "imported",
      preview: null,
      findings: [{ check: "import.preview.plurals", result: "warn", section: "2.4", path }],
    });
    expect((await importing(changed, without)).imported).toMatchObject({ findings: [], preview: {} });
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

  it("means the same whether defaults are written out or omitted", async () => {
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

  it("has texts and statuses by plural category if hasPlurals is true", async () => {
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
