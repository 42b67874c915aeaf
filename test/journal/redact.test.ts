import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import jsonwebtoken from "jsonwebtoken";
import { describe, expect, test } from "vitest";
import { credentialsIn, decodeJwt } from "../../src/journal/credentials.ts";
import type { Exchange, HeaderLines, RecordedBody } from "../../src/journal/exchange.ts";
import { bodyBytes, bodyText, recordBody } from "../../src/journal/journal.ts";
import { redactExchange, redactText } from "../../src/journal/redact.ts";

const GONE = "‹redacted›";

const empty = recordBody(new Uint8Array());
const plain: Exchange = {
  type: "exchange",
  id: "x-1",
  purpose: "guard",
  module: "guard",
  startedAt: "2026-01-02T03:04:05.000Z",
  timings: { headersMs: 1, totalMs: 2 },
  request: { method: "POST", url: "http://127.0.0.1:1/guard", headers: [], body: empty },
  response: { status: 200, headers: [], body: empty },
  outcome: { kind: "answered" },
};

const withBody = (body: RecordedBody): Exchange => ({ ...plain, request: { ...plain.request, body } });
const bodyAfter = (bytes: Uint8Array | string, secrets: string[] = [], size?: number): RecordedBody =>
  redactExchange(withBody(recordBody(Buffer.from(bytes), size)), secrets).request.body;
const textAfter = (text: string, secrets?: string[]): string => bodyText(bodyAfter(text, secrets));
const headerAfter = (name: string, value: string, secrets: string[] = []): string | undefined => {
  const headers: HeaderLines = [[name, value]];
  return redactExchange({ ...plain, request: { ...plain.request, headers } }, secrets).request.headers[0]?.[1];
};

const token = jsonwebtoken.sign({ sub: "7" }, "key", { noTimestamp: true });
const unsigned = token.replace(/[^.]*$/, "…");

test("a very short signature is hidden only in its place, because it occurs in other texts by chance", () => {
  const headers: HeaderLines = [["X-Platform-Signature", "a"]];
  const { request } = redactExchange(
    { ...plain, request: { ...plain.request, headers, body: recordBody(Buffer.from("an a")) } },
    [],
  );
  expect([request.headers, bodyText(request.body)]).toEqual([[["X-Platform-Signature", GONE]], "an a"]);
});

describe("S27: headers", () => {
  test.each([
    ["Authorization", `Bearer ${token}`, `Bearer ${unsigned}`],
    ["authorization", `bearer  ${token}`, `bearer  ${unsigned}`],
    ["Authorization", token, unsigned],
    ["Authorization", `Bearer ${token}.a.b`, `Bearer ${GONE}`],
    ["Authorization", "Bearer a.b.c", `Bearer ${GONE}`],
    ["Authorization", "Bearer opaque", `Bearer ${GONE}`],
    ["Authorization", "Basic aWQ6c2VjcmV0", `Basic ${GONE}`],
    ["Authorization", "bare", GONE],
    ["Proxy-Authorization", "Basic aWQ6c2VjcmV0", `Basic ${GONE}`],
    ["Cookie", "a=b", GONE],
    ["set-cookie", "a=b; HttpOnly", GONE],
    ["Authorization", "Bearer ", "Bearer "],
    ["Authorization", "", ""],
    ["X-Platform-Signature", "", ""],
    ["X-Platform-Signature", "00ff", GONE],
    ["x-other-signature", "00ff", GONE],
    ["Location", "/cb?code=abc&state=s", `/cb?code=${GONE}&state=s`],
    ["X-Token", token, unsigned],
    ["X-Cookie-Count", "3", "3"],
    ["Content-Type", "application/json; charset=utf-8", "application/json; charset=utf-8"],
  ])("%s: %s", (name, value, expected) => {
    expect(headerAfter(name, value)).toBe(expected);
  });

  test("a JWT with a secret in its claims is hidden completely", () => {
    const leaky = jsonwebtoken.sign({ echo: "the-secret" }, "key");
    expect(headerAfter("Authorization", `Bearer ${leaky}`, ["the-secret"])).toBe(`Bearer ${GONE}`);
  });
});

