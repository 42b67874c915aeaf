import { describe, expect, it } from "vitest";
import { stringLines } from "../../src/inspector/page/import-strings.ts";
import type { ExchangeView } from "../../src/inspector/view.ts";

const message = (value: unknown, isCut = false) => {
  const text = JSON.stringify(value);
  return { headers: [], body: { size: text.length, isCut, text, base64: "", isGzip: false, type: "application/json" } };
};
const view = (job: unknown, answer: unknown, changes: Partial<ExchangeView> = {}) =>
  ({ request: message(job), response: message(answer), status: 200, ...changes }) as ExchangeView;

const sent = {
  ...{ uniqId: "1", identifier: "welcome", text: "Hi {name}, <b>you</b>" },
  translations: { uk: { text: "Привіт {name}" }, ar: { text: "مرحبا" } },
};

describe("the strings of an import", () => {
  it("are a line for each text, with what was lost of it", () => {
    const came = { ...sent, text: "Hi, <b>you</b>", isHidden: true, translations: { uk: { text: "Привіт {name}!" } } };
    expect(stringLines(view({ strings: [sent] }, { data: { strings: [came] } }))).toEqual([
      {
        id: "1",
        identifier: "welcome",
        language: "source",
        before: sent.text,
        after: came.text,
        isHidden: true,
        lost: ["{name}"],
      },
      {
        id: "1",
        identifier: "welcome",
        language: "uk",
        before: "Привіт {name}",
        after: "Привіт {name}!",
        isHidden: true,
        lost: [],
      },
      { id: "1", identifier: "welcome", language: "ar", before: "مرحبا", after: null, isHidden: true, lost: [] },
    ]);
  });

  it("have a line for each category of a plural", () => {
    const plural = { uniqId: "2", identifier: "files", hasPlurals: true, text: { one: "# file", other: "# files" } };
    const lines = stringLines(view({ strings: [plural] }, { data: { strings: [plural] } }));
    expect(typeof lines === "string" ? lines : lines.map(({ language }) => language)).toEqual([
      "source one",
      "source other",
    ]);
  });

  it("are as they were where nothing was modified", () => {
    const lines = stringLines(view({ strings: [sent] }, {}, { status: 304 }));
    expect(typeof lines === "string" ? lines : lines.every(({ before, after }) => before === after)).toBe(true);
  });

  it.each([
    [view({ stringsUrl: "http://x" }, {}), /stringsUrl/],
    [view({ strings: [sent] }, { error: { message: "no" } }), /holds no strings/],
    [view({ strings: [sent] }, {}, { request: message({}, true) }), /only the beginning of the job/],
    [view({ strings: [sent] }, {}, { response: message({}, true) }), /only the beginning of the answer/],
  ])("that cannot be shown have a reason", (exchange, reason) => {
    expect(stringLines(exchange)).toMatch(reason);
  });
});
