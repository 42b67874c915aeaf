import { expect, test } from "vitest";
import type { Exchange, RecordedCheck } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { requestDifferences } from "../../src/verify/rules/request-difference.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

/** The JWT `{"alg":"HS256"}` `{"sub":"1"}`. */
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA";
/** When the requests were sent, in seconds. */
const NOW = Date.parse(exchangeRecord("id").startedAt) / 1000;

interface Sent {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Exchange["request"]["headers"];
  readonly body?: string;
  readonly check?: RecordedCheck;
}

function sent({ method = "GET", query = "", headers = [], body = "", check }: Sent): Exchange {
  return exchangeRecord("id", {
    request: { method, url: `http://127.0.0.1/page?${query}`, headers, body: recordBody(Buffer.from(body)) },
    ...(check === undefined ? {} : { check }),
  });
}

const request = (query: string, body = "") => sent({ query, body });
const bearer = (token: string) => sent({ headers: [["Authorization", `Bearer ${token}`]] });
const json = (value: unknown) => request("", JSON.stringify(value));
const header = (name: string, ...values: readonly string[]) => sent({ headers: values.map((value) => [name, value]) });
const form = (body: string) => sent({ headers: [["content-type", "application/x-www-form-urlencoded"]], body });

/** A JWT that was issued when the request was sent, and expires two minutes later. */
function jwt(claims: object, { alg = "HS256", signature = "s".repeat(43) } = {}): string {
  const parts = [{ alg }, { iat: NOW, exp: NOW + 120, ...claims }];
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")), signature].join(".");
}
const signedOtherwise = { signature: "t".repeat(43) };
const right = bearer(jwt({}));

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

/** The differences as lines. */
const linesOf = (control: Exchange, twin: Exchange, changes: string | null) =>
  requestDifferences(control, twin, changes, new Redactor(["sesame-secret", "sesame-others"])).map(
    (each) => `${each.property}: ${each.control} → ${each.twin}`,
  );

