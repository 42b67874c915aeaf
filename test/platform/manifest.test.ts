import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GuardType, parseManifest } from "../../src/platform/manifest.ts";

const fixtures = new URL("../../fixtures/manifests/", import.meta.url);

const direct = { key: "net", name: "Network", url: "/net", options: { type: "direct" } };
const redirect = { key: "quiz", name: "Quiz", url: "/quiz", options: { type: "redirect", url: "/quiz/page" } };
const frame = { key: "terms", name: "Terms", url: "/terms", options: { type: "frame", url: "/terms/page" } };
const postImport = { key: "tidy", url: "/import" };
const webhook = { key: "news", url: "/hooks", events: ["project.translated"] };

const nowhere = { installed: null, uninstall: null };

const guards = (...entries: unknown[]) => ({ modules: { "auth-guard": entries } });
const imports = (...entries: unknown[]) => ({ modules: { "file-post-import": entries } });
const webhooks = (...entries: unknown[]) => ({ modules: { webhook: entries } });

function parse(input: unknown, defaultGuardType: GuardType = "direct", hasInstallEvents = false) {
  const { manifest, errors, warnings } = parseManifest(input, { defaultGuardType, hasInstallEvents });
  const lines = (problems: typeof errors) => problems.map(({ path, message }) => `${path} ${message}`);
  return { manifest, errors: lines(errors), warnings: lines(warnings) };
}

/** The one guard of a manifest that is expected to be right. */
function guardOf(entry: unknown, type: GuardType = "direct") {
  const { manifest, errors } = parse(guards(entry), type);
  expect(errors).toEqual([]);
  return manifest?.guards[0];
}

describe("a right manifest (interface 2.1)", () => {
  it.each(readdirSync(fixtures))("is the fixture %s, without a warning", (name) => {
    const { errors, warnings } = parse(JSON.parse(readFileSync(new URL(name, fixtures), "utf8")));
    expect([errors, warnings]).toEqual([[], []]);
  });

  it("holds all three module types and all three types of guards in the fixture", () => {
    const { manifest } = parse(JSON.parse(readFileSync(new URL("access-control.json", fixtures), "utf8")));
    expect(manifest?.guards.map(({ type }) => type)).toEqual(["direct", "redirect", "frame"]);
    expect(manifest?.imports).toHaveLength(1);
    expect(manifest?.webhooks).toHaveLength(1);
  });

  it("gives the modules in order, with null or the default for what is omitted", () => {
    const { manifest } = parse({
      modules: {
        "auth-guard": [
          direct,
          { ...redirect, description: "Ten questions.", options: { ...redirect.options, applyToAdmins: true } },
          frame,
        ],
        "file-post-import": [postImport, { ...postImport, key: "notes", signaturePatterns: { fileName: "^notes" } }],
        webhook: [webhook, { ...webhook, key: "old", environments: ["platform", "platform-enterprise"] }],
      },
    });
    const both = {
      description: null,
      isDefaultType: false,
      hasOtherWords: false,
      applyToAdmins: false,
      optionsUrl: null,
    };
    expect(manifest).toMatchObject({
      guards: [
        { ...both, key: "net", name: "Network", url: "/net", type: "direct" },
        {
          key: "quiz",
          name: "Quiz",
          description: "Ten questions.",
          url: "/quiz",
          type: "redirect",
          isDefaultType: false,
          applyToAdmins: true,
          optionsUrl: "/quiz/page",
        },
        { ...both, key: "terms", name: "Terms", url: "/terms", type: "frame", optionsUrl: "/terms/page" },
      ],
      imports: [
        { key: "tidy", url: "/import", signaturePatterns: {} },
        { key: "notes", url: "/import", signaturePatterns: { fileName: "^notes" } },
      ],
      webhooks: [
        { key: "news", url: "/hooks", events: ["project.translated"], environments: null },
        {
          key: "old",
          url: "/hooks",
          events: ["project.translated"],
          environments: ["platform", "platform-enterprise"],
        },
      ],
      events: nowhere,
    });
  });

  it.each([[{ modules: {} }], [{ modules: { "auth-guard": [], "file-post-import": [], webhook: [] } }]])(
    "may be without modules: %j",
    (input) => expect(parse(input).manifest).toMatchObject({ guards: [], imports: [], webhooks: [], events: nowhere }),
  );
});

