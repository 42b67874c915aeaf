import { type ConfigFormat, configNames, configText } from "./config-text.ts";
import type { FoundProject, PackageManager, Runner } from "./project.ts";

/** A file that `init` would write, or would add lines to. */
export interface ProposedFile {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  readonly purpose: string;
  /** The whole file, or the lines that are added to an existing one. */
  readonly content: string;
  /** Whether lines are added if the file exists; any other existing file is not changed. */
  readonly isAdded: boolean;
  /** Another proposed file that this one refers to, and the content of this one if the other is not written. */
  readonly naming?: { readonly file: string; readonly otherwise: string };
}

/** What the content of project files depends on. */
export interface FileParts {
  readonly project: FoundProject;
  /** Where the app listens. */
  readonly url: string;
  /**
   * The parts of the blocks `app` and `verify` that were found by querying the running app; null if it is not running.
   */
  readonly asked: { readonly app: object; readonly verify: object } | null;
  /** The settings of the platform's address that variables and flags give. */
  readonly platform: object;
  /** The proposed fixture; null if no texts were found. */
  readonly fixture: string | null;
  /** The folder, relative to the top of its repository; "" for the top itself, or outside of one. */
  readonly below: string;
}

/** The config file, with a comment on each part. */
export async function configFile(
  { project, url, asked, platform, fixture }: FileParts,
  format: ConfigFormat,
): Promise<ProposedFile> {
  const { app = {}, verify = {} } = asked ?? {};
  const textWith = (verified: object) =>
    configText(
      format,
      {
        app: { url, ...app, ...(project.servesManifest ? {} : { manifest: project.manifest }) },
        ...platform,
        login: { user: "member", ipAddress: "203.0.113.10" },
        ...(Object.keys(verified).length === 0 ? {} : { verify: verified }),
      },
      project.hasSchema,
    );
  const otherwise = await textWith(verify);
  const purpose = "where your app is, who logs in, and what app-sim verify needs to know";
  const parts = { file: configNames[format], purpose, isAdded: false };
  if (fixture === null) return { ...parts, content: otherwise };
  const content = await textWith({ ...verify, fixtures: [fixture] });
  return { ...parts, content, naming: { file: fixture, otherwise } };
}

/** How each package manager installs from the lock file, and runs a package's program. */
const managers: Readonly<Record<PackageManager, { readonly install: string; readonly run: string }>> = {
  npm: { install: "npm ci", run: "npx" },
  pnpm: { install: "corepack enable && pnpm install --frozen-lockfile", run: "pnpm exec" },
  yarn: { install: "corepack enable && yarn install --immutable", run: "yarn" },
  bun: { install: "npm install --global bun && bun install --frozen-lockfile", run: "bunx" },
};

/** How the project's own tools call app-sim. */
export function appSimOf({ runner, packageManager }: FoundProject): string {
  return `${runner === null ? "npx" : managers[packageManager].run} app-sim`;
}

/** Steps that install the toolchains of other languages. */
const setups: Readonly<Record<string, readonly string[]>> = {
  python: ["- uses: actions/setup-python@v5"],
  go: ["- uses: actions/setup-go@v5"],
  ruby: ["- uses: ruby/setup-ruby@v1", "  with:", "    bundler-cache: true"],
  php: ["- run: composer install"],
  java: ["- uses: actions/setup-java@v4", "  with:", "    distribution: temurin", "    java-version: 21"],
};

// If somebody registers the name in the public registry, that code must not run in the job.
const FETCH = `npm install --no-save "\${APP_SIM_PACKAGE:?name a packed file or a git repository of app-sim}"`;
const FETCH_NOTE =
  "# app-sim is not in the public registry: set APP_SIM_PACKAGE to where you keep it (docs/ci.md of app-sim)";
const NO_START = "# Start your app here, in the background: COMMAND &";

/** The CI file that verifies the app. */
export function ciFile(parts: FileParts): ProposedFile {
  const { project, below } = parts;
  const up = below === "" ? "" : "../".repeat(below.split("/").length);
  const purpose = `makes ${project.ci === "github" ? "GitHub" : "GitLab"} verify your app on each push`;
  return project.ci === "github"
    ? { file: `${up}.github/workflows/app-sim.yml`, purpose, content: githubText(parts), isAdded: false }
    : { file: `${up}.gitlab/app-sim.yml`, purpose, content: gitlabText(parts), isAdded: false };
}

function pipStep(files: readonly string[]): string {
  if (files.includes("requirements.txt")) return "- run: pip install -r requirements.txt";
  const isPackage = files.some((file) => ["pyproject.toml", "setup.py"].includes(file));
  return isPackage ? "- run: pip install ." : "# Install what your app imports here: pip install PACKAGE";
}

