import { describe, expect, test } from "vitest";
import { parse, texts } from "./parse.ts";

describe("json", () => {
  test("nested, flat and listed keys are paths", async () => {
    expect(await texts("en.json", '{"a":{"b":"x","c":["y","z"]},"d.e":"w"}')).toEqual({
      "a.b": "x",
      "a.c[0]": "y",
      "a.c[1]": "z",
      "d.e": "w",
    });
  });

  test.each([
    ["i18next's suffixes", '{"item_one":"an item","item_other":"items"}', { item: { one: "an item", other: "items" } }],
    ["a map by category", '{"item":{"one":"an item","other":"items"}}', { item: { one: "an item", other: "items" } }],
    [
      "a lone suffix is an ordinary key",
      '{"reason_other":"Other","reason_spam":"Spam"}',
      { reason_other: "Other", reason_spam: "Spam" },
    ],
    [
      "ordinals stay apart",
      '{"n_ordinal_one":"1st","n_ordinal_other":"nth"}',
      { n_ordinal_one: "1st", n_ordinal_other: "nth" },
    ],
    ["a key beside its forms", '{"n":"x","n_one":"y","n_other":"z"}', { n: "x", n_one: "y", n_other: "z" }],
    ["i18next's suffixes without other", '{"n_one":"x","n_few":"y"}', { n: { one: "x", few: "y" } }],
    ["a map without other", '{"n":{"one":"x","few":"y","many":"z"}}', { n: { one: "x", few: "y", many: "z" } }],
    ["ordinary keys", '{"step_one":"x","step_two":"y"}', { step_one: "x", step_two: "y" }],
    ["a map with another key", '{"sex":{"female":"she","other":"they"}}', { "sex.female": "she", "sex.other": "they" }],
  ])("plurals: %s", async (_, json, expected) => {
    expect(await texts("en.json", json)).toEqual(expected);
  });

  test.each([
    [
      "Chrome's messages",
      { a: { message: "x", description: "why", placeholders: { n: { content: "$1" } } }, b: { message: "" } },
      [
        { identifier: "a", text: "x", context: "why" },
        { identifier: "b", text: "" },
      ],
    ],
    [
      "not where another text stands beside the message",
      { a: { message: "x", title: "y" }, b: { message: "z" } },
      [
        { identifier: "a.message", text: "x" },
        { identifier: "a.title", text: "y" },
        { identifier: "b.message", text: "z" },
      ],
    ],
    [
      "not where a message is missing",
      { a: { message: "x" }, b: "y" },
      [
        { identifier: "a.message", text: "x" },
        { identifier: "b", text: "y" },
      ],
    ],
  ])("%s", async (_, json, expected) => {
    expect((await parse("_locales/en/messages.json", JSON.stringify(json))).strings).toEqual(expected);
  });

  test("says what is no text", async () => {
    const { strings, leftOut } = await parse("en.json", '{"a":1,"b":null,"c":true,"d":[2,"x"],"e":""}');
    expect(strings.map(({ identifier }) => identifier)).toEqual(["d[1]", "e"]);
    expect(leftOut).toEqual([
      { why: "a number is no text, left out", what: "a" },
      { why: "null is no text, left out", what: "b" },
      { why: "a boolean is no text, left out", what: "c" },
      { why: "a number is no text, left out", what: "d[0]" },
    ]);
  });

  test.each([
    ["S24 nesting without end", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, /nested deeper than 64 levels/],
    [
      "S24 __proto__",
      '{"a":\n{"__proto__":{"a":"b"}}}',
      /en\.json, line 2: cannot be read as json: the key "__proto__" is not allowed/,
    ],
    ["S24 a prototype", '{"constructor":{"prototype":{"a":"b"}}}', /en\.json: cannot be read as json: .*prototype/],
    ["a key twice", '{"a":"1","b":[{"a":"1","a":"2"}]}', /"a" twice in one object \(b\[0\]\)/],
    ["a list", '["a"]', /expected an object of keys and texts/],
    ["a fixture", '{"file":{"path":"en.json"},"strings":[]}', /a fixture already/],
  ])("refuses %s", async (_, json, message) => {
    await expect(parse("en.json", json)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});

describe("yaml", () => {
  test("the language on top is the source's, others are translations", async () => {
    const { sourceLanguage, strings, translations } = await parse(
      "messages.yml",
      "pl:\n  a: Cześć\nen:\n  # Said first\n  a: Hello # to all\n  n:\n    one: one\n    other: many\n",
    );
    expect(sourceLanguage).toBe("en");
    expect(strings).toEqual([
      { identifier: "a", text: "Hello", context: "Said first\nto all" },
      { identifier: "n", text: { one: "one", other: "many" } },
    ]);
    expect(translations).toMatchObject([{ language: "pl", strings: [{ identifier: "a", text: "Cześć" }] }]);
  });

  test("keys and texts are what YAML 1.2 says, anchors and merges are followed", async () => {
    const yaml =
      "base: &base {a: x}\nno: yes\n404: Not found\ncopy:\n  <<: *base\n  b: |\n    y\n    z\nlist: [p, 1]\n";
    expect(await texts("x.yaml", yaml)).toEqual({
      "base.a": "x",
      no: "yes",
      "404": "Not found",
      "copy.a": "x",
      "copy.b": "y\nz\n",
      "list[0]": "p",
    });
  });

  test.each([
    [
      "S24 aliases of aliases",
      `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`).join("")}`,
      /aliases unfold to more than/,
    ],
    ["S24 an alias of what it stands in", "a: &a\n  b: *a\n", /nested deeper than 64 levels/],
    ["S24 nesting without end", `a: ${"[".repeat(20_000)}`, /x\.yaml, line 1: .*nested too deep/],
    ["a text without end", 'a: x\nb: "y\nc: z\n', /x\.yaml, line \d: cannot be read as yaml: Missing closing/],
    ["an alias without an anchor", "a: b\nc: *d\n", /line 2: .*\*d has no anchor/],
    ["no map", "- a", /expected a map of keys and texts/],
    ["several documents", "a: b\n---\nc: d\n", /multiple documents/],
  ])("refuses %s", async (_, yaml, message) => {
    await expect(parse("x.yaml", yaml)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});

test("arb: ICU messages as they are, what stands at @key as context, the locale", async () => {
  const arb = {
    "@@locale": "pt_BR",
    a: "{n, plural, one{x} other{y}}",
    "@a": { description: "Said first", placeholders: { n: { type: "int", example: "3" }, m: {} } },
    b: 1,
  };
  expect(await parse("app.arb", JSON.stringify(arb))).toEqual({
    sourceLanguage: "pt_BR",
    strings: [{ identifier: "a", text: arb.a, context: "Said first\nplaceholders: {n} (int, such as 3), {m}" }],
    translations: [],
    leftOut: [{ why: "no text, left out", what: "b" }],
  });
});

test("properties: escapes, long lines, and the comment directly before a key", async () => {
  const { strings } = await parse(
    "a.properties",
    "# licence\n\n! why\n# it is\na\\ b = caf\\u00e9 \\\n   x\nc: d\n__proto__=e\n",
  );
  expect(strings).toEqual([
    { identifier: "a b", text: "café x", context: "why\nit is" },
    { identifier: "c", text: "d" },
    { identifier: "__proto__", text: "e" },
  ]);
});

test.each([
  ["a=b\nc=d\\u12", /a\.properties, line 2: .*four hexadecimal digits after \\u, found "\\u12"/],
  ["a=b \\\n  \\u00zz", /line 2: .*found "\\u00"/],
  ["\\u=b", /line 1: .*found "\\u"/],
])("properties: refuses what Java refuses: %j", async (text, message) => {
  await expect(parse("a.properties", text)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(message),
  });
});

test("properties: a backslash that is escaped begins no escape", async () => {
  expect(await texts("a.properties", "a=\\\\user \\u0041")).toEqual({ a: "\\user A" });
});
