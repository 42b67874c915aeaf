import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../examples/sample-app/app.js";
import { defaultConfig } from "../src/config/default-world.ts";
import { findLanguage } from "../src/config/languages.ts";
import { loadConfig } from "../src/config/load.ts";
import { configJsonSchema, startSimulator } from "../src/index.ts";
import { exitCodes } from "../src/output/exit-code.ts";
import { jsonText } from "../src/output/json.ts";
import { parseManifest } from "../src/platform/manifest.ts";
import { importAnswerSchema, importJobSchema, stringRecordSchema } from "../src/protocol/import-job.ts";
import { parseScenario } from "../src/scenario/read-scenario.ts";
import { chromiumPath } from "./rig/browser.ts";
import { unusedPort } from "./rig/fake-app.ts";
import { callApi, startPlatform, tokens } from "./rig/oauth.ts";
import {
  blocksOf,
  commandsIn,
  type Ended,
  furnish,
  runIn,
  stepsIn,
  tablesOfCode,
  withoutChance,
  withTables,
} from "./rig/readme.ts";
import { makeTempDir, type TempDir } from "./rig/temp-dir.ts";

const root = resolve(import.meta.dirname, "..");
const readme = await readFile(join(root, "README.md"), "utf8");
const blocks = blocksOf(readme);
const webhooksPage = await readFile(join(root, "docs/webhooks.md"), "utf8");
const inLanguage = (wanted: string) => blocks.filter(({ language }) => language === wanted).map(({ text }) => text);

let directory: TempDir;
let app: SampleApp;
/** Of the platform: the sample app sends its users back there. */
let port: number;
const run = async (commandLine: string): Promise<Ended> =>
  runIn(
    directory.path,
    { APP_SIM_APP: app.url, APP_SIM_PORT: String(port), CHROME_PATH: await chromiumPath() },
    commandLine.replaceAll("http://127.0.0.1:3000", app.url),
  );
/** Runs it, expects success, and shows everything that it printed if there is none. */
const succeed = async (commandLine: string): Promise<string> => {
  const { code, stdout, stderr } = await run(commandLine);
  expect(code, `${commandLine}\n${stdout}${stderr}`).toBe(0);
  return stdout;
};

