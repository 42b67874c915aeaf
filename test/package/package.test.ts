import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brokenLinks } from "../rig/doc-links.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MEGABYTE = 1_000_000;

const home = makeTempDir();
afterAll(() => home[Symbol.dispose]());

/** An app's project in which the packed app-sim is installed. */
const project = join(home.path, "app");
const installed = join(project, "node_modules/app-sim");
let installWarnings = "";

beforeAll(() => {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "app", "private": true }');
  // Without its scripts: it was built before the tests.
  const packed = npm(["pack", ROOT, "--ignore-scripts", "--json", "--pack-destination", home.path]);
  const [{ filename }] = JSON.parse(packed.stdout);
  installWarnings = npm(["install", "--offline", "--no-audit", "--no-fund", join(home.path, filename)]).stderr;
});

function npm(args: readonly string[]) {
  // No settings of this user, which npm may warn of.
  const env = { PATH: process.env.PATH, HOME: home.path, npm_config_update_notifier: "false" };
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: project, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { stdout, stderr };
}

/** Runs a program of the project to its end. */
function node(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const environment = { PATH: process.env.PATH, HOME: home.path, ...env };
  return spawnSync(process.execPath, args, { cwd: project, env: environment, encoding: "utf8" });
}

const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

describe("installed from its tarball", () => {
  it("takes at most 8 MB and 3 packages, runs no script, and warns of nothing", () => {
    expect(installWarnings).toBe("");
    const { packages } = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
    expect(Object.keys(packages).length).toBeLessThanOrEqual(3);
    expect(Object.values<{ hasInstallScript?: boolean }>(packages).filter((each) => each.hasInstallScript)).toEqual([]);
    expect(bytesIn(join(project, "node_modules"))).toBeLessThan(8 * MEGABYTE);
  });

  it("needs only one package at run time, which is optional", () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(installed, "package.json"), "utf8"),
    );
    expect(dependencies).toBeUndefined();
    expect(Object.keys(peerDependencies)).toEqual(["playwright-core", "vitest"]);
    expect(peerDependenciesMeta).toEqual({ "playwright-core": { optional: true }, vitest: { optional: true } });
  });

  it("has every file to which its pages link", () => {
    const names = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    const pages = names.map((name) => ({ name, text: readFileSync(join(installed, name), "utf8") }));
    expect(pages.flatMap((page) => brokenLinks(installed, page).map((to) => `${page.name}: ${to}`))).toEqual([]);
    expect(names).toContain("README.md");
  });

  it("contains the licences of bundled packages", () => {
    const notices = readFileSync(join(installed, "dist/THIRD-PARTY-NOTICES"), "utf8");
    for (const name of ["zod", "fastify", "undici", "ink", "react", "@faker-js/faker"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, "m"));
    }
    expect(notices).toContain("Permission is hereby granted");
  });

  it.each([
    [
      "import",
      ["--input-type=module", "-e", 'import * as library from "app-sim"; console.log(typeof library.startSimulator)'],
    ],
    ["require()", ["-e", 'console.log(typeof require("app-sim").startSimulator)']],
    [
      "its package.json",
      ["-e", 'console.log(typeof require("app-sim/package.json").version === "string" && "function")'],
    ],
    ["its JSON Schema", ["-e", 'console.log(require("app-sim/config.schema.json").type === "object" && "function")']],
  ])("is loaded by %s", (_, args) => {
    expect(node(args)).toMatchObject({ status: 0, stdout: "function\n", stderr: "" });
  });

  it("checks a result by its schema", () => {
    const program = `
      const { startSimulator, manifestResultSchema } = require("app-sim");
      (async () => {
        const sim = await startSimulator({ app: { url: "http://127.0.0.1:9" } });
        const result = await sim.manifest();
        await sim.close();
        const { value } = await manifestResultSchema["~standard"].validate(result);
        console.log(manifestResultSchema.parse(result).outcome, manifestResultSchema.safeParse({}).success, value.outcome);
      })();`;
    expect(node(["-e", program])).toMatchObject({ status: 0, stdout: "failed false failed\n", stderr: "" });
  });

  it("finds its profiles and fixtures", () => {
    const cli = join(installed, "bin/app-sim.js");
    expect(node([cli, "choices", "--profile", "base64-signature"]).status).toBe(0);
    const imported = node([
      cli,
      "post-import",
      join(installed, "fixtures/jobs/greetings.json"),
      "--app",
      "http://127.0.0.1:9",
    ]);
    expect(imported).toMatchObject({ status: 3, stderr: "" });
  });

  it("says how to install a browser's driver, which is not bundled", () => {
    const run = node([join(installed, "bin/app-sim.js"), "guard", "--browser", "--app", "http://127.0.0.1:9"]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toMatch(
      /Playwright, which is not installed[^\n]*\nhint: .*npm install --save-dev playwright-core/,
    );
  });

  it("drives a browser with the project's Playwright", () => {
    const playwright = join(project, "node_modules/playwright");
    mkdirSync(playwright);
    writeFileSync(join(playwright, "index.js"), "exports.chromium = {};");
    try {
      const run = node([join(installed, "bin/app-sim.js"), "guard", "--browser", "--app", "http://127.0.0.1:9"]);
      expect(run.status).toBe(3);
    } finally {
      rmSync(playwright, { recursive: true });
    }
  });
});