describe("S27: URLs", () => {
  test.each([
    ["http://a/x?jwtToken=abc&state=s", `http://a/x?jwtToken=${GONE}&state=s`],
    ["http://a/x?state=s&code=1&error=e", `http://a/x?state=s&code=${GONE}&error=e`],
    ["http://a/x?code_verifier=v&code_challenge=c", `http://a/x?code_verifier=${GONE}&code_challenge=c`],
    ["http://a/x#access_token=a&refresh_token=b", `http://a/x#access_token=${GONE}&refresh_token=${GONE}`],
    ["http://a/x?client_secret=&appSecret=s", `http://a/x?client_secret=&appSecret=${GONE}`],
    ["http://a/x?c%6Fde=1", `http://a/x?c%6Fde=${GONE}`],
    [
      "http://a/x?code=undefined&token=%5Bobject%20Promise%5D",
      "http://a/x?code=undefined&token=%5Bobject%20Promise%5D",
    ],
    ["http://a/x?code=NaN&jwtToken=null&token=__proto__", "http://a/x?code=NaN&jwtToken=null&token=__proto__"],
    ["http://a/x?code=undefined-8f2c", `http://a/x?code=${GONE}`],
    ["http://a/code=1?decode=2&codes=3", "http://a/code=1?decode=2&codes=3"],
  ])("%s", (url, expected) => {
    expect(redactExchange({ ...plain, request: { ...plain.request, url } }, []).request.url).toBe(expected);
  });
});

describe("S27: bodies", () => {
  test.each([
    ['{"code":"1","state":"s"}', `{"code":"${GONE}","state":"s"}`],
    ['{ "a" : [ { "access_token" : "x\\"y" } ] }', `{ "a" : [ { "access_token" : "${GONE}" } ] }`],
    ['{"refresh_token":123,"n":9007199254740993}', `{"refresh_token":"${GONE}","n":9007199254740993}`],
    ['{"code":"FST_ERR_CTP","error":"e"}', '{"code":"FST_ERR_CTP","error":"e"}'],
    ['{"code":"AB12_CD","token":"ERR_X"}', `{"code":"${GONE}","token":"${GONE}"}`],
    ['{"code":null,"client_secret":true}', '{"code":null,"client_secret":true}'],
    ['{"code":"undefined","token":"[object Object]"}', '{"code":"undefined","token":"[object Object]"}'],
    ['{"appSecret":{"a":["}",{}]},"b":1}', `{"appSecret":"${GONE}","b":1}`],
    ['{"jwtToken":["a"],"jwtToken":"b"}', `{"jwtToken":"${GONE}","jwtToken":"${GONE}"}`],
    ['{"c\\u006fde":"1"}', `{"c\\u006fde":"${GONE}"}`],
    ['{"code":"cut of', `{"code":"${GONE}"`],
    ['{"code":"cut off at a backslash\\', `{"code":"${GONE}"`],
    ['{"code":{"a":1', `{"code":"${GONE}"`],
    ['{"code":', '{"code":'],
    ['{"code":"1"}\n{"code":"2"}\n', `{"code":"${GONE}"}\n{"code":"${GONE}"}\n`],
    ['{"say":"\\"code\\""}', '{"say":"\\"code\\""}'],
    ['{"androidCode":"de"}', '{"androidCode":"de"}'],
    ["grant_type=x&client_secret=s", `grant_type=x&client_secret=${GONE}`],
    ['<a href="/p?a=b&amp;jwtToken=t">', `<a href="/p?a=b&amp;jwtToken=${GONE}">`],
    ['{"u":"/p?a=b\\u0026code=t"}', `{"u":"/p?a=b\\u0026code=${GONE}"}`],
    [`no ${token} here`, `no ${unsigned} here`],
  ])("%s", (text, expected) => {
    expect(textAfter(text)).toBe(expected);
  });

  test("a body without secrets stays byte for byte", () => {
    const body = recordBody(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xc3]), 10);
    expect(redactExchange(withBody(body), ["canary"]).request.body).toEqual(body);
  });

  test("a changed body has its new length as size, and stays truncated by the same amount", () => {
    const whole = bodyAfter("my secret", ["secret"]);
    expect(whole.size).toBe(bodyBytes(whole).length);
    const cut = bodyAfter("my secret", ["secret"], 109);
    expect(cut.size).toBe(bodyBytes(cut).length + 100);
  });

  test("a secret cut in two is not shown in part; in a complete body its beginning is just a word", () => {
    expect(bodyText(bodyAfter("x: canary-sec", ["canary-secret"], 1000))).toBe(`x: ${GONE}`);
    expect(bodyText(bodyAfter("x: canary-sec", ["canary-secret"]))).toBe("x: canary-sec");
  });

  test("bytes that are not UTF-8 are searched for secrets and otherwise unchanged", () => {
    const body = bodyAfter(Buffer.concat([Buffer.of(0xff, 0), Buffer.from("gehüim"), Buffer.of(0xfe)]), ["gehüim"]);
    expect(bodyBytes(body)).toEqual(Buffer.concat([Buffer.of(0xff, 0), Buffer.from(GONE), Buffer.of(0xfe)]));
  });

  test("a gzip body is searched, and a truncated one as far as it goes", () => {
    const zipped = gzipSync('{"code":"1","a":"secret"}');
    const redacted = bodyBytes(bodyAfter(zipped, ["secret"]));
    expect(gunzipSync(redacted).toString()).toBe(`{"code":"${GONE}","a":"${GONE}"}`);
    expect(bodyBytes(bodyAfter(gzipSync("fine")))).toEqual(gzipSync("fine"));
    const stored = gzipSync("my secret", { level: 0 });
    expect(gunzipSync(bodyBytes(bodyAfter(stored.subarray(0, -8), ["secret"], 99))).toString()).toBe(`my ${GONE}`);
  });

  test("a gzip body that cannot be decompressed is not shown", () => {
    const bomb = gzipSync(Buffer.alloc(9 * 1024 * 1024));
    expect(bodyText(bodyAfter(bomb))).toBe(GONE);
    expect(bodyText(bodyAfter(Buffer.of(0x1f, 0x8b, 1, 2, 3)))).toBe(GONE);
  });

  test("hostile bodies take linear time at most", () => {
    const size = 200_000;
    const hostile = ["\\", '{"code":"\\"', '"code":', "eyJ-eyJ.", "?a=", '\\"', "[", '"', "code=%", "&amp;"];
    for (const part of hostile) textAfter(part.repeat(size / part.length), ["canary", "\\"]);
  });
});

