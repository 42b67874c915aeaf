import { expect, test } from "vitest";
import { getRequest } from "../../src/browser/form-request.ts";
import { callbackQuery } from "../../src/guard/rules/callback.ts";
import { lostStateHint } from "../../src/guard/visit/returned-state.ts";

const page = new URL("http://127.0.0.1:3000/page?jwtToken=t&state=AbC%2B123");
const CHANGED = "the page got another `state` in its address than came back: ";

test.each([
  ["unchanged", "state=AbC%2B123", null],
  ["empty", "state=", "its `state` is empty: return the one of the page's address"],
  ["cut", "state=AbC", `${CHANGED}only its first 3 of 7 characters came back`],
  ["in lower case", "state=abc%2B123", `${CHANGED}its letter case was changed`],
  ["with a line ending", "state=AbC%2B123%0A", `${CHANGED}it came back with white space around it`],
  ["encoded twice", "state=AbC%252B123", `${CHANGED}it was encoded twice`],
  ["replaced", "state=t", `${CHANGED}return that one unchanged`],
  ["repeated", "state=AbC&state=b", null],
  ["missing, though no form was sent", "code=c", null],
])("a state that comes back %s", (_, query, hint) => {
  const parsed = callbackQuery(`?${query}`);
  if (parsed === null) throw new Error("not a query");
  expect(lostStateHint(parsed, page, null)).toBe(hint);
});

test("a form without the state explains a callback without it; one that has it does not", () => {
  const query = callbackQuery("?code=c");
  if (query === null) throw new Error("not a query");
  const sent = (url: string) => lostStateHint(query, page, getRequest(url));
  expect(sent("http://127.0.0.1:3000/send")).toMatch(/^the form sent no `state`/);
  expect(sent("http://127.0.0.1:3000/send?state=AbC%2B123")).toBeNull();
});
