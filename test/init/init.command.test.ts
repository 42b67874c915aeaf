import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { plainJson } from "../../src/config/commented-json.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type InitResult, initResultSchema } from "../../src/init/init-result.ts";
import { shortFixtureSchema } from "../../src/post-import/files/fixture-shape.ts";
import { guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { startLineInTerminal } from "../rig/line-terminal.ts";
import { onlyObject } from "../rig/output.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

type Tree = Readonly<Record<string, unknown>>;

function plant(tree: Tree): TempDir {
  const dir = makeTempDir();
  for (const [name, content] of Object.entries(tree)) dir.write(name, content);
  return dir;
}

async function init(dir: TempDir, ...args: readonly string[]): Promise<{ code: number | null; result: InitResult }> {
  const { code, stdout } = await runLine(["init", "--format", "json", ...args], { cwd: dir.path });
  return { code, result: initResultSchema.parse(onlyObject(stdout)) };
}

function contentOf({ files }: InitResult, ending: string): string {
  return files.find(({ file }) => file.endsWith(ending))?.content ?? "";
}

const express: Tree = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".gitignore": "node_modules",
  ".env": "PORT=4400\nPLATFORM_CLIENT_SECRET=other",
  "package.json": {
    type: "module",
    scripts: { start: "node server.js" },
    dependencies: { express: "^5.1.0" },
    devDependencies: { vitest: "^4.1.0" },
  },
  "locales/en.json": { greeting: "Hello, {name}", bye: "Bye" },
  "locales/uk.json": { greeting: "Привіт, {name}" },
  "node_modules/other/locales/en.json": { not: "ours" },
};

