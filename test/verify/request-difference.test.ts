import { expect, test } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { requestDifferences } from "../../src/verify/rules/request-difference.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

/** The JWT `{"alg":"HS256"}` `{"sub":"1"}`. */
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA";

const request = (query: string, body = "") =>
  exchangeRecord("id", {
    request: { method: "GET", url: `http://127.0.0.1/page?${query}`, headers: [], body: recordBody(Buffer.from(body)) },
  });

test.each([
  ["the token alone, if the check changes that", "state=b", "token", ["token"]],
  ["the state last", "state=b", null, ["token", "url.state"]],
  ["the state, if that is what the check changes", `state=b&lang=uk&jwtToken=${JWT}`, "url.state", ["url.state"]],
  ["the state last, after the rest", `state=b&lang=uk&jwtToken=${JWT}`, null, ["url.lang", "url.state"]],
])("names %s", (_, query, changes, expected) => {
  const control = request(`state=a&jwtToken=${JWT}`);
  const differences = requestDifferences(control, request(query), changes, new Redactor([]));
  expect(differences.map(({ property }) => property)).toEqual(expected);
});

test("of a delivery in another spelling, it does not name what its other events differ in", () => {
  const twin = request("", JSON.stringify({ events: [2] }, null, 2));
  expect(requestDifferences(request("", '{"events":[1]}'), twin, "json.spelling", new Redactor([]))).toEqual([
    { property: "body", control: "as JSON.stringify writes it", twin: "written differently, with the same meaning" },
  ]);
});
