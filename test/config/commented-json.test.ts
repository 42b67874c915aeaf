import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasMember, plainJson, withComments, withMember } from "../../src/config/commented-json.ts";

describe("plainJson", () => {
  it.each([
    ["a comment to the end of the line", '{ // "no": 1,\n  "a": 1 }', { a: 1 }],
    ["a comment that begins and ends anywhere", '/* a\n */ { "a" /* : */ : /**/ 1 /* , */ }', { a: 1 }],
    ["a comma after a last member and a last element", '{ "a": [1, 2, ], "b": {}, }', { a: [1, 2], b: {} }],
    ["a comma, then comments", '{ "a": 1, // one\n /* two */ }', { a: 1 }],
    ["a comment without a line break at the end", "[] // end", []],
    ["marks within a text", '{ "url": "http://a/*b*/,]", "b": "\\"//" }', { url: "http://a/*b*/,]", b: '"//' }],
  ])("%s", (_, text, value) => {
    expect(JSON.parse(plainJson(text))).toEqual(value);
  });

  it.each([
    "[,]",
    "{,}",
    "[1,,]",
    '{ "a":, }',
    "[] /* no end",
    "/*/ [] ",
    "# no comment\n[]",
    "[1 2]",
    "[1",
    "'a'",
    ",",
  ])("leaves %s no JSON", (text) => {
    expect(() => JSON.parse(plainJson(text))).toThrow(SyntaxError);
  });

  it("keeps every position, and leaves plain JSON unchanged", () => {
    const text = '{\r\n  // Grüße 👋\r\n  "a": 1, /* x\r\ny */\r\n}\r\n';
    const plain = plainJson(text);
    expect(plain).toHaveLength(text.length);
    expect(plain.indexOf('"a"')).toBe(text.indexOf('"a"'));
    expect(plain.split("\r\n")).toHaveLength(text.split("\r\n").length);
    const json = '{ "a": [1, -2.5e-3, "\\u00e9", null], "b": { "c": true } }';
    expect(plainJson(json)).toBe(json);
  });

  it("leaves any JSON unchanged, and keeps the length of any text", () => {
    fc.assert(fc.property(fc.json(), (text) => plainJson(text) === text));
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => plainJson(text).length === text.length));
  });

  it("reads a text of any depth", () => {
    const text = "[".repeat(200_000);
    expect(plainJson(text)).toBe(text);
  });
});

describe("withMember", () => {
  it("adds a member below the last one, whose comments stay with it", () => {
    const text = '{\n  // mine\n  "a": 1 // one\n  // the end\n}\n';
    expect(withMember(text, ["b"], [2])).toBe(
      '{\n  // mine\n  "a": 1, // one\n  // the end\n  "b": [\n    2\n  ]\n}\n',
    );
  });

  it("creates the objects on the path, and finds existing ones", () => {
    const made = withMember("{}\n", ["verify", "guards", "a.b", "lets"], { user: "owner" });
    expect(made).toBe(`${JSON.stringify({ verify: { guards: { "a.b": { lets: { user: "owner" } } } } }, null, 2)}\n`);
    const more = withMember(made, ["verify", "guards", "a.b", "denies"], { ip: "1.2.3.4" });
    expect(JSON.parse(more).verify.guards["a.b"]).toEqual({ lets: { user: "owner" }, denies: { ip: "1.2.3.4" } });
    expect(JSON.parse(withMember('{"apps": [{"url": "http://a"}]}', ["apps", 0, "b"], 1))).toEqual({
      apps: [{ url: "http://a", b: 1 }],
    });
  });

  it("writes no second comma, and keeps tabs and Windows line endings", () => {
    const text = '{\r\n\t"a": 1, // last\r\n}';
    expect(withMember(text, ["b"], { c: 1 })).toBe('{\r\n\t"a": 1, // last\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}');
  });

  it("gives valid JSON for an object on one line, or one with only a comment", () => {
    expect(JSON.parse(withMember('{ "a": { "b": 1 } }', ["a", "c"], 2))).toEqual({ a: { b: 1, c: 2 } });
    expect(JSON.parse(plainJson(withMember("{\n  // nothing\n}", ["a"], 1)))).toEqual({ a: 1 });
  });

  it("changes nothing that exists", () => {
    const text = '{ "a": null, "b": { } }';
    expect([withMember(text, ["a"], 1), withMember(text, ["b"], 1)]).toEqual([text, text]);
    expect([hasMember(text, ["b"]), hasMember(text, ["b", "c"])]).toEqual([true, false]);
  });
});

describe("withComments", () => {
  it("puts each above its member, in order, and skips those of missing members", () => {
    const text = JSON.stringify({ a: { b: 1 } }, null, 2);
    expect(
      withComments(text, [
        [["a"], "first"],
        [["a"], "second"],
        [["a", "b"], "inner"],
        [["c"], "nowhere"],
      ]),
    ).toBe('{\n  // first\n  // second\n  "a": {\n    // inner\n    "b": 1\n  }\n}');
  });
});
