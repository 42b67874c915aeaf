import { describe, expect, test } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import { type ShortFixture, shortFixtureSchema } from "../../src/post-import/files/fixture-shape.ts";
import {
  type JobParts,
  jobOf,
  jobWithPayload,
  type Payload,
  recordOf,
} from "../../src/post-import/rules/import-job.ts";
import { type ImportJob, importJobSchema } from "../../src/protocol/import-job.ts";
import type { Language } from "../../src/protocol/language.ts";

function language(id: string): Language {
  const found = findLanguage(id);
  if (found === undefined) throw new Error(`no language ${id}`);
  return found;
}

const content = Buffer.from([0x7b, 0x7d, 0xff, 0x00]).toString("base64");
const fixture: ShortFixture = { file: { name: "en.json", content }, strings: [] };
const parts: JobParts = {
  fixture,
  fileName: "en.json",
  organization: { id: 200_000_001, domain: "acme", edition: "enterprise" },
  project: { id: 501, identifier: "mobile", name: "Mobile app", sourceLanguage: "en", targetLanguages: ["uk", "de"] },
  sourceLanguage: language("en"),
  targetLanguages: [language("uk")],
  baseUrl: "http://127.0.0.1:7410",
  jobType: "file-post-import",
};

describe("jobOf", () => {
  test("makes the job of interface 2.3, and nothing else, with strings and content to be added", () => {
    expect(jobOf(parts)).toEqual({
      jobType: "file-post-import",
      organization: {
        id: 200_000_001,
        domain: "acme",
        baseUrl: "http://127.0.0.1:7410",
        apiBaseUrl: "http://127.0.0.1:7410",
      },
      project: { id: 501, identifier: "mobile", name: "Mobile app" },
      file: { id: 9001, name: "en.json", content: "" },
      sourceLanguage: language("en"),
      targetLanguages: [language("uk")],
      strings: [],
    });
  });

  test("the job matches the schema of the request unchanged", () => {
    const job = jobOf(parts);
    expect(importJobSchema.parse(job)).toEqual(job);
  });

  test("the file's id can be given", () => {
    const file = { ...fixture.file, id: 77 };
    expect(jobOf({ ...parts, fixture: { ...fixture, file } }).file).toMatchObject({ id: 77, name: "en.json" });
  });

  test("a new source file has no target languages, a multilingual one several", () => {
    expect(jobOf({ ...parts, targetLanguages: [] }).targetLanguages).toEqual([]);
    const several = [language("uk"), language("pl")];
    expect(jobOf({ ...parts, targetLanguages: several }).targetLanguages).toEqual(several);
  });

  test("the job's type is that of the profile", () => {
    expect(jobOf({ ...parts, jobType: "post-import" }).jobType).toBe("post-import");
  });
});

describe("recordOf", () => {
  const string = { identifier: "greeting", text: "Hello" };

  test("a string without a uniqId gets one from the file's hash and its position", () => {
    expect(recordOf(string, 0, "hash")).toEqual({ uniqId: "hash::1", ...string });
    expect(recordOf(string, 41, "hash").uniqId).toBe("hash::42");
  });

  test("a string's own uniqId is kept", () => {
    expect(recordOf({ uniqId: "mine", ...string }, 1, "hash")).toEqual({ uniqId: "mine", ...string });
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
    expect(strings.map((each, position) => recordOf(each, position, "hash"))).toEqual([full]);
  });
});

describe("withPayload", () => {
  const records = [{ uniqId: "1", identifier: "a", text: "A" }];
  const inline: Payload = { strings: { strings: records }, content: { content } };
  const byUrl: Payload = {
    strings: { stringsUrl: "https://app.example/strings" },
    content: { contentUrl: "https://app.example/content" },
  };
  const keysOf = (job: ImportJob) => [Object.keys(job), Object.keys(job.file)];

  test("inserts strings and content, or their addresses, where the job has either", () => {
    const job = jobOf(parts);
    expect(jobWithPayload(job, inline)).toEqual({ ...job, strings: records, file: { ...job.file, content } });
    const named = jobWithPayload(job, byUrl);
    expect(keysOf(named)).toEqual([
      ["jobType", "organization", "project", "file", "sourceLanguage", "targetLanguages", "stringsUrl"],
      ["id", "name", "contentUrl"],
    ]);
    expect(named).toMatchObject({ ...byUrl.strings, file: byUrl.content });
    expect(jobWithPayload(named, inline)).toEqual(jobWithPayload(job, inline));
    expect(importJobSchema.parse(named)).toEqual(named);
  });

  test("keeps the order of all keys, even unknown ones", () => {
    const { strings, file, ...rest } = jobOf(parts);
    const job = { strings, more: 1, ...rest, file: { content: "", extra: true, ...file }, last: null } as ImportJob;
    const keys = (strings: string, content: string) => [
      [strings, "more", ...Object.keys(rest), "file", "last"],
      [content, "extra", "id", "name"],
    ];
    expect(keysOf(jobWithPayload(job, inline))).toEqual(keys("strings", "content"));
    expect(keysOf(jobWithPayload(job, byUrl))).toEqual(keys("stringsUrl", "contentUrl"));
  });

  test("appends them to a job that has neither", () => {
    const { strings: _, file, ...rest } = jobOf(parts);
    const { content: __, ...bare } = file;
    const job = jobWithPayload({ ...rest, file: bare }, byUrl);
    expect(keysOf(job)).toEqual([
      [...Object.keys(rest), "file", "stringsUrl"],
      ["id", "name", "contentUrl"],
    ]);
  });

  test("leaves the job itself unchanged", () => {
    const job = jobOf(parts);
    jobWithPayload(job, byUrl);
    expect(job).toEqual(jobOf(parts));
  });
});