describe("options.type", () => {
  const { options: _, ...bare } = direct;

  it.each([
    ["no options", bare],
    ["options of null", { ...bare, options: null }],
    ["empty options", { ...bare, options: {} }],
    ["options without type", { ...bare, options: { applyToAdmins: true } }],
    ["options with a type of null", { ...bare, options: { type: null } }],
  ])("follows the choice guard.type.default if there are %s", (__, entry) => {
    const parsed = parse(guards(entry), "direct");
    expect(parsed).toMatchObject({ errors: [], warnings: [] });
    expect(parsed.manifest?.guards).toMatchObject([{ type: "direct", isDefaultType: true }]);
  });

  it.each(["redirect", "frame"] as const)("can be %s by choice, and then needs options.url", (type) => {
    expect(guardOf({ ...bare, options: { url: "/page" } }, type)).toMatchObject({ type, optionsUrl: "/page" });
    expect(parse(guards(bare), type).errors).toEqual([
      "modules.auth-guard[0].options.url is missing: a redirect or frame guard needs the address of its page",
    ]);
  });

  it("that is given ignores the choice", () => {
    expect(guardOf(direct, "frame")).toMatchObject({ type: "direct", isDefaultType: false });
  });

  it("follows the choice if only one of several entries omits it", () => {
    const { manifest } = parse(guards(direct, { ...bare, key: "other" }, frame));
    expect(manifest?.guards.map(({ isDefaultType }) => isDefaultType)).toEqual([false, true, false]);
  });

  it("accepts an options.url of a direct guard, which has no use", () => {
    expect(guardOf({ ...direct, options: { type: "direct", url: "/page" } })?.optionsUrl).toBeNull();
  });

  it.each([
    ["no type", { url: "/page" }, "unusual", "is missing: without it the page is not opened"],
    ["a type of null", { type: null, url: "/page" }, "unusual", "is missing: without it the page is not opened"],
    ["the type direct", { type: "direct", url: "/page" }, "suspect", "is direct, which opens no page"],
  ])("that opens no page causes a warning if there is one: %s", (__, options, kind, message) => {
    const entries = guards({ ...bare, key: "other" }, { ...bare, options });
    const { manifest, warnings } = parseManifest(entries, { defaultGuardType: "direct" });
    expect(manifest).not.toBeNull();
    const advice = 'Set options.type to "redirect" or "frame", or leave options.url out';
    expect(warnings).toEqual([{ path: "modules.auth-guard[1].options.type", message: `${message}. ${advice}`, kind }]);
  });

  it("causes no warning if the choice opens the page, or nothing can be read", () => {
    expect(parse(guards({ ...bare, options: { url: "/page" } }), "frame").warnings).toEqual([]);
    expect(parse(guards(null, 7, "a", { ...bare, options: null }, { ...bare, options: 7 })).warnings).toEqual([]);
  });

  it.each(["/page", "https://app.example/page"])("accepts the options.url %s", (url) => {
    expect(guardOf({ ...redirect, options: { type: "redirect", url } })?.optionsUrl).toBe(url);
  });
});

