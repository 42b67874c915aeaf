import { expect, it } from "vitest";
import { importEntry, manifestOf } from "../rig/fake-app.ts";
import { always, onlyCall, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// Interface 2.3: post-import job, as the platform makes it from a short form.

const serves = manifestOf({ imports: [importEntry("tidy")] });

async function jobFor(targetLanguages: string[]): Promise<Record<string, Record<string, unknown>>> {
  using directory = makeTempDir();
  const file = { name: "site.json", content: Buffer.from('{"a":"b"}').toString("base64") };
  const fixture = { file, targetLanguages, strings: [{ identifier: "a", text: "b" }] };
  const path = directory.write("fixture.json", fixture);
  await using run = await startSimulation({ serves, answer: always({ data: { strings: [] } }) });
  await run.sim.postImport(path);
  return onlyCall(run.app).json() as Record<string, Record<string, unknown>>;
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

it("2.3 a job has exactly the fields of the tables, of their types", async () => {
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

it.each([
  ["no element for a new source file", []],
  ["one for a translation import", ["de"]],
  ["several for a multilingual file", ["de", "pl", "ja"]],
])("2.3 targetLanguages has %s", async (_, ids) => {
  const { targetLanguages } = await jobFor(ids);
  expect(targetLanguages).toMatchObject(ids.map((id) => ({ id })));
  expect(targetLanguages).toHaveLength(ids.length);
});
