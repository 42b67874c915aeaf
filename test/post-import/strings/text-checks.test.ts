import { describe, expect, it } from "vitest";
import type { StringText } from "../../../src/protocol/import-job.ts";
import { record } from "../../rig/simulation.ts";
import { judge, judgeChange, judgeText, languagesOf } from "./judge.ts";

describe("placeholders of a source text", () => {
  it.each([
    ["%s", "Hi %s", "Hi", "no longer has %s"],
    ["%d becomes %s", "%d files", "%s files", "no longer has %d and now has %s"],
    ["%@", "Open %@", "Open", "no longer has %@"],
    ["%lld", "%lld items", "items", "no longer has %lld"],
    ["the second %s", "%s of %s", "%s", "no longer has %2$s"],
    ["the first of two", "%d of %s", "%s", "no longer has %1$d %2$s and now has %s"],
    ["%1$s", "%2$s %1$s", "%2$s", "no longer has %1$s"],
    ["%.2f", "%.2f km", "km", "no longer has %.2f"],
    ["%(name)s", "Hi %(name)s", "Hi %(nam)s", "no longer has %(name)s and now has %(nam)s"],
    ["%#@files@", "%#@files@ left", "left", "no longer has %#@files@"],
    ["{name}", "Hi {name}", "Hi { name", "no longer has {name}"],
    [
      "{name, format}",
      "{when, date, short}",
      "{then, date, short}",
      "no longer has {when, date, short} and now has {then, date, short}",
    ],
    ["{0}", "{0} of {1}", "{0}", "no longer has {1}"],
    ["{}", "{} of {}", "{}", "no longer has {}"],
    ["%{name}", "Hi %{name}", "Hi {name}", "no longer has %{name} and now has {name}"],
    ["{{name}}", "Hi {{name}}", "Hi {name}", "no longer has {{name}} and now has {name}"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what such a text looks like
    ["${name}", "Hi ${name}", "Hi", "no longer has ${name}"],
    ["one too many", "Hi", "Hi {name}", "now has {name}"],
    ["many", "{a}{b}{c}{d}{e}{f}{g}", "none", "no longer has {a} {b} {c} {d} {e} and 2 more"],
  ])("%s", (_, was, is, found) => {
    expect(judgeText(was, is)).toEqual([`warn import.text.placeholders text: ${found}`]);
  });

  it.each([
    ["in another order", "{a} {b}", "{b} {a}"],
    ["numbered", "%s of %d", "%1$s of %2$d"],
    ["numbered in another order", "%s of %d", "%2$d %1$s"],
    ["in other words for the same", "%i", "%d"],
    ["in another width", "%5.1f", "%.2f"],
    ["with other space", "{{ name }} { a }", "{{name}} {a}"],
    ["not escaped", "{{name}}", "{{- name}}"],
    ["repeated", "{name}", "{name} {name}"],
    ["percent signs", "100% sure, 5%% off, 20%ig, 50 % d", "sure"],
    ["JSON", '{"a": 1} { key: value; }', "gone"],
    ["trimmed", " {name}\n", "{name}"],
  ])("are the same %s", (_, was, is) => expect(judgeText(was, is)).toEqual([]));

  it("may omit the number for one, two or zero", () => {
    const was = { one: "%d file", other: "%d files" };
    expect(judgeText(was, { one: "One file", other: "%d files" })).toEqual([]);
    expect(judgeText(was, { one: "%d file", other: "files" })).toEqual([
      `warn import.text.placeholders text.other: no longer has %d`,
    ]);
    expect(judgeText({ one: "One", other: "%d" }, { one: "%d", other: "%d" })).toEqual([]);
    expect(
      judgeText(
        { one: "{count} of {user}", other: "{count} of {user}" },
        { one: "{count}", other: "{count} of {user}" },
      ),
    ).toEqual([`warn import.text.placeholders text.one: no longer has {user}`]);
  });

  it("are kept when a plain text becomes a plural one", () => {
    const sent = record("1", "%1$d files of %2$s");
    const text = { one: "One file of %2$s", other: "%1$d files" };
    expect(judgeChange(sent, { hasPlurals: true, text })).toEqual([
      `warn import.text.placeholders text.other: no longer has %2$s`,
    ]);
  });
});

describe("placeholders of a translation", () => {
  const greeting = record("1", "Hi {name}");
  const withUkrainian = (text: StringText) => ({ translations: { uk: { text } } });

  it("are those of the source text", () => {
    expect(judgeChange(greeting, withUkrainian("Привіт, {name}"))).toEqual([]);
    expect(judgeChange(greeting, withUkrainian("Привіт, {nom}"))).toEqual([
      `warn import.text.placeholders translations.uk.text: lacks {name}, which the source text has, and has {nom}, which it does not have`,
    ]);
  });

  it("that were already wrong are not the app's fault, but further ones are", () => {
    const sent = { ...record("1", "{a} {b}"), ...withUkrainian("{a} {c} ") };
    expect(judgeChange(sent, withUkrainian("{a} {c}"))).toEqual([]);
    expect(judgeChange(sent, withUkrainian("{c}"))).toEqual([
      `warn import.text.placeholders translations.uk.text: lacks {a}, which the source text has`,
    ]);
    expect(judgeChange(sent, withUkrainian("{a} {b}"))).toEqual([]);
  });

  it("are those that it had if the source text is only a key", () => {
    const sent = { ...record("1", "greeting"), ...withUkrainian("Привіт, {name}") };
    expect(judgeChange(sent, withUkrainian("Привіт"))).toEqual([
      `warn import.text.placeholders translations.uk.text: no longer has {name}`,
    ]);
  });

  it("follow the source text if the app has changed that, too", () => {
    const sent = { ...greeting, ...withUkrainian("Привіт, {name}") };
    expect(judgeChange(sent, { text: "Hi {user}", ...withUkrainian("Привіт, {user}") })).toEqual([
      `warn import.text.placeholders text: no longer has {name} and now has {user}`,
    ]);
  });

  it("are compared by category, which the source language may not have", () => {
    const files = record("1", { one: "One file", other: "%d files" }, { hasPlurals: true });
    const good = { one: "%d файл", few: "%d файли", many: "%d файлів", other: "%d файлу" };
    expect(judgeChange(files, withUkrainian(good))).toEqual([]);
    expect(judgeChange(files, withUkrainian({ ...good, one: "Один файл" }))).toEqual([]);
    expect(judgeChange(files, withUkrainian({ ...good, few: "файли" }))).toEqual([
      `warn import.text.placeholders translations.uk.text.few: lacks %d, which the source text has`,
    ]);
  });

  it("are not compared in a category that the app has not changed", () => {
    const uk = { one: "{n} файл", few: "{n} файли", many: "{n} файлів", other: "{n} файлу" };
    const sent = {
      ...record("1", { one: "{n} file", other: "{n} files" }, { hasPlurals: true }),
      ...withUkrainian(uk),
    };
    const text = { one: "{n} file of {user}", other: "{n} files of {user}" };
    expect(judgeChange(sent, { text, ...withUkrainian({ ...uk, few: "{n} файлики" }) })).toEqual([
      `warn import.text.placeholders text.one: now has {user}`,
      `warn import.text.placeholders text.other: now has {user}`,
      `warn import.text.placeholders translations.uk.text.few: lacks {user}, which the source text has`,
    ]);
  });

  it("are not compared in an empty translation", () => {
    expect(judgeChange(greeting, withUkrainian(""))).toEqual([]);
  });

  it("are compared in an added string, too", () => {
    expect(judge({ before: null, after: { ...greeting, ...withUkrainian("Привіт") } })).toHaveLength(1);
    expect(judge({ before: null, after: greeting })).toEqual([]);
  });
});

describe("tags", () => {
  it.each([
    ["lost", "<b>Save</b>", "Save", `no longer has <b> </b>`],
    ["lost in part", "<b>Save</b>", "<b>Save", "no longer has </b>; <b> is never closed"],
    ["added", "Save", "<B>Save</B>", "now has <b> </b>"],
    ["added and not closed", "Save", "<b>Save", "now has <b>; <b> is never closed"],
    ["other ones", '<a href="x">Save</a>', "<i>Save</i>", `no longer has <a> </a> and now has <i> </i>`],
    ["a lost break", "a<br/>b", "ab", `no longer has <br>`],
    ["those of Android", '<xliff:g id="n">%s</xliff:g>', "%s", `no longer has <xliff:g> </xliff:g>`],
    ["those of components", "<0>a</0> <Link>b</Link>", "<0>a</0> b", `no longer has <Link> </Link>`],
    ["closed in another order", "<b><i>a</i></b>", "<b><i>a</b></i>", "<i> is not closed before </b>"],
    ["closed and never opened", "<b>a</b>", "<b>a</b></b>", "</b> has no opening tag"],
    ["closed once of twice", "<b>a</b> <b>b</b>", "<b>a</b> <b>b", "<b> is never closed"],
    [
      "in curly quotes",
      '<a href="x">a</a>',
      "<a href=\u201dx\u201d>a</a>",
      "<a> has an attribute in typographic quotes",
    ],
  ])("%s", (_, was, is, found) => {
    expect(judgeText(was, is)).toEqual([`warn import.text.tags text: ${found}`]);
  });

  it.each([
    ["with other attributes", '<a href="x">a</a>', '<a href="y" class="z">a</a>'],
    ["in other spelling", "<BR>a", "a<br />"],
    ["in other quotes", '<a href="x">"a"</a>', "<a href='x'>\u201ca\u201d</a>"],
    ["in quotes that were there", "<a href=\u201dx\u201d>a</a>", "<a href=\u201dx\u201d>b</a>"],
    ["as often as one likes", "<b>a</b>", "<b>a</b> <b>b</b>"],
    ["that were not closed before", "a <b>c", "a <b>d"],
    ["without an end", "<ul><li>a</ul><p>b", "<ul><li>c</ul><p>d"],
    ["that are none", "open <file>, 1 < 2 <3", "open <path>, 1 < 2"],
  ])("are the same %s", (_, was, is) => expect(judgeText(was, is)).toEqual([]));

  it("of an added string must be closed", () => {
    expect(judge({ before: null, after: record("1", "<b>a") })).toEqual([
      "warn import.text.tags text: <b> is never closed",
    ]);
  });
});

describe("an ICU message", () => {
  const sound = "{count, plural, one {# file} other {# files}} of {user}";

  it.each([
    ["not closed", "{count, plural, one {# file} other {# files} of {user}", "cannot be parsed as an ICU message: "],
    [
      "of an unknown kind",
      "{count, plrual, one {# file} other {# files}} of {user}",
      "cannot be parsed as an ICU message: invalid argument type at character 9",
    ],
    ["without other", "{count, plural, one {# file}} of {user}", 'has no "other" for {count}, which ICU requires'],
    [
      "with a category of another language",
      "{count, plural, one {# file} few {# f} other {# files}} of {user}",
      'has "few" for {count}: English has the plural categories one, other',
    ],
  ])("%s", (_, text, found) => {
    expect(judgeText(sound, text)).toEqual([expect.stringContaining(`warn import.text.icu text: ${found}`)]);
  });

  it.each([
    ["with explicit numbers", "{count, plural, =0 {none} one {# file} other {# files}} of {user}"],
    ["with ordinals", "{count, selectordinal, two {#nd} few {#rd} other {#th}} of {user}"],
    ["of simple arguments", "{count, number} of {user}"],
    ["with tags and quotes", "{count, plural, one {<b>#</b> user''s} other {<b>#</b> '{'}} of {user}"],
  ])("is sound %s", (_, text) => {
    expect(judgeText(sound, text).filter((found) => !found.includes("import.text.tags"))).toEqual([]);
  });

  it("loses an argument, however deep", () => {
    const deep = "{sex, select, male {{n, plural, other {# of {him}}}} other {{n, plural, other {#}}}}";
    expect(judgeText(deep, deep.replace(" of {him}", ""))).toEqual([
      `warn import.text.placeholders text: no longer has {him}`,
    ]);
  });

  it("must have the plural categories of the translation's language", () => {
    const sent = record("1", sound);
    const uk = "{count, plural, one {# файл} few {# файли} many {# файлів} other {# файлу}} {user}";
    const change = { translations: { uk: { text: uk }, de: { text: uk } } };
    expect(judgeChange(sent, change, languagesOf("uk", "de"))).toEqual([
      'warn import.text.icu translations.de.text: has "few" for {count}: German has the plural categories one, other; has "many" for {count}: German has the plural categories one, other',
    ]);
  });

  it("that was broken when it was sent is not the app's fault", () => {
    expect(judgeText("{n, plural, one {# a} few {b}} {x", "{n, plural, one {# a} few {b}} {y")).toEqual([]);
    expect(judgeText("{n, plural, few {b}} a", "{n, plural, few {b}} b")).toEqual([]);
  });

  it("is not read if it is longer than any message", () => {
    const deep = "{a, select, other {".repeat(5000);
    expect(judgeText("x", deep)).toEqual([]);
    expect(judgeText(sound, deep)[0]).toContain("it is too long");
  });
});

describe("the characters of a text", () => {
  const garbled = "warn import.text.garbled";
  const withUkrainian = (text: string) => ({ translations: { uk: { text } } });
  const judgeUkrainian = (was: string, is: string) =>
    judgeChange({ ...record("1", "Hi"), ...withUkrainian(was) }, withUkrainian(is), languagesOf("uk"));

  it("must be those that were sent, not their bytes read as Latin-1 or Windows-1252", () => {
    const read = "is the sent UTF-8 text decoded as Latin-1: read and write it as UTF-8 everywhere";
    expect(judgeText("Wie schön", "Wie schÃ¶n")).toEqual([`${garbled} text: ${read}`]);
    expect(judgeText("It’s", "Itâ€™s")).toEqual([`${garbled} text: ${read}`]);
    const latin1 = Buffer.from("Привіт, {name}").toString("latin1");
    expect(judgeUkrainian("Привіт, {name}", latin1)).toContain(`${garbled} translations.uk.text: ${read}`);
  });

  it("must not be escaped as HTML, unless only what HTML needs is", () => {
    const escaped = `${garbled} text: is the sent text, escaped as HTML: answer with the text itself`;
    expect(judgeText('It\'s "fine" & good', "It&#x27;s &quot;fine&quot; &amp; good")).toEqual([escaped]);
    expect(judgeText('<b>"New"</b>', "&lt;b&gt;&quot;New&quot;&lt;/b&gt;")).toContain(escaped);
    expect(judgeText("Salt & pepper", "Salt &amp; pepper")).toEqual([]);
    expect(judgeText("Say &quot;yes&quot;", 'Say "yes"')).toEqual([]);
    expect(judgeText('Say "yes"', "Say &quot;no&quot;")).toEqual([]);
  });

  it("must not all be question marks", () => {
    const lost = "has a ? instead of each non-ASCII letter: read and write it as UTF-8 everywhere";
    expect(judgeUkrainian("До зустрічі ", "?? ????????")).toEqual([`${garbled} translations.uk.text: ${lost}`]);
  });

  it("may differ if the app writes another text", () => {
    expect(judgeText("Wie schön", "Wie schoen")).toEqual([]);
    expect(judgeText("Wie schÃ¶n", "Wie schön")).toEqual([]);
    expect(judgeText("Ready?", "Ready")).toEqual([]);
    expect(judgeUkrainian("До зустрічі", "Бувай")).toEqual([]);
  });
});