test.each<[string, Exchange, string | null, readonly string[]]>([
  [
    "an expired token",
    bearer(jwt({ exp: NOW - 10 }, signedOtherwise)),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW - 10} (10 s before it was sent)`],
  ],
  [
    "a token that expires at once",
    bearer(jwt({ exp: NOW })),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW} (0 s after it was sent)`],
  ],
  [
    "a time after a token of the second before",
    bearer(jwt({ iat: NOW - 1, exp: NOW + 9 })),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW + 9} (10 s after it was sent)`],
  ],
  [
    "a time after the request, if iat was changed",
    bearer(jwt({ iat: NOW - 2, exp: NOW + 9 })),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW + 9} (9 s after it was sent)`],
  ],
  [
    "a time after the request, if iat is no number",
    bearer(jwt({ iat: "now", exp: NOW + 9 })),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW + 9} (9 s after it was sent)`],
  ],
  [
    "an exp that is no number",
    bearer(jwt({ exp: "soon" })),
    "token.claims.exp",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → "soon"`],
  ],
  [
    "an exp that is missing",
    bearer(jwt({ exp: undefined })),
    "token.claims",
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → null`],
  ],
  [
    "a claim that is added",
    bearer(jwt({ nbf: NOW + 5 })),
    "token.claims.nbf",
    [`token.claims.nbf: null → ${NOW + 5} (5 s after it was sent)`],
  ],
  [
    "only the claim that was changed",
    bearer(jwt({ iat: NOW + 9, sub: "2" })),
    "token.claims",
    ['token.claims.sub: null → "2"'],
  ],
  [
    "no times that follow from a token of the next second",
    bearer(jwt({ iat: NOW + 1, exp: NOW + 121, sub: "2" })),
    "token.claims",
    ['token.claims.sub: null → "2"'],
  ],
  [
    "iat, if only that was changed",
    bearer(jwt({ iat: 1 }, signedOtherwise)),
    "token.claims",
    [`token.claims.iat: ${NOW} → 1`],
  ],
  ["a signature", bearer(jwt({}, { signature: "" })), "token.signature", ["token.signature: 43 characters → empty"]],
  [
    "a proof by its signature",
    bearer(jwt({}, { signature: "abc" })),
    "token.proof",
    ["token.signature: 43 characters → 3 characters"],
  ],
  [
    "a proof by its algorithm",
    bearer(jwt({ sub: "2" }, { alg: "none", signature: "" })),
    "token.proof",
    ['token.header.alg: "HS256" → "none"'],
  ],
  ["a missing token", sent({}), "token", ["token: a JWT → null"]],
  [
    "another scheme",
    sent({ headers: [["authorization", `Basic ${jwt({})}`]] }),
    "token",
    ['headers.authorization: "Bearer" → "Basic"'],
  ],
  ["an empty token", bearer(""), "token.spelling", ["token: a JWT → empty"]],
  ["a word as token", bearer("abc"), "token.spelling", ['token: a JWT → "abc"']],
  ["a token of two parts", bearer("a.b"), "token.spelling", ["token: a JWT → 2 parts, but a JWT has 3"]],
  ["a token of three parts", bearer("a.b.c"), "token.spelling", ["token: a JWT → 3 parts that are not a JWT"]],
  [
    "a JWT in another spelling",
    bearer(jwt({ sub: "2" }, signedOtherwise)),
    "token.spelling",
    ['token.claims.sub: null → "2"'],
  ],
  [
    "nothing that every new token has",
    bearer(jwt({ iat: NOW + 1, exp: NOW + 122, jti: "b" }, signedOtherwise)),
    null,
    [],
  ],
  [
    "another lifetime",
    bearer(jwt({ iat: NOW + 1, exp: NOW + 123 })),
    null,
    [`token.claims.exp: ${NOW + 120} (120 s after it was sent) → ${NOW + 123} (122 s after it was sent)`],
  ],
])("of a token, it names %s", (_, twin, changes, expected) => {
  expect(linesOf(right, twin, changes)).toEqual(expected);
});

test.each<[string, Exchange, readonly string[]]>([
  ["a list", json([{ a: 1 }]), ['body: a JSON object → [{"a":1}]']],
  ["empty", request("", ""), ["body: a JSON object → empty"]],
  ["another object", json({ a: 2, b: 2 }), ["json.a: 1 → 2"]],
])("a body that is %s in place of an object is one difference", (_, twin, expected) => {
  expect(linesOf(json({ a: 1, b: 2 }), twin, "body")).toEqual(expected);
});

/** A request of a page with a token, in another language each time. */
const ofPage = (lang: string, token: string, scheme = "Bearer") =>
  sent({ query: `lang=${lang}`, headers: [["authorization", `${scheme} ${token}`]] });

test.each<[string, Exchange, string, readonly string[]]>([
  ["the spelling alone", ofPage("uk", "a.b"), "token.spelling", ["token: a JWT → 2 parts, but a JWT has 3"]],
  ["a claim alone", ofPage("uk", jwt({ sub: "2" })), "token.spelling", ['token.claims.sub: null → "2"']],
  [
    "the signature alone",
    ofPage("uk", jwt({ iat: NOW + 1 }, signedOtherwise)),
    "token.spelling",
    ["token.signature: 43 characters → another signature"],
  ],
  ["the scheme alone", ofPage("uk", jwt({}), "Basic"), "token", ['headers.authorization: "Bearer" → "Basic"']],
])("if the check changes that, it names %s", (_, twin, changes, expected) => {
  expect(linesOf(ofPage("pl", jwt({})), twin, changes)).toEqual(expected);
});

const signed = (signature: string, other: string) =>
  sent({
    headers: [
      ["X-Platform-Signature", signature],
      ["x-platform-timestamp", other],
      ["x-platform-signature-id", other],
    ],
  });

test.each<[string, Exchange, Exchange, string | null, readonly string[]]>([
  ["the method", sent({}), sent({ method: "PUT" }), "method", ['method: "GET" → "PUT"']],
  ["a member", json({ a: { b: 1 }, c: 1 }), json({ a: { b: 2 }, c: 2 }), "json.a", ["json.a.b: 1 → 2"]],
  ["not a member with a longer name", json({ a: 1, ab: 1 }), json({ a: 2, ab: 2 }), "json.a", ["json.a: 1 → 2"]],
  ["null", json({ a: null }), json({ a: {} }), null, ["json.a: null → {}"]],
  ["a body that is not JSON", json(1), request("", "{"), null, ["json: 1 → null", 'body: null → "{"']],
  ["no body", json(1), request(""), null, ["json: 1 → null"]],
  ["the field of a form", form("a=1&b=1"), form("a=2&b=1"), "form.a", ['form.a: "1" → "2"']],
  [
    "the state of a form last",
    form("state=1&b=1"),
    form("state=2&b=2"),
    null,
    ['form.b: "1" → "2"', 'form.state: "1" → "2"'],
  ],
  ["a parameter twice", request("a=1"), request("a=1&a=2"), "url.a", ['url.a: "1" → ["1","2"]']],
  [
    "a token twice",
    request(`jwtToken=${JWT}`),
    request("jwtToken=a&jwtToken=b"),
    "url.jwtToken",
    ['url.jwtToken: null → ["‹redacted›","‹redacted›"]'],
  ],
  ["a header", header("X-A", "1"), header("x-a", "2"), "headers.x-a", ['headers.x-a: "1" → "2"']],
  ["a header twice", header("x-a", "1"), header("X-A", "1", "2"), "headers.x-a", ['headers.x-a: "1" → "1, 2"']],
  ["no header that follows from the body", header("Content-Length", "1"), header("Content-Length", "2"), null, []],
  [
    "what signs",
    signed("a", "a"),
    signed("b", "b"),
    "signature",
    ['headers.x-platform-signature: "‹redacted›" → another hidden value', 'headers.x-platform-timestamp: "a" → "b"'],
  ],
  [
    "a longer secret",
    request("code=12345678"),
    request("code=123456789"),
    null,
    ['url.code: "‹redacted›" → another hidden value with 9 characters instead of 8'],
  ],
  [
    "another secret",
    request("code=12345678"),
    request("code=abcdefgh"),
    null,
    ['url.code: "‹redacted›" → another hidden value'],
  ],
  [
    "several secrets",
    request("code=1&code=2"),
    request("code=3&code=4"),
    null,
    ['url.code: ["‹redacted›","‹redacted›"] → another hidden value'],
  ],
  ["a known secret", json("sesame-secret"), json("sesame-others"), null, ['json: "‹redacted›" → another hidden value']],
  [
    "at most six",
    json({}),
    json([0, 1, 2, 3, 4, 5, 6]),
    null,
    ["json: {} → null", ...[0, 1, 2, 3, 4].map((n) => `json.${n}: null → ${n}`)],
  ],
])("of a request, it names %s", (_, control, twin, changes, expected) => {
  expect(linesOf(control, twin, changes)).toEqual(expected);
});

test("a body that was changed after signing is compared with the signed one", () => {
  const check = { run: 1, subject: "", id: "", role: "twin", signed: '{"a":1,"b":1}' };
  const twin = sent({ body: '{"a":2,"b":1}', check });
  expect(linesOf(json({ a: 3, b: 3 }), twin, null)).toEqual(["json.a: 1 → 2"]);
});

test("of a delivery in another spelling, it does not name what its other events differ in", () => {
  const twin = request("", JSON.stringify({ events: [2] }, null, 2));
  expect(requestDifferences(request("", '{"events":[1]}'), twin, "json.spelling", new Redactor([]))).toEqual([
    { property: "body", control: "as JSON.stringify writes it", twin: "written differently, with the same meaning" },
  ]);
});
