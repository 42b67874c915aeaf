import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { findLanguage } from "../../src/config/languages.ts";
import { Feed } from "../../src/inspector/feed.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { directionOf } from "../../src/output/text-direction.ts";
import { type ImportCall, stringFindings } from "../../src/post-import/run/recorded-import.ts";
import { stringsTable } from "../../src/post-import/run/strings-table.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

const PLATFORM = "http://127.0.0.1:7410/files/abc";
const APP = "http://127.0.0.1:3000/out.ndjson";

const sent = {
  ...{ uniqId: "1", identifier: "welcome", text: "Hi {name}, <b>you</b>" },
  translations: { uk: { text: "Привіт {name}" }, ar: { text: "مرحبا" } },
};
const job = (strings: object) => ({
  ...{ jobType: "file-post-import", file: { id: 1, name: "a.json", content: "e30=" } },
  organization: { id: 1, domain: "acme", baseUrl: "http://a", apiBaseUrl: "http://a" },
  project: { id: 1, identifier: "p", name: "P" },
  ...{ sourceLanguage: findLanguage("en"), targetLanguages: [findLanguage("uk")], ...strings },
});
const lines = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

function exchange(
  id: string,
  purpose: Exchange["purpose"],
  parts: { url?: string; sent?: string; came?: string; status?: number; size?: number },
): Exchange {
  const { request } = exchangeRecord(id);
  const { url = request.url, sent: out = "", came = "", status = 200, size } = parts;
  return exchangeRecord(id, {
    purpose,
    request: { ...request, url, body: recordBody(Buffer.from(out)) },
    response: { status, headers: [], body: recordBody(Buffer.from(came), size) },
  });
}

/** A call for these strings, answered with others; both inline or both by URL. */
function call(
  via: "inline" | "url",
  strings: readonly object[],
  came: readonly object[],
  changes: { status?: number; size?: number } = {},
): ImportCall {
  const isInline = via === "inline";
  const body = job(isInline ? { strings } : { stringsUrl: PLATFORM });
  const answer = { data: isInline ? { strings: came } : { stringsUrl: APP } };
  const { status = 200, size } = changes;
  return {
    job: exchange("job", "post-import", {
      sent: JSON.stringify(body),
      came: status === 304 ? "" : JSON.stringify(answer),
      status,
    }),
    files: isInline
      ? []
      : [
          exchange("other", "file", { url: `${PLATFORM}d`, came: "a file" }),
          exchange("out", "file", { url: PLATFORM, came: lines(strings) }),
          exchange("in", "import-file", { url: APP, came: lines(came), ...(size === undefined ? {} : { size }) }),
        ],
  };
}

const viewOf = (of: ImportCall, choices = defaultChoices) => stringsTable(of, stringFindings(of, choices), choices);