beforeAll(async () => {
  directory = makeTempDir();
  await furnish(directory.path);
  const [installation] = defaultConfig.apps;
  if (installation === undefined) throw new Error("the default world has an app");
  port = await unusedPort();
  app = await startSampleApp({ ...installation, authUrl: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

/** Holds a file to what the code gives, or with `UPDATE_README=1` writes that into it. */
async function expectFile(name: string, expected: string): Promise<void> {
  if (process.env.UPDATE_README === "1") await writeFile(join(root, name), expected);
  expect(await readFile(join(root, name), "utf8")).toBe(expected);
}

describe("what is written down twice (UPDATE_README=1 brings it up to date)", () => {
  it("the tables of the README are those of the code", async () => {
    await expectFile("README.md", withTables(readme, await tablesOfCode(directory.path)));
  });

  it("the JSON Schema of the config file is that of the code", async () => {
    await expectFile("fixtures/config.schema.json", jsonText(configJsonSchema()));
  });
});

describe("what the README says of the code", () => {
  it("has every exit code and no other", () => {
    const section = /^## Exit codes$(.*?)^## /ms.exec(readme)?.[1] ?? "";
    const numbers = [...section.matchAll(/\d+/g)].map(Number);
    expect(numbers).toEqual(Object.values(exitCodes));
  });

  it("names every folder and file of src and nothing else", async () => {
    const tree = inLanguage("").find((text) => text.includes("\nsrc/\n")) ?? "";
    const named = [...tree.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name);
    const entries = await readdir(join(root, "src"), { withFileTypes: true });
    expect(named.sort()).toEqual(entries.map((entry) => entry.name + (entry.isDirectory() ? "/" : "")).sort());
    const top = [...tree.matchAll(/^\S+/gm)].map(([name]) => name);
    expect(top.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });

  it("links only to what exists", () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  it("shows in docs/testing-oauth.md what test/clients/app-suite.test.ts runs", async () => {
    const page = await readFile(join(root, "docs/testing-oauth.md"), "utf8");
    const shown = blocksOf(page).flatMap(({ language, text }) => (language === "js" ? [text] : []));
    const suite = await readFile(join(root, "test/clients/app-suite.test.ts"), "utf8");
    const asInJs = suite.replace("../../src/index.ts", "app-sim").replace("(token: string)", "(token)");
    expect(shown.join("\n")).toBe(asInJs);
  });

  it("shows in docs/importing.md a job, answers and a configuration that are right", async () => {
    const page = await readFile(join(root, "docs/importing.md"), "utf8");
    const shown = blocksOf(page).flatMap(({ language, text }) => (language === "json" ? [JSON.parse(text)] : []));
    const isAnswer = (value: Record<string, unknown>) => value.data !== undefined || value.error !== undefined;
    const [job, ...others] = shown;
    expect(importJobSchema.parse(job)).toEqual(job);
    for (const { id, ...fields } of [job.sourceLanguage, ...job.targetLanguages]) {
      expect({ id, ...fields }).toEqual(findLanguage(id));
    }
    const answers = others.filter(isAnswer);
    expect(answers).toHaveLength(4);
    for (const answer of answers) {
      expect(importAnswerSchema.parse(answer)).toEqual(answer);
      for (const string of answer.data?.strings ?? []) expect(stringRecordSchema.parse(string)).toEqual(string);
    }
    const [manifest, config] = others.filter((value) => !isAnswer(value));
    expect(parseManifest(manifest, "direct")).toMatchObject({ errors: [], warnings: [] });
    const file = join(directory.path, "importing.config.json");
    await writeFile(file, JSON.stringify(config));
    const loaded = await loadConfig({ config: file }, {}, directory.path);
    expect(loaded.config.apps).toMatchObject([config.app]);
  });

  it("shows in docs/importing.md a library that imports", async () => {
    const page = await readFile(join(root, "docs/importing.md"), "utf8");
    const [shown = ""] = blocksOf(page).flatMap(({ language, text }) => (language === "js" ? [text] : []));
    const example = shown.replace("fixtures/", `${directory.path}/fixtures/`);
    const use = new Function("sim", `return (async () => { ${example} return [...jobs, ...made]; })()`);
    await using sim = await startSimulator({ app: { url: app.url }, port });
    const jobs = await use(sim);
    expect(jobs).toMatchObject([{ outcome: "imported" }, { outcome: "imported", changes: { changed: 1 } }]);
  });

  it("shows in docs/webhooks.md a scenario that is one", async () => {
    const [scenario = ""] = blocksOf(webhooksPage).flatMap(({ language, text }) => (language === "yaml" ? [text] : []));
    expect(parseScenario(scenario, "scenario.yml", ["authorization_code", "refresh_token"]).steps).toHaveLength(9);
  });

  it("shows in docs/webhooks.md a library that delivers", async () => {
    const [example = ""] = blocksOf(webhooksPage).flatMap(({ language, text }) => (language === "js" ? [text] : []));
    const values = "return { outcome, deliveries, forged, call, again, latency };";
    const use = new Function("sim", `return (async () => { ${example} ${values} })()`);
    await using sim = await startSimulator({ app: { url: app.url } });
    expect(await use(sim)).toMatchObject({
      outcome: "acknowledged",
      forged: { outcome: "refused" },
      call: { purpose: "webhook" },
      again: { command: "replay", outcome: "acknowledged" },
      latency: { p50: expect.any(Number) },
    });
  });

  it("has no example of a kind that is not run here", () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(
      new Set(["sh", "console", "json", "yaml", "js", ""]),
    );
  });

  it("starts with commands that package.json has", async () => {
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const named = [...(inLanguage("sh")[0] ?? "").matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script]) => script);
    expect(named.filter((script) => script !== "ci")).toEqual(["demo", "test"]);
    expect(scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });
});

describe("the examples of the README work on the sample app", () => {
  const [shown = ""] = inLanguage("console");
  const onPages = blocksOf(webhooksPage).flatMap(({ language, text }) => (language === "console" ? [text] : []));
  const [first = "", ...examples] = new Set([...inLanguage("console"), ...onPages].flatMap(commandsIn));
  const steps = inLanguage("yaml").flatMap(stepsIn);

  let printed: string;
  beforeAll(async () => {
    // Before the others, because some of them look at the journal.
    printed = await succeed(first);
    await succeed("app-sim webhook project.translated");
  });

  it(`${first} prints what is shown`, () => {
    expect(withoutChance(printed)).toBe(withoutChance(shown.replace(`$ ${first}\n`, "")));
  });

  /** The platform has one port: those that listen there take turns. */
  const listens = (command: string) => / (oauth|run) /.test(command);

  it.concurrent.each(examples.filter((command) => !listens(command)))("%s", async (command) => {
    await succeed(command);
  });

  it.each([...examples, ...steps].filter(listens))("%s", async (command) => {
    await succeed(command);
  });

  it.concurrent.each(steps.filter((step) => step.includes("app-sim") && !listens(step)))("in CI: %s", async (step) => {
    await succeed(step);
    expect(step, "YAML would read this as something else").not.toMatch(/: | #|^["'[{&*!|>%@`]/);
  });

  /** The block of JSON that has this member. */
  const jsonWith = (name: string) => inLanguage("json").find((text) => Object.hasOwn(JSON.parse(text), name)) ?? "{}";

  it("the answers of the platform have the members that are shown", async () => {
    await using sim = await startPlatform();
    const answer = await tokens(sim);
    const listed = JSON.parse((await callApi(sim, answer.access_token)).body);
    const members = (value: object) => Object.keys(value).sort();
    expect(members(JSON.parse(jsonWith("access_token")))).toEqual(members(answer));
    const shown = JSON.parse(jsonWith("pagination"));
    expect(shown.pagination).toEqual(listed.pagination);
    expect(members(shown.data[0].data)).toEqual(members(listed.data[0].data));
  });

  it("the manifest is accepted without a warning", () => {
    const manifest = jsonWith("modules");
    expect(parseManifest(JSON.parse(manifest), "direct")).toMatchObject({ errors: [], warnings: [] });
  });

  it("the fixture in the short form is imported", async () => {
    const fixture = jsonWith("targetLanguages");
    const file = join(directory.path, "fixtures/jobs/example.json");
    await writeFile(file, fixture);
    await using sim = await startSimulator({ app: { url: app.url }, listen: false });
    expect((await sim.postImport(file)).jobs).toMatchObject([{ outcome: "not-modified", sent: { strings: 1 } }]);
  });

  it("the config file is accepted, and its schema is where it says", async () => {
    const text = jsonWith("$schema");
    const file = join(directory.path, "example.config.json");
    await writeFile(file, text);
    const { $schema, app: installation, choices, ...rest } = JSON.parse(text);
    const loaded = await loadConfig({ config: file }, {}, directory.path);
    expect(loaded.config).toMatchObject({ ...rest, apps: [installation] });
    expect(loaded.choices).toMatchObject(choices);
    expect(existsSync(join(directory.path, $schema))).toBe(true);
  });

  it("the test with the library passes", async () => {
    const [example = ""] = inLanguage("js");
    await writeFile(join(directory.path, "example.test.mjs"), example.replaceAll("http://127.0.0.1:3000", app.url));
    const output = await succeed(`'${process.execPath}' --test --test-reporter=tap example.test.mjs`);
    expect(output).toContain("# pass 1\n# fail 0");
  });
});