describe("app-sim init recognizes the project", () => {
  const trees: [what: string, tree: Tree, facts: Partial<InitResult["project"]>, next: string][] = [
    [
      "Express, the port in .env",
      express,
      { framework: "Express", language: "javascript", url: "http://127.0.0.1:4400", start: "npm start" },
      "npx app-sim dev -- npm start",
    ],
    [
      "Express with the main that npm init -y writes, of which there is no file",
      {
        "package.json": { main: "index.js", scripts: { test: "exit 1" }, dependencies: { express: "5" } },
        "app.js": "app.listen(3200);",
        "server.cjs": "module.exports = {};",
      },
      { framework: "Express", url: "http://127.0.0.1:3200", start: "node app.js" },
      "npx app-sim dev -- node app.js",
    ],
    [
      "two sources that listen, and a main that is not there",
      {
        "package.json": { main: "index.js", dependencies: { koa: "3" } },
        "app.js": "app.listen(3200);",
        "server.js": "app.listen(3200);",
      },
      { framework: "Koa", start: null },
      "npx app-sim dev -- COMMAND",
    ],
    [
      "a main without its ending",
      { "package.json": { main: "./lib", dependencies: { koa: "3" } }, "lib/index.js": "app.listen(3200);" },
      { framework: "Koa", start: "node ./lib" },
      "npx app-sim dev -- node ./lib",
    ],
    [
      "Fastify with pnpm and node:test, the port in its source",
      {
        "package.json": { main: "index.js", scripts: { test: "node --test" }, dependencies: { fastify: "5" } },
        "pnpm-lock.yaml": "lockfileVersion: 9\n",
        "index.js": 'fastify.listen({ port: 3001, host: "127.0.0.1" });',
      },
      { framework: "Fastify", url: "http://127.0.0.1:3001", start: "node index.js", runner: "node:test" },
      "pnpm exec app-sim dev -- node index.js",
    ],
    [
      "Next.js with Jest, the port in its script",
      {
        "package.json": {
          scripts: { dev: "next dev -p 3100", start: "next start" },
          dependencies: { next: "15", express: "5" },
          devDependencies: { jest: "30" },
        },
        "tsconfig.json": {},
        "public/manifest.json": { modules: { webhook: [] } },
      },
      {
        ...{ framework: "Next.js", language: "typescript", url: "http://127.0.0.1:3100", start: "npm run dev" },
        ...{ runner: "jest", manifest: "public/manifest.json" },
      },
      "npx app-sim dev -- npm run dev",
    ],
    [
      "Flask, the port in app.run()",
      { "requirements.txt": "flask==3.0\n", "app.py": 'app.run(host="127.0.0.1", port=5050)\n' },
      { framework: "Flask", language: "python", url: "http://127.0.0.1:5050", start: "python app.py", runner: null },
      "npx app-sim dev -- python app.py",
    ],
    [
      "Flask, without a list of its packages, in a folder where npm installed app-sim",
      {
        "package.json": { devDependencies: { "app-sim": "file:app-sim-0.1.0.tgz" } },
        "app.py": "from flask import Flask\napp.run(port=5051)\n",
      },
      { framework: "Flask", language: "python", url: "http://127.0.0.1:5051", start: "python app.py", runner: null },
      "npx app-sim dev -- python app.py",
    ],
    [
      "Django, where no port is named",
      { "pyproject.toml": '[project]\ndependencies = ["Django>=5", "django-cors"]\n', "manage.py": "" },
      { framework: "Django", url: "http://127.0.0.1:8000", urlFrom: "usual with Django" },
      "npx app-sim dev -- python manage.py runserver",
    ],
    [
      "Go, with its main package in a folder",
      {
        "go.mod": "module example.com/app\n",
        "cmd/server/main.go": 'package main\nfunc main() { http.ListenAndServe(":8081", nil) }\n',
      },
      { framework: "net/http", language: "go", url: "http://127.0.0.1:8081", start: "go run ./cmd/server" },
      "npx app-sim dev -- go run ./cmd/server",
    ],
    [
      "a Go app with a package.json for its pages",
      {
        "go.mod": "module a\nrequire github.com/gin-gonic/gin v1\n",
        "package.json": { devDependencies: { vite: "7" } },
      },
      { framework: "Gin", language: "go", url: "http://127.0.0.1:8080", runner: null },
      "npx app-sim dev -- COMMAND",
    ],
    [
      "an empty folder",
      {},
      { framework: null, language: null, url: "http://127.0.0.1:3000", urlFrom: "a guess", start: null },
      "npx app-sim dev -- COMMAND",
    ],
  ];

  test.each(trees)("%s", async (_, tree, facts, next) => {
    using dir = plant(tree);
    const before = readAll(dir, tree);
    const { code, result } = await init(dir);
    // Nobody is there to say yes.
    expect(code).toBe(1);
    expect(result.outcome).toBe("nothing-written");
    expect(result.project).toMatchObject(facts);
    expect(result.next.map(({ command }) => command)).toContain(next);
    expect([...readAll(dir, tree)]).toEqual([...before]);
    expect(existsSync(join(dir.path, "app-sim.config.jsonc"))).toBe(false);
    const workflow = parse(contentOf(result, "app-sim.yml"));
    const steps = workflow.jobs.verify.steps.map(({ run }: { run?: string }) => run);
    // The name is not in the public registry, where anybody may take it.
    expect(steps.join("\n")).not.toMatch(/install .*\bapp-sim$/m);
    if (facts.start != null) expect(steps).toContain(`${facts.start} &`);
    expect(steps.at(-1)).toMatch(/app-sim verify --wait 60$/);
  });

  function readAll(dir: TempDir, tree: Tree): Map<string, string> {
    return new Map(Object.keys(tree).map((name) => [name, readFileSync(join(dir.path, name), "utf8")]));
  }
});

describe("the contract test of a project with Jest", () => {
  const tree = (test: string): Tree => ({
    "package.json": { scripts: { test }, dependencies: { express: "5" }, devDependencies: { jest: "30" } },
    "__tests__/app.js": "",
  });

  test.each([
    [
      "is node:test's, where Jest would not find it, because Jest takes no ES modules",
      "jest",
      "test/app-sim.contract.mjs",
    ],
    [
      "is Jest's, if Jest takes ES modules",
      "NODE_OPTIONS=--experimental-vm-modules jest",
      "__tests__/app-sim.contract.test.mjs",
    ],
  ])("%s", async (_, script, file) => {
    using dir = plant(tree(script));
    const { result } = await init(dir);
    expect(result.files.map((each) => each.file)).toContain(file);
    expect(contentOf(result, file)).toContain(script === "jest" ? 'from "node:test"' : 'from "@jest/globals"');
  });
});

