import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { dependencyFiles, type Framework, frameworks, type ProjectLanguage, portNamed } from "./frameworks.ts";
import type { FoundProject, PackageManager, Runner } from "./project.ts";

/** A file of a project, as far as it was read. */
interface LookedAt {
  /** Relative to the folder, with slashes. */
  readonly name: string;
  readonly text: string;
}

/** The most bytes read of a file. */
const MOST_BYTES = 262_144;
/** The most source files searched for the port. */
const MOST_SOURCES = 40;
const DEFAULT_PORT = 3000;

/** Files besides the sources that say on which port the app listens. */
const settingsFiles = [
  ".env",
  ".env.local",
  ".flaskenv",
  "package.json",
  "Procfile",
  "src/main/resources/application.properties",
  "config/puma.rb",
];
/** Where the source file that listens probably is. */
const sourceFolders = [".", "src", "app", "server", "lib", "cmd", "cmd/server"];
const entrySource = /^(?:server|app|main|index|wsgi|asgi|run|manage|www)\.(?:[cm]?[jt]s|py|go|rb|php)$/;
const manifestPlaces = [
  ...["manifest.json", "app/manifest.json", "src/manifest.json", "config/manifest.json"],
  ...["public/manifest.json", "static/manifest.json", "src/public/manifest.json"],
];
const testFolders = ["test", "tests", "__tests__", "spec"];
const lockFiles: readonly [file: string, manager: PackageManager][] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** Examines a project's folder; nothing in it is executed. */
export async function readProject(folder: string): Promise<FoundProject> {
  const read = (name: string) => textOf(path.join(folder, name));
  const dependencies = await dependencyTexts(read);
  const sources = await sourcesIn(folder);
  const packageJson = packageOf(dependencies.texts.get("javascript") ?? "");
  const python = isForAppSimAlone(packageJson) ? pythonText(sources) : "";
  const texts = python === "" ? dependencies.texts : new Map([["python", python] as const, ...dependencies.texts]);
  const found = frameworks.find(({ language, isNamed }) => isNamed.test(texts.get(language) ?? "")) ?? null;
  const isNode = found === null ? packageJson !== null && python === "" : found.language === "javascript";
  const settings = await lookAt(settingsFiles, read);
  const named = portNamed([...settings, ...sources, ...(await lookAt(["Dockerfile"], read))]);
  const isTyped = isNode && ((await read("tsconfig.json")) !== "" || hasPackage(packageJson, "typescript"));
  const language: ProjectLanguage | null = isNode
    ? isTyped
      ? "typescript"
      : "javascript"
    : (found?.language ?? firstLanguage(texts));
  const packageManager = await packageManagerOf(read);
  const manifest = await manifestIn(read);
  return {
    language,
    framework: found?.name ?? null,
    dependencyFiles: dependencies.files,
    port:
      named === null
        ? { port: found?.port ?? DEFAULT_PORT, from: found === null ? "a guess" : `usual with ${found.name}` }
        : { port: named.port, from: named.file },
    start: isNode
      ? (scriptStart(packageJson, packageManager, found) ?? (await nodeStart(folder, packageJson, sources)))
      : otherStart(found, sources),
    manifest,
    servesManifest: manifest === null || /(?:^|\/)(?:public|static)\//.test(manifest) || servesIt(sources),
    runner: isNode ? runnerOf(packageJson) : null,
    hasJestOfModules: /--experimental-vm-modules/.test(scriptOf(packageJson, "test")),
    // Python has a package named test.
    tests: (await firstFolder(folder, testFolders)) ?? (language === "python" ? "tests" : "test"),
    isModule: packageJson?.type === "module",
    hasSchema: isNode || (await read("node_modules/app-sim/fixtures/config.schema.json")) !== "",
    appSim: versionOf(packageJson, "app-sim"),
    packageManager,
    ci: (await read(".gitlab-ci.yml")) === "" ? "github" : "gitlab",
  };
}

async function dependencyTexts(read: (name: string) => Promise<string>) {
  const texts = new Map<Framework["language"], string>();
  const files: string[] = [];
  for (const [language, names] of Object.entries(dependencyFiles)) {
    const found = await lookAt(names, read);
    files.push(...found.map(({ name }) => name));
    if (found.length > 0) texts.set(language as Framework["language"], found.map(({ text }) => text).join("\n"));
  }
  return { texts, files };
}

/** Whether there are no packages but app-sim: npm makes a package.json when it installs app-sim next to any app. */
function isForAppSimAlone(json: PackageJson | null): boolean {
  const packages = Object.keys({ ...json?.dependencies, ...json?.devDependencies });
  return packages.every((name) => name === "app-sim");
}

/** The Python sources, which import what they need; an app may have no other list of its packages. */
function pythonText(sources: readonly LookedAt[]): string {
  return sources.flatMap(({ name, text }) => (name.endsWith(".py") ? text : [])).join("\n");
}

function firstLanguage(texts: ReadonlyMap<Framework["language"], string>): ProjectLanguage | null {
  const [first = null] = texts.keys();
  return first;
}

