import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page as BrowserPage, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import { choiceDefinitions } from "../../src/config/choices.ts";
import { plainJson } from "../../src/config/commented-json.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { findLanguage } from "../../src/config/languages.ts";
import { loadConfig } from "../../src/config/load.ts";
import { guardAnswerSchema } from "../../src/guard/checks/verification.ts";
import { startSimulator } from "../../src/index.ts";
import { parseManifest } from "../../src/platform/manifest.ts";
import { importAnswerSchema, importJobSchema, stringRecordSchema } from "../../src/protocol/import-job.ts";
import { usageCodes } from "../../src/protocol/usage-codes.ts";
import { parseScenario } from "../../src/scenario/read-scenario.ts";
import { readBaseline } from "../../src/verify/baseline-file.ts";
import { allChecks } from "../../src/verify/checks.ts";
import { chromiumPath, startBrowser } from "../rig/browser.ts";
import {
  blocksOf,
  commandsIn,
  type Ended,
  furnish,
  type Page,
  pick,
  plainCommand,
  ROOT,
  readPages,
  runIn,
  stepsIn,
  withoutChance,
} from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { callApi, startPlatform, tokens } from "../rig/oauth.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const pages = readPages();
const blocksIn = (page: Page, wanted: string) =>
  blocksOf(page.text).flatMap(({ language, text }) => (language === wanted ? [text] : []));
const allBlocks = (wanted: string) =>
  pages.flatMap((page) => blocksIn(page, wanted).map((text) => ({ page: page.name, text })));
const onPage = (name: string, wanted: string) => {
  const page = pages.find((each) => each.name === name);
  return page === undefined ? [] : blocksIn(page, wanted);
};

let directory: TempDir;
let app: SampleApp;
/** Of the platform: the sample app sends its users back there, and fetches files from there. */
let port: number;
let variables: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = makeTempDir();
  // The examples of the library run in this process, which works elsewhere: their folder is a checkout, as an app is.
  directory.write(".git/HEAD", "");
  const [installation] = defaultConfig.apps;
  if (installation === undefined) throw new Error("the default world has an app");
  port = await unusedPort();
  app = await startSampleApp({ ...installation, authUrl: `http://127.0.0.1:${port}` });
  await furnish(directory.path);
  variables = { APP_SIM_APP: app.url, APP_SIM_PORT: String(port), CHROME_PATH: await chromiumPath() };
  // Some examples look at the journal.
  await succeed("app-sim webhook project.translated");
});
afterAll(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

/** Runs a command line: in this process if it is one of app-sim alone, else in a shell. */
async function run(commandLine: string): Promise<Ended> {
  const here = commandLine.replaceAll("http://127.0.0.1:3000", app.url);
  const plain = plainCommand(here);
  if (plain === null) return await runIn(directory.path, variables, here);
  const ended = await runLine(plain.args, { cwd: directory.path, env: variables });
  if (plain.filter !== null) pick(plain.filter, JSON.parse(ended.stdout));
  if (plain.file !== null) await writeFile(join(directory.path, plain.file), ended.stdout);
  return ended;
}

/** Runs it, expects success, and shows everything that it printed if there is none. */
async function succeed(commandLine: string): Promise<string> {
  const { code, stdout, stderr } = await run(commandLine);
  expect(code, `${commandLine}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

/** What `verify` finds in the whole sample app is a test of its own, and takes long: here it has fewer checks. */
const FEWER_CHECKS = "--module network --skip import,oauth,page,webhook,guard.token,guard.body,guard.final";
const isWholeVerify = (command: string) =>
  /^app-sim verify(?: --(?:only guard|fail-on \w+|wait \w+|timeout \w+))*$/.test(command);

function withFewerChecks(command: string): string {
  if (isWholeVerify(command)) return `${command} ${FEWER_CHECKS}`;
  return command === "app-sim verify --only guard.token" ? `${command} --module network` : command;
}

/** A busy machine answers slowly: whether latencies meet a limit is not tested here. */
function withoutHurry(command: string): string {
  return command.replace("--rate 100", "--rate 5").replace("p99<2s", "p99<60s");
}

describe("the commands of the pages work on the sample app", () => {
  const commands = new Set(allBlocks("console").flatMap(({ text }) => commandsIn(text)));
  // A workflow starts the app itself.
  const steps = allBlocks("yaml")
    .flatMap(({ text }) => stepsIn(text))
    .filter((step) => step.includes("app-sim"));
  const all = [...new Set([...commands, ...steps.map((step) => step.replace(/^npx /, ""))])];

  it.each(all)("%s", async (command) => {
    await succeed(withoutHurry(withFewerChecks(command)));
  });

  it("take about ten separate processes", () => {
    expect(all.filter((command) => plainCommand(command) === null).length).toBeLessThanOrEqual(10);
  });

  it("are written in workflows so that YAML does not change them", () => {
    expect(steps.filter((step) => /: | #|^["'[{&*!|>%@`]/.test(step))).toEqual([]);
  });
});