describe("S27: the given secrets", () => {
  test.each([
    ["plain", "my top/secret é here", ["top/secret é"]],
    ["JSON-escaped", '"my top\\/secret \\u00E9 here"', ["top/secret é"]],
    ["percent-encoded", "?x=top%2fsecret%20%C3%a9&y", ["top/secret é"]],
    ["form-encoded", "x=top%2Fsecret+%C3%A9&y", ["top/secret é"]],
    ["JSON in JSON", JSON.stringify(JSON.stringify({ a: 'top"secret' })), ['top"secret']],
    ["a URL in a URL", "?x=http%3A%2F%2Fa%3Fy%3Dtop%252Fsecret", ["top/secret"]],
    ["one inside another", "top-secret", ["top", "top-secret"]],
    ["with pattern characters", "secret.*b", ["secret.*b"]],
    ["with backslashes, escaped", JSON.stringify("\\\\secret\\"), ["\\\\secret\\"]],
  ])("%s", (_, text, secrets) => {
    const redacted = redactText(text, secrets);
    expect(redacted).toContain(GONE);
    expect(redacted).not.toContain("secret");
  });

  test.each([
    ["in hex", Buffer.from("x the-secret-value y").toString("hex")],
    ["in hex, upper case", Buffer.from("the-secret-value").toString("hex").toUpperCase()],
    ...[0, 1, 2].map((offset): [string, string] => [
      `in base64, ${offset} bytes from its beginning`,
      Buffer.from(`${"x".repeat(offset)}the-secret-value and more`).toString("base64"),
    ]),
    ["in base64url", Buffer.from("the-secret-value?>").toString("base64url")],
  ])("%s", (_, text) => {
    expect(redactText(text, ["the-secret-value"])).toContain(GONE);
  });

  test("a secret of any length is hidden", () => {
    const secret = Buffer.alloc(70_000, "a long code").toString("base64");
    expect(textAfter(JSON.stringify({ said: `${secret}!` }), [secret])).toBe(`{"said":"${GONE}!"}`);
  });

  test("no secret makes the search slow, not even rows of backslashes, or a thousand secrets", () => {
    const rows = "\\a".repeat(30);
    const many = Array.from({ length: 1000 }, (_, index) => `${"same-beginning-".repeat(3)}${index}`);
    const text = `${"\\".repeat(5000)}${"same-beginning-".repeat(5000)}${"\\a".repeat(5000)}`;
    expect(redactText(text, [rows, ...many])).toContain(GONE);
  });

  test.each(["undefined", "[object Promise]", "__proto__", "constructor", "true", "NaN", "None"])(
    "%s is not a secret even if an app sent it as a code: the word would be missing in every text",
    (word) => {
      expect(redactText(`is the list ${word} in the app?`, [word])).toBe(`is the list ${word} in the app?`);
      const body = recordBody(Buffer.from(JSON.stringify({ moduleKey: "terms", say: word, code: word })));
      expect(redactExchange(withBody(body), []).request.body).toEqual(body);
    },
  );

  test("an empty secret is ignored", () => {
    expect(redactText("abc", [""])).toBe("abc");
  });

  test("never appear, wherever they were", () => {
    const canary = fc
      .tuple(fc.uuid(), fc.string({ unit: "binary", maxLength: 8 }))
      .map(([id, tail]) => `canary-${id}${tail.replace(/\p{Cs}/gu, "")}-end`);
    const around = fc.string({ unit: "grapheme", maxLength: 10 });
    fc.assert(
      fc.property(canary, around, around, fc.nat(), (secret, before, after, choice) => {
        const text = `${before}${secret}${after}`;
        const json = JSON.stringify({ [text]: [text, { deep: text }] });
        const escaped = json.replace(/[^ -~]|\//g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
        const bodies = [
          Buffer.from(text),
          Buffer.from(json),
          Buffer.from(escaped),
          Buffer.from(JSON.stringify(json)),
          Buffer.from(new URLSearchParams({ text }).toString()),
          Buffer.concat([Buffer.of(0xff), Buffer.from(text)]),
          gzipSync(json),
        ];
        const body = recordBody(bodies[choice % bodies.length] ?? new Uint8Array());
        const headers: HeaderLines = [
          [`X-${secret}`, text],
          ["Authorization", `Bearer ${text}`],
          ["Authorization", jsonwebtoken.sign({ text }, "key")],
          ["Location", `http://a/?x=${encodeURIComponent(secret)}`],
        ];
        const shown = redactExchange(
          {
            ...plain,
            module: text,
            request: { method: "POST", url: `http://a/${text}?q=${encodeURIComponent(secret)}`, headers, body },
            response: { status: 200, headers, body },
            outcome: { kind: "undecodable", encoding: text, detail: text },
          },
          ["other", secret],
        );
        const id = secret.slice(0, "canary-".length + 36);
        expect(JSON.stringify(shown)).not.toContain(id);
        for (const side of [shown.request, shown.response ?? shown.request]) {
          const bytes = bodyBytes(side.body);
          expect(bytes.includes(id)).toBe(false);
          if (bytes[0] === 0x1f) expect(gunzipSync(bytes).includes(id)).toBe(false);
          for (const [name, value] of side.headers) expect(JSON.stringify([name, decodeJwt(value)])).not.toContain(id);
        }
      }),
    );
  });
});

test("a number named code stays: it is an error code", () => {
  expect(textAfter('{"error":{"code":4}}')).toBe('{"error":{"code":4}}');
  expect(textAfter('{"code":"4","token":{"access_token":"a"}}')).toBe(
    `{"code":"${GONE}","token":{"access_token":"${GONE}"}}`,
  );
});

test("S23: a text like a JWT of a million characters takes linear time", () => {
  const text = `SIG eyJ${"a".repeat(1_000_000)}.b.c`;
  expect(redactText(text, []) === text).toBe(true);
});

test("nothing else in an exchange changes", () => {
  const { request: _, ...rest } = redactExchange(plain, ["x"]);
  const { request: __, ...expected } = plain;
  expect(rest).toEqual(expected);
  expect(redactExchange({ ...plain, module: null, response: null }, []).response).toBeNull();
});

test.each([
  [token, { header: { alg: "HS256", typ: "JWT" }, claims: { sub: "7" } }],
  [token.replace(/[^.]*$/, ""), { header: { alg: "HS256", typ: "JWT" }, claims: { sub: "7" } }],
  ["", null],
  ["a.b.c", null],
  [`${token}.x`, null],
  [token.replace(/^[^.]*/, "_-8"), null],
])("decodeJwt(%s)", (text, expected) => {
  expect(decodeJwt(text)).toEqual(expected);
});

test("S27: a placeholder is not searched for secrets, however often a text is redacted", () => {
  for (const secret of ["redacted", "‹redacte", "dacted›x"]) {
    const once = redactText(`a the-other-secret b ${secret}`, [secret, "the-other-secret"]);
    expect(once).toBe(`a ${GONE} b ${GONE}`);
    expect(redactText(once, [secret])).toBe(once);
  }
});

test("a tried code is a credential, unless it is the key of the module, which everybody knows", () => {
  const codesOf = (code: string) =>
    credentialsIn({ ...plain.request, body: recordBody(Buffer.from(JSON.stringify({ moduleKey: "presence", code }))) });
  expect(codesOf("kR7-issued-by-the-app")).toEqual(["kR7-issued-by-the-app"]);
  expect(codesOf("presence")).toEqual([]);
});