interface PackageJson {
  readonly type?: unknown;
  readonly main?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

function packageOf(text: string): PackageJson | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

function hasPackage(json: PackageJson | null, name: string): boolean {
  return versionOf(json, name) !== null;
}

/** A package's version in package.json, such as `^1.2.0` or `file:../other`; null if it is not listed. */
function versionOf(json: PackageJson | null, name: string): string | null {
  const packages = [json?.dependencies, json?.devDependencies].find((each) => Object.hasOwn(each ?? {}, name));
  return packages === undefined ? null : String((packages as Readonly<Record<string, unknown>>)[name]);
}

function scriptOf(json: PackageJson | null, name: string): string {
  const script = json?.scripts?.[name];
  return typeof script === "string" ? script : "";
}

function scriptStart(json: PackageJson | null, manager: PackageManager, found: Framework | null): string | null {
  // `next start` and `nuxt start` need a build first.
  const wanted = found?.name === "Next.js" || found?.name === "Nuxt" ? ["dev", "start"] : ["start", "dev"];
  const script = wanted.find((name) => scriptOf(json, name) !== "");
  if (script === undefined) return null;
  return script === "start" ? `${manager} start` : `${manager} run ${script}`;
}

/**
 * Without a script: `main`, if that file exists, because `npm init` writes it even if it does not; or the only source
 * that listens.
 */
async function nodeStart(
  folder: string,
  json: PackageJson | null,
  sources: readonly LookedAt[],
): Promise<string | null> {
  const main = typeof json?.main === "string" && /^[\w./-]+$/.test(json.main) ? json.main : null;
  if (main !== null && (await isModuleAt(path.join(folder, main)))) return `node ${main}`;
  const listening = sources.filter(({ name, text }) => /\.[cm]?js$/.test(name) && /\.listen\(/.test(text));
  return listening.length === 1 ? `node ${listening[0]?.name}` : null;
}

/** Whether Node finds a file for `main`: the extension, or index.js, may be omitted. */
async function isModuleAt(place: string): Promise<boolean> {
  const places = [place, `${place}.js`, path.join(place, "index.js")];
  const found = await Promise.all(places.map((file) => stat(file).catch(() => null)));
  return found.some((facts) => facts?.isFile() === true);
}

function otherStart(found: Framework | null, sources: readonly LookedAt[]): string | null {
  const source = (pattern: RegExp) => sources.find(({ text }) => pattern.test(text))?.name;
  switch (found?.name) {
    case "Django":
      return "python manage.py runserver";
    case "FastAPI":
      return `uvicorn ${moduleOf(source(/\bFastAPI\(/) ?? "main.py")}:app`;
    case "Flask": {
      const runs = source(/\bapp\.run\(/);
      return runs === undefined ? "flask run" : `python ${runs}`;
    }
    case "Rails":
      return "bin/rails server";
    case "Laravel":
      return "php artisan serve";
    case "Spring Boot":
      return "./mvnw spring-boot:run";
  }
  if (found?.language !== "go") return null;
  const main = source(/^package main\b/m);
  return main === undefined ? null : `go run ${main.includes("/") ? `./${path.posix.dirname(main)}` : "."}`;
}

function moduleOf(file: string): string {
  return file.replace(/\.py$/, "").replaceAll("/", ".");
}

function runnerOf(json: PackageJson | null): Runner {
  if (hasPackage(json, "vitest")) return "vitest";
  return hasPackage(json, "jest") || /\bjest\b/.test(scriptOf(json, "test")) ? "jest" : "node:test";
}

async function packageManagerOf(read: (name: string) => Promise<string>): Promise<PackageManager> {
  for (const [file, manager] of lockFiles) if ((await read(file)) !== "") return manager;
  return "npm";
}

/** A manifest of this platform: browsers and extensions have files of the same name. */
async function manifestIn(read: (name: string) => Promise<string>): Promise<string | null> {
  for (const { name, text } of await lookAt(manifestPlaces, read)) {
    const { modules } = (packageOf(text) ?? {}) as { modules?: unknown };
    if (typeof modules === "object" && modules !== null) return name;
  }
  return null;
}

function servesIt(sources: readonly LookedAt[]): boolean {
  return sources.some(({ text }) => /["'`/]manifest\.json["'`]/.test(text));
}

async function lookAt(names: readonly string[], read: (name: string) => Promise<string>): Promise<LookedAt[]> {
  const files = await Promise.all(names.map(async (name) => ({ name, text: await read(name) })));
  return files.filter(({ text }) => text !== "");
}

async function sourcesIn(folder: string): Promise<LookedAt[]> {
  const names: string[] = [];
  for (const directory of sourceFolders) {
    const entries = await readdir(path.join(folder, directory)).catch(() => []);
    names.push(...entries.filter((entry) => entrySource.test(entry)).map((entry) => path.posix.join(directory, entry)));
  }
  return lookAt(names.slice(0, MOST_SOURCES), (name) => textOf(path.join(folder, name)));
}

async function firstFolder(folder: string, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    const facts = await stat(path.join(folder, name)).catch(() => null);
    if (facts?.isDirectory() === true) return name;
  }
  return null;
}

/** The text of a file; "" if it does not exist, or was not written by hand. */
async function textOf(file: string): Promise<string> {
  const facts = await stat(file).catch(() => null);
  if (facts?.isFile() !== true || facts.size > MOST_BYTES) return "";
  return readFile(file, "utf8").catch(() => "");
}
