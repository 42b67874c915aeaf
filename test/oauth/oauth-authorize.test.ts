import { describe, expect, it } from "vitest";
import { redirectLocation } from "../../src/oauth/rules/oauth-authorize.ts";
import {
  parameterOf,
  parametersOf,
  queryParameters,
  repeatedOf,
  scopesOf,
} from "../../src/oauth/rules/oauth-parameters.ts";

describe("redirectLocation", () => {
  it.each([
    ["http://a/cb", "http://a/cb?code=c&state=s"],
    ["http://a", "http://a?code=c&state=s"],
    ["http://a/cb?x=1", "http://a/cb?x=1&code=c&state=s"],
    ["http://a/cb?x=%2F&y=a+b&x=", "http://a/cb?x=%2F&y=a+b&x=&code=c&state=s"],
    ["my.app:/back", "my.app:/back?code=c&state=s"],
  ])("A8: %s keeps its query", (redirectUri, location) => {
    expect(redirectLocation(redirectUri, { code: "c", state: "s" })).toBe(location);
  });

  it("A7: encodes each value once, and omits missing ones", () => {
    const state = "a&b=c d+e%20#é👋\r\n";
    const location = redirectLocation("http://a/cb", { error: "x", state, iss: null });
    expect(location).toMatch(/^[\x21-\x7e]+$/);
    expect([...new URL(location).searchParams]).toEqual([
      ["error", "x"],
      ["state", state],
    ]);
  });

  it("an empty state counts", () => {
    expect(redirectLocation("http://a/cb", { code: "c", state: "" })).toBe("http://a/cb?code=c&state=");
  });
});

describe("parameters", () => {
  it.each([
    ["/x", []],
    ["/x?", []],
    [
      "/x?a=1&b=%20+%2B",
      [
        ["a", ["1"]],
        ["b", ["  +"]],
      ],
    ],
    [
      "/x?a=1&b=2&a=3",
      [
        ["a", ["1", "3"]],
        ["b", ["2"]],
      ],
    ],
    [
      "/x?__proto__=1&constructor=2",
      [
        ["__proto__", ["1"]],
        ["constructor", ["2"]],
      ],
    ],
    [
      "/x?a=?&b=/",
      [
        ["a", ["?"]],
        ["b", ["/"]],
      ],
    ],
  ])("of %s", (url, entries) => {
    expect([...(queryParameters(url) ?? [])]).toEqual(entries);
  });

  it.each(["/x?%", "/x?a=%f", "/x?a=%ff", "/x?a=%zz", "/x?%c3=1"])("%s is not percent-encoded UTF-8", (url) => {
    expect(queryParameters(url)).toBeNull();
  });

  it("an empty one counts as missing, a repeated one is found whatever its values", () => {
    const parameters = parametersOf([
      ["empty", ""],
      ["twice", ""],
      ["twice", ""],
      ["once", "1"],
    ]);
    expect([parameterOf(parameters, "empty"), parameterOf(parameters, "none")]).toEqual([null, null]);
    expect(repeatedOf(parameters, ["once", "empty", "none"])).toBeNull();
    expect(repeatedOf(parameters, ["once", "twice"])).toBe("twice");
  });
});

describe("A4: the grammar of scopes (RFC 6749 section 3.3)", () => {
  it.each([
    ["a", ["a"]],
    ["a b:c d/e", ["a", "b:c", "d/e"]],
    ["b a b", ["b", "a"]],
    ["!#[]~", ["!#[]~"]],
    ["", null],
    [" ", null],
    [" a", null],
    ["a ", null],
    ["a  b", null],
    ["a\tb", null],
    ['a"', null],
    ["a\\", null],
    ["é", null],
    ["a\n", null],
    ["a\u007f", null],
  ])("%j", (text, scopes) => {
    expect(scopesOf(text)).toEqual(scopes);
  });
});