function githubText({ project, below }: FileParts): string {
  const { language, runner, packageManager, start, dependencyFiles } = project;
  const steps = [
    "- uses: actions/checkout@v4",
    "- uses: actions/setup-node@v4",
    "  with:",
    "    node-version: 22",
    ...(runner === null ? (setups[language ?? ""] ?? []) : []),
    ...(language === "python" ? [pipStep(dependencyFiles)] : []),
    ...(runner === null ? [FETCH_NOTE, `- run: ${FETCH}`] : [`- run: ${managers[packageManager].install}`]),
    "# The addresses of the platform and the secrets of your app, for the steps below.",
    `- run: ${appSimOf(project)} env >> "$GITHUB_ENV"`,
    start === null ? NO_START : `- run: ${start} &`,
    `- run: ${appSimOf(project)} verify --wait 60`,
  ];
  return lines([
    "name: app-sim",
    "on: [push, pull_request]",
    "jobs:",
    "  verify:",
    "    runs-on: ubuntu-latest",
    ...(below === "" ? [] : ["    defaults:", "      run:", `        working-directory: ${JSON.stringify(below)}`]),
    "    steps:",
    ...steps.map((step) => `      ${step}`),
  ]);
}

function gitlabText({ project, below }: FileParts): string {
  const { runner, packageManager, start } = project;
  const script = [
    ...(below === "" ? [] : [`- cd ${JSON.stringify(below)}`]),
    ...(runner === null ? [FETCH_NOTE, `- ${FETCH}`] : [`- ${managers[packageManager].install}`]),
    `- eval "$(${appSimOf(project)} env --format shell)"`,
    start === null ? NO_START : `- ${start} &`,
    `- ${appSimOf(project)} verify --wait 60`,
  ];
  return lines(["app-sim:", "  image: node:22", "  script:", ...script.map((line) => `    ${line}`)]);
}

const runnerNames = { vitest: "Vitest", jest: "Jest", "node:test": "node:test" } as const;

/** The contract test of a JavaScript or TypeScript project; null for other languages. */
export function contractTest({ project }: FileParts, config: string): ProposedFile | null {
  const { language, tests, isModule, start } = project;
  if (project.runner === null) return null;
  // Without that flag, Jest's next run would fail on the file.
  const isApart = project.runner === "jest" && !project.hasJestOfModules;
  const runner = isApart ? "node:test" : project.runner;
  const isTyped = language === "typescript" && runner === "vitest";
  const ending = isTyped ? "ts" : runner === "vitest" || isModule ? "js" : "mjs";
  // Jest runs files named `.test`, and those in `__tests__`.
  const folder = isApart ? tests.replace("__tests__", "test") : tests;
  const file = `${folder}/app-sim.contract${isApart ? "" : ".test"}.${ending}`;
  const options = [
    `  configFile: ${JSON.stringify(config)},`,
    "  // For `app-sim log ID`, with the ids in failure messages.",
    '  journal: ".app-sim",',
    ...(start === null
      ? ["  // Your app has to be listening at the address in that file; `start` could start it."]
      : [
          "  // Starts your app for the run, with the platform's addresses and the app's secrets in the environment.",
          `  start: ${JSON.stringify(start)},`,
        ]),
  ];
  const given = runner === "vitest" ? "{" : "{ describe, test }, {";
  const content = lines([
    `// Every check of app-sim verify as a test of its own: ${runsWith(runner, file)}`,
    ...(isApart
      ? ["// Jest cannot run it, as it supports ES modules only with NODE_OPTIONS=--experimental-vm-modules."]
      : []),
    ...importsOf(runner),
    "",
    `describeContract(${given}`,
    ...options,
    "});",
  ]);
  return { file, purpose: `each check of app-sim verify as a test of ${runnerNames[runner]}`, content, isAdded: false };
}

function runsWith(runner: Runner, file: string): string {
  if (runner === "vitest") return `npx vitest run ${file}`;
  if (runner === "node:test") return `node --test ${file}`;
  return `NODE_OPTIONS=--experimental-vm-modules npx jest ${file}`;
}

function importsOf(runner: Runner): string[] {
  const line = (names: string, from: string) => `import { ${names} } from ${JSON.stringify(from)};`;
  if (runner === "vitest") return [line("describeContract", "app-sim/vitest")];
  const own = line("describe, test", runner === "jest" ? "@jest/globals" : "node:test");
  return [own, line("describeContract", "app-sim/testing")];
}

/** Lines to add to a file that may exist; null if it has them all. */
export function addedLines(
  file: string,
  purpose: string,
  { there, wanted }: { readonly there: string; readonly wanted: readonly string[] },
): ProposedFile | null {
  if (wanted.length === 0) return null;
  const gap = there === "" || there.endsWith("\n") ? "" : "\n";
  return { file, purpose, content: gap + lines(wanted), isAdded: true };
}

/** Which of the wanted lines a `.gitignore` lacks, in any usual spelling. */
export function notIgnored(text: string, wanted: readonly string[]): string[] {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, "");
  const there = new Set(text.split("\n").map(plain));
  return wanted.filter((line) => !there.has(plain(line)));
}

function lines(texts: readonly string[]): string {
  return `${texts.join("\n")}\n`;
}
