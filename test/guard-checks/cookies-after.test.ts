import { expect, it } from "vitest";
import { cookiesAfter } from "../../src/guard-checks/pages/walk/login.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

it.each([
  ["nothing", [], "a=1; b=2"],
  ["another value", ["a=3; Path=/"], "a=3; b=2"],
  ["a new cookie", ["c=3"], "a=1; b=2; c=3"],
  ["one that is gone by Max-Age", ["a=; Max-Age=0"], "b=2"],
  ["one that is gone by Expires", ["a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "b=2"],
  ["all that are gone", ["a=; Max-Age=-1", "b=; Max-Age=0"], null],
])("a browser that received %s sends the resulting cookies", (_, set, sent) => {
  const { request, response } = exchangeRecord("x");
  const answered = exchangeRecord("x", {
    request: { ...request, headers: [["Cookie", "a=1; b=2"]] },
    response: response && { ...response, headers: set.map((cookie) => ["Set-Cookie", cookie] as const) },
  });
  expect(cookiesAfter(answered)).toBe(sent);
});