describe("the output that is shown is what is printed (UPDATE_DOCS=1 brings it up to date)", () => {
  const shown = allBlocks("console").flatMap(({ page, text }) => {
    const [command, ...others] = commandsIn(text);
    const output = text.slice(text.indexOf("\n") + 1);
    return command === undefined || others.length > 0 || output === "" ? [] : [{ page, command, output }];
  });

  it.each(shown)("of $command", async ({ page, command, output }) => {
    const printed = (await succeed(command)).replaceAll(app.url, "http://127.0.0.1:3000");
    const isSame = withoutChance(printed) === withoutChance(output);
    if (!isSame && process.env.UPDATE_DOCS === "1") {
      const text = await readFile(join(ROOT, page), "utf8");
      await writeFile(
        join(ROOT, page),
        text.replace(output, () => printed),
      );
      return;
    }
    expect(withoutChance(printed)).toBe(withoutChance(output));
  });
});

type Json = Readonly<Record<string, unknown>>;

/** What the examples in JSON are, by a member that only this kind has, and what is expected of each. */
const kinds: Readonly<Record<string, (value: Json) => unknown>> = {
  modules: (value) =>
    expect(parseManifest(value, { defaultGuardType: "direct", hasInstallEvents: true })).toMatchObject({
      errors: [],
      warnings: [],
    }),
  userId: (value) => expect(Object.keys(value)).toEqual(["userId", "organizationId", "ipAddress", "moduleKey"]),
  success: (value) => expect(guardAnswerSchema.parse(value)).toEqual(value),
  access_token: async (value) => {
    await using sim = await startPlatform();
    expect(Object.keys(value).sort()).toEqual(Object.keys(await tokens(sim)).sort());
  },
  pagination: async (value) => {
    await using sim = await startPlatform();
    const listed = JSON.parse((await callApi(sim, (await tokens(sim)).access_token)).body);
    const projectOf = (answer: Json) => (answer.data as { data: object }[])[0]?.data ?? {};
    expect(value.pagination).toEqual(listed.pagination);
    expect(Object.keys(projectOf(value)).sort()).toEqual(Object.keys(projectOf(listed)).sort());
  },
  jobType: (job) => {
    expect(importJobSchema.parse(job)).toEqual(job);
    for (const language of [job.sourceLanguage, ...(job.targetLanguages as unknown[])] as { id: string }[]) {
      expect(language).toEqual({ ...findLanguage(language.id) });
    }
  },
  targetLanguages: async (fixture) => {
    const file = join(directory.path, "fixtures/jobs/example.json");
    await writeFile(file, JSON.stringify(fixture));
    await using sim = await startSimulator({ app: { url: app.url }, listen: false });
    expect((await sim.postImport(file)).jobs).toMatchObject([{ outcome: "not-modified", sent: { strings: 1 } }]);
  },
  data: (answer) => {
    expect(importAnswerSchema.parse(answer)).toEqual(answer);
    const { strings = [] } = answer.data as { strings?: unknown[] };
    for (const string of strings) expect(stringRecordSchema.parse(string)).toEqual(string);
  },
  error: (value) => {
    const { code } = value.error as { code?: string };
    if (code === undefined) expect(importAnswerSchema.parse(value)).toEqual(value);
    else expect(Object.keys(usageCodes)).toContain(code);
  },
  events: (value) =>
    expect(value).toEqual({
      events: [
        { event: expect.any(String), project: { id: expect.any(String) }, targetLanguage: { id: expect.any(String) } },
      ],
    }),
  app: async ({ $schema, ...config }) => {
    const file = join(directory.path, "example.config.json");
    await writeFile(file, JSON.stringify(config));
    const { app: installation, choices = {}, ...rest } = config as { app: object; choices?: object };
    const loaded = await loadConfig({ config: file }, {}, directory.path);
    expect(loaded.config).toMatchObject({ ...rest, apps: [installation] });
    expect(loaded.choices).toMatchObject(choices);
    if (typeof $schema === "string") expect(existsSync(join(directory.path, $schema))).toBe(true);
  },
  findings: async (value) => {
    const file = join(directory.path, "known.json");
    await writeFile(file, JSON.stringify(value));
    expect(await readBaseline(file)).toEqual(value.findings);
    const ids = (value.findings as { id: string }[]).map(({ id }) => id);
    expect(allChecks.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  },
  choices: (profile) => {
    expect(["name", "choices", "configuration"]).toEqual(expect.arrayContaining(Object.keys(profile)));
    for (const id of Object.keys(profile.choices as object)) expect(choiceDefinitions).toHaveProperty([id]);
  },
};

describe("the examples in JSON are right", () => {
  const commented = allBlocks("jsonc").map(({ page, text }) => ({ page, text: plainJson(text) }));
  it.each([...allBlocks("json"), ...commented])("$page: $text", async ({ text }) => {
    const value = JSON.parse(text) as Json;
    const kind = Object.keys(kinds).find((member) => Object.hasOwn(value, member));
    expect(kind, "no kind of example is known for this").toBeDefined();
    await kinds[kind ?? ""]?.(value);
  });
});

describe("the examples in code run", () => {
  it.each(["README.md", "docs/library.md"])("the test of %s passes", async (page) => {
    const [example = ""] = onPage(page, "js");
    await writeFile(join(directory.path, "example.test.mjs"), example.replaceAll("http://127.0.0.1:3000", app.url));
    const { code, stdout } = await runIn(
      directory.path,
      variables,
      `'${process.execPath}' --test --test-reporter=tap example.test.mjs`,
    );
    expect(code, stdout).toBe(0);
    expect(stdout).toContain(`# pass ${example.match(/^test\(/gm)?.length}\n# fail 0`);
  });

  it("that of docs/library.md for Playwright passes in Chromium", async () => {
    const shown = onPage("docs/library.md", "ts").find((example) => example.includes("@playwright/test")) ?? "";
    const example = shown
      .replace(/^import .*\n/gm, "")
      .replace("await using sim", "const sim")
      .replace("http://127.0.0.1:3000", app.url)
      .replace("7410", String(port));
    const opened: Awaited<ReturnType<typeof startSimulator>>[] = [];
    const tests: (({ page }: { page: BrowserPage }) => Promise<void>)[] = [];
    const parts = {
      test: (_: string, run: (typeof tests)[number]) => tests.push(run),
      // Playwright's own waits for what it looks at.
      expect: (value: Locator | string) =>
        typeof value === "string" ? expect(value) : { toBeVisible: () => value.waitFor() },
      startSimulator: async (options: object) => {
        const sim = await startSimulator(options);
        opened.push(sim);
        return sim;
      },
    };
    new Function(...Object.keys(parts), example)(...Object.values(parts));
    await using browser = await startBrowser();
    try {
      expect(tests).toHaveLength(1);
      for (const run of tests) await run({ page: await browser.newPage() });
    } finally {
      for (const sim of opened) await sim.close();
    }
  });

  /** Runs an example that uses `sim`, and returns the named variables of it. */
  async function use(page: string, names: readonly string[]): Promise<unknown> {
    const [shown = ""] = onPage(page, "js");
    const example = shown.replace("fixtures/", `${directory.path}/fixtures/`);
    const body = new Function("sim", `return (async () => { ${example} return { ${names} }; })()`);
    await using sim = await startSimulator({ app: { url: app.url }, port });
    return await body(sim);
  }

  it("that of docs/importing.md imports", async () => {
    expect(await use("docs/importing.md", ["jobs", "made"])).toMatchObject({
      jobs: [{ outcome: "imported" }],
      made: [{ outcome: "imported", changes: { changed: 1 } }],
    });
  });

  it("that of docs/webhooks.md delivers", async () => {
    const names = ["outcome", "deliveries", "forged", "call", "again", "latency"];
    expect(await use("docs/webhooks.md", names)).toMatchObject({
      outcome: "acknowledged",
      forged: { outcome: "refused" },
      call: { purpose: "webhook" },
      again: { command: "replay", outcome: "acknowledged" },
      latency: { p50: expect.any(Number) },
    });
  });

  it("those of docs/testing-oauth.md are what test/clients/app-suite.test.ts runs", async () => {
    const suite = await readFile(join(ROOT, "test/clients/app-suite.test.ts"), "utf8");
    const asInJs = suite.replace("../../src/index.ts", "app-sim").replace("(token: string)", "(token)");
    expect(onPage("docs/testing-oauth.md", "js").join("\n")).toBe(asInJs);
  });

  it("that of docs/scenarios.md is a scenario", () => {
    const [scenario = ""] = onPage("docs/scenarios.md", "yaml");
    expect(parseScenario(scenario, "scenario.yml", ["authorization_code", "refresh_token"]).steps).toHaveLength(9);
  });
});
