import { Chalk } from "chalk";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { paintWith } from "../../src/output/paint.ts";
import type { ImportedJob, ImportFinding, StringChange } from "../../src/post-import/import-result.ts";
import { importText } from "../../src/post-import/text/import-text.ts";
import { harmlessLine } from "../../src/protocol/harmless.ts";
import { changed, changes, imported, importResult } from "../rig/imported.ts";
import { rawControls } from "../rig/output.ts";

const paint = (width: number, level: 0 | 1 = 0) => paintWith(new Chalk({ level }), width);

function linesOf(job: Partial<ImportedJob>, width = Number.POSITIVE_INFINITY, details = false): string[] {
  return importText(importResult(imported(job)), () => [], paint(width), details);
}

function changeOf(...fields: StringChange["fields"]): string[] {
  return changesOf(Number.POSITIVE_INFINITY, false, ...fields);
}

/** The lines of one changed string, without its name and indentation. */
function changesOf(width: number, details: boolean, ...fields: StringChange["fields"]): string[] {
  const lines = linesOf({ changes: changes({ changed: 1, strings: [changed("key", ...fields)] }) }, width, details);
  const start = lines.findIndex((line) => line.startsWith("    changed key"));
  return lines.slice(start + 1, -1).map((line) => line.slice(6));
}

describe("the head line", () => {
  it.each<[string, Partial<ImportedJob>]>([
    ["tidy: new source file, 5 strings sent inline", {}],
    ["tidy: update of a source file, 5 strings sent inline", { occasion: "source-update" }],
    ["tidy: translation upload (uk), 5 strings sent inline", { occasion: "translation-upload", languages: ["uk"] }],
    [
      "tidy: multilingual file (a, b, c, d, e, … and 2 more), 5 strings sent inline",
      { occasion: "multilingual", languages: ["a", "b", "c", "d", "e", "f", "g"] },
    ],
    [
      "tidy: new source file, imported as owner, 1,611 strings sent by URL, the file by URL",
      { user: { id: 1, role: "owner" }, sent: { strings: 1611, via: "url", contentVia: "url", bytes: 5 } },
    ],
  ])("says %s", (says, job) => {
    expect(linesOf(job)[0]).toBe(`Import of greetings.json by ${says}`);
  });

  it("does not claim to have sent what was not sent", () => {
    expect(linesOf({ outcome: "skipped", module: null })[0]).toBe(
      "Import of greetings.json: new source file, 5 strings",
    );
  });
});

describe("the job's result", () => {
  it.each<[string, Partial<ImportedJob>]>([
    ["✓ imported: 5 strings came back; 0 changed, 0 added, 0 removed, 5 unchanged", {}],
    [
      "✓ imported: 1,611 strings came back by URL; 23 changed (4 hidden, 20 relabelled), 0 added, 2 removed, 1,586 unchanged",
      {
        received: { strings: 1611, via: "url", bytes: 1 },
        changes: changes({ changed: 23, removed: 2, unchanged: 1586, hidden: 4, relabelled: 20 }),
      },
    ],
    [
      "✓ imported: 5 strings came back; 1 changed, 3 added, 0 removed, 0 unchanged; 2 hidden",
      { changes: changes({ changed: 1, added: 3, hidden: 2 }) },
    ],
    [
      "! imported, but all 5 strings were removed: 6 strings came back; 0 changed, 6 added, 5 removed, 0 unchanged",
      {
        received: { strings: 6, via: "inline", bytes: 1 },
        changes: changes({ added: 6, removed: 5 }),
      },
    ],
    ["✓ not modified: the app answered 304, so nothing changes (5 strings)", { outcome: "not-modified" }],
    ["✗ failed: no glossary", { outcome: "failed", error: "no glossary" }],
    ["- skipped: no module fits", { outcome: "skipped", error: "no module fits" }],
  ])("%s", (says, job) => {
    expect(linesOf(job)).toContain(`  ${says}`);
  });

  it.each([
    [null, "    preview: 2,345 bytes of HTML; --preview opens it"],
    ["http://127.0.0.1/previews/1", "    preview: 2,345 bytes of HTML: http://127.0.0.1/previews/1"],
  ])("shows where a preview is: %s", (url, line) => {
    expect(linesOf({ preview: { via: "inline", bytes: 2345, url } })).toContain(line);
  });
});

