import { describe, expect, it } from "vitest";
import { importAnswered as answeredFor, byUrl, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, record, startSimulation } from "../rig/simulation.ts";
import { allUnchanged } from "../rig/strings.ts";

const strings = [record("1", "Save"), record("2", "Open"), record("3", "Close")];
const job = jobWith(strings);
const importAnswered = (answer: unknown) => answeredFor(answer, job);

function withStatus(status: string) {
  return record("1", "a", { translations: { uk: { text: "б", status: status as never } } });
}

describe("an answer that breaks the contract fails the import and changes nothing", () => {
  const unchanged = allUnchanged(0);

  it.each<[string, unknown, RegExp]>([
    ["an array", [], /expected an object/],
    ["neither data nor error", {}, /neither data\.strings nor data\.stringsUrl nor error/],
    ["strings that are no array", { data: { strings: {} } }, /data\.strings: is .*expected an array/],
    [
      "a string without uniqId",
      returning([{ identifier: "a", text: "b" } as never]),
      /strings\[0\]\.uniqId: is missing/,
    ],
    ["a text that is a number", returning([record("1", 5 as never)]), /data\.strings\[0\]\.text: is 5/],
    ["a plural text without hasPlurals", returning([record("1", { one: "a" })]), /strings\[0\]\.text: .*hasPlurals/],
    [
      "an unknown status",
      returning([record("1", "a", { translations: { uk: { text: "б", status: "done" as never } } })]),
      /translations\.uk\.status: is "done"/,
    ],
    [
      "the same uniqId twice",
      returning([record("1", "a"), record("2", "b"), record("1", "c")]),
      /strings\[2\]\.uniqId: "1"/,
    ],
    ["an error without a message", { error: {} }, /neither data\.strings nor data\.stringsUrl nor error\.message/],
    ["an error that is text", { error: "boom" }, /error: is "boom": expected an object/],
    [
      "a message that is no text, beside strings",
      { ...returning(strings), error: { message: 5 } },
      /error\.message: is 5/,
    ],
    [
      "strings_url",
      { data: { strings_url: "http://127.0.0.1/strings" } },
      /: data\.strings_url: is not part of the interface, so it is ignored\. Did you mean "stringsUrl"\?$/,
    ],
    [
      "data that is a text",
      { data: JSON.stringify({ strings }) },
      /data: is .*: was it stringified twice, as by .*? Send the value itself$/,
    ],
    ["data that is another text", { data: "[none" }, /data: is "\[none": expected an object$/],
    [
      "has_plurals",
      returning([{ ...record("1", { one: "a" }), has_plurals: true } as never]),
      /text: .*expected a string, because hasPlurals is not true; "has_plurals" is not part of the interface.* Did you mean "hasPlurals"\?$/,
    ],
    [
      "translations in a list",
      returning([record("1", "a", { translations: [{ language: "uk", text: "б" }] as never })]),
      /translations: is \[.*: expected an object by language id, such as \{"uk": \{"text": "…"\}\}$/,
    ],
    [
      "a translation that is a text",
      returning([record("1", "a", { translations: { uk: "б" as never } })]),
      /translations\.uk: is "б": expected an object with the text, such as \{"text": "…"\}$/,
    ],
    ["strings by URL", { data: { stringsUrl: "http://127.0.0.1/strings" } }, /data\.stringsUrl/],
  ])("%s", async (_, answer, reason) => {
    const imported = await importAnswered(answer);
    expect(imported).toMatchObject({ outcome: "failed", failure: "other", changes: unchanged });
    expect(imported.error).toMatch(reason);
    expect(imported.error).not.toContain("\n");
  });

  it.each<[string, unknown, [check: string, section: string, path: string, message: RegExp][]]>([
    ["the whole", [], [["import.answer.shape", "2.4", "response", /expected an object/]]],
    ["what is missing", {}, [["import.answer.shape", "2.4", "response", /neither data\.strings nor data\.stringsUrl/]]],
    ["an error without a message", { error: {}, data: null }, [["import.answer.shape", "2.4", "response", /neither/]]],
    [
      "every place around the strings at once",
      { data: { strings: [{ text: 5 }], preview: 7 }, error: "boom" },
      [
        ["import.answer.shape", "2.4", "data.preview", /is 7/],
        ["import.answer.shape", "2.4", "error", /is "boom"/],
      ],
    ],
    [
      "every place within the strings at once",
      returning([{ text: 5 }, record("2", "b", { maxLength: 1.5 }), "none", null]),
      [
        ["import.string.shape", "2.5", "data.strings[0].uniqId", /missing/],
        ["import.string.shape", "2.5", "data.strings[0].identifier", /missing/],
        ["import.string.shape", "2.5", "data.strings[0].text", /is 5/],
        ["import.string.shape", "2.5", "data.strings[1].maxLength", /is 1\.5: expected a whole number/],
        ["import.string.shape", "2.5", "data.strings[2]", /is "none": expected an object/],
        ["import.string.shape", "2.5", "data.strings[3]", /is null: expected an object/],
      ],
    ],
    [
      "both of a pair",
      {
        data: {
          ...{ strings, stringsUrl: "http://127.0.0.1:1/strings" },
          ...{ preview: "PGI+", previewUrl: "http://127.0.0.1:1/preview" },
        },
      },
      [
        ["import.answer.pairs", "2.4", "data.stringsUrl", /is given together with its alternative data\.strings/],
        ["import.answer.pairs", "2.4", "data.previewUrl", /is given together with its alternative data\.preview/],
      ],
    ],
  ])("with a finding for %s", async (_, answer, places) => {
    const { findings, error, outcome } = await importAnswered(answer);
    expect(findings).toEqual(
      places.map(([check, section, path, message]) => ({
        ...{ check, section, result: "fail", path, message: expect.stringMatching(message) },
        rule: expect.stringMatching(/^\S.{10,}\S$/),
        value: expect.toSatisfy((value) => value !== undefined),
        identifier: path.startsWith("data.strings[1]") ? "key.2" : null,
      })),
    );
    expect(outcome).toBe("failed");
    expect(error).toContain(`the app's answer breaks the contract: ${places[0]?.[2]}: `);
    if (places.length > 1) expect(error).toContain(`(and ${places.length - 1} more: see the findings)`);
  });

  it.each<[string, unknown[], string, unknown]>([
    ["a field of another type", [record("1", "a", { labels: "ui" as never })], "data.strings[0].labels", "ui"],
    ["a status of its own", [withStatus("done")], "data.strings[0].translations.uk.status", "done"],
    ["a field that is not there", [{ uniqId: "1", text: "a" }], "data.strings[0].identifier", null],
  ])("and says what is there: %s", async (_, received, path, value) => {
    const { findings } = await importAnswered(returning(received));
    expect(findings).toMatchObject([{ check: "import.string.shape", path, value }]);
  });

  it("a repeated uniqId is reported with the place of the first, inline and by URL", async () => {
    const twice = [strings[0], { ...record("9", "New") }, { ...record("9", "Newer") }, strings[2], strings[0]];
    const found = (place: (index: number) => string) => [
      {
        ...{ check: "import.uniqId.unique", section: "2.5", result: "fail", identifier: "key.9" },
        path: `${place(2)}.uniqId`,
        message: `"9" is also that of ${place(1)}`,
      },
      { path: `${place(4)}.uniqId`, value: "1", message: `"1" is also that of ${place(0)}` },
    ];
    const { imported } = await importing(job, always(returning(twice)));
    expect(imported).toMatchObject({ outcome: "failed", changes: unchanged });
    expect(imported.findings).toMatchObject(found((index) => `data.strings[${index}]`));
    const named = await importing(job, byUrl(linesOf(twice)));
    expect(named.imported).toMatchObject({ outcome: "failed", changes: unchanged });
    expect(named.imported.findings).toMatchObject(found((index) => `data.stringsUrl line ${index + 1}`));
  });

  it("in very many places, with the first ones listed", async () => {
    const broken = Array.from({ length: 250 }, (_, index) => ({ ...record(`${index}`, "a"), maxLength: "none" }));
    const { findings, error } = await importAnswered(returning([...broken, record("1", 5 as never)]));
    expect(findings).toHaveLength(101);
    expect(findings.slice(99).map(({ path, message }) => [path, message])).toEqual([
      ["data.strings[99].maxLength", expect.stringContaining('is "none"')],
      ["data.strings", "151 more findings of this kind"],
    ]);
    expect(error).toContain("(and 250 more: see the findings)");
  });

  it("R17: a repeated key, however it is spelled", async () => {
    const body = '{"data":{"strings":[]},"d\\u0061ta":{"strings":[]}}';
    await using run = await startSimulation({ serves: oneImport, answer: (call) => call.send(body) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([{ outcome: "failed", error: expect.stringContaining('has the key "data" twice') }]);
  });

  it.each(["__proto__", "constructor"])("S24: a %s key", async (key) => {
    const body = `{"data":{"strings":[]},"${key}":{"prototype":{"outcome":"imported"}}}`;
    await using run = await startSimulation({ serves: oneImport, answer: (call) => call.send(body) });
    const { jobs } = await run.sim.postImport({ name: "the job", job });
    expect(jobs).toMatchObject([{ outcome: "failed", error: expect.stringContaining("not valid JSON") }]);
    expect(({} as { outcome?: unknown }).outcome).toBeUndefined();
  });
});