describe("what is required", () => {
  const required: [type: string, wrap: (entry: unknown) => unknown, entry: object, fields: string[]][] = [
    ["auth-guard", guards, direct, ["key", "name", "url"]],
    ["file-post-import", imports, postImport, ["key", "url"]],
    ["webhook", webhooks, webhook, ["key", "url", "events"]],
  ];
  const cases = required.flatMap(([type, wrap, entry, fields]) =>
    fields.map((field) => [type, field, wrap, entry] as const),
  );

  it.each(cases)("%s needs %s", (type, field, wrap, entry) => {
    const without = Object.fromEntries(Object.entries(entry).filter(([name]) => name !== field));
    const { errors, manifest } = parse(wrap(without));
    expect(manifest).toBeNull();
    expect(errors).toEqual([
      expect.stringMatching(new RegExp(`^modules\\.${type}\\[0\\]\\.${field} is missing: expected an? `)),
    ]);
  });

  it.each(cases)("%s refuses an empty, null or numeric %s", (type, field, wrap, entry) => {
    for (const value of [field === "events" ? [] : "", null, 7]) {
      const { errors } = parse(wrap({ ...entry, [field]: value }));
      expect(errors).toEqual([expect.stringContaining(`modules.${type}[0].${field} is ${JSON.stringify(value)}: `)]);
    }
  });

  it.each(["redirect", "frame"])("a %s guard needs options.url", (type) => {
    const { errors } = parse(guards(direct, { ...redirect, options: { type } }));
    expect(errors).toEqual([
      "modules.auth-guard[1].options.url is missing: a redirect or frame guard needs the address of its page",
    ]);
  });
});

describe("wrong values", () => {
  const entryList = "must be an array of module entries";
  const modulesObject = "must be an object: each key a module type, each value an array of entries";
  const address = 'must begin with "/" or be an http(s) URL';

  it.each<[input: unknown, error: string]>([
    [null, " must be a JSON object with a top-level object `modules`"],
    [[], " must be a JSON object with a top-level object `modules`"],
    ["modules", " must be a JSON object with a top-level object `modules`"],
    [{}, `modules is missing: it ${modulesObject}`],
    [{ modules: [] }, `modules ${modulesObject}`],
    [{ modules: null }, `modules ${modulesObject}`],
    [{ modules: { "auth-guard": direct } }, `modules.auth-guard ${entryList}`],
    [{ modules: { webhook: null } }, `modules.webhook ${entryList}`],
    [guards("net"), 'modules.auth-guard[0] is "net": expected an object'],
    [imports([]), "modules.file-post-import[0] is []: expected an object"],
    [guards({ ...direct, url: "net" }), `modules.auth-guard[0].url is "net": ${address}`],
    [guards({ ...direct, url: "ftp://app/net" }), `modules.auth-guard[0].url is "ftp://app/net": ${address}`],
    [
      imports({ ...postImport, url: "http://u:p@app/" }),
      `modules.file-post-import[0].url is "http://u:p@app/": ${address}`,
    ],
    [guards({ ...direct, description: 5 }), "modules.auth-guard[0].description is 5: expected a string"],
    [guards({ ...direct, options: [] }), "modules.auth-guard[0].options is []: expected an object"],
    [guards({ ...direct, options: "direct" }), 'modules.auth-guard[0].options is "direct": expected an object'],
    [
      guards({ ...direct, options: { type: "redirct" } }),
      'modules.auth-guard[0].options.type is "redirct": allowed: "direct", "redirect", "frame". Did you mean "redirect"?',
    ],
    [
      guards({ ...direct, options: { type: "direct", applyToAdmins: "false" } }),
      'modules.auth-guard[0].options.applyToAdmins is "false": expected true or false',
    ],
    [
      guards({ ...redirect, options: { type: "redirect", url: "page" } }),
      `modules.auth-guard[0].options.url is "page": ${address}`,
    ],
    [
      imports({ ...postImport, signaturePatterns: "^a" }),
      'modules.file-post-import[0].signaturePatterns is "^a": expected an object',
    ],
    [
      imports({ ...postImport, signaturePatterns: { fileName: ["^a"] } }),
      'modules.file-post-import[0].signaturePatterns.fileName is ["^a"]: expected a string',
    ],
    [webhooks({ ...webhook, events: "all" }), 'modules.webhook[0].events is "all": expected an array'],
    [webhooks({ ...webhook, events: [] }), "modules.webhook[0].events is []: must name at least one event"],
    [webhooks({ ...webhook, events: ["a", 1] }), "modules.webhook[0].events[1] is 1: expected a string"],
    [
      webhooks({ ...webhook, environments: ["platform", "enterprise"] }),
      'modules.webhook[0].environments[1] is "enterprise": allowed: "platform", "platform-enterprise". Did you mean "platform-enterprise"?',
    ],
    [
      webhooks({ ...webhook, environments: ["platfrom"] }),
      'modules.webhook[0].environments[0] is "platfrom": allowed: "platform", "platform-enterprise". Did you mean "platform"?',
    ],
    [
      webhooks({ ...webhook, environments: "platform" }),
      'modules.webhook[0].environments is "platform": expected an array',
    ],
  ])("%j is refused with its path", (input, error) => {
    expect(parse(input)).toMatchObject({ manifest: null, errors: [error] });
  });

  it("include a string that contains the manifest: it was stringified twice", () => {
    const must = " must be a JSON object with a top-level object `modules`";
    expect(parse(JSON.stringify(guards(direct))).errors).toEqual([
      expect.stringContaining(`${must}; it is a string of JSON: `),
    ]);
    for (const other of ["modules", "{modules}", 7, null]) expect(parse(other).errors).toEqual([must]);
  });

  it("are all reported together, across all module types", () => {
    const { errors } = parse({
      modules: {
        "auth-guard": [
          { ...direct, name: undefined, url: "net" },
          { ...frame, options: { type: "frame" } },
        ],
        "file-post-import": {},
        webhook: [{ ...webhook, url: 1, environments: ["none"] }],
      },
    });
    expect(errors.map((line) => line.split(" ")[0])).toEqual([
      "modules.auth-guard[0].name",
      "modules.auth-guard[0].url",
      "modules.auth-guard[1].options.url",
      "modules.file-post-import",
      "modules.webhook[0].url",
      "modules.webhook[0].environments[0]",
    ]);
  });

  it("include a repeated key, within a module type or across them", () => {
    const { errors } = parse({
      modules: { "auth-guard": [direct, { ...frame, key: "net" }], webhook: [{ ...webhook, key: "net" }] },
    });
    const because = 'is "net", like modules.auth-guard[0].key: a key must be unique within the app';
    expect(errors).toEqual([`modules.auth-guard[1].key ${because}`, `modules.webhook[0].key ${because}`]);
  });
});