it("an address is never broken", () => {
  const url = `http://127.0.0.1:43210/previews/${"a".repeat(43)}`;
  const lines = linesOf({ preview: { via: "inline", bytes: 2345, url } }, 60);
  const start = lines.findIndex((line) => line.includes("preview"));
  expect(lines.slice(start, start + 2)).toEqual(["    preview: 2,345 bytes of HTML:", `      ${url}`]);
});

describe("what the app did to a string", () => {
  it.each<[string, StringChange["fields"][number], string[]]>([
    [
      "a word",
      { field: "text", before: "Pay now", after: "Pay later" },
      ["- text: Pay [-now-]", "+ text: Pay {+later+}"],
    ],
    ["another text", { field: "text", before: "Pay", after: "Buy" }, ["- text: Pay", "+ text: Buy"]],
    ["no text", { field: "text", before: "Pay", after: "" }, ["- text: Pay", '+ text: ""']],
    ["spaces", { field: "text", before: "Name: ", after: " Name:" }, ["- text: Name:[-␠-]", "+ text: {+␠+}Name:"]],
    [
      "unchanged spaces",
      { field: "text", before: " Pay now ", after: " Pay later " },
      ["- text: ␠Pay [-now-]␠", "+ text: ␠Pay {+later+}␠"],
    ],
    [
      "line feeds",
      { field: "text", before: "one\ntwo", after: "one\n\ntwo" },
      ["- text: one␊two", "+ text: one␊{+␊+}two"],
    ],
    [
      "other spaces",
      { field: "text", before: "10 km", after: "10\u00a0km" },
      ["- text: 10[-␠-]km", "+ text: 10{+<U+00A0>+}km"],
    ],
    ["normal forms", { field: "text", before: "é", after: "e\u0301" }, ["- text: <U+00E9>", "+ text: e<U+0301>"]],
    ["a translation", { field: "translations.uk.text", before: "Так", after: "Ні" }, ["- uk: Так", "+ uk: Ні"]],
    ["a new translation", { field: "translations.uk.text", before: null, after: "Так" }, ["+ uk: Так"]],
    [
      "a status",
      { field: "translations.uk.status", before: "translated", after: "approved" },
      ["status: translated → approved (uk)"],
    ],
    ["a limit", { field: "maxLength", before: null, after: 40 }, ["maxLength: null → 40"]],
    [
      "a context",
      { field: "context", before: "on the page", after: "on the screen" },
      ["context: on the [-page-] → on the {+screen+}"],
    ],
    ["a first context", { field: "context", before: "", after: "menu" }, ['context: "" → menu']],
    ["a key", { field: "identifier", before: "a.one", after: "b.two" }, ["identifier: a.one → b.two"]],
    ["labels", { field: "labels", before: ["old", "kept"], after: ["kept", "new", "new"] }, ["labels: +new +new −old"]],
    [
      "attributes",
      { field: "attributes", before: { platformType: "html", n: 1 }, after: { platformType: "json", n: 1, x: 5 } },
      ["attributes: platformType html → json, x null → 5"],
    ],
    ["a plural", { field: "hasPlurals", before: false, after: true }, ["hasPlurals: false → true"]],
    ["hiding, beside its name", { field: "isHidden", before: false, after: true }, []],
  ])("%s", (_, field, lines) => {
    expect(changeOf(field)).toEqual(lines);
  });

  it("says next to the name that a string was hidden, or shown again", () => {
    const of = (after: boolean) =>
      linesOf({
        changes: changes({ changed: 1, strings: [changed("key", { field: "isHidden", before: !after, after })] }),
      });
    expect(of(true)).toContain("    changed key, hidden now");
    expect(of(false)).toContain("    changed key, no longer hidden");
  });

  const plural = {
    field: "translations.uk.text",
    before: { one: "%d файл", few: "%d файли", other: "%d файлу" },
    after: { one: "Один файл", few: "%d файли", other: "%d файла" },
  };

  it.each([60, 80, Number.POSITIVE_INFINITY])("shows plural categories below their text, in %s columns", (width) => {
    expect(changesOf(width, false, plural)).toEqual([
      "uk",
      "  - one: [-%d-] файл",
      "  + one: {+Один+} файл",
      "  - other: %d [-файлу-]",
      "  + other: %d {+файла+}",
    ]);
    expect(changesOf(width, true, plural)).toContain("    few: %d файли");
  });

  it("shows equal status changes on one line, and different ones by category", () => {
    const status = (language: string, before: unknown, after: unknown) => ({
      field: `translations.${language}.status`,
      before,
      after,
    });
    expect(
      changeOf(
        status("uk", "translated", "approved"),
        status("pl", { one: "translated", few: "translated" }, { one: "approved", few: "approved" }),
        status("de", { one: "translated", other: "translated" }, { one: "untranslated", other: "translated" }),
      ),
    ).toEqual(["status: translated → approved (uk, pl)", "status: translated → untranslated (de one)"]);
  });

  it("names added strings with their text, and removed ones", () => {
    const lines = linesOf({
      changes: changes({
        added: 2,
        removed: 1,
        strings: [
          { ...changed("gone"), change: "removed" },
          {
            ...changed(
              "extra",
              { field: "text", before: null, after: "More" },
              { field: "isHidden", before: null, after: true },
            ),
            change: "added",
          },
          { ...changed("", { field: "text", before: null, after: { one: "a", other: "b" } }), change: "added" },
        ],
      }),
    });
    expect(lines.slice(2, -1)).toEqual([
      "    removed gone",
      "    added extra, hidden now",
      "      + text: More",
      "    added the string with uniqId id of",
      "      text",
      "        + one: a",
      "        + other: b",
    ]);
  });

  it("shows only the surroundings of a change in long texts", () => {
    const text = "Lorem ipsum dolor sit amet. ".repeat(150_000);
    const lines = changesOf(80, false, {
      field: "text",
      before: text,
      after: `${text.slice(0, 2_000_000)}changed ${text.slice(2_000_000)}`,
    });
    const [before = "", after = ""] = lines.join("\n").split("\n+ ");
    expect(lines.length).toBeLessThan(10);
    expect(before).toMatch(/1,999,\d+\s+characters\s+unchanged …/);
    expect(after).toContain("characters");
    const [whole = ""] = changeOf({ field: "text", before: null, after: "x".repeat(4_000_000) });
    expect(whole).toMatch(/^\+ text: x{300} … 3,999,640 characters … x{60}$/);
  });

  it("shows the first of many changes within a text", () => {
    const words = Array.from({ length: 100 }, (_, index) => `word${index} of the text`);
    const [, after = ""] = changeOf({
      field: "text",
      before: words.join(" "),
      after: words.map((word, index) => (index % 2 === 0 ? word.replace("of", "in") : word)).join(" "),
    });
    expect(after).toMatch(/ … and 30 more changes$/);
  });
});

