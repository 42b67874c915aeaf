import { load } from "cheerio";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { callPostImport, fetchLines, job, label, string } from "./import-jobs.ts";
import { bearer, type Fields, issued, now, sign } from "./platform.ts";

const MIB = 1024 * 1024;

type BodyInit = NonNullable<RequestInit["body"]>;

let app: SampleApp;

beforeEach(async () => {
  app = await startSampleApp(issued);
});

afterEach(() => app.close());

describe("the post-import module", () => {
  it("I1: answers a source upload, whose targetLanguages are empty, with every string", async () => {
    const kept = string({
      uniqId: "3f2a::1",
      maxLength: null,
      labels: ["menu"],
      translations: { fr: { text: " a " } },
    });
    const trimmed = string({ uniqId: "3f2a::2", text: "\t Save \u00a0", labels: ["menu"], custom: { a: [1] } });
    const answer = await callPostImport(app.url, job([kept, trimmed]));
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        data: {
          strings: [kept, { ...trimmed, text: "Save", labels: ["menu", label] }],
          preview: expect.any(String),
        },
      },
    ]);
  });

  it("I1: answers 304 without a body when nothing would change", async () => {
    const answer = await callPostImport(app.url, job([string(), string({ uniqId: "2", text: "%d", isHidden: true })]));
    expect([answer.status, answer.text]).toEqual([304, ""]);
  });

  it("keeps hidden strings hidden, and does not repeat labels", async () => {
    const hidden = string({ uniqId: "1", isHidden: true });
    const labelled = string({ uniqId: "2", text: "a ", isHidden: true, labels: [label] });
    const answer = await callPostImport(app.url, job([hidden, labelled]));
    expect(answer.json).toMatchObject({ data: { strings: [hidden, { ...labelled, text: "a" }] } });
  });

  it("I1: answers 304 to no strings at all", async () => {
    expect((await callPostImport(app.url, job([]))).status).toBe(304);
  });

  it.each(["%s", "%1$s %2$d", "%(name)s", "{name}", "{{ name }}", "<b>%@</b>", "<br/>", "— 42 %", "", "\ud800"])(
    "hides %j, which holds no letter",
    async (text) => {
      const answer = await callPostImport(app.url, job([string({ text })]));
      expect(answer.json).toMatchObject({ data: { strings: [string({ text, isHidden: true, labels: [label] })] } });
    },
  );

  it.each(["Ж", "語", "ß %s", "{count, plural, one {# file} other {# files}}", "a < b > c", "<b>x</b>"])(
    "leaves %j, which holds a letter, as it is",
    async (text) => {
      expect((await callPostImport(app.url, job([string({ text, isHidden: false })]))).status).toBe(304);
    },
  );

  it("I5: trims every plural category", async () => {
    const text = { zero: "none", one: " one", two: "two ", few: " few ", many: "\nmany", other: "other" };
    const answer = await callPostImport(app.url, job([string({ hasPlurals: true, text })]));
    const trimmed = { zero: "none", one: "one", two: "two", few: "few", many: "many", other: "other" };
    expect(answer.json).toEqual({
      data: { strings: [string({ hasPlurals: true, text: trimmed, labels: [label] })] },
    });
  });

  it("I5: hides a plural string only if no category holds a letter", async () => {
    const visible = string({ uniqId: "1", hasPlurals: true, text: { one: "%d", other: "%d files" } });
    const hidden = string({ uniqId: "2", hasPlurals: true, text: { one: "%d", other: "{n}" } });
    const answer = await callPostImport(app.url, job([visible, hidden]));
    expect(answer.json).toEqual({ data: { strings: [visible, { ...hidden, isHidden: true, labels: [label] }] } });
  });

  it("I5: every string comes back once, in order, and a second run changes nothing", async () => {
    const text = fc.string({ unit: fc.constantFrom(" ", "\n", "a", "é", "%s", "{x}", "<b>", "7", "\ud800") });
    const plain = fc.record({ text });
    const plural = fc.record({ hasPlurals: fc.constant(true), text: fc.record({ one: text, other: text }) });
    const labels = fc.option(fc.subarray(["menu", label]), { nil: undefined });
    const strings = fc.array(fc.tuple(fc.oneof(plain, plural), labels));
    await fc.assert(
      fc.asyncProperty(strings, async (drawn) => {
        const sent = drawn.map(([own, tags], index) => string({ uniqId: `f::${index}`, labels: tags, ...own }));
        const first = await callPostImport(app.url, job(sent));
        if (first.status === 304) return;
        const { data } = first.json as { data: { strings: Fields[] } };
        expect(data.strings.map((one) => one.uniqId)).toEqual(sent.map((one) => one.uniqId));
        expect((await callPostImport(app.url, job(data.strings))).status).toBe(304);
      }),
      { numRuns: 30 },
    );
  });

  const stringsUrl = `${issued.authUrl}/files/1`;
  const elsewhere = `must be an address of the platform, which is at ${issued.authUrl}.`;
  const notBase64 = "The content of the file must be base64.";

  it.each<[sent: string, body: string, message: string]>([
    ["bad JSON", "{", "The body must be JSON in UTF-8."],
    ["an array", "[]", "The job must be an object."],
    ["no strings", job(undefined), "The job has neither strings nor stringsUrl."],
    [
      "strings and stringsUrl",
      job([], { stringsUrl }),
      "The job has both strings and stringsUrl; it must have one of them.",
    ],
    ["strings that are no array", job({}), "The strings must be an array."],
    ["a stringsUrl that is no text", job(undefined, { stringsUrl: 5 }), `stringsUrl ${elsewhere}`],
    ["no file", job([], { file: undefined }), "The job has no file."],
    ["no content", job([], { file: {} }), "The file has neither content nor contentUrl."],
    [
      "content and contentUrl",
      job([], { file: { content: "", contentUrl: stringsUrl } }),
      "The file has both content and contentUrl; it must have one of them.",
    ],
    ["content that is no text", job([], { file: { content: 5 } }), notBase64],
    ["content with a white space", job([], { file: { content: "e30= " } }), notBase64],
    ["content without its end", job([], { file: { content: "e30" } }), notBase64],
    ["content with other characters", job([], { file: { content: "e3-_" } }), notBase64],
    ["content that is not encoded", job([], { file: { content: "{}" } }), notBase64],
    [
      "a contentUrl that is elsewhere",
      job([], { file: { contentUrl: "http://other.test/f" } }),
      `contentUrl ${elsewhere}`,
    ],
    ["a string that is null", job([null]), "strings[0]: the string must be an object."],
    ["no uniqId", job([string(), string({ uniqId: undefined })]), "strings[1]: uniqId must be a text."],
    ["no identifier", job([string({ identifier: undefined })]), "strings[0]: identifier must be a text."],
    ["plurals in a plain string", job([string({ text: { other: "a" } })]), "strings[0]: text must be a text."],
    [
      "a plain text in plurals",
      job([string({ hasPlurals: true })]),
      "strings[0]: text must hold a text for each plural category.",
    ],
    ["labels of numbers", job([string({ labels: [1] })]), "strings[0]: labels must be an array of texts."],
    ["isHidden 1", job([string({ isHidden: 1 })]), "strings[0]: isHidden must be true or false."],
  ])("I2: answers %s with an error message", async (_sent, body, message) => {
    const answer = await callPostImport(app.url, body);
    expect([answer.status, answer.json]).toEqual([200, { error: { message } }]);
  });

  it("never answers 5xx, whatever the job", async () => {
    const field = fc.oneof(fc.jsonValue(), fc.constant(" a "));
    const drawn = fc.record({ text: field, hasPlurals: field, labels: field, isHidden: field }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.array(drawn.map(string))), async (strings) => {
        expect([200, 304]).toContain((await callPostImport(app.url, job(strings))).status);
      }),
      { numRuns: 50 },
    );
  });

  it("survives strings that are nested too deeply to be written again", async () => {
    const body = job([string({ text: " a ", attributes: "DEEP" })]);
    const answer = await callPostImport(app.url, body.replace('"DEEP"', "[".repeat(100_000) + "]".repeat(100_000)));
    expect(answer.status).toBe(200);
  });

  it.each(["{", "<a", "%", "%(", "%0", "%1$", "%(a", "0", "0a", " "])(
    "I5: is not slowed down by a long run of %j",
    async (run) => {
      const text = `%${run.repeat(MIB / run.length)}`;
      expect([200, 304]).toContain((await callPostImport(app.url, job([string({ text })]))).status);
    },
  );

  /** A job of exactly so many bytes with one string, of which a space is to be trimmed. */
  function jobOfSize(bytes: number): string {
    const spare = bytes - job([string({ text: " " })]).length;
    return job([string({ text: ` ${"a".repeat(spare)}` })]);
  }

  const chunked = (body: string) => new Blob([body]).stream() as unknown as BodyInit;

  it.each<[sent: string, body: (text: string) => BodyInit]>([
    ["with Content-Length", (text) => text],
    ["in chunks", chunked],
  ])("I6: answers exactly 5 MiB, refuses one byte more with 413 (%s)", async (_sent, body) => {
    const full = await callPostImport(app.url, body(jobOfSize(5 * MIB)));
    expect(full.status).toBe(200);
    expect(full.json).toMatchObject({ data: { strings: [{ uniqId: "3f2a::1", labels: [label] }] } });
    expect((await callPostImport(app.url, body(jobOfSize(5 * MIB + 1)))).status).toBe(413);
  });

  it.each(["", "e30=", "AA==", "ZmlsZQ=="])("takes the content %j of a file", async (content) => {
    expect((await callPostImport(app.url, job([], { file: { content } }))).status).toBe(304);
  });

  it("takes a file at the platform", async () => {
    const file = { contentUrl: stringsUrl };
    expect((await callPostImport(app.url, job([], { file }))).status).toBe(304);
  });

  it("leaves a repeated uniqId to the platform", async () => {
    expect((await callPostImport(app.url, job([string(), string()]))).status).toBe(304);
  });

  it("I6: answers by URL if the strings would exceed 5 MiB", async () => {
    const strings = Array.from({ length: 75_000 }, (_, index) => string({ uniqId: String(index), text: " a" }));
    const answer = await callPostImport(app.url, job(strings));
    expect(answer.json).toEqual({ data: { stringsUrl: expect.stringContaining(`${app.url}/post-import/files/`) } });
    const expected = strings.map((one) => JSON.stringify({ ...one, text: "a", labels: [label] }));
    expect(await fetchLines(answer)).toEqual(expected);
  });

  it.each<[row: string, sent: string, authorization: () => string]>([
    ["G1", "no token", () => ""],
    ["G3", "another secret", () => `Bearer ${sign({ module: "tidy-strings" }, "another-secret")}`],
    ["G6", "an expired token", () => bearer({ module: "tidy-strings", exp: now() - 61 })],
    ["G9", "a guard's token", () => bearer()],
  ])("%s: refuses %s", async (_row, _sent, authorization) => {
    expect((await callPostImport(app.url, job([string()]), { authorization: authorization() })).status).toBe(401);
  });
});

