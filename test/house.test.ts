import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { readSources, type Source, withoutComments, withoutTemplates } from "./rig/sources.ts";

const root = resolve(import.meta.dirname, "..");
const sources = readSources();
const readJson = (name: string) => JSON.parse(readFileSync(resolve(root, name), "utf8"));

/** What every capability stands on, from the ground up: a room knows those before it. */
const kernel = ["protocol", "config", "journal", "app-client", "platform", "tls", "output", "action", "web", "browser"];
/** The roof: each of these knows all that stands before it. */
const roof = [
  "actions.ts",
  "simulator.ts",
  "serve-capabilities.ts",
  "start-platform.ts",
  "report-text.ts",
  "library-words.ts",
  "index.ts",
  "testing",
  "command-line",
  "cli.ts",
];
/** What the program starts but is no part of it, as seen from `src/`. */
const apart = "../examples/";

/** Capabilities, and the other capabilities that each of them builds on. */
const capabilities: Readonly<Record<string, readonly string[]>> = {
  guard: [],
  "login-pages": ["guard"],
  "post-import": [],
  webhook: [],
  oauth: [],
  "oauth-login": ["oauth"],
  load: ["webhook"],
  scenario: ["guard", "install", "oauth", "oauth-login", "post-import", "webhook"],
  install: ["oauth"],
  manifest: [],
  token: [],
  settings: [],
  log: ["webhook"],
  report: ["checking", "load", "log", "post-import", "verify", "webhook"],
  serve: ["log", "manifest", "oauth", "settings"],
  doctor: ["checking", "guard", "guard-checks", "manifest", "serve", "webhook", "webhook-checks"],
  fixture: ["post-import"],
  init: ["fixture", "settings"],
  checking: ["guard", "oauth-login", "post-import", "webhook"],
  "guard-checks": ["checking", "guard"],
  "import-checks": ["checking", "post-import"],
  "webhook-checks": ["checking", "webhook"],
  "oauth-checks": ["checking", "oauth", "oauth-login"],
  "manifest-checks": ["checking", "guard-checks", "webhook-checks"],
  "fuzz-checks": ["checking", "guard-checks", "import-checks", "webhook-checks"],
  verify: [
    "checking",
    "fuzz-checks",
    "guard",
    "guard-checks",
    "import-checks",
    "manifest-checks",
    "oauth-checks",
    "webhook-checks",
  ],
  demo: ["guard", "oauth-login", "post-import", "webhook"],
  inspector: ["guard", "load", "log", "post-import", "serve", "verify", "webhook"],
};

function partOf(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

function placeOf(part: string): number {
  const order = [...kernel, "capabilities", ...roof];
  return order.indexOf(Object.hasOwn(capabilities, part) ? "capabilities" : part);
}

function mayImport(importer: string, imported: string): boolean {
  if (importer === imported || capabilities[importer]?.includes(imported)) return true;
  return placeOf(imported) < placeOf(importer);
}

/** `file: what it does` for every place of the sources that a rule refuses. */
function found(refused: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => refused(source).map((what) => `${source.path}: ${what}`));
}

/** Where the pattern stands in the code, outside of comments and of the files that are allowed to. */
function uses(pattern: RegExp, isAllowed: (path: string) => boolean): string[] {
  return found(({ path, text }) =>
    isAllowed(path) ? [] : (withoutTemplates(withoutComments(text)).match(pattern) ?? []),
  );
}

/** Files whose imports against the order are still to be turned round. */
const open: readonly string[] = [];