describe("many changed strings", () => {
  const strings = Array.from({ length: 30 }, (_, index) =>
    changed(`key-${index}`, { field: "text", before: "a", after: "b" }),
  );
  it.each([
    [30, false, 10, "… and 20 more strings; --details shows all"],
    [30, true, 30, undefined],
    [50, false, 10, "… and 40 more strings; --details shows the first 30, --save FILE keeps all"],
    [50, true, 30, "… and 20 more strings; --save FILE keeps all"],
  ])("of %s, with details: %s", (count, details, shown, rest) => {
    const lines = linesOf({ changes: changes({ changed: count, strings }) }, 80, details);
    expect(lines.filter((line) => line.startsWith("    changed key-"))).toHaveLength(shown);
    expect(lines.find((line) => line.includes("…"))?.trim()).toBe(rest);
  });
});

describe("findings", () => {
  const finding = (result: "fail" | "warn", check: string, path: string, value: unknown = null): ImportFinding => ({
    check,
    section: "2.5",
    result,
    path,
    message: "is odd",
    rule: `the rule of ${check}`,
    value,
    identifier: null,
  });

  it("are shown with faults first, each rule once", () => {
    const findings = [finding("warn", "w", "a"), finding("fail", "f", "b", "x"), finding("fail", "f", "c", 5)];
    expect(linesOf({ findings }).slice(2, -1)).toEqual([
      "    fault: b: is odd [f, interface 2.5]",
      "      rule: the rule of f",
      "    fault: c: is odd [f, interface 2.5]",
      "    warning: a: is odd [w, interface 2.5]",
      "      rule: the rule of w",
    ]);
    expect(linesOf({ findings }, 80, true)).toContain('      found: "x"');
  });

  it.each([
    ["data.strings[3].text.few", "cart.items", 'data.strings[3] "cart.items", text.few'],
    ["data.strings[3]", "cart.items", 'data.strings[3] "cart.items"'],
    ["data.stringsUrl line 4.labels", "cart.items", 'data.stringsUrl line 4 "cart.items", labels'],
    ["data.stringsUrl line 4.labels", null, "data.stringsUrl line 4, labels"],
    ["data.strings", "cart.items", 'data.strings "cart.items"'],
    ["data.strings[3].identifier", " ", "data.strings[3], identifier"],
    ["response", null, "response"],
  ])("name the string that they are about: %s, %j", (path, identifier, place) => {
    const findings = [{ ...finding("warn", "w", path), identifier }];
    expect(linesOf({ findings })).toContain(`    warning: ${place}: is odd [w, interface 2.5]`);
  });

  it.each<[string, ImportFinding[], string]>([
    [
      "fault",
      [finding("fail", "f", "a"), finding("warn", "w", "b")],
      "the answer breaks the contract (1 fault, 1 warning)",
    ],
    [
      "file",
      [finding("fail", "import.file.fetched", "a")],
      "a file that the answer names could not be fetched (1 fault)",
    ],
    ["warning", [finding("warn", "w", "b")], "b is odd, says the app"],
  ])("say why the import failed if there is a %s", (_, findings, why) => {
    const lines = linesOf({ outcome: "failed", error: "b is odd, says the app", failure: "other", findings });
    expect(lines[1]).toBe(`  ✗ failed: ${why}`);
  });

  it("are not members that the app may have on purpose, which are listed", () => {
    const ignored: ImportedJob["ignored"] = [
      { in: "string", name: "foo", strings: 5 },
      { in: "translation", name: "state", strings: 3 },
      { in: "translation", name: "by", strings: 1 },
    ];
    const lines = linesOf({ ignored }, 240);
    expect(lines).toContain(
      "    ignored by the platform: state (in 3 strings), by (in 1 string); a translation has only text, status",
    );
    expect(lines.join()).toContain("foo (in 5 strings); a string has only uniqId, identifier, ");
  });

  it("that were only counted are shown as a number", () => {
    const kept = Array.from({ length: 100 }, (_, index) => finding("fail", "f", `p${index}`));
    const rest = {
      ...finding("fail", "f", "data.strings"),
      message: "19900 more findings of this kind",
      notKept: 19_900,
    };
    const job = { outcome: "failed" as const, findings: [...kept, rest, finding("warn", "w", "a")] };
    expect(linesOf(job)[1]).toBe("  ✗ failed: the answer breaks the contract (20,000 faults, 1 warning)");
    expect(linesOf(job).at(-2)).toBe("    … and 19,991 more findings; --details shows the first 101 of 20,001");
    expect(linesOf(job, 80, true).at(-2)).toBe("    … and 19,900 more findings; only their number was kept");
  });

  it("with the same words at the same place of several strings are one, unless all are asked for", () => {
    const findings = [0, 1, 2].map((index) => finding("fail", "f", `data.strings[${index}].uniqId`));
    const faults = (details: boolean) => linesOf({ findings }, 80, details).filter((line) => line.includes("fault: "));
    expect(faults(false)).toEqual([expect.stringContaining("data.strings[0], uniqId (and in 2 more strings): ")]);
    expect(faults(true)).toHaveLength(3);
  });

  it("are limited to ten by default", () => {
    const findings = Array.from({ length: 12 }, (_, index) => finding("warn", "w", `p${index}`));
    expect(linesOf({ findings })).toContain("    … and 2 more findings; --details shows all");
    expect(linesOf({ findings }, 80, true).filter((line) => line.includes("warning: "))).toHaveLength(12);
  });
});

