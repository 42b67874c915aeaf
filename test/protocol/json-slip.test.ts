import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aroundJson, locateJsonSlip } from "../../src/protocol/json-slip.ts";

const slipIn = (text: string) => locateJsonSlip(Buffer.from(text)) ?? "";

it.each([
  ["[object Object]", "an object became text without JSON: send JSON.stringify(value), in Express res.json(value)"],
  ["\nmodule.exports = {}", "JSON is only the value: leave out module.exports ="],
  ["export default {}", "JSON is only the value: leave out export default"],
  ['{"a": "[object Object]"}', null],
  ["modules", null],
])("what is around JSON, or in its place: %j", (text, said) => {
  expect(aroundJson(text)).toBe(said);
});

describe("where JSON has a slip, and how to fix it", () => {
  it.each([
    [
      '{\n  "a": [\n    { "b": 1, },\n  ]\n}',
      'line 3 column 13, in `{ "b": 1, },`: JSON allows no comma after the last',
    ],
    ['{\n  "a": 1,\n}\n', 'line 2 column 9, in `"a": 1,`: JSON allows no comma after the last member: remove it'],
    ["[1,2,]", "line 1 column 5, in `[1,2,]`: JSON allows no comma after"],
    ['// mine\n{"a":1}', "line 1 column 1, in `// mine`: JSON has no comments"],
    ['{"a":1, /* b */ "b":2}', "column 9, "],
    ["{'a':1}", "line 1 column 2, in `{'a':1}`: names and strings need plain double quotes"],
    ["{a:1}", "line 1 column 2, in `{a:1}`: the name needs double quotes"],
    ['{"a":1,\n b:2}', "line 2 column 2, in `b:2}`: the name needs double quotes"],
    ['{"a":x}', 'line 1 column 6, in `{"a":x}`: a string needs double quotes'],
    ['{"a":tru}', 'line 1 column 9, in `{"a":tru}`: a string needs double quotes'],
    ['{"a":1\n"b":2}', 'line 2 column 1, in `"b":2}`: is a comma missing before it?'],
    ['{"a":1,,"b":2}', 'line 1 column 8, in `{"a":1,,"b":2}`: there is one comma too many'],
    ['{"a": }', 'line 1 column 7, in `{"a": }`: the value is missing'],
    ['{"a" 1}', 'line 1 column 6, in `{"a" 1}`: a colon is missing'],
    ['{"a":1}}', 'line 1 column 8, in `{"a":1}}`: the JSON ends before it'],
    ['{"a":1}\n{"a":2}\n', 'line 2 column 1, in `{"a":2}`: each line is a JSON value of its own (NDJSON)'],
    ['{"a":1} {"a":2}', "the JSON ends before it"],
    ['{"a":1}\n}', "the JSON ends before it"],
    ['{"a":"x\ny"}', 'line 1 column 8, in `{"a":"x`: in a string, a line break is written \\n'],
    ['{"a":"C:\\dir"}', 'line 1 column 10, in `{"a":"C:\\dir"}`: a backslash in a string is written twice'],
    ['{"a":{\n\n', 'line 1 column 6, in `{"a":{`: the text ends in the middle of the JSON'],
    ["[", "line 1 column 1, in `[`: the text ends in the middle of the JSON"],
    ["oops", "line 1 column 1, in `oops`: JSON has no comments, no comma after the last"],
  ])("names place, line and mistake: %j", (text, said) => {
    expect(slipIn(text)).toContain(said);
  });

  it("shows the part of a long line around the place, on one line", () => {
    const slip = slipIn(`{"a":"${"y".repeat(3000)}\u202e","b":[1,]}`);
    expect(slip).toMatch(/^line 1 column 3016, in `…y+<U\+202E>","b":\[1,\]\}`: /);
    expect(slip.length).toBeLessThan(200);
  });

  it.each([
    '{"clientSecret":"abc, def",}',
    "{'clientSecret':'abc, def'}",
    '{"appSecret": "abc, def',
    "{clientSecret: abc def, x: 1}",
    '{"users":[{"password":"abc def","totpSecret":"abc def"},]}',
  ])("shows no secret: %s", (text) => {
    expect(slipIn(text)).not.toMatch(/abc|def/);
  });

  it("finds the place if JSON.parse gives none", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, at) => {
        const place = at % json.length;
        // Nowhere outside of a text does this character stand in JSON.
        const text = `${json.slice(0, place)}@${json.slice(place)}`;
        fc.pre(isRefused(text));
        const [, column = ""] = /column (\d+)/.exec(slipIn(text)) ?? [];
        expect(text[Number(column) - 1]).toBe("@");
      }),
    );
  });
});

function isRefused(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith("Unexpected token '@'");
  }
}