describe("the preview (interface 2.4)", () => {
  /** The preview of the strings; undefined if there is none. */
  async function previewOf(strings: readonly Fields[]): Promise<string | undefined> {
    const { json } = await callPostImport(app.url, job(strings));
    const { preview } = (json as { data: { preview?: string } }).data;
    return preview === undefined ? undefined : Buffer.from(preview, "base64").toString();
  }

  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => string({ uniqId: String(index), text: " a" }));

  it("lists the identifier and the tidied text of every string, in order", async () => {
    const changed = string({ uniqId: "1", identifier: "menu.save", text: " Save\nall " });
    const preview = await previewOf([changed, string({ uniqId: "2", text: "Жук" })]);
    const $ = load(preview ?? "");
    expect(
      $("tr")
        .toArray()
        .map((row) =>
          $(row)
            .children()
            .toArray()
            .map((cell) => $(cell).text()),
        ),
    ).toEqual([
      ["menu.save", "Save\nall"],
      ["title", "Жук"],
    ]);
    expect($("meta").attr("charset")).toBe("utf-8");
  });

  it("shows every text as it is, and loads and runs nothing", async () => {
    const hostile = "</td></table></style><script>alert(1)</script><img src=x onerror='a'>&amp;\"";
    const preview = (await previewOf([string({ identifier: hostile, text: ` ${hostile}` })])) ?? "";
    const $ = load(preview);
    expect([$("th").text(), $("td").text()]).toEqual([hostile, hostile]);
    expect($("script, img, link, iframe, [src], [href], [onerror]").length).toBe(0);
  });

  it("is left out with plural strings, and with more than 500", async () => {
    const plural = string({ uniqId: "p", hasPlurals: true, text: { one: "a", other: "b" } });
    expect(await previewOf([string({ text: " a" }), plural])).toBeUndefined();
    expect(await previewOf(many(501))).toBeUndefined();
    expect(load((await previewOf(many(500))) ?? "")("tr").length).toBe(500);
  });

  it("is left out if the answer would exceed 5 MiB with it", async () => {
    const answer = await callPostImport(app.url, job([string({ text: ` ${"a".repeat(3 * MIB)}` })]));
    expect(answer.json).toEqual({ data: { strings: [string({ text: "a".repeat(3 * MIB), labels: [label] })] } });
  });
});