describe("the expected answer", () => {
  const expected = { file: "greetings.expected.ndjson", reason: null, differences: changes() };
  it("is reported as the same or written", () => {
    expect(linesOf({ expected: { ...expected, result: "same" } })).toContain(
      "  ✓ same as expected (greetings.expected.ndjson)",
    );
    expect(linesOf({ expected: { ...expected, result: "written" } })).toContain(
      "  ✓ written: greetings.expected.ndjson is now the expected answer",
    );
  });

  it("is not written if the answer is invalid", () => {
    const reason = "an answer that breaks the contract cannot be expected";
    expect(
      linesOf({ outcome: "failed", error: "no", expected: { ...expected, result: "not-written", reason } }),
    ).toContain(`  ✗ not written: ${reason} (greetings.expected.ndjson)`);
  });

  it("differs from an invalid answer, which cannot be accepted", () => {
    const error = "the app answered 500";
    const reason = `expected imported, but it failed: ${error}`;
    const lines = linesOf({ outcome: "failed", error, expected: { ...expected, result: "different", reason } });
    expect(lines.slice(1, -1)).toEqual([
      "  ✗ failed: the app answered 500",
      "  ✗ differs from greetings.expected.ndjson: expected imported, but it failed",
    ]);
  });

  it("may be a failure", () => {
    const lines = linesOf({
      outcome: "failed",
      error: "no glossary",
      failure: "other",
      expected: { ...expected, result: "same" },
    });
    expect(lines).toContain("  ✓ failed, as expected: no glossary");
  });

  it("that differs is shown as expected and received", () => {
    const differences = changes({
      changed: 1,
      added: 1,
      removed: 1,
      strings: [
        changed(
          "key",
          { field: "text", before: "Pay now", after: "Pay later" },
          { field: "isHidden", before: false, after: true },
          { field: "labels", before: ["a"], after: ["b"] },
          { field: "translations.uk.status", before: "approved", after: "translated" },
        ),
        { ...changed("gone"), change: "removed" },
        { ...changed("extra", { field: "text", before: null, after: "More" }), change: "added" },
      ],
    });
    const job = { expected: { ...expected, result: "different" as const, reason: "another preview", differences } };
    expect(linesOf(job).slice(2, -1)).toEqual([
      "  ✗ differs from greetings.expected.ndjson: another preview; 1 different, 1 not expected, 1 missing",
      "      different key",
      "        isHidden: expected false, received true",
      "        labels: received +b expected −a",
      "        - expected text: Pay [-now-]",
      "        + received text: Pay {+later+}",
      "        status: expected approved, received translated (uk)",
      "      missing gone",
      "      not expected extra",
      "        + received text: More",
      "    hint: --update accepts this answer",
    ]);
  });
});

