import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHttpUrl, joinUrl } from "../../src/protocol/url.ts";

const bases = [
  "http://127.0.0.1:3000",
  "http://127.0.0.1:3000/",
  "http://[::1]:3000",
  "https://app.example/base/path",
  "https://app.example/base/path//",
  "https://bücher.example/a%20b/",
];
const hostile = ["//evil.example", "\\\\evil.example", "/\\evil.example", "@evil.example", ":81", ".evil.example"];

describe("isHttpUrl", () => {
  it.each(["http://localhost", "HTTPS://app.example/a?b#c", "http://[::1]:3000", "http://bücher.example"])(
    "takes %s",
    (url) => expect(isHttpUrl(url)).toBe(true),
  );

  it.each([
    "",
    "/guard",
    "//app.example",
    "http:app.example",
    "http:///app.example",
    "http://",
    "http://[",
    "http://app.example:99999",
    "ftp://app.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://user@app.example",
    "http://user:password@app.example",
    "http://:password@app.example",
    " http://app.example",
  ])("refuses %j", (url) => expect(isHttpUrl(url)).toBe(false));
});

describe("joinUrl", () => {
  it.each([
    ["http://127.0.0.1:3000", "/guard", "http://127.0.0.1:3000/guard"],
    ["http://127.0.0.1:3000/", "/guard", "http://127.0.0.1:3000/guard"],
    ["http://127.0.0.1:3000//", "guard", "http://127.0.0.1:3000/guard"],
    ["https://app.example/base/path", "/guard?a=b", "https://app.example/base/path/guard?a=b"],
    ["https://app.example/base/path", "?a=b", "https://app.example/base/path?a=b"],
    ["https://app.example/base/path/", "", "https://app.example/base/path/"],
    ["http://[::1]:3000/base/", "/guard", "http://[::1]:3000/base/guard"],
    ["https://bücher.example", "/ä b", "https://xn--bcher-kva.example/%C3%A4%20b"],
    ["http://127.0.0.1:3000", "//evil.example/x", "http://127.0.0.1:3000//evil.example/x"],
    ["http://127.0.0.1:3000/base", "../../up", "http://127.0.0.1:3000/up"],
    ["http://127.0.0.1:3000/base", "https://elsewhere.example/x", "https://elsewhere.example/x"],
  ])("R39: %s and %s make %s", (base, url, joined) => expect(joinUrl(base, url)).toBe(joined));

  it.each(bases.flatMap((base) => hostile.map((url) => [base, url] as const)))(
    "R39: %s and %s stay at the same host",
    (base, url) => expect(new URL(joinUrl(base, url)).origin).toBe(new URL(base).origin),
  );

  it("R39: never leaves the host of the base, whatever the relative URL", () => {
    const piece = fc.oneof(
      fc.constantFrom("/", "\\", "..", ".", "@", ":", "?", "#", "%2f", "\t", "\n", " ", "[", "evil.example", "http:"),
      fc.string({ unit: "binary", maxLength: 3 }),
    );
    const relative = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.constantFrom(...bases), relative, (base, url) => {
        fc.pre(!isHttpUrl(url));
        const joined = new URL(joinUrl(base, url));
        expect([joined.origin, joined.username, joined.password]).toEqual([new URL(base).origin, "", ""]);
      }),
      { numRuns: 200 },
    );
  });

  it("R39: joins with every base that counts as an http URL", () => {
    const tail = fc.array(fc.constantFrom("/", "?", "#", " ", "\t", "\u0001", "a", ":", "@", ".", "%"), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(tail, (characters) => {
        const base = `http://app.example${characters.join("")}`;
        fc.pre(isHttpUrl(base));
        expect(new URL(joinUrl(base, "/guard")).origin).toBe(new URL(base).origin);
      }),
    );
  });

  it("R39: keeps the base path and adds the relative one after a single slash", () => {
    const segments = fc.array(fc.stringMatching(/^[a-z0-9_-]{1,5}$/), { maxLength: 4 }).map((parts) => parts.join("/"));
    const slashes = fc.constantFrom("", "/", "//");
    fc.assert(
      fc.property(segments, slashes, segments, fc.boolean(), (path, trailing, url, withSlash) => {
        const origin = "https://app.example:8443";
        const root = path === "" ? origin : `${origin}/${path}`;
        expect(joinUrl(`${root}${trailing}`, withSlash ? `/${url}` : url)).toBe(`${root}/${url}`);
      }),
    );
  });
});

it("a non-ASCII host is accepted however often it was checked", () => {
  for (let times = 0; times < 20_000; times += 1) {
    if (!isHttpUrl("http://b\u00fccher.example")) throw new Error(`refused at the ${times}th time`);
  }
});