describe.each(["inline", "url"] as const)("the strings of an import, %s", (via) => {
  it("are a row for each string, with languages in columns and the findings of each text", () => {
    const came = { ...sent, text: "Hi, <b>you</b>", isHidden: true, translations: { uk: { text: "Привіт {name}!" } } };
    expect(viewOf(call(via, [sent], [came]))).toEqual({
      languages: ["en", "uk", "ar"],
      isCut: false,
      strings: [
        {
          ...{ id: "1", identifier: "welcome", category: null, isHidden: true, isRemoved: false, notes: [] },
          texts: [
            { before: sent.text, after: came.text, notes: ["no longer has {name}"] },
            { before: "Привіт {name}", after: "Привіт {name}!", notes: [] },
            { before: "مرحبا", after: null, notes: ["did not come back: the translation is lost"] },
          ],
        },
      ],
    });
  });

  it("have a row for each category of a plural, of any language", () => {
    const plural = {
      ...{ uniqId: "2", identifier: "files", hasPlurals: true, text: { one: "# file", other: "# files" } },
      translations: { uk: { text: { one: "# файл", few: "# файли", many: "# файлів", other: "# файлу" } } },
    };
    const view = viewOf(call(via, [plural], [plural]));
    expect(
      typeof view === "string" ? view : view.strings.map(({ category, texts }) => [category, texts[0]?.after ?? null]),
    ).toEqual([
      ["one", "# file"],
      ["few", null],
      ["many", null],
      ["other", "# files"],
    ]);
  });

  it("that did not come back are removed or unchanged, as the choice says", () => {
    const other = { uniqId: "2", identifier: "other", text: "Other" };
    const isRemoved = (choices: typeof defaultChoices) => {
      const view = viewOf(call(via, [sent, other], [sent]), choices);
      return typeof view === "string" ? view : view.strings.map((string) => [string.isRemoved, string.texts[0]?.after]);
    };
    expect(isRemoved(defaultChoices)).toEqual([
      [false, sent.text],
      [true, null],
    ]);
    expect(isRemoved({ ...defaultChoices, "postImport.omitted": "unchanged" })).toEqual([
      [false, sent.text],
      [false, "Other"],
    ]);
  });

  it("are unchanged if nothing was modified", () => {
    const view = viewOf(call(via, [sent], [], { status: 304 }));
    const texts = typeof view === "string" ? [] : view.strings.flatMap((string) => string.texts);
    expect(texts.map((text) => text?.before === text?.after)).toEqual([true, true, true]);
  });
});

it("that lost a placeholder are marked on their line of the list", () => {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  feed.add(call("inline", [sent], [{ ...sent, text: "Hi, <b>you</b>" }]).job);
  expect(feed.row("job")).toMatchObject({ tone: "caution", note: "welcome no longer has {name}", isFault: false });
  const { job } = call("inline", [sent], [sent]);
  feed.add({ ...job, id: "right" });
  expect(feed.row("right")).toMatchObject({ tone: "plain", note: null });
});

it("of which the journal has only the beginning are those known on both sides, and are not judged", () => {
  const came = { ...sent, text: "Hi" };
  const cut = call("url", [sent, { ...sent, uniqId: "2" }], [came], { size: 1_000_000 });
  expect(viewOf(cut)).toMatchObject({
    isCut: true,
    strings: [{ id: "1", texts: [{ after: "Hi", notes: [] }, {}, {}] }],
  });
  expect(stringFindings(cut, defaultChoices)).toEqual([]);
});

it("a line that is not JSON does not hide the others", () => {
  const broken = call("url", [sent], [sent]);
  const file = exchange("in", "import-file", { url: APP, came: `{\n${lines([{ ...sent, text: "Hi {name}" }])}` });
  const found = { ...broken, files: [...broken.files.slice(0, 2), file] };
  const view = viewOf(found);
  const text = typeof view === "string" ? view : view.strings[0]?.texts[0];
  expect(text).toMatchObject({ after: "Hi {name}", notes: [expect.stringContaining("<b>")] });
  expect(stringFindings(found, defaultChoices)).toContainEqual(expect.objectContaining({ check: "import.file.lines" }));
});

it.each<[string, ImportCall]>([
  ["the app did not fetch the strings of this job", { ...call("url", [sent], [sent]), files: [] }],
  [
    "the file of strings that the answer names was not fetched",
    { ...call("url", [sent], [sent]), files: call("url", [sent], []).files.slice(0, 2) },
  ],
  [
    "the answer has no strings",
    { job: exchange("job", "post-import", { sent: JSON.stringify(job({ strings: [sent] })), came: "{}" }), files: [] },
  ],
  [
    "the journal kept only the beginning of the job",
    { job: exchange("job", "post-import", { sent: "{", came: "{}" }), files: [] },
  ],
])("no table: %s", (reason, of) => {
  expect(viewOf(of)).toBe(reason);
});

it.each([
  ["ar", "rtl"],
  ["he", "rtl"],
  ["az-Arab", "rtl"],
  ["uk", "ltr"],
  ["source", "auto"],
  ["not a language", "auto"],
])("a text in %s is written %s", (id, dir) => {
  expect(directionOf(id).dir).toBe(dir);
});
