import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { realJobs } from "../rig/real-jobs.ts";
import { parse, texts } from "./parse.ts";

const android = (inside: string) => `<?xml version="1.0" encoding="utf-8"?>\n<resources>${inside}</resources>`;

describe("android", () => {
  test.each([
    ["entities", "a &amp; &lt;b&gt; &#233;&#x1F600;", "a & <b> é😀"],
    ["escapes", "\\'a\\' \\\"b\\\" \\@c \\\\ \\n\\t\\u00e9", "'a' \"b\" @c \\ \n\té"],
    ["folded white space", "\n   a\n   b  ", "a b"],
    ["quoted white space", '"  a  "  b', "  a   b"],
    [
      "tags",
      'Hi <xliff:g id="n">%s</xliff:g>, <b>all</b> of you',
      'Hi <xliff:g id="n">%s</xliff:g>, <b>all</b> of you',
    ],
    ["an attribute", '<a href="x?a=1&amp;b=2">y</a>', '<a href="x?a=1&amp;b=2">y</a>'],
    ["CDATA", "<![CDATA[<b>a</b> & b]]>", "<b>a</b> & b"],
    ["an empty tag", "a<br/>b", "a<br/>b"],
  ])("resolves %s", async (_, inside, expected) => {
    expect(await texts("strings.xml", android(`<string name="s">${inside}</string>`))).toEqual({ s: expected });
  });

  test("plurals, arrays, comments, sections, hidden strings, and what holds no text", async () => {
    const { strings, leftOut } = await parse(
      "strings.xml",
      android(`<!-- === Basket === --><!-- why --><plurals name="n"><item quantity="one">x</item><item quantity="other">y</item></plurals>
        <string-array name="l"><item>p</item><item>q</item></string-array>
        <string name="h" translatable="false">z</string><color name="c">#fff</color><string name="r">@string/h</string>`),
    );
    expect(strings).toEqual([
      { identifier: "n", text: { one: "x", other: "y" }, context: "why", labels: ["Basket"] },
      { identifier: "l[0]", text: "p", labels: ["Basket"] },
      { identifier: "l[1]", text: "q", labels: ["Basket"] },
      { identifier: "h", text: "z", isHidden: true, labels: ["Basket"] },
    ]);
    expect(leftOut).toEqual([
      { why: "<color> holds no text, left out", what: "c" },
      { why: "refers to another string, left out", what: "r" },
    ]);
  });

  test("what refers to another string is left out of arrays and plurals too; a spacer needs no name", async () => {
    const { strings, leftOut } = await parse(
      "strings.xml",
      android(`<string-array name="l"><item>@string/hi</item><item>q</item></string-array><eat-comment/>
        <plurals name="n"><item quantity="one">@string/hi</item><item quantity="other">y</item></plurals>
        <plurals name="m"><item quantity="other">@string/hi</item></plurals>`),
    );
    expect(strings).toEqual([
      { identifier: "l[1]", text: "q" },
      { identifier: "n", text: { other: "y" } },
    ]);
    expect(leftOut).toEqual([
      ...["l[0]"].map((what) => ({ why: "refers to another string, left out", what })),
      { why: "<eat-comment> holds no text, left out", what: "line 2" },
      ...["n[one]", "m[other]"].map((what) => ({ why: "refers to another string, left out", what })),
    ]);
  });

  test.each([
    [
      "S24 entities of entities",
      '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><resources><string name="s">&b;</string></resources>',
      /strings\.xml, line 1: .*entity/,
    ],
    [
      "S24 an entity from elsewhere",
      '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<resources><string name="s">&a;</string></resources>',
      /line 2: .*entity/,
    ],
    ["S24 nesting without end", `<resources>${"<a>".repeat(100_000)}`, /nested deeper than 64 levels/],
    ["a tag that is not closed", "<resources>\n<string name='a'>b</resources>", /line 2: cannot be read as android/],
    ["a string without a name", "<resources><string>a</string></resources>", /expected <string> with a name/],
    ["another file", "<LinearLayout/>", /expected <resources>, found <LinearLayout>/],
    ["nothing", "", /cannot be read as android/],
  ])("refuses %s", async (_, xml, message) => {
    await expect(parse("strings.xml", xml)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});

describe("strings", () => {
  test("comments, escapes, words without quotes", async () => {
    const text =
      '/* No comment provided by engineer. */\n"a" = "x\\n\\"y\\"\\U00e9";\n\n// why\nb.c = d; // too\n"e";\n';
    expect((await parse("a.strings", text)).strings).toEqual([
      { identifier: "a", text: 'x\n"y"é' },
      { identifier: "b.c", text: "d", context: "why\ntoo" },
      { identifier: "e", text: "e" },
    ]);
  });

  test("the property list that Apple's tools make of it", async () => {
    const plist = "<plist><dict><key>a</key><string>x</string><key>b</key><integer>1</integer></dict></plist>";
    expect(await parse("a.strings", plist)).toMatchObject({
      strings: [{ identifier: "a", text: "x" }],
      leftOut: [{ what: "b" }],
    });
  });

  test.each([
    ["a missing sign", '"a" = "x";\n"b" "y";', /a\.strings, line 2: .*expected = or ;, found "y"/],
    ["a missing end", '"a" = "x"', /expected ;, found the end of the file/],
    ["a text without end", `"a" = "x";\n"b" = "${"y".repeat(100_000)}`, /line 2: /],
  ])("refuses %s", async (_, text, message) => {
    await expect(parse("a.strings", text)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});

test("stringsdict: one plural, several in a frame, and rules of another kind", async () => {
  const variable = (name: string) =>
    `<key>${name}</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>one</key><string>1</string><key>other</key><string>n</string></dict>`;
  const entry = (key: string, frame: string, inside: string) =>
    `<key>${key}</key><dict><key>NSStringLocalizedFormatKey</key><string>${frame}</string>${inside}</dict>`;
  const width = "<key>w</key><dict><key>NSStringVariableWidthRuleType</key><dict/></dict>";
  const plist = `<plist><dict>${entry("a", "%#@n@", variable("n"))}${entry("b", "%#@m@ in %#@n@", variable("m") + variable("n"))}${width}</dict></plist>`;
  const forms = { one: "1", other: "n" };
  expect(await parse("a.stringsdict", plist)).toMatchObject({
    strings: [
      { identifier: "a", text: forms },
      { identifier: "b", text: "%#@m@ in %#@n@" },
      { identifier: "b.m", text: forms },
      { identifier: "b.n", text: forms },
    ],
    leftOut: [{ what: "w" }],
  });
});

/** The rules of ../shared/real/SOURCES.md are these: the file in each job gives the strings of the job. */
describe.skipIf(realJobs().length === 0)("files of real projects", () => {
  test.each(realJobs().slice(0, 3))("%s", async (job) => {
    const { file, strings: expected } = JSON.parse(readFileSync(job, "utf8"));
    const { strings } = await parse(file.name, Buffer.from(file.content, "base64").toString());
    const facts = ({ identifier, text, context }: (typeof strings)[number]) => ({ identifier, text, context });
    expect(strings.map(facts)).toEqual(expected.map(facts));
  });
});
