import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, harmlessLine } from "../../src/protocol/harmless.ts";
import { noteText, parseJson } from "../../src/protocol/json.ts";
import { pathText } from "../../src/protocol/problems.ts";

const parse = (text: string) => parseJson(Buffer.from(text));
const holding = (value: unknown) => ({ ok: true, value, notes: expect.any(Array) });
/** What the notes about a text say, one line each. */
function notesOf(text: string): string[] {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.notes.map(noteText);
}
/** A JSON text that spells each character as an escape. */
const inEscapes = (text: string) =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("parseJson", () => {
  it.each([
    ["", /^the body is empty$/],
    ['\ufeff{"a":1}', /byte order mark/],
    ["<!doctype html>", /not valid JSON/],
    ['{"a":1', /not valid JSON/],
    ['{"a":1}{"b":2}', /not valid JSON/],
    ["{'a':1}", /not valid JSON/],
    ["NaN", /not valid JSON/],
    ['"line\nbreak"', /not valid JSON/],
    [nested(65), /nested deeper than 64 levels/],
    ['{"a":'.repeat(100_000), /nested deeper than 64 levels/],
  ])("R16: refuses %j with a one-line reason", (text, reason) => {
    const parsed = parse(text);
    expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    expect(parsed.ok || parsed.reason).not.toMatch(/\n/);
  });

  it.each([
    ['{"__proto__":{"admin":true}}'],
    ['[{"a":{"\\u005f_proto__":1}}]'],
    ['{"__proto__" : null}'],
    ['{"constructor":{"prototype":{"admin":true}}}'],
  ])("S24: refuses %s", (text) => {
    expect(parse(text)).toEqual({ ok: false, reason: expect.stringMatching(/forbidden prototype/) });
  });

  it("S24: accepts harmless texts similar to refused ones", () => {
    const text = '{"proto":"__proto__","constructor":"of bridges","prototype":{}}';
    expect(parse(text)).toEqual(holding(JSON.parse(text)));
  });

  it("S24: counts depth outside strings only, and 64 levels are not too deep", () => {
    expect(parse(nested(64)).ok).toBe(true);
    expect(parse(JSON.stringify({ "[": `"\\${"[{".repeat(100)}` })).ok).toBe(true);
    expect(parse(`[${"[],".repeat(100)}[]]`).ok).toBe(true);
  });

  it.each([
    ['{"success":false,"success":true}', "success", ""],
    ['{"success":false,"\\u0073uccess":true}', "success", ""],
    ['{"\\u0073uccess":false,"s\\u0075ccess":true}', "success", ""],
    ['{"a":1,"a":1}', "a", ""],
    ['{"":1,"":2}', "", ""],
    ['{"a":{"b":1,"c":[],"b":2}}', "b", " (a)"],
    ['{"a":{"a":1},"b":{},"a":2}', "a", ""],
    ['[[{"a":1}],{"b":[1,{"c":0}],"b":[]}]', "b", " ([1])"],
    ['{"data":{"strings":[0,[],{},{"a":[1,2],"a":1}]}}', "a", " (data.strings[3])"],
    [' { "a" :\t1 ,\r\n"b":"}","a" : 2 } ', "a", ""],
    ['{"a":["a","a"],"b":"\\\\","a":0}', "a", ""],
    ['{"\\"":1,"\\u0022":2}', '\\"', ""],
    ['{"\u202e":1,"\u202e":2}', "<U+202E>", ""],
  ])("R17: refuses %s, which repeats a key", (text, key, where) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(parse(text)).toEqual({ ok: false, reason: `the body has the key "${key}" twice in one object${where}` });
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":{"a":2}}',
    '[{"a":1},{"a":2},{"a":3}]',
    '{"a":"a","b":["a","a","b"]}',
    '{"a":"b\\",\\"a\\":1","A":2,"a ":3}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '["a","a"]',
  ])("R17: accepts %s, in which no object repeats a key", (text) => {
    expect(parse(text)).toEqual(holding(JSON.parse(text)));
  });

  it("R17: never refuses the output of JSON.stringify, however it is indented", () => {
    const layout = fc.constantFrom(undefined, 2, "\t");
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.json({ stringUnit: "binary" })), layout, (text, space) => {
        fc.pre(!text.includes("__proto__"));
        expect(parse(JSON.stringify(JSON.parse(text), null, space))).toEqual(holding(JSON.parse(text)));
      }),
      { numRuns: 150 },
    );
  });

  it("R17: refuses any object with a repeated key, however deep, and however the key is spelled", () => {
    const member = fc.tuple(fc.string({ unit: "binary" }), fc.json({ maxDepth: 2 }));
    const members = fc.uniqueArray(member, { minLength: 1, maxLength: 5, selector: ([key]) => key });
    const outside = fc.constantFrom(["", "", ""], ["[0,", "]", "[1]"], ['{"a":{"b":[', "]}}", "a.b[0]"]);
    const spelling = fc.constantFrom(JSON.stringify, inEscapes);
    fc.assert(
      fc.property(members, fc.nat(), outside, spelling, (list, nth, [before, after, path], spell) => {
        const [again = ""] = list[nth % list.length] ?? [];
        fc.pre(list.every(([key, value]) => ![key, value].join(" ").includes("__proto__")));
        const written = list.map(([key, value]) => `${JSON.stringify(key)}:${value}`);
        const text = `${before}{${[...written, `${spell(again)}:null`].join(",")}}${after}`;
        const where = path === "" ? "" : ` (${path})`;
        const key = harmlessLine(JSON.stringify(again));
        const reason = `the body has the key ${key} twice in one object${where}`;
        expect(parse(text)).toEqual({ ok: false, reason });
      }),
    );
  });

  it.each([
    ['{"a":[0,{"b":9007199254740993}]}', "a[1].b is 9007199254740993, beyond 2^53, "],
    ['{"a":{"id": -9007199254740992}}', "a.id is -9007199254740992, beyond 2^53, "],
    ['[[],"x",1e400]', "[2] is 1e400, which is too large"],
    ["[[[-1E+400]]]", "[0][0][0] is -1E+400, which is too large"],
    [`[${"9".repeat(400)}]`, `[0] is ${"9".repeat(59)}…, which is too large`],
    ['{"a":0.05e-400}', "a is 0.05e-400, which JavaScript reads as 0"],
    ["1e400", "the body is 1e400, which is too large"],
    ['{"a":[],"b":["\\ud83d"]}', "b[0] holds half a character (\\ud83d, a lone surrogate), which UTF-8 cannot encode"],
    ['{"a":"\\ude00\\ud83d"}', "a holds half a character (\\ude00, a lone surrogate), which UTF-8 cannot encode"],
    ['"\\uD800"', "the body holds half a character (\\ud800, a lone surrogate), which UTF-8 cannot encode"],
    [
      '{"x":{"\\udFFF":1}}',
      "x.<U+DFFF> has a name with half a character (\\udfff, a lone surrogate), which UTF-8 cannot encode",
    ],
  ])("R17, R18: notes what parsers read differently, with its path: %s", (text, note) => {
    expect(parse(text)).toEqual(holding(JSON.parse(text)));
    expect(notesOf(text)).toEqual([expect.stringContaining(note)]);
    expect(notesOf(text)[0]?.startsWith(note)).toBe(true);
  });

  it.each([
    "[9007199254740991,-9007199254740991,1e20,1E+308,1.5e300,0e-400,-0,0.0e400,1e-300,0.1]",
    '["9007199254740993","1e400","\\\\ud83d","\\ud83d\\ude00","\ud83d\ude00",{"1e400":"a-e-1"}]',
  ])("R17, R18: has no notes about %s", (text) => {
    expect(notesOf(text)).toEqual([]);
  });

  it("R17, R18: has at most 20 notes, and the number of others", () => {
    const notes = notesOf(`{"a":[${Array(25).fill("1e400").join()}]}`);
    expect(notes).toHaveLength(21);
    expect(notes[19]).toMatch(/^a\[19\] is 1e400/);
    expect(notes[20]).toBe("… and 5 more");
    expect(notesOf(`[${Array(20).fill("1e400").join()}]`)).toHaveLength(20);
  });

  it("R17, R18: a path leads to what is noted, and is one harmless line of limited length", () => {
    const odd = fc.constantFrom("9007199254740993", "-1e999", '"\\udc00"');
    const key = fc.string({ unit: "binary", maxLength: 300 }).filter((name) => name !== "__proto__");
    const steps = fc.array(fc.oneof(fc.nat({ max: 3 }), key), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(odd, steps, (value, path) => {
        const text = path.reduceRight<string>(
          (inner, step) =>
            typeof step === "number"
              ? `[${"0,".repeat(step)}${inner}]`
              : `{${JSON.stringify(`${step}'`)}:[{"a":"}"}],${JSON.stringify(step)}:${inner}}`,
          value,
        );
        const parsed = parse(text);
        const notes = parsed.ok ? parsed.notes.filter(({ message }) => !message.includes("name")) : [];
        expect(notes.map((note) => note.path)).toEqual([clip(harmlessLine(pathText(path)), 200)]);
      }),
    );
  });

  it.each([
    ['{"a":1', "(line 1 column 7)"],
    ['{"a":1,\n', "(line 2 column 1)"],
    ['{\n  "ü": [\n    1 2]}', "(line 3 column 7)"],
  ])("R16: gives line and column of what is not JSON: %j", (text, where) => {
    const parsed = parse(text);
    expect(parsed.ok || parsed.reason).toMatch(/^the body is not valid JSON: /);
    expect(parsed.ok || parsed.reason.endsWith(where)).toBe(true);
  });

  it.each([
    ["a first byte that is none", [0xff, 0x22], 0],
    ["a lone continuation byte", [0x22, 0x80, 0x22], 1],
    ["an overlong form", [0x22, 0x61, 0xc0, 0xaf, 0x22], 2],
    ["a character that breaks off", [0x22, 0xe2, 0x82, 0x22], 3],
    ["Latin-1", [...Buffer.from('{"name":"Andr'), 0xe9, 0x22, 0x7d], 14],
  ])("R16: names the offset of %s", (_, bytes, offset) => {
    const reason = `the body is not UTF-8: invalid byte at offset ${offset}`;
    expect(parseJson(Uint8Array.from(bytes))).toEqual({ ok: false, reason });
  });

  it("R16: says if the body ends within a character", () => {
    const bytes = Buffer.from('"€').subarray(0, 3);
    expect(parseJson(bytes)).toEqual({
      ok: false,
      reason: "the body is not UTF-8: it ends in the middle of a character",
    });
  });

  it("R16: names the offset of an invalid byte, wherever it is", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const start = Buffer.from(`"${before}`);
        const bytes = Buffer.concat([start, Buffer.from([0xff]), Buffer.from(after)]);
        const reason = `the body is not UTF-8: invalid byte at offset ${start.length}`;
        expect(parseJson(bytes)).toEqual({ ok: false, reason });
      }),
    );
  });

  it("agrees with JSON.parse about valid documents", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        fc.pre(!text.includes("__proto__"));
        expect(parse(text)).toEqual(holding(JSON.parse(text)));
      }),
    );
  });

  it("never throws, and accepts nothing that JSON.parse refuses", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.json().map((text) => Buffer.from(text.slice(1))),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const parsed = parseJson(input);
        if (parsed.ok) expect(JSON.parse(Buffer.from(input).toString())).toEqual(parsed.value);
        else expect(parsed.reason).toMatch(/^the body .+$/);
      }),
      { numRuns: 150 },
    );
  });
});