describe("the contract tests of an app", () => {
  const example = join(project, "contract");
  const borrowed = ["express", "jose", "vitest"];

  beforeAll(() => {
    cpSync(join(ROOT, "examples/express-contract"), example, { recursive: true });
    for (const name of borrowed) symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  });
  afterAll(() => {
    for (const name of borrowed) unlinkSync(join(project, "node_modules", name));
  });

  function writeApp(fault: readonly [from: string, to: string] | null) {
    const source = readFileSync(join(ROOT, "examples/express-contract/app.js"), "utf8");
    const edited = fault === null ? source : source.replace(...fault);
    expect(edited === source).toBe(fault === null);
    writeFileSync(join(example, "app.js"), edited);
  }

  /** Runs Vitest in the example, with the app on a port of its own, and returns its report. */
  function vitest(args: readonly string[], fault: readonly [from: string, to: string] | null = null) {
    writeApp(fault);
    const program = join(ROOT, "node_modules/vitest/vitest.mjs");
    const run = node([program, "run", "--root", example, "--reporter=json", ...args], { CONTRACT_PORT: "3219" });
    const report = JSON.parse(run.stdout.slice(run.stdout.indexOf("{")));
    type Test = { fullName: string; status: string; failureMessages: string[] };
    const tests: Test[] = report.testResults.flatMap((each: { assertionResults: Test[] }) => each.assertionResults);
    return { status: run.status, tests };
  }

  it("are a test for each check in Vitest, and pass for a correct app", () => {
    const { status, tests } = vitest(["-t", "guard.token|the office"]);
    expect(tests.filter((each) => each.status === "failed")).toEqual([]);
    expect(status).toBe(0);
    const names = tests.filter((each) => each.status === "passed").map(({ fullName }) => fullName);
    expect(names).toContainEqual(expect.stringContaining("guard guard.token.expired: The guard refuses"));
    expect(names).toContain("the office is let in, others are not");
  });

  it("fail for a fault, with request and answer; a filter runs only its checks", () => {
    const { status, tests } = vitest(["-t", "guard.token.expired:"], ["clockTolerance: 10", "clockTolerance: 3600"]);
    expect(status).toBe(1);
    const failed = tests.filter((each) => each.status === "failed");
    expect(failed.map(({ fullName }) => fullName)).toEqual([expect.stringContaining("guard.token.expired")]);
    const [message = ""] = failed[0]?.failureMessages ?? [];
    expect(message).toMatch(
      /sent: POST http[\s\S]*token\.claims\.exp: \d+ \(900 s after[\s\S]*→ \d+ \(6[12] s before[\s\S]*came: 200 \{"success":true\}/,
    );
    expect(tests.filter((each) => each.status === "passed")).toEqual([]);
  });

  it("also run in node:test", () => {
    const file = join(example, "node.test.mjs");
    writeFileSync(
      file,
      `import { once } from "node:events";
       import { describe, test } from "node:test";
       import { contractMatchers, describeContract } from "app-sim/testing";
       import { createApp } from "./app.js";
       const start = async ({ config }) => {
         const server = createApp(config.apps[0]).listen(3219, "127.0.0.1");
         await once(server, "listening");
         return () => { server.close(); server.closeAllConnections(); };
       };
       const app = { url: "http://127.0.0.1:3219" };
       describeContract({ describe, test }, { app, start, checks: { only: ["guard.token.missing", "guard.token.hs256-with-public-key"] } });
       test("matchers", () => { if (typeof contractMatchers.toBeGranted !== "function") throw new Error("none"); });`,
    );
    writeApp(null);
    const { status, stdout } = node(["--test", "--test-reporter=tap", file]);
    expect(stdout).toMatch(/ok \d+ - guard\.token\.missing: The guard refuses a request without a token\n/);
    expect(stdout).toMatch(/ok \d+ - guard\.token\.hs256-with-public-key: .* # SKIP the correct request does not have/);
    expect(status, stdout).toBe(0);
  });
});

describe("the types", () => {
  const contract =
    'import { contractMatchers, describeContract } from "app-sim/vitest";\n' +
    'import { describeContract as describeWith } from "app-sim/testing";\n' +
    'import { expect } from "vitest";\n' +
    "expect.extend(contractMatchers);\n" +
    'describeContract({ app: { url: "http://127.0.0.1:3000" }, checks: { only: ["guard"], slow: true } });\n' +
    "export async function check(login: unknown): Promise<void> {\n" +
    "  expect(login).toBeGranted();\n" +
    '  expect(login).not.toBeDeniedBy("terms");\n' +
    '  await expect("http://127.0.0.1:3000").toHonourTheContract({ skip: ["oauth"] });\n' +
    "  describeWith({ describe: (_, run) => run(), test: () => {} }, {});\n}\n";

  it("of the contract tests compile together with those of Vitest", () => {
    const file = join(project, "contract.mts");
    writeFileSync(file, contract);
    symlinkSync(join(ROOT, "node_modules/vitest"), join(project, "node_modules/vitest"));
    try {
      const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2023,dom"];
      const places = ["--types", "", "--module", "nodenext", "--moduleResolution", "nodenext", file];
      const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
      expect(node([compiler, ...flags, ...places])).toMatchObject({ status: 0, stdout: "" });
    } finally {
      unlinkSync(join(project, "node_modules/vitest"));
    }
  });

  const consumer =
    'import { startSimulator, webhookResultSchema, type WebhookResult } from "app-sim";\n' +
    "export async function acknowledged(): Promise<string> {\n" +
    "  await using sim = await startSimulator();\n" +
    '  const result: WebhookResult = await sim.webhook("project.approved");\n' +
    "  const checked = webhookResultSchema.safeParse(result);\n" +
    "  const parsed: WebhookResult = webhookResultSchema.parse(result);\n" +
    "  return checked.success ? checked.data.outcome : parsed.outcome;\n}\n";

  it.each([
    ["node16", "node16", "mts"],
    ["nodenext", "nodenext", "cts"],
    ["esnext", "bundler", "ts"],
  ])("compile by themselves with module %s, moduleResolution %s in a .%s file", (module, resolution, ending) => {
    const file = join(project, `consumer.${ending}`);
    writeFileSync(file, consumer);
    // The compiler's own types are no part of what is tested, and take longest.
    const flags = ["--noEmit", "--strict", "--skipDefaultLibCheck", "--target", "es2022", "--lib", "es2023,dom"];
    const places = ["--types", "", "--module", module, "--moduleResolution", resolution, file];
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(node([compiler, ...flags, ...places])).toMatchObject({ status: 0, stdout: "" });
  });
});

describe("what a command loads", () => {
  /** The files of `dist` that a run loads. */
  function loadedBy(args: readonly string[]): string[] {
    using directory = makeTempDir();
    // Node writes down there, as it ends, every script that ran.
    node([join(installed, "bin/app-sim.js"), ...args], { NODE_V8_COVERAGE: directory.path });
    const scripts = readdirSync(directory.path).flatMap(
      (name) => JSON.parse(readFileSync(join(directory.path, name), "utf8")).result as { url: string }[],
    );
    return scripts.flatMap(({ url }) => /(?<=\/dist\/)\w[\w-]*(?=\.js$)/.exec(url)?.[0] ?? []);
  }

  const start = ["cli", "common", "rolldown-runtime", "start"];
  /** What few commands need, by the chunks that hold it. */
  const large = [
    "cheerio",
    "chrome",
    "faker",
    "fastify",
    "formatjs",
    "ink",
    "yaml",
    "run-import",
    "run-load",
    "run-oauth-login",
    "run-scenario",
    "delivery",
  ];
  const app = ["--app", "http://127.0.0.1:9"];
  const entries = ["index.js", "testing.js", "vitest.js", "sample-packages.js"];

  it("--version: nothing of the bundle", () => {
    expect(loadedBy(["--version"])).toEqual([]);
  });

  it.each([[["--help"]], [["guard", "--help"]]])("%j: only the start", (args) => {
    expect(loadedBy(args).sort()).toEqual(start);
  });

  it.each<[args: string[], needs: string[]]>([
    [["guard", ...app], []],
    [["guard", "--yes", ...app], []],
    [["webhook", "project.approved", ...app], ["delivery"]],
    [["manifest", ...app], []],
    [["log"], ["delivery"]],
    [["env"], []],
    [["config"], []],
    [["choices"], []],
  ])("%j: at most 25 files, and of the large parts %j", (args, needs) => {
    const loaded = loadedBy(args);
    expect(loaded).toEqual(expect.arrayContaining(start));
    expect(loaded.filter((name) => large.includes(name))).toEqual(needs);
    expect(loaded.length).toBeLessThanOrEqual(25);
  });

  it("a delivery: nothing of logins, and a login nothing of deliveries", () => {
    expect(loadedBy(["webhook", "project.approved", ...app])).not.toContain("login");
    expect(loadedBy(["guard", "--yes", ...app])).not.toContain("delivery");
  });

  it("is a file with content: none only passes on what another one exports", () => {
    const chunks = readdirSync(join(installed, "dist")).filter((name) => /\.js$/.test(name) && !entries.includes(name));
    const code = (name: string) => readFileSync(join(installed, "dist", name), "utf8");
    expect(chunks.filter((name) => /^export ?\{[^}]*\} ?from ?"[^"]*";\s*$/.test(code(name)))).toEqual([]);
  });

  it("has the same name here and in the bundle", () => {
    const chunks = readdirSync(join(installed, "dist"));
    expect(large.filter((name) => !chunks.includes(`${name}.js`))).toEqual([]);
  });
});

it("is installed for development without a warning caused by the lock file", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const packages = Object.entries<{ resolved?: string; deprecated?: string }>(lock.packages);
  expect(packages.filter(([, { resolved, deprecated }]) => resolved !== undefined || deprecated !== undefined)).toEqual(
    [],
  );
});
