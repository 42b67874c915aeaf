import { describe, expect, it } from "vitest";
import { bearerRefusal, bearerToken, missingTokenAnswer, missingTokenText } from "../../src/protocol/bearer.ts";

describe("A29: the token of an Authorization header", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER   abc  ", "abc"],
    ["Bearer a.b-c_d~e+f/g=", "a.b-c_d~e+f/g="],
    ["Bearer", null],
    ["Bearer ", null],
    ["Bearer a b", null],
    ["Bearer\tabc", null],
    ["Basic abc", null],
    ["xBearer abc", null],
    ["abc", null],
    ["", null],
    [undefined, null],
  ])("%j is %j", (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

describe("A29: refusals (RFC 6750 section 3)", () => {
  it("have only the bare challenge without a token", () => {
    expect(missingTokenAnswer("no token")).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  });

  it.each([
    [undefined, /Bearer …$/],
    ["Bearer", /Bearer …$/],
    ["Bearer a b", /Bearer …$/],
    ["eyJhbGciOi", /; the header came without the word Bearer before its token$/],
    ["Token eyJhbGciOi", /; the header came with a scheme other than Bearer$/],
  ])("say what is missing in the header %j, without repeating it", (header, says) => {
    const text = missingTokenText(header);
    expect(text).toMatch(says);
    expect(text).not.toContain("eyJ");
  });

  it("have nothing that would end a quoted string", () => {
    const { status, headers } = bearerRefusal("invalid_token", 'a "quoted" \\ text\r\nand é');
    expect([status, headers["www-authenticate"]]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="a 'quoted' ' text??and ?"`,
    ]);
  });

  it("name the scope that is needed", () => {
    const { status, headers } = bearerRefusal("insufficient_scope", "no", "project");
    expect([status, headers["www-authenticate"]]).toEqual([
      403,
      'Bearer error="insufficient_scope", error_description="no", scope="project"',
    ]);
  });
});