describe("the import order", () => {
  test("knows every part, and every file is read", () => {
    const parts = new Set(sources.map(({ path }) => partOf(path)));
    expect([...parts].filter((part) => placeOf(part) < 0)).toEqual([]);
    expect(sources.find(({ path }) => path === "cli.ts")?.imports).toContainEqual({
      target: "command-line/program.ts",
      isRelative: true,
      isOfTypes: false,
      names: ["buildProgram", "GlobalFlags", "ParsedCommand"],
    });
    expect(sources.find(({ path }) => path === "demo/action.ts")?.imports).toContainEqual({
      target: "demo/command.ts",
      isRelative: true,
      isOfTypes: false,
      names: [],
    });
  });

  test("every import leads to a file", () => {
    const paths = sources.map(({ path }) => path);
    const relative = ({ imports }: Source) => imports.filter(({ isRelative }) => isRelative);
    const isThere = (target: string) => paths.includes(target) || existsSync(resolve(root, "src", target));
    expect(found((source) => relative(source).flatMap(({ target }) => (isThere(target) ? [] : [target])))).toEqual([]);
    for (const { path, imports, text } of sources) {
      // A form of import that the pattern does not know would be an import that no rule sees.
      expect(imports, path).toHaveLength(
        withoutComments(text).match(/\bfrom "|\bimport\(\s*"|^import "/gm)?.length ?? 0,
      );
    }
  });

  test("every import has a literal path, except the user's config file and the sample app with a fault", () => {
    const isOfTheUser = (path: string) => path === "config/config-module.ts" || path === "demo/broken-app.ts";
    expect(uses(/\bimport\(\s*[^\s"]/g, isOfTheUser)).toEqual([]);
  });

  test.each(sources.map(({ path, imports }) => ({ path, imports })))("is kept in $path", ({ path, imports }) => {
    const isAllowed = (target: string) =>
      target.startsWith(apart) ? partOf(path) === "demo" : mayImport(partOf(path), partOf(target));
    const wrong = imports.filter(({ target, isRelative }) => isRelative && !isAllowed(target));
    expect(open.includes(path) ? [] : wrong.map(({ target }) => target)).toEqual([]);
  });
});

describe("the rooms", () => {
  /** What each file imports as it is loaded, types included; what it loads later may lead back to it. */
  const staticImports = new Map(
    sources.map(({ path, text }) => {
      const specifiers = [...text.matchAll(/^(?:import|export)\b[^;]*? from "(\.[^"]+)"/gm)].map(
        ([, from = ""]) => from,
      );
      return [path, specifiers.map((from) => posix.join(posix.dirname(path), from))] as const;
    }),
  );

  test("no file imports itself, however indirectly", () => {
    const isOver = new Set<string>();
    const circleFrom = (path: string, trail: readonly string[]): readonly string[] | null => {
      if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
      if (isOver.has(path)) return null;
      for (const next of staticImports.get(path) ?? []) {
        const circle = circleFrom(next, [...trail, path]);
        if (circle !== null) return circle;
      }
      isOver.add(path);
      return null;
    };
    expect(sources.map(({ path }) => circleFrom(path, [])).filter((circle) => circle !== null)).toEqual([]);
  });

  test("none has more than 15 % of the lines", () => {
    const linesOf = (isCounted: (path: string) => boolean) =>
      sources.reduce((sum, { path, text }) => sum + (isCounted(path) ? text.split("\n").length : 0), 0);
    const all = linesOf(() => true);
    const rooms = [...new Set(sources.map(({ path }) => partOf(path)))];
    const shares = rooms.map((room) => [room, linesOf((path) => partOf(path) === room) / all] as const);
    expect(shares.filter(([, share]) => share > 0.15)).toEqual([]);
  });

  test("no name is exported twice", () => {
    const declaration = /^export (?:async )?(?:const|function|class|type|interface) (\w+)/gm;
    const names = new Map<string, string[]>();
    for (const { path, text } of sources) {
      for (const [, name = ""] of text.matchAll(declaration)) names.set(name, [...(names.get(name) ?? []), path]);
    }
    expect([...names].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  test("a run of webhook does not load logins, OAuth and pages", () => {
    const loaded = new Set<string>();
    const load = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      const source = sources.find((each) => each.path === path);
      // Types are not loaded; what is imported dynamically is loaded where it is needed.
      const values = /^(?:import|export)\b(?! type\b)[^;]*? from "(\.[^"]+)"/gm;
      for (const [statement, from = ""] of source?.text.matchAll(values) ?? []) {
        const isOfTypes = /\{([^}]*)\}/
          .exec(statement)?.[1]
          ?.split(",")
          .every((name) => /^\s*(type\b.*)?$/.test(name));
        if (isOfTypes !== true) load(posix.join(posix.dirname(path), from));
      }
    };
    for (const path of ["cli.ts", "command-line/session.ts", "webhook/command.ts", "webhook/run-webhook.ts"])
      load(path);
    load("app-client/app-gateway.ts");
    const rooms = ["guard", "login-pages", "oauth", "oauth-login", "browser"];
    const others = [...loaded].filter((path) => rooms.includes(partOf(path)));
    // What is defined of an action is loaded with the command line.
    expect(others.filter((path) => !/(?:action|-options)\.ts$/.test(path))).toEqual([]);
  });
});

test("an example can be copied: it imports its own files, Node's modules and the packages of its package.json", () => {
  const folder = resolve(root, "examples/sample-app");
  const { dependencies } = readJson("examples/sample-app/package.json");
  const allowed = /^(?:node:[\w/]+|\.\/[\w-]+\.js)$/;
  const imports = readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [...readFileSync(resolve(folder, name), "utf8").matchAll(/^import [^"]*"([^"]+)"/gm)])
    .map(([, target = ""]) => target);
  expect(imports).toContain("./http.js");
  expect(imports.filter((target) => !allowed.test(target) && !Object.hasOwn(dependencies, target))).toEqual([]);
  expect(readJson("package.json").devDependencies).toMatchObject(dependencies);
});

describe("a package is imported only in its own place", () => {
  const places: [name: string, isAllowed: RegExp][] = [
    ["undici", /^(app-client\/app-gateway|load\/bulk-connection)\.ts$/],
    ["fastify", /^(web\/|serve\/control-access\.ts$|[a-z-]+\/[a-z-]+-routes\.ts$)/],
    ["ink", /^(guard\/walk|output|serve\/keys|verify\/live)\//],
    ["react", /^(guard\/walk|output|serve\/keys|verify\/live|inspector\/page)\//],
    ["react-dom", /^inspector\/page\//],
    ["@tanstack/react-virtual", /^inspector\/page\//],
    ["d3-scale", /^load\/latency-picture\.ts$/],
    ["jose", /^(platform\/(tokens|key-pairs)\.ts$|oauth\/endpoints\/access-tokens\.ts$)/],
    ["commander", /^(cli\.ts$|command-line\/)/],
    ["@bomb.sh/tab", /^command-line\/completion\.ts$/],
    ["cross-spawn", /^serve\/run-child\.ts$/],
    ["chalk", /^(cli\.ts|output\/paint\.ts|testing\/matchers\.ts)$/],
    ["otpauth", /^guard\/rules\/totp\.ts$/],
    ["cheerio", /^(browser|guard\/visit|oauth-login)\//],
    ["tough-cookie", /^(browser|oauth-login|guard\/visit)\//],
    [
      "playwright-core",
      /^(browser\/|guard\/visit\/|guard-checks\/pages\/walk\/(answer-again|browser|frame-home|hear-page|hear-return|left-behind|script-answers|blocked-parts|dead-end)\.ts$)/,
    ],
    ["chrome-launcher", /^browser\//],
    ["open", /^output\/open-in-browser\.ts$/],
    ["@formatjs/icu-messageformat-parser", /^post-import\/checks\/strings\//],
    ["tinyglobby", /^output\/files-named\.ts$/],
    ["string-width", /^(output\/layout\.ts$|guard\/)/],
    ["diff", /^output\/word-diff\.ts$/],
    ["vitest", /^testing\/vitest\.ts$/],
    ["yaml", /^(config\/(yaml-file|commented-yaml)|fixture\/formats\/yaml|load\/export\/export-script)\.ts$/],
    ["@faker-js/faker", /^webhook\/fake-values\.ts$/],
    ["saxes", /^fixture\/formats\/xml-tree\.ts$/],
    ["gettext-parser", /^fixture\/formats\/gettext\.ts$/],
    ["jsep", /^config\/plural-index\.ts$/],
    ["fast-check", /^fuzz-checks\/(random|cases|random-check\.ts)/],
    ["dot-properties", /^fixture\/formats\/properties\.ts$/],
  ];

  test.each(places)("%s", (name, isAllowed) => {
    const wrong = found(({ path, imports }) =>
      isAllowed.test(path)
        ? []
        : imports.map(({ target }) => target).filter((target) => target === name || target.startsWith(`${name}/`)),
    );
    expect(wrong).toEqual([]);
  });

  test("and a package that is imported is part of the bundle, or a peer", () => {
    const { dependencies, devDependencies } = readJson("package.json");
    expect(dependencies).toBeUndefined();
    const packages = sources.flatMap(({ imports }) =>
      imports.filter(({ target, isRelative }) => !isRelative && !target.startsWith("node:")),
    );
    const names = packages.map(({ target }) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
    expect(names.filter((name) => !Object.hasOwn(devDependencies, name))).toEqual([]);
  });
});

describe("effects have their place", () => {
  test("the clock and randomness are in app-client/ports.ts", () => {
    const pattern = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandom(?:Bytes|UUID|Int)\b|\bperformance\.now\b/g;
    expect(uses(pattern, (path) => path === "app-client/ports.ts")).toEqual([]);
  });

  test("only cli.ts sets the exit code or ends the process", () => {
    expect(uses(/\bprocess\.exit(?:Code)?\b/g, (path) => path === "cli.ts")).toEqual([]);
  });

  test("only cli.ts touches the process's own streams, arguments and environment", () => {
    const pattern = /\bprocess\.(?:std(?:in|out|err)|argv|env(?:\.\w+)?|on(?:ce)?)\b/g;
    expect(uses(pattern, (path) => path === "cli.ts")).toEqual([]);
  });

  test("only journal/ writes files, and modules that store keys, certificates, strings, answers, fixtures, exports, or edit a body", () => {
    const reading =
      /^(?:readFile|readdir|stat|lstat|lstatSync|realpath|access|readFileSync|readdirSync|existsSync|createReadStream|Stats|Dirent|open|watchFile|unwatchFile)$/;
    const writers =
      /^(?:journal\/|serve\/running-platform|platform\/(?:key|state)-file|tls\/authority|post-import\/files\/(?:lines-file|write-whole)|fixture\/write-fixtures|init\/write-file|load\/write-export|webhook\/edit-body|fuzz-checks\/found|demo\/broken-app|report\/write-report|verify\/(?:baseline-file|init-command|report\/github-report))/;
    // A pipe is opened with flags, so that nothing waits for its writer.
    const pipes = "config/user-file.ts: ";
    const isFileSystem = (target: string) => /^node:fs(\/promises)?$/.test(target);
    const wrong = found(({ path, imports }) =>
      writers.test(path)
        ? []
        : imports
            .filter(({ target }) => isFileSystem(target))
            .flatMap(({ names }) => (names.length === 0 ? ["all of it"] : names.filter((name) => !reading.test(name)))),
    );
    expect(wrong.filter((each) => !each.startsWith(pipes))).toEqual([]);
    // Without flags a file is opened for reading.
    const opens = sources.filter(({ imports }) => imports.some(({ names }) => names.includes("open")));
    const paths = opens.map(({ path }) => path);
    expect(uses(/\bopen\([^()]*,/g, (path) => writers.test(path) || !paths.includes(path))).toEqual([]);
  });

  test("importing a module has no effect, except cli.ts", () => {
    // The formatter puts only the statements of a module's own level into the first column.
    const statements = (text: string) => withoutTemplates(text).split("\n");
    const declarations =
      /^(?:$|\s|import |(?:export )?(?:const|type|interface|class|(?:async )?function)\b|declare module |export \{|[)\]}>`]|\/[/*]|\|)/;
    const effects = /^(?:export )?const [^\n]*\b(?:await|read\w*Sync|createServer|process)\b/;
    const wrong = found(({ path, text }) =>
      path === "cli.ts" ? [] : statements(text).filter((line) => !declarations.test(line) || effects.test(line)),
    );
    expect(wrong).toEqual([]);
  });
});

describe("what decides", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  /** Every file that is loaded with this one at once, and the packages and builtins that these import. */
  const reachedFrom = (path: string, seen = new Set<string>()): Set<string> => {
    for (const { target, isOfTypes, names } of byPath.get(path)?.imports ?? []) {
      // What tells whether a text is an IP address opens no socket.
      const isPure = target === "node:net" && names.every((name) => /^isIP/.test(name));
      if (isOfTypes || isPure || seen.has(target)) continue;
      seen.add(target);
      reachedFrom(target, seen);
    }
    return seen;
  };

  test("rules/ reach no file, socket, process, page or terminal", () => {
    const effects =
      /^(?:node:(?:fs|net|tls|dns|https?|child_process|worker_threads|os|process|readline)\b|undici|fastify|playwright-core|ink|react|cheerio)/;
    const rules = sources.filter(({ path }) => path.includes("/rules/"));
    expect(rules.length).toBeGreaterThan(30);
    const wrong = rules.flatMap(({ path }) =>
      [...reachedFrom(path)].filter((target) => effects.test(target)).map((target) => `${path}: ${target}`),
    );
    expect(wrong).toEqual([]);
    expect(
      uses(/\bsetTimeout\b|\bsetInterval\b|\bnew Promise\b|\bfetch\(/g, (path) => !path.includes("/rules/")),
    ).toEqual([]);
  });
});

describe("the form of the sources", () => {
  test("named exports only, and no module state", () => {
    expect(uses(/^export default|\bas default\b|^(?:export )?(?:let|var)\b/gm, () => false)).toEqual([]);
  });

  test("only the library's entry files re-export", () => {
    const faces = ["index.ts", "testing/vitest.ts", "testing/testing.ts"];
    const passedOn = /^export (?:type )?(?:\*|\{[^}]*\}) ?(?:as \w+ )?from\b/gm;
    expect(uses(passedOn, (path) => faces.includes(path))).toEqual([]);
    expect(sources.filter(({ path }) => path.endsWith("/index.ts"))).toEqual([]);
  });

  test("half of the files are under 100 lines, and none is over 320", () => {
    const lengths = sources.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
    expect(lengths.filter(({ lines }) => lines > 320)).toEqual([]);
  });
});

describe("the package", () => {
  test("runs on Node 20.19 and newer, in its first version", () => {
    expect(readJson("package.json")).toMatchObject({ version: "0.1.0", engines: { node: ">=20.19" }, type: "module" });
  });

  test("has a lock file without download addresses", () => {
    const lock = readFileSync(resolve(root, "package-lock.json"), "utf8");
    expect(lock).not.toMatch(/"resolved":|https?:\/\/[^"]*\.tgz/);
    expect(JSON.parse(lock)).toMatchObject({ version: readJson("package.json").version });
  });
});