describe("app-sim init --yes", () => {
  test("writes files that app-sim and the project's tools read, and changes no existing ones", async () => {
    using dir = plant(express);
    const { code, result } = await init(dir, "--yes");
    expect([code, result.outcome]).toEqual([0, "written"]);
    expect(result.files.map(({ file, state }) => [file, state])).toEqual([
      ["fixtures/jobs/en.fixture.json", "written"],
      ["app-sim.config.jsonc", "written"],
      [".env", "added"],
      ["test/app-sim.contract.test.js", "written"],
      [".github/workflows/app-sim.yml", "written"],
      [".gitignore", "added"],
    ]);
    const { config } = await loadConfig({}, {}, dir.path);
    expect(config.apps[0]?.url).toBe("http://127.0.0.1:4400");
    expect(config.verify.fixtures).toEqual([join(dir.path, "fixtures/jobs/en.fixture.json")]);
    const fixture = JSON.parse(readFileSync(join(dir.path, "fixtures/jobs/en.fixture.json"), "utf8"));
    expect(shortFixtureSchema.parse(fixture)).toMatchObject({
      file: { path: "../../locales/en.json" },
      targetLanguages: ["uk"],
      strings: [{ text: "Hello, {name}", translations: { uk: { text: "Привіт, {name}" } } }, { text: "Bye" }],
    });
    const contract = readFileSync(join(dir.path, "test/app-sim.contract.test.js"), "utf8");
    expect(contract).toContain('configFile: "app-sim.config.jsonc",');
    expect(contract).toContain('journal: ".app-sim",');
    const env = readFileSync(join(dir.path, ".env"), "utf8");
    expect(env).toMatch(/^PORT=4400\nPLATFORM_CLIENT_SECRET=other\nPLATFORM_BASE_URL=/);
    expect(env).not.toContain("app-sim-client-secret-long-enough-for-HS256");
    expect(result.warnings).toEqual([
      expect.stringContaining("different values than app-sim for PLATFORM_CLIENT_SECRET"),
    ]);
    expect(readFileSync(join(dir.path, ".gitignore"), "utf8")).toBe("node_modules\n.app-sim/\n.env.app-sim\n");

    const again = await init(dir, "--yes");
    expect([again.code, again.result.outcome]).toEqual([0, "nothing-to-write"]);
    expect(new Set(again.result.files.map(({ state }) => state))).toEqual(new Set(["there"]));
    expect(again.result.files.map(({ file }) => file)).toContain(".env");
    expect(readFileSync(join(dir.path, ".env"), "utf8")).toBe(env);
  });

  test("writes the config that it shows without --yes, whether the fixture is new or exists", async () => {
    using dir = plant(express);
    const config = join(dir.path, "app-sim.config.jsonc");
    const shown = contentOf((await init(dir)).result, "app-sim.config.jsonc");
    await init(dir, "--yes");
    const written = readFileSync(config, "utf8");
    rmSync(config);
    const { result } = await init(dir, "--yes");
    expect(result.files[0]).toMatchObject({ file: "app-sim.config.jsonc", state: "written" });
    expect([written, readFileSync(config, "utf8")]).toEqual([shown, shown]);
  });

  test.each([
    ["in a project with packages", express, '  "$schema": "./node_modules/app-sim/fixtures/config.schema.json",\n'],
    [
      "where app-sim is in the folder of an app in Python",
      { "requirements.txt": "flask", "node_modules/app-sim/fixtures/config.schema.json": {} },
      '  "$schema": "./node_modules/app-sim/fixtures/config.schema.json",\n',
    ],
    [
      "in one of another language, where it says how to get one",
      { "requirements.txt": "flask" },
      'app-sim config --schema > app-sim.config.schema.json\n  // "$schema": "./app-sim.config.schema.json",\n',
    ],
  ])("says in comments what each part of the config file is for, and names its schema: %s", async (_, tree, schema) => {
    using dir = plant(tree);
    await init(dir, "--yes");
    const text = readFileSync(join(dir.path, "app-sim.config.jsonc"), "utf8");
    expect(text).toContain(schema);
    const lines = text.split("\n");
    const parts = Object.keys(JSON.parse(plainJson(text)));
    expect(parts).toEqual(expect.arrayContaining(["app", "login"]));
    for (const part of parts) {
      expect(lines[lines.findIndex((line) => line.startsWith(`  "${part}"`)) - 1]).toMatch(/^ {2}\/\/ [A-Z].*\.$/);
    }
  });

  test.each([
    ["yaml", "app-sim.config.yaml", "# yaml-language-server: $schema=./node_modules/app-sim/", /^#|^ +# /],
    ["ts", "app-sim.config.ts", 'import { defineConfig } from "app-sim";', /^ +\/\/ /],
  ])("writes the config file as %s, with the same settings and comments", async (format, name, begin, comment) => {
    using dir = plant(express);
    const json = contentOf((await init(dir)).result, "app-sim.config.jsonc");
    const { result } = await init(dir, "--config-format", format, "--yes");
    const text = readFileSync(join(dir.path, name), "utf8");
    expect(text.startsWith(begin)).toBe(true);
    const { $schema: _, ...settings } = JSON.parse(plainJson(json));
    const object = text.slice(text.indexOf("defineConfig(") + "defineConfig(".length, text.lastIndexOf(")"));
    expect(format === "yaml" ? parse(text) : runInNewContext(`(${object})`)).toEqual(settings);
    const plain = (lines: readonly string[]) => lines.map((line) => line.replace(/^ *(?:#|\/\/) /, ""));
    const commentsOf = (source: string, syntax: RegExp) =>
      plain(source.split("\n").filter((line) => syntax.test(line)));
    expect(commentsOf(text, comment)).toEqual(expect.arrayContaining(commentsOf(json, / \/\/ /).slice(1)));
    expect(contentOf(result, "contract.test.js")).toContain(`configFile: ${JSON.stringify(name)},`);
    const isRead = format === "yaml" || Reflect.get(process.features, "typescript");
    expect(result.warnings.join().includes("use Node 22.18 or newer")).toBe(!isRead);
  });

  test("says how to get the schema for a config file in YAML where there are no packages", async () => {
    using dir = plant({ "requirements.txt": "flask" });
    const { result } = await init(dir, "--config-format", "yaml");
    expect(contentOf(result, "app-sim.config.yaml")).toMatch(
      /^# For help on each setting.*\n# app-sim config --schema > \S+\n# # yaml-language-server: \$schema=\.\/app-sim/,
    );
  });

  test.each<[what: string, tree: Tree, first: string]>([
    ["in JavaScript", { "package.json": {} }, "npm install --save-dev FILE"],
    [
      "in JavaScript that lists it",
      { "package.json": { devDependencies: { "app-sim": "file:a.tgz" } } },
      "npx app-sim dev -- COMMAND",
    ],
    ["in Python", { "requirements.txt": "flask" }, "npm install --no-save FILE"],
    [
      "in Python that has it in node_modules",
      { "requirements.txt": "flask", "node_modules/app-sim/fixtures/config.schema.json": {} },
      "npx app-sim dev -- flask run",
    ],
  ])("installs app-sim first, if it is not there: %s", async (_, tree, first) => {
    using dir = plant(tree);
    const { result } = await init(dir);
    expect(result.next[0]?.command).toBe(first);
  });

  test("writes the platform's address to the config file as well as to .env", async () => {
    using dir = plant({});
    const address = ["--port", "5814", "--public-url", "https://sim.example.com"];
    await init(dir, ...address, "--yes");
    const { config } = await loadConfig({}, {}, dir.path);
    expect(config).toMatchObject({ port: 5814, publicUrl: "https://sim.example.com" });
    rmSync(join(dir.path, ".env"));
    const { result } = await init(dir, "--port", "5815");
    expect(result.warnings).toEqual([
      'the addresses in .env are right only if app-sim.config.jsonc has these settings: {"port":5815}',
    ]);
  });

  test("asks the running app whom its guards let in", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer(always({ success: true }));
    using dir = makeTempDir();
    const { result } = await init(dir, "--app", app.url);
    expect(result.project).toMatchObject({ url: app.url, urlFrom: "flag --app", runs: true });
    expect(JSON.parse(plainJson(contentOf(result, "config.jsonc")))).toMatchObject({
      app: { url: app.url },
      verify: { guards: { office: { lets: { user: expect.any(String) } } } },
    });
  });

  test("runs the platform at its usual address, which the app knows", async () => {
    const port = await unusedPort();
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    const query = `client_id=app-sim-client-id&response_type=code&state=s&redirect_uri=${encodeURIComponent(`${app.url}/back`)}`;
    const location = `http://127.0.0.1:${port}/oauth/authorize?${query}`;
    app.answer((call) =>
      call.path === "/login" ? call.send("", { status: 302, headers: { location } }) : call.reply({ success: true }),
    );
    using dir = makeTempDir();
    const { result } = await init(dir, "--app", app.url, "--port", String(port));
    expect(JSON.parse(plainJson(contentOf(result, "config.jsonc")))).toMatchObject({
      verify: { oauth: { start: "/login" } },
    });
  });

  test("in a folder of a repository: the workflow goes to its top, and runs in the folder", async () => {
    using dir = plant({ ".git/HEAD": "", "apps/web/package.json": { dependencies: { koa: "3" } } });
    const { stdout } = await runLine(["init", "--format", "json", "--yes"], { cwd: join(dir.path, "apps/web") });
    const result = initResultSchema.parse(onlyObject(stdout));
    expect(result.files.map(({ file }) => file)).toContain("../../.github/workflows/app-sim.yml");
    const workflow = parse(readFileSync(join(dir.path, ".github/workflows/app-sim.yml"), "utf8"));
    expect(workflow.jobs.verify.defaults.run["working-directory"]).toBe("apps/web");
  });

  test("below the folder of the config file: the files go to that folder, and a message says so", async () => {
    using dir = plant({ ...express, "app-sim.config.json": {}, "src/guards/office.js": "" });
    const cwd = join(dir.path, "src/guards");
    const { code, stdout, stderr } = await runLine(["init", "--yes", "--format", "json"], { cwd });
    const { project, outcome } = initResultSchema.parse(onlyObject(stdout));
    expect([code, outcome, project.framework]).toEqual([0, "written", "Express"]);
    expect(stderr).toContain(
      `The config file is ${join(dir.path, "app-sim.config.json")}, so the files below are in ${dir.path}\n`,
    );
    expect([".env", ".gitignore"].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
    expect(readFileSync(join(dir.path, ".env"), "utf8")).toContain("PLATFORM_APP_SECRET=");
    const named = await runLine(["init", "--config", "../../app-sim.config.json", "--format", "json"], { cwd });
    expect(named.stderr).not.toContain("the files below");
  });

  test("with GitLab: a file to include", async () => {
    using dir = plant({
      ".gitlab-ci.yml": "test: {}\n",
      "package.json": { devDependencies: { "app-sim": "file:../app-sim.tgz" } },
    });
    const { result } = await init(dir, "--yes");
    const job = parse(readFileSync(join(dir.path, ".gitlab/app-sim.yml"), "utf8"))["app-sim"];
    expect(job.script).toEqual(expect.arrayContaining(['eval "$(npx app-sim env --format shell)"']));
    expect(result.warnings.join()).toContain("include: { local: .gitlab/app-sim.yml }");
    expect(result.warnings.join()).toContain("installs app-sim from file:../app-sim.tgz, which CI may not have");
  });

  test("says which file cannot be written", async () => {
    using dir = makeTempDir();
    dir.write(".github", "a file, where a folder would have to be");
    const { code, stderr } = await runLine(["init", "--yes"], { cwd: dir.path });
    expect(code).toBe(2);
    expect(stderr).toContain(".github/workflows/app-sim.yml cannot be written");
  });
});

describe("app-sim init in a terminal", () => {
  test.each([40, 80, 200])("asks for each file, at %i columns", async (cols) => {
    using dir = plant(express);
    mkdirSync(join(dir.path, "tests"));
    await using terminal = startLineInTerminal(["init"], { cwd: dir.path, cols, rows: 40 });
    const answer = async (key: string) => {
      await terminal.shows(/Write it\?[^\n]*: *$/m);
      terminal.type(`${key}\n`);
    };
    await answer("n");
    await terminal.shows(/app-sim\.config\.jsonc[\s\S]*Write it\?/);
    terminal.type("n?a\n");
    await terminal.shows(/y, n, a or q\.\s/);
    terminal.type("y\n");
    await terminal.shows(/PLATFORM_BASE_URL[\s\S]*Write it\?/);
    terminal.type("q\n");
    expect((await terminal.ended).code).toBe(0);
    // Without the fixture, which was not wanted, the config file does not name it.
    const config = JSON.parse(plainJson(readFileSync(join(dir.path, "app-sim.config.jsonc"), "utf8")));
    expect(config.verify).toBeUndefined();
    expect(existsSync(join(dir.path, "tests/app-sim.contract.test.js"))).toBe(false);
    expect(terminal.leftChanged()).toEqual([]);
  });

  test("with --app, the next steps do not mention --app", async () => {
    using dir = plant(express);
    const { stdout } = await runLine(["init", "--app", "http://127.0.0.1:9"], { cwd: dir.path });
    expect(stdout).toMatch(/^Your app: http:\/\/127\.0\.0\.1:9 \(flag --app\); /m);
  });

  test("Ctrl-C writes nothing more", async () => {
    using dir = plant(express);
    await using terminal = startLineInTerminal(["init"], { cwd: dir.path, rows: 60 });
    await terminal.shows("Write it?");
    terminal.interrupt();
    await terminal.ended;
    expect(existsSync(join(dir.path, "fixtures"))).toBe(false);
  });
});
