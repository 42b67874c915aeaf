import { describe, expect, test } from "vitest";
import { findLanguage } from "../../src/config/languages.ts";
import { formCategories } from "../../src/formats/gettext.ts";
import { parse } from "./parse.ts";

const header = (...lines: string[]) => `msgid ""\nmsgstr ""\n${lines.map((line) => `"${line}\\n"\n`).join("")}\n`;
const polish = header(
  "Language: pl",
  "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
);

describe("gettext", () => {
  test("msgctxt, comments and references are context; plural forms have their categories; fuzzy is untranslated", async () => {
    const po = `${polish}# by a translator\n#. by a developer\n#: a.c:1 b.c:2\nmsgctxt "menu"\nmsgid "O"\n"pen"\nmsgstr "Otwórz\\n\\t\\"x\\""\n\n#, c-format, fuzzy\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "plik"\nmsgstr[1] "pliki"\nmsgstr[2] "plików"\n#~ msgid "gone"\n#~ msgstr "x"\n`;
    expect(await parse("a.po", po)).toEqual({
      sourceLanguage: null,
      strings: [
        {
          key: "menu\u0004Open",
          identifier: "Open",
          text: "Open",
          context: "menu\nby a translator\nby a developer\na.c:1 b.c:2",
        },
        { key: "%d file", identifier: "%d file", text: { one: "%d file", other: "%d files" } },
      ],
      translations: [
        {
          language: "pl",
          strings: [
            { key: "menu\u0004Open", identifier: "Open", text: 'Otwórz\n\t"x"' },
            {
              key: "%d file",
              identifier: "%d file",
              text: { one: "plik", few: "pliki", many: "plików" },
              status: "untranslated",
            },
          ],
        },
      ],
      leftOut: [],
    });
  });

  test("a template has no translations", async () => {
    const pot = `${header("Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;")}msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n`;
    expect(await parse("a.pot", pot)).toMatchObject({ strings: [{ identifier: "a" }], translations: [], leftOut: [] });
  });

  test("the path says the language where the header does not, and no rule is told of", async () => {
    const { translations, leftOut } = await parse(
      "/x/uk/LC_MESSAGES/a.po",
      'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "в"\n',
    );
    expect(translations).toMatchObject([{ language: "uk", strings: [{ text: { one: "в" } }] }]);
    expect(leftOut).toMatchObject([
      { why: "Plural-Forms is not a plural rule, so the forms are taken for one, few, many, other" },
    ]);
  });

  test.each([
    [
      "uk",
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
      ["one", "few", "many"],
    ],
    ["fr", "nplurals=2; plural=(n > 1);", ["one", "other"]],
    [
      "sl",
      "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);",
      ["other", "one", "two", "few"],
    ],
    ["ja", "nplurals=1; plural=0;", ["other"]],
    ["ja", "nplurals=2; plural=(n != 1);", [null, "other"]],
    [
      "ar",
      "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
      ["zero", "one", "two", "few", "many", "other"],
    ],
    ["en", "nplurals=2; plural=process.exit()", null],
    ["en", "", null],
  ])("forms of %s by %s", (id, rule, expected) => {
    const language = findLanguage(id);
    expect(language && formCategories(rule, language)).toEqual(expected);
  });

  test("entries keep their order, obsolete ones go with their comments, and a repeated one is told of", async () => {
    const po = `${polish}msgid "b"\nmsgstr "B"\nmsgctxt "c"\nmsgid "2"\nmsgstr "x"\n# old\n#~ msgid "gone"\n#~ "d"\n#~ msgstr "x"\nmsgid "1"\nmsgstr ""\n#, fuzzy\n#| msgid "B"\nmsgid "b"\nmsgstr "C"\n`;
    const { strings, translations } = await parse("a.po", po);
    expect(strings.map(({ key, context }) => [key, context])).toEqual([
      ["b", undefined],
      ["c\u00042", "c"],
      ["1", undefined],
      ["b", undefined],
    ]);
    expect(translations[0]?.strings.map(({ text, status }) => [text, status])).toEqual([
      ["B", undefined],
      ["x", undefined],
      ["", undefined],
      ["C", "untranslated"],
    ]);
  });

  test.each([
    ["a text without end", 'msgid "a"\nmsgstr "b\n', /a\.po, line 2: .*found "msgstr "b"/],
    ["another file", "<html>", /a\.po, line 1: /],
    ["a text before any keyword", '"a"', /line 1: /],
  ])("refuses %s", async (_, po, message) => {
    await expect(parse("a.po", po)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});

describe("xliff", () => {
  const version1 = (units: string) =>
    `<xliff version="1.2"><file source-language="en-US" target-language="de"><body><group id="g">${units}</group></body></file></xliff>`;

  test("1.2: texts with their tags, names, notes, states, lengths", async () => {
    const file =
      version1(`<trans-unit id="1" resname="a" maxwidth="9"><source>x <g id="1">y</g> &amp;</source><target state="final">ü</target><note>n</note></trans-unit>
      <trans-unit id="2" translate="no"><source>z</source></trans-unit>
      <trans-unit id="3" maxwidth="90" size-unit="pixel"><source>p</source><target state="needs-translation">q</target></trans-unit>
      <trans-unit id="4" approved="yes"><source>r</source><target>s</target></trans-unit>`);
    const { sourceLanguage, strings, translations, leftOut } = await parse("a.xlf", file);
    expect(sourceLanguage).toBe("en-US");
    expect(strings).toMatchObject([
      { identifier: "a", text: 'x <g id="1">y</g> &', maxLength: 9, context: "n" },
      { identifier: "2", text: "z", isHidden: true },
      { identifier: "3", text: "p" },
      { identifier: "4", text: "r" },
    ]);
    expect(strings[2]).not.toHaveProperty("maxLength");
    expect(translations).toMatchObject([
      {
        language: "de",
        strings: [
          { text: "ü", status: "approved" },
          { text: "q", status: "untranslated" },
          { text: "s", status: "approved" },
        ],
      },
    ]);
    expect(leftOut).toEqual([{ why: "a maximal length in pixel is no number of characters, left out", what: "3" }]);
  });

  test("2.0: segments are joined, the least far state counts", async () => {
    const segment = (state: string) => `<segment state="${state}"><source>a.</source><target>b.</target></segment>`;
    const file = `<xliff version="2.0" srcLang="en" trgLang="uk"><file id="f"><unit id="1" name="n"><notes><note>why</note></notes>${segment("final")}<ignorable><source> </source></ignorable>${segment("translated")}</unit><unit id="2">${segment("reviewed")}</unit></file></xliff>`;
    const { strings, translations } = await parse("a.xlf", file);
    expect(strings).toMatchObject([{ identifier: "n", text: "a. a.", context: "why" }, { identifier: "2" }]);
    expect(translations[0]?.strings).toMatchObject([{ text: "b. b." }, { text: "b.", status: "approved" }]);
    expect(translations[0]?.strings[0]).not.toHaveProperty("status");
  });

  test("says which language it does not know", async () => {
    const file = version1('<trans-unit id="1"><source>a</source><target>b</target></trans-unit>').replace(
      '"de"',
      '"xx"',
    );
    expect(await parse("a.xlf", file)).toMatchObject({ translations: [], leftOut: [{ what: "xx" }] });
  });

  test.each([
    [
      "S24 an entity from elsewhere",
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<xliff><file><body>&a;</body></file></xliff>',
      /line 2: .*entity/,
    ],
    ["a unit without source", version1('<trans-unit id="1"/>'), /expected <trans-unit> with an id and a <source>/],
    ["another file", "<html/>", /expected <xliff> with a <file>, found <html>/],
  ])("refuses %s", async (_, xml, message) => {
    await expect(parse("a.xlf", xml)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});