describe("a batch", () => {
  const jobs = [
    imported({ fixture: "fixtures/jobs/greetings.json", changes: changes({ changed: 1200, added: 1, unchanged: 3 }) }),
    imported({
      fixture: "fixtures/jobs/日本語.json",
      occasion: "translation-upload",
      languages: ["uk"],
      outcome: "failed",
      error: "no",
    }),
    imported({ fixture: "fixtures/jobs/other.json", outcome: "skipped", error: "no module fits" }),
  ];
  it("ends with a line for each job and a summary", () => {
    expect(importText(importResult(...jobs), () => [], paint(120), false).slice(-4)).toEqual([
      "✓ fixtures/jobs/greetings.json: new source file, imported; 1,200 changed, 1 added, 0 removed, 3 unchanged",
      "✗ fixtures/jobs/日本語.json: translation upload (uk), failed",
      "- fixtures/jobs/other.json: new source file, skipped",
      "3 jobs: 1 imported, 0 not modified, 1 failed, 1 skipped",
    ]);
  });

  it("folds summary lines in a narrow terminal", () => {
    expect(importText(importResult(...jobs), () => [], paint(40), false).slice(-10)).toEqual([
      "✓ fixtures/jobs/greetings.json: new",
      "    source file, imported; 1,200",
      "    changed, 1 added, 0 removed, 3",
      "    unchanged",
      "✗ fixtures/jobs/日本語.json: translation",
      "    upload (uk), failed",
      "- fixtures/jobs/other.json: new source",
      "    file, skipped",
      "3 jobs: 1 imported, 0 not modified, 1",
      "  failed, 1 skipped",
    ]);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "a\u001b[31mb\u202ec\u2028d\re\u009bf",
    "他們在這裡等待著我們的到來",
    "😀👩‍👩‍👧‍👦",
    "words and words ".repeat(60),
  ),
);
const anyFields = fc.array(
  fc.oneof(
    fc.record({ field: fc.constantFrom("text", "identifier", "context"), before: anyText, after: anyText }),
    fc.record({
      field: anyText.map((language) => `translations.${language}.text`),
      before: fc.option(fc.dictionary(anyText, anyText)),
      after: fc.oneof(anyText, fc.dictionary(anyText, anyText)),
    }),
    fc.record({
      field: anyText.map((language) => `translations.${language}.status`),
      before: anyText,
      after: fc.dictionary(anyText, anyText),
    }),
    fc.record({ field: fc.constantFrom("labels"), before: fc.array(anyText), after: fc.array(anyText) }),
    fc.record({
      field: fc.constantFrom("attributes"),
      before: fc.dictionary(anyText, anyText),
      after: fc.dictionary(anyText, fc.jsonValue()),
    }),
  ),
  { maxLength: 4 },
);
const anyStrings = fc.array(
  fc.record({
    uniqId: anyText,
    identifier: anyText,
    change: fc.constantFrom("changed", "added", "removed"),
    fields: anyFields,
  }),
  { maxLength: 4 },
);
const anyChanges = anyStrings.map((strings) => changes({ changed: strings.length, strings }));
const anyJob = fc.record({
  fixture: anyText,
  languages: fc.array(anyText),
  occasion: fc.constantFrom("source-upload", "multilingual"),
  module: anyText,
  outcome: fc.constantFrom("imported", "failed", "skipped"),
  error: anyText,
  hint: anyText,
  preview: fc.record({ via: fc.constant("inline"), bytes: fc.nat(), url: anyText }),
  changes: anyChanges,
  findings: fc.array(
    fc.record({
      check: anyText,
      section: anyText,
      result: fc.constantFrom("fail", "warn"),
      path: anyText,
      message: anyText,
      rule: anyText,
      value: anyText,
      identifier: fc.option(anyText),
    }),
    { maxLength: 3 },
  ),
  ignored: fc.array(fc.record({ in: fc.constantFrom("string", "translation"), name: anyText, strings: fc.nat() }), {
    maxLength: 3,
  }),
  expected: fc.record({
    file: anyText,
    result: fc.constantFrom("same", "different", "not-written"),
    reason: anyText,
    differences: anyChanges,
  }),
}) as fc.Arbitrary<Partial<ImportedJob>>;

describe("any answer of an app to a job", () => {
  it("has no line wider than the terminal, with and without colour", () => {
    const widths = fc.constantFrom(40, 80, 120);
    fc.assert(
      fc.property(anyJob, anyJob, widths, fc.boolean(), fc.constantFrom(0, 1), (one, other, width, details, level) => {
        const result = importResult(imported(one), imported(other));
        const lines = importText(result, () => [], paint(width, level), details);
        const addresses = [one, other].map(({ preview }) => harmlessLine(preview?.url ?? "").trim());
        const isAddress = (line: string) => addresses.includes(line.trim());
        expect(lines.filter((line) => stringWidth(line) > width && !isAddress(line))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it("S15: is harmless, however wide the terminal is", () => {
    const widths = fc.constantFrom(40, 80, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(anyJob, anyJob, widths, fc.boolean(), (one, other, width, details) => {
        const lines = importText(importResult(imported(one), imported(other)), () => [], paint(width), details);
        expect(lines.flatMap(rawControls)).toEqual([]);
        expect(lines.filter((line) => line.includes("\n"))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it("says everything without colour", () => {
    const fields = [{ field: "text", before: "Pay now", after: "Pay later" }];
    const result = importResult(imported({ changes: changes({ changed: 1, strings: [changed("key", ...fields)] }) }));
    const lines = importText(result, () => [], paint(80, 1), false);
    expect(lines).toContain("      \u001b[32m+ text: \u001b[39mPay \u001b[32m\u001b[4mlater\u001b[24m\u001b[39m");
  });
});
