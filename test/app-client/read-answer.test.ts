import { describe, expect, it } from "vitest";
import { readJsonAnswer } from "../../src/app-client/read-answer.ts";

const read = (body: string, type = "application/json") =>
  readJsonAnswer({ status: 200, headers: [["content-type", type]], body: Buffer.from(body) }, "an object", "{}");

describe("readJsonAnswer", () => {
  it("R17, R18: warns about JSON that parsers read differently, with its path", () => {
    expect(read('{"id":9007199254740993,"text":["\\ud83d"]}', "text/plain")).toMatchObject({
      ok: true,
      warnings: [
        "its Content-Type is text/plain, expected application/json",
        expect.stringMatching(/^id is 9007199254740993, beyond 2\^53/),
        expect.stringMatching(/^text\[0\] holds half a character \(\\ud83d, a lone surrogate\)/),
      ],
    });
    expect(read('{"id":1}')).toMatchObject({ ok: true, warnings: [] });
  });

  it("says of an answer without a body what the minimum is", () => {
    expect(read("")).toEqual({
      ok: false,
      reason: "the app answered 200 with an empty body, expected an object",
      hint: "the handler sent no body: send JSON, at least {}",
    });
  });

  it("asks what answers there if a page came instead", () => {
    expect(read("<!doctype html>Hi")).toMatchObject({
      hint: "does a page, or a catch-all route, answer at this address? its answer begins: <!doctype html>Hi",
    });
  });

  it.each([
    ["{'success': true}", /, in `\{'success': true\}`: names and strings need plain double quotes/],
    ['{"success": True}', /: JSON writes true, false and null in lower case$/],
    ['\ufeff{"success":true}', /^send it as UTF-8 without a byte order mark/],
    ["OK", /^send JSON, at least \{\}; its answer begins: OK$/],
  ])("says how %s becomes JSON, whatever its type", (body, hint) => {
    for (const type of ["application/json", "text/html"]) {
      expect(read(body, type)).toMatchObject({ ok: false, hint: expect.stringMatching(hint) });
    }
  });

  it.each([
    ['{"text":"schön', /missing\? Or does its Content-Length, 15, count characters\? It must count bytes/, 0],
    ['{"text":"schö', /begins: .*\. Or does its Content-Length, 13, count characters\?/, 1],
    ['{"text":"fine', /missing\?$/, 0],
  ])("asks what the length of %s counts if the body ends too early", (text, hint, missing) => {
    const body = Buffer.from(text).subarray(0, Buffer.byteLength(text) - missing);
    const headers = [["content-length", String(body.length)]] as const;
    expect(readJsonAnswer({ status: 200, headers, body }, "an object", "{}")).toMatchObject({
      hint: expect.stringMatching(hint),
    });
  });

  it("does not ask about a length that is not that of the body", () => {
    const body = Buffer.from('{"text":"schön');
    const headers = [["content-length", "9"]] as const;
    expect(readJsonAnswer({ status: 200, headers, body }, "an object", "{}")).toMatchObject({
      hint: expect.stringMatching(/missing\?$/),
    });
  });

  it("R17: names the place of a repeated key", () => {
    expect(read('{"data":{"strings":[{"a":1,"a":2}]}}')).toMatchObject({
      ok: false,
      reason:
        'the app answered 200, but the body has the key "a" twice in one object (data.strings[0]); expected an object',
    });
  });
});