describe("warnings only", () => {
  const ignored = "is not part of the interface; ignored.";

  it.each<[input: object, warning: string]>([
    [{ ...guards(direct), version: 1 }, `version ${ignored}`],
    [
      { modules: { "auth-gaurd": [direct] } },
      'modules.auth-gaurd is not a module type of the interface; ignored. Did you mean "auth-guard"?',
    ],
    [{ modules: {}, "auth-guard": [direct] }, "auth-guard is a module type: it belongs in modules; ignored"],
    [{ modules: { widget: [{}] } }, "modules.widget is not a module type of the interface; ignored."],
    [guards({ ...direct, icon: "x.png" }), `modules.auth-guard[0].icon ${ignored}`],
    [guards({ ...direct, descripton: "x" }), `modules.auth-guard[0].descripton ${ignored} Did you mean "description"?`],
    [
      guards({ ...direct, options: { type: "direct", applyToAdmin: true } }),
      `modules.auth-guard[0].options.applyToAdmin ${ignored} Did you mean "applyToAdmins"?`,
    ],
    [
      imports({ ...postImport, signaturePatterns: { filename: "a" } }),
      `modules.file-post-import[0].signaturePatterns.filename ${ignored} Did you mean "fileName"?`,
    ],
    [webhooks({ ...webhook, event: "x" }), `modules.webhook[0].event ${ignored} Did you mean "events"?`],
    [
      webhooks(webhook, { ...webhook, key: "far", url: "https://app.example/hooks" }),
      "modules.webhook[1].url is absolute; the interface says relative to app_base_url. It is used unchanged",
    ],
  ])("%j is accepted with a warning", (input, warning) => {
    const { manifest, errors, warnings } = parse(input);
    expect(errors).toEqual([]);
    expect(manifest).not.toBeNull();
    expect(warnings).toEqual([warning]);
  });

  it.each([
    [guards({ ...direct, url: "https://far.example/guard" }), "modules.auth-guard[0].url"],
    [
      guards({ ...frame, options: { ...frame.options, url: "http://169.254.169.254/" } }),
      "modules.auth-guard[0].options.url",
    ],
    [imports({ ...postImport, url: "http://2852039166/latest" }), "modules.file-post-import[0].url"],
    [webhooks({ ...webhook, url: "http://[::ffff:a9fe:a9fe]/" }), "modules.webhook[0].url"],
    [webhooks({ ...webhook, url: "http://app.example:3001/hooks" }), "modules.webhook[0].url"],
    [{ ...webhooks(), events: { installed: "https://far.example/installed" } }, "events.installed"],
  ])("S21: %j is an error, because only the app's own origin gets its secrets", (input, path) => {
    const origins = ["http://app.example:3000/base", "http://localhost:4000"];
    const { manifest, errors } = parseManifest(input, { defaultGuardType: "direct", hasInstallEvents: true, origins });
    expect(manifest).toBeNull();
    expect(errors).toEqual([
      { path, message: expect.stringMatching(/which is not the app's|never calls: .* clouds keep/) },
    ]);
  });

  it.each(["http://app.example:3000/hooks", "http://127.0.0.1:4000/hooks", "/hooks"])(
    "S21: %s is the app's own",
    (url) => {
      const origins = ["http://app.example:3000/base", "http://localhost:4000"];
      expect(
        parseManifest(webhooks({ ...webhook, url }), { defaultGuardType: "direct", hasInstallEvents: true, origins })
          .errors,
      ).toEqual([]);
    },
  );

  it.each([
    ["*.json", "matches nothing: *.json is a wildcard; as a regular expression it is ^.*\\.json$"],
    ["?x-*", "matches nothing: ?x-* is a wildcard; as a regular expression it is ^.x-.*$"],
  ])("for a pattern with shell wildcards, the hint has the regular expression: %s", (fileName, told) => {
    const { warnings } = parse(imports({ ...postImport, signaturePatterns: { fileName } }));
    expect(warnings).toEqual([expect.stringContaining(told)]);
    const other = parse(imports({ ...postImport, signaturePatterns: { fileName: "+(a)" } })).warnings;
    expect(other).toEqual([expect.stringMatching(/nothing to repeat: write \.\* for any text/)]);
  });

  it.each([
    ["/\\.json$/i", "write just \\.json$, and to ignore case, both cases of each letter, as in [aA]"],
    ["/^strings\\./", "write just ^strings\\."],
    ["\\\\.json$", "a double backslash matches a backslash; is one of the two too many?"],
  ])("a pattern of file names written as in source code gets a warning: %s", (fileName, told) => {
    const { warnings } = parse(imports({ ...postImport, signaturePatterns: { fileName, fileContent: fileName } }));
    expect(warnings).toEqual([expect.stringContaining(told)]);
    expect(warnings[0]).toMatch(/^modules\.file-post-import\[0\]\.signaturePatterns\.fileName matches no file name: /);
  });

  it.each(["\\.json$", "^/locales/", "/strings/", "(^|/)en\\.json$", "/en/.*\\.json"])(
    "a pattern that may be for paths gets no warning: %s",
    (fileName) => {
      expect(parse(imports({ ...postImport, signaturePatterns: { fileName } })).warnings).toEqual([]);
    },
  );

  it.each([
    ["guard", "auth-guard", "unusual"],
    ["Guards", "auth-guard", "unknown"],
    ["post-import", "file-post-import", "unknown"],
    ["postImport", "file-post-import", "unknown"],
  ])("a type without its first word is a mistake if the type is missing: %s", (type, meant, kind) => {
    const { warnings } = parseManifest({ modules: { [type]: [] } }, { defaultGuardType: "direct" });
    const message = `is not a module type of the interface; ignored. Did you mean "${meant}"?`;
    expect(warnings).toEqual([{ path: `modules.${type}`, message, kind: "slip" }]);
    expect(
      parseManifest({ modules: { [type]: [], [meant]: [] } }, { defaultGuardType: "direct" }).warnings,
    ).toMatchObject([{ kind }]);
  });

  it.each(["file-post-export", "file-pre-import", "pre-import", "export", "editor-guard-rails"])(
    "a type of another kind is not a mistake: %s",
    (type) => {
      expect(parseManifest({ modules: { [type]: [] } }, { defaultGuardType: "direct" }).warnings).not.toMatchObject([
        { kind: "slip" },
      ]);
    },
  );

  it("are for a pattern that no language can read", () => {
    const { warnings } = parse(imports({ ...postImport, signaturePatterns: { fileName: "*.json" } }));
    expect(warnings).toEqual([expect.stringContaining("is not a valid regular expression, so it matches nothing")]);
  });

  it.each(["fileName", "fileContent"])("are for a %s pattern that JavaScript cannot read", (name) => {
    const { manifest, errors, warnings } = parse(imports({ ...postImport, signaturePatterns: { [name]: "(?i)xml" } }));
    expect(errors).toEqual([]);
    expect(manifest?.imports[0]?.signaturePatterns).toEqual({ [name]: "(?i)xml" });
    const path = `modules.file-post-import[0].signaturePatterns.${name}`;
    expect(warnings).toEqual([
      `${path} cannot be read, so it matches nothing: (?i) is not JavaScript: write out what the flag means, such as [aA] for either case`,
    ]);
  });

  it("are for a guard's option outside options, with its right place", () => {
    const entry = { key: "a", name: "A", url: "/a", type: "redirect", applyToAdmins: true };
    const { errors, warnings } = parse({ modules: { "auth-guard": [entry] } });
    expect(errors).toEqual([]);
    const says = "is ignored here: it belongs under options";
    expect(warnings).toEqual([`modules.auth-guard[0].type ${says}`, `modules.auth-guard[0].applyToAdmins ${says}`]);
  });

  it.each([
    {
      members: "file patterns outside signaturePatterns",
      modules: { "file-post-import": [{ key: "a", url: "/a", fileName: "json$" }] },
      warns: ["modules.file-post-import[0].fileName is ignored here: it belongs under signaturePatterns"],
    },
    {
      members: "the events of a webhook under options",
      modules: { webhook: [{ key: "a", url: "/a", options: { events: ["file.translated"] } }] },
      warns: [
        "modules.webhook[0].options is not part of the interface; ignored.",
        "modules.webhook[0].options.events is ignored here: it belongs directly in the module, not under options",
      ],
    },
    {
      members: "the key of a guard under options",
      modules: { "auth-guard": [{ name: "A", url: "/a", options: { type: "direct", key: "a" } }] },
      warns: [
        "modules.auth-guard[0].options.key is ignored here: it belongs directly in the module, not under options",
      ],
    },
    {
      members: "an option that is under options, too",
      modules: {
        "auth-guard": [
          { key: "a", name: "A", url: "/a", applyToAdmins: true, options: { type: "direct", applyToAdmins: true } },
        ],
      },
      warns: ["modules.auth-guard[0].applyToAdmins is ignored here: options.applyToAdmins counts"],
    },
    {
      members: "no member that is in its place, too",
      modules: { "auth-guard": [{ key: "a", name: "A", url: "/a", options: { type: "direct", name: "B" } }] },
      warns: ["modules.auth-guard[0].options.name is not part of the interface; ignored."],
    },
  ])("are for $members", ({ modules, warns }) => {
    expect(parse({ modules }).warnings).toEqual(warns);
  });

  it("are for the address of a guard's page under another name, with the right name", () => {
    const entry = { key: "a", name: "A", url: "/a", pageUrl: "/page", theUrl: "/b" };
    expect(parse({ modules: { "auth-guard": [entry] } }).warnings).toEqual([
      "modules.auth-guard[0].pageUrl is not part of the interface; ignored. The address of a guard's page is options.url",
      "modules.auth-guard[0].theUrl is not part of the interface; ignored.",
    ]);
  });

  it("S23: are for a pattern that JavaScript reads differently", () => {
    const { manifest, errors, warnings } = parse(imports({ ...postImport, signaturePatterns: { fileName: "a\\z" } }));
    expect([manifest?.imports[0]?.signaturePatterns, errors]).toEqual([{ fileName: "a\\z" }, []]);
    expect(warnings).toEqual([
      "modules.file-post-import[0].signaturePatterns.fileName may not match what you intend: \\z is not JavaScript: write $ for the end",
    ]);
  });

  it("are not for a readable pattern, or one that is already an error", () => {
    const patterns = (fileName: unknown) => parse(imports({ ...postImport, signaturePatterns: { fileName } }));
    expect(patterns("^(a+)+$").warnings).toEqual([]);
    expect(patterns(7)).toMatchObject({ errors: [expect.stringContaining("is 7")], warnings: [] });
  });

  it("tells a misspelt `modules` beside the error that there is none", () => {
    expect(parse({ Module: {}, name: "App" })).toMatchObject({
      errors: [expect.stringMatching(/^modules is missing: it must be an object: /)],
      warnings: [`Module ${ignored} Did you mean "modules"?`, `name ${ignored}`],
    });
  });

  it("are reported with the errors", () => {
    const { errors, warnings } = parse(guards({ ...direct, url: "net", icon: "x.png" }));
    expect([errors.length, warnings.length]).toEqual([1, 1]);
  });

  it("do not change the parsed manifest", () => {
    expect(guardOf({ ...direct, icon: "x.png" })).not.toHaveProperty("icon");
  });
});

describe("events (choice install.event)", () => {
  const withEvents = (events: unknown) => ({ ...guards(direct), events });
  const ignored =
    "events is not part of the interface; ignored. The choice install.event turns installation events on: --choose install.event=on";
  const address = 'must begin with "/" or be an http(s) URL';

  it.each<[events: unknown, read: object]>([
    [
      { installed: "/in", uninstall: "/out" },
      { installed: "/in", uninstall: "/out" },
    ],
    [{ installed: "/in" }, { installed: "/in", uninstall: null }],
    [{ uninstall: "https://app.example/out" }, { installed: null, uninstall: "https://app.example/out" }],
    [{ installed: null }, nowhere],
    [{}, nowhere],
  ])("are read without a warning if the choice is on: %j", (events, read) => {
    const { manifest, errors, warnings } = parse(withEvents(events), "direct", true);
    expect([manifest?.events, errors, warnings]).toEqual([read, [], []]);
    expect(manifest?.guards).toHaveLength(1);
  });

  it.each<[events: unknown, error: string]>([
    [null, "events is null: expected an object"],
    [[], "events is []: expected an object"],
    ["/in", 'events is "/in": expected an object'],
    [{ installed: "in" }, `events.installed is "in": ${address}`],
    [{ installed: "" }, `events.installed is "": ${address}`],
    [{ uninstall: 7 }, "events.uninstall is 7: expected a string"],
    [{ uninstall: "ftp://app/out" }, `events.uninstall is "ftp://app/out": ${address}`],
  ])("are refused with their path if the choice is on: %j", (events, error) => {
    expect(parse(withEvents(events), "direct", true)).toMatchObject({ manifest: null, errors: [error] });
  });

  it("are refused together with faults of the modules", () => {
    const { errors } = parse({ ...guards({ ...direct, url: "net" }), events: { installed: "in" } }, "direct", true);
    expect(errors.map((line) => line.split(" ")[0])).toEqual(["modules.auth-guard[0].url", "events.installed"]);
  });

  it("have no other members: a misspelled one gets a warning", () => {
    const { manifest, warnings } = parse(withEvents({ instaled: "/in", "x.y": 1 }), "direct", true);
    expect(manifest?.events).toEqual(nowhere);
    expect(warnings).toEqual([
      'events.instaled is not part of the interface; ignored. Did you mean "installed"?',
      "events.x.y is not part of the interface; ignored.",
    ]);
  });

  it.each([[{ installed: "/in" }], [null], ["/in"], [{ installed: "in" }], [["project.translated"]]])(
    "get only a warning if the choice is off, whatever they are, and it names the choice: %j",
    (events) => {
      const { manifest, errors, warnings } = parse(withEvents(events));
      expect([errors, warnings]).toEqual([[], [ignored]]);
      expect(manifest?.guards).toHaveLength(1);
    },
  );

  it("do not involve the choice if there are none", () => {
    expect(parse(guards(direct), "direct", true)).toEqual(parse(guards(direct)));
  });

  it("are not inherited", () => {
    const input = JSON.parse('{"modules":{},"__proto__":{"events":{"installed":"/in"}}}');
    expect(parse(input, "direct", true)).toMatchObject({ errors: [], manifest: { events: nowhere } });
  });
});

describe("hostile input", () => {
  it.each([
    `{"modules":{"auth-guard":[{"__proto__":{"type":"direct"},"key":"k","name":"n","url":"/u"}]}}`,
    `{"modules":{"auth-guard":[{"key":"k","name":"n","url":"/u","options":{"__proto__":{"applyToAdmins":true}}}]}}`,
    `{"modules":{"__proto__":{"webhook":[]},"auth-guard":[{"key":"k","name":"n","url":"/u"}]}}`,
    `{"__proto__":{"modules":1},"modules":{"auth-guard":[{"key":"k","name":"n","url":"/u"}]}}`,
  ])("S24: a key __proto__ changes nothing: %s", (text) => {
    const { manifest, warnings } = parse(JSON.parse(text));
    expect(manifest?.guards).toEqual([
      {
        key: "k",
        name: "n",
        description: null,
        url: "/u",
        type: "direct",
        isDefaultType: true,
        hasOtherWords: false,
        applyToAdmins: false,
        optionsUrl: null,
      },
    ]);
    expect(warnings).toEqual([expect.stringContaining("__proto__ is not ")]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  const key = fc.constantFrom(
    "key",
    "name",
    "url",
    "options",
    "type",
    "events",
    "environments",
    "signaturePatterns",
    "__proto__",
  );
  const value = fc.oneof(
    fc.constantFrom<unknown>("/path", "direct", "redirect", "frame", ["project.translated"], ["platform"], {}),
    fc.dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom("redirect", "/page")), { maxKeys: 4 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const entry = fc.oneof(
    fc.constantFrom<unknown>(direct, redirect, frame, postImport, webhook),
    fc.dictionary(key, value, { maxKeys: 6 }),
    value,
  );
  const types = fc.oneof(fc.constantFrom("auth-guard", "file-post-import", "webhook", "__proto__"), fc.string());
  const events = fc.oneof(fc.dictionary(fc.constantFrom("installed", "uninstall", "__proto__"), value), value);
  const nearlyRight = fc.record(
    { modules: fc.oneof(fc.dictionary(types, fc.oneof(fc.array(entry, { maxLength: 3 }), value)), value), events },
    { requiredKeys: ["modules"] },
  );

  it("S24: never throws; there is a manifest or an error, and each is one line with a path", () => {
    const type = fc.constantFrom<GuardType>("direct", "redirect", "frame");
    fc.assert(
      fc.property(
        fc.oneof(nearlyRight, fc.jsonValue()),
        type,
        fc.boolean(),
        (input, defaultGuardType, hasInstallEvents) => {
          const { manifest, errors, warnings } = parseManifest(input, { defaultGuardType, hasInstallEvents });
          expect(manifest === null).toBe(errors.length > 0);
          for (const { path, message } of [...errors, ...warnings]) {
            expect(message).toMatch(/^(is|has|must|may|cannot) \S.*$/);
            expect(path === "" || /^(modules|events)\b/.test(path) || Object.hasOwn(input as object, path)).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

it.each([
  ["*", "modules.webhook[0].events[0] has a *, which is not a wildcard here: list the events by name"],
  ["project.*", "modules.webhook[0].events[0] has a *, which is not a wildcard here: list the events by name"],
  ["project.created", undefined],
])("a webhook lists events by their names: %s", (event, warning) => {
  const { manifest, warnings } = parse(webhooks({ ...webhook, events: [event] }));
  expect(manifest?.webhooks).toHaveLength(1);
  expect(warnings).toEqual(warning === undefined ? [] : [warning]);
});
