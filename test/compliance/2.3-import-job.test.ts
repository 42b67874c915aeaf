import { describe, expect, it } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import type { ImportJob } from "../../src/index.ts";
import { importing, oneImport, returning } from "../rig/imports.ts";
import { always, jobWith, onlyCall, record, startSimulation, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// Interface 2.3: post-import job, as the platform makes it from a short form.

async function jobFor(
  targetLanguages: string[],
  via: "inline" | "url" = "inline",
): Promise<Record<string, Record<string, unknown>>> {
  using directory = makeTempDir();
  const file = { name: "site.json", content: Buffer.from('{"a":"b"}').toString("base64") };
  const fixture = { file, targetLanguages, strings: [{ identifier: "a", text: "b" }] };
  const path = directory.write("fixture.json", fixture);
  const { posts } = await importing(path, always(returning([])), { via });
  return onlyCall({ calls: posts }).json() as Record<string, Record<string, unknown>>;
}

const integer = expect.toSatisfy(Number.isInteger);
const text = expect.any(String);
const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
const language = {
  id: text,
  name: text,
  editorCode: text,
  twoLettersCode: text,
  threeLettersCode: text,
  locale: text,
  androidCode: text,
  osxCode: text,
  osxLocale: text,
  pluralCategoryNames: expect.arrayContaining(["other"]),
  pluralRules: text,
};

it("2.3 a job has exactly the fields of the tables, with their types", async () => {
  expect(await jobFor(["uk"])).toEqual({
    jobType: "file-post-import",
    organization: { id: integer, domain: text, baseUrl: url, apiBaseUrl: url },
    project: { id: integer, identifier: text, name: text },
    file: { id: integer, name: "site.json", content: Buffer.from('{"a":"b"}').toString("base64") },
    sourceLanguage: { ...language, id: "en" },
    targetLanguages: [{ ...language, id: "uk" }],
    strings: [{ uniqId: expect.stringMatching(/^[0-9a-f]{32}::1$/), identifier: "a", text: "b" }],
  });
});

it("2.3 in place of strings and content a job has stringsUrl and contentUrl", async () => {
  const [inline, named] = [await jobFor(["uk"]), await jobFor(["uk"], "url")];
  const { strings: _, file, organization: __, ...rest } = inline;
  const { content, ...fileRest } = file ?? {};
  const address = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\/[\w-]+$/);
  expect(content).toBeDefined();
  expect(named).toEqual({
    ...rest,
    organization: { id: integer, domain: text, baseUrl: url, apiBaseUrl: url },
    file: { ...fileRest, contentUrl: address },
    stringsUrl: address,
  });
});

it("2.3 a language object has exactly its eleven fields, with the values of the language", async () => {
  const ids = ["uk", "zh-CN", "ar"];
  const { sourceLanguage, targetLanguages } = await jobFor(ids);
  expect(targetLanguages).toEqual(ids.map(findLanguage));
  expect(sourceLanguage).toEqual(findLanguage("en"));
  const fields = Object.keys(language).sort();
  expect(fields).toHaveLength(11);
  for (const each of [sourceLanguage, ...Object.values(targetLanguages ?? {})]) {
    expect(Object.keys(each as object).sort()).toEqual(fields);
  }
});

describe("2.3 a wire job of the user's own", () => {
  const job = jobWith([record("1", "Save")]);
  const [uk = job.sourceLanguage] = job.targetLanguages;
  const nowhere = { ...job, file: { id: 9, name: "site.json" } };

  it.each<[field: string, wrong: Record<string, unknown>]>([
    ["jobType", { jobType: 5 }],
    ["organization", { organization: "acme" }],
    ...(["id", "domain", "baseUrl", "apiBaseUrl"] as const).map((field): [string, Record<string, unknown>] => [
      `organization.${field}`,
      { organization: { ...job.organization, [field]: field === "id" ? "7" : 5 } },
    ]),
    ["organization.baseUrl", { organization: { ...job.organization, baseUrl: "acme.example" } }],
    ["project", { project: null }],
    ...(["id", "identifier", "name"] as const).map((field): [string, Record<string, unknown>] => [
      `project.${field}`,
      { project: { ...job.project, [field]: undefined } },
    ]),
    ["file", { file: [] }],
    ["file.id", { file: { ...job.file, id: 1.5 } }],
    ["file.name", { file: { ...job.file, name: 5 } }],
    ["file.content", { file: { ...job.file, content: "no base64!" } }],
    ["file.contentUrl", { file: { ...nowhere.file, contentUrl: 5 } }],
    ["sourceLanguage", { sourceLanguage: "en" }],
    ["targetLanguages", { targetLanguages: "uk" }],
    ["targetLanguages[0]", { targetLanguages: ["uk"] }],
    ["strings", { strings: {} }],
    ["stringsUrl", { strings: undefined, stringsUrl: ["x"] }],
    ...Object.keys(uk).map((field): [string, Record<string, unknown>] => [
      `targetLanguages[0].${field}`,
      { targetLanguages: [{ ...uk, [field]: undefined }] },
    ]),
    ...Object.keys(uk).map((field): [string, Record<string, unknown>] => [
      `sourceLanguage.${field}`,
      { sourceLanguage: { ...uk, [field]: 5 } },
    ]),
  ])("has %s of the right type, or is not sent", async (field, wrong) => {
    await using run = await startSimulation({ serves: oneImport, answer: always(returning([])) });
    const error = await usageErrorOf(run.sim.postImport({ name: "job", job: { ...job, ...wrong } as ImportJob }));
    expect(error.code).toBe("fixture-invalid");
    expect(error.problems.map(({ path }) => path)).toEqual([field]);
    expect(run.app.calls).toEqual([]);
  });

  it("may have every field of the tables, and arrives unchanged", async () => {
    const { posts } = await importing(job, always(returning([])));
    expect(onlyCall({ calls: posts }).json()).toEqual(job);
    expect(Object.keys(uk)).toHaveLength(11);
  });
});

it.each([
  ["no element for a new source file", []],
  ["one for a translation import", ["de"]],
  ["several for a multilingual file", ["de", "pl", "ja"]],
])("2.3 targetLanguages has %s", async (_, ids) => {
  const { targetLanguages } = await jobFor(ids);
  expect(targetLanguages).toMatchObject(ids.map((id) => ({ id })));
  expect(targetLanguages).toHaveLength(ids.length);
});
