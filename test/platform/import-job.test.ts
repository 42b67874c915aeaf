import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import { type JobParts, jobOf } from "../../src/platform/import-job.ts";
import { type ShortFixture, shortFixtureSchema } from "../../src/protocol/fixture.ts";
import { importJobSchema } from "../../src/protocol/import-job.ts";
import type { Language } from "../../src/protocol/language.ts";

function language(id: string): Language {
  const found = findLanguage(id);
  if (found === undefined) throw new Error(`no language ${id}`);
  return found;
}

const bytes = Buffer.from([0x7b, 0x7d, 0xff, 0x00]);
const content = bytes.toString("base64");
const fixture: ShortFixture = { file: { name: "en.json", content }, strings: [] };
const parts: JobParts = {
  fixture,
  fileName: "en.json",
  content,
  strings: [
    { identifier: "greeting", text: "Hello" },
    { identifier: "bye", text: "Bye", context: "footer", labels: ["ui"] },
  ],
  organization: { id: 200_000_001, domain: "acme", edition: "enterprise" },
  project: { id: 501, identifier: "mobile", name: "Mobile app", sourceLanguage: "en", targetLanguages: ["uk", "de"] },
  sourceLanguage: language("en"),
  targetLanguages: [language("uk")],
  baseUrl: "http://127.0.0.1:7410",
  jobType: "file-post-import",
};
const fileHash = createHash("md5").update(bytes).digest("hex");

describe("jobOf", () => {
  test("makes the job of interface 2.3, and nothing beside", () => {
    expect(jobOf(parts)).toEqual({
      jobType: "file-post-import",
      organization: {
        id: 200_000_001,
        domain: "acme",
        baseUrl: "http://127.0.0.1:7410",
        apiBaseUrl: "http://127.0.0.1:7410",
      },
      project: { id: 501, identifier: "mobile", name: "Mobile app" },
      file: { id: 9001, name: "en.json", content },
      sourceLanguage: language("en"),
      targetLanguages: [language("uk")],
      strings: [
        { uniqId: `${fileHash}::1`, identifier: "greeting", text: "Hello" },
        { uniqId: `${fileHash}::2`, identifier: "bye", text: "Bye", context: "footer", labels: ["ui"] },
      ],
    });
  });

  test("the job is one that the schema of the wire accepts, as it is", () => {
    const job = jobOf(parts);
    expect(importJobSchema.parse(job)).toEqual(job);
  });

  test("a string's own uniqId is kept; the others count on by their places", () => {
    const strings = [
      { identifier: "a", text: "A" },
      { uniqId: "mine", identifier: "b", text: "B" },
      { identifier: "c", text: "C" },
    ];
    const ids = jobOf({ ...parts, strings }).strings?.map(({ uniqId }) => uniqId);
    expect(ids).toEqual([`${fileHash}::1`, "mine", `${fileHash}::3`]);
  });

  test("the same file gives the same ids, another file others", () => {
    const idsOf = (text: string) =>
      jobOf({ ...parts, content: Buffer.from(text).toString("base64") }).strings?.map(({ uniqId }) => uniqId);
    expect(idsOf("{}")).toEqual(idsOf("{}"));
    expect(idsOf("{}")).not.toEqual(idsOf("{ }"));
  });

  test("the file's id can be given", () => {
    const file = { ...fixture.file, id: 77 };
    expect(jobOf({ ...parts, fixture: { ...fixture, file } }).file).toEqual({ id: 77, name: "en.json", content });
  });

  test("a new source file has no target languages, a multilingual one several", () => {
    expect(jobOf({ ...parts, targetLanguages: [] }).targetLanguages).toEqual([]);
    const several = [language("uk"), language("pl")];
    expect(jobOf({ ...parts, targetLanguages: several }).targetLanguages).toEqual(several);
  });

  test("an empty file and no strings are a job too", () => {
    const job = jobOf({ ...parts, content: "", strings: [] });
    expect(importJobSchema.parse(job)).toMatchObject({ file: { content: "" }, strings: [] });
  });

  test("every field that a short string may have reaches the job", () => {
    const full = {
      uniqId: "u",
      identifier: "files",
      context: "list",
      maxLength: 20,
      isHidden: true,
      hasPlurals: true,
      labels: ["ui"],
      attributes: { platformType: "json" },
      text: { one: "%d file", other: "%d files" },
      translations: { uk: { text: { one: "%d файл", other: "%d файлу" }, status: "approved" } },
    };
    const { strings = [] } = shortFixtureSchema.parse({ ...fixture, strings: [full] });
    expect(jobOf({ ...parts, strings }).strings).toEqual([full]);
  });

  test("the word for the job's type is the profile's", () => {
    expect(jobOf({ ...parts, jobType: "post-import" }).jobType).toBe("post-import");
  });
});
