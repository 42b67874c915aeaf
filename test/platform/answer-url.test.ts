import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forbiddenAddress, judgeAnswerUrl } from "../../src/platform/answer-url.ts";

const own = "http://127.0.0.1:3000";
const cdn = "https://cdn.example";

/** Spellings of an IPv4 address that a URL may have as its host. */
function hostSpellings(address: string): string[] {
  const parts = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (value: number) => `0${value.toString(8)}`;
  const hexadecimal = (value: number) => `0x${value.toString(16)}`;
  return [
    address,
    `${address}.`,
    String(number),
    octal(number),
    hexadecimal(number),
    hexadecimal(number).toUpperCase().replace("0X", "0x"),
    parts.map(octal).join("."),
    parts.map(hexadecimal).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${hexadecimal(a)}.${(b * 256 + c) * 256 + d}`,
    address.replaceAll(".", "。"),
    address.replace(/^\d/, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    `%3${address.charAt(0)}${address.slice(1)}`,
    ...ipv6Spellings(address).map((spelling) => `[${spelling}]`),
  ];
}

/** Spellings of an IPv4 address as an IPv6 one. */
function ipv6Spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const halves = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    `::ffff:${address}`,
    `::FFFF:${halves}`,
    `0:0:0:0:0:ffff:${halves}`,
    `0000:0000:0000:0000:0000:ffff:${address}`,
    `::ffff:0:${halves}`,
    `64:ff9b::${address}`,
    `2002:${halves}::1`,
  ];
}

const byte = fc.nat({ max: 255 });
const ipv4 = (first: fc.Arbitrary<string>, rest: number) =>
  fc.tuple(first, ...Array(rest).fill(byte)).map((parts) => parts.join("."));
const forbiddenIpv4 = fc.oneof(
  ipv4(fc.constant("169.254"), 2),
  ipv4(fc.constant("0"), 3),
  ipv4(fc.integer({ min: 224, max: 239 }).map(String), 3),
  fc.constantFrom("169.254.169.254", "100.100.100.200", "255.255.255.255"),
);
const allowedIpv4 = fc.oneof(
  ipv4(fc.constantFrom("127", "10", "172", "192", "8"), 3),
  fc.constantFrom("192.168.0.1", "169.253.169.254", "100.100.100.201"),
);
const group = fc.nat({ max: 0xffff }).map((value) => value.toString(16));
const forbiddenIpv6 = fc.oneof(
  fc.tuple(fc.integer({ min: 0xfe80, max: 0xfebf }), group, group).map(([a, b, c]) => `${a.toString(16)}:${b}::${c}`),
  fc.tuple(fc.integer({ min: 0xff00, max: 0xffff }), group).map(([a, b]) => `${a.toString(16)}::${b}`),
  fc.constantFrom("::", "0:0:0:0:0:0:0:0", "fd00:ec2::254", "fd00:0ec2:0:0:0:0:0:254"),
);

describe("S21: judgeAnswerUrl", () => {
  it.each([
    `${own}/strings.ndjson`,
    `${own}/a?b=c&token=%20#d`,
    "http://127.0.0.1:3000",
    "HTTP://127.1:3000/x",
    "https://cdn.example/x",
    "https://cdn.example:443/x",
    "https://CDN.example/x",
  ])("takes %s", (url) => {
    expect(judgeAnswerUrl(url, [own, cdn])).toEqual({ ok: true, url: new URL(url) });
  });

  it.each([
    ["undefined/files/1", /^has "undefined" in place of the app's own address/],
    ["http://undefined/files/1", /^has "undefined" in place/],
    ["null", /^has "null" in place/],
    ["None/files/1", /^has "None" in place/],
    ["$APP_URL/files/1", /^has "\$APP_URL" in place/],
    ["http://undefined.example/x", /^has the origin http:\/\/undefined\.example/],
    ["undefinedly/x", /^is not an absolute URL$/],
    ["", /^is not an absolute URL$/],
    ["/strings.ndjson", /^is not an absolute URL$/],
    ["//127.0.0.1:3000/x", /^is not an absolute URL$/],
    ["http:x", /^is not an absolute URL$/],
    ["http:/127.0.0.1:3000/x", /^is not an absolute URL$/],
    [" http://127.0.0.1:3000/x", /^is not an absolute URL$/],
    ["http://[fe80::1%25eth0]/", /^is not an absolute URL$/],
    ["file:///etc/passwd", /^begins with file:, which app-sim never fetches$/],
    ["ftp://127.0.0.1:3000/x", /^begins with ftp:/],
    ["data:application/json,{}", /^begins with data:/],
    ["javascript:alert(1)", /^begins with javascript:/],
    ["http://user:password@127.0.0.1:3000/x", /^contains a user name or a password$/],
    ["http://user@127.0.0.1:3000/x", /^contains a user name or a password$/],
    ["http://127.0.0.1:3001/x", /^has the origin http:\/\/127\.0\.0\.1:3001, which app-sim does not fetch from$/],
    ["https://127.0.0.1:3000/x", /^begins with https:\/\/127\.0\.0\.1:3000, but the app's own address here is http:/],
    ["http://127.0.0.1:7410/files/1", /^is an address of the platform itself/],
    ["http://localhost:3000/x", /^has the origin http:\/\/localhost:3000,/],
    ["http://cdn.example/x", /^has the origin http:\/\/cdn\.example,/],
    ["https://cdn.example.evil.example/x", /^has the origin/],
    ["https://cdn.example@evil.example/x", /^contains a user name/],
    ["https://cdn.ex\u0430mple/x", /^has the origin https:\/\/cdn\.xn--/],
  ])("refuses %j", (url, reason) => {
    const judged = judgeAnswerUrl(url, [own, cdn], "http://127.0.0.1:7410");
    expect(judged).toEqual({ ok: false, reason: expect.stringMatching(reason), hint: expect.any(String) });
    if (!judged.ok) expect(judged.reason + judged.hint).not.toContain("password@");
  });

  it("says how to allow another origin", () => {
    expect(judgeAnswerUrl("https://files.example/x", [own])).toMatchObject({
      hint: "allow it with --allow-origin https://files.example or in fileOrigins of the app's configuration",
    });
  });

  it("refuses a forbidden address in every spelling, even if its origin is allowed", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          forbiddenIpv4.map(hostSpellings),
          forbiddenIpv6.map((text) => [`[${text}]`]),
        ),
        (hosts) => {
          for (const host of hosts) {
            const url = new URL(`http://${host}:8080/x`);
            expect(judgeAnswerUrl(`http://${host}:8080/x`, [url.origin]), host).toEqual({
              ok: false,
              reason: expect.stringMatching(/^is not fetched: \S+ is an? /),
              hint: `give an absolute http(s) URL at the app's own origin, ${url.origin}`,
            });
          }
        },
      ),
    );
  });

  it("accepts any other address in every spelling", () => {
    fc.assert(
      fc.property(allowedIpv4.map(hostSpellings), (hosts) => {
        for (const host of hosts) {
          const { origin } = new URL(`http://${host}/`);
          expect(judgeAnswerUrl(`http://${host}/`, [origin]), host).toMatchObject({ ok: true });
        }
      }),
    );
  });

  it("accepts only http(s) at one of the origins, whatever the text", () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: "binary" }),
      fc.string().map((rest) => `${own}${rest}`),
    );
    fc.assert(
      fc.property(text, (url) => {
        const judged = judgeAnswerUrl(url, [own, cdn]);
        if (judged.ok) expect([own, cdn]).toContain(judged.url.origin);
        else expect(judged.reason).toMatch(/^[ -~]+$/);
      }),
    );
  });
});

describe("S21: forbiddenAddress", () => {
  it.each([
    ["169.254.169.254", "an address where clouds keep their credentials"],
    ["::ffff:169.254.169.254", "an address where clouds keep their credentials"],
    ["::a9fe:a9fe", "an address where clouds keep their credentials"],
    ["169.254.0.1", "a link-local address"],
    ["fe80::1%eth0", "a link-local address"],
    ["0.0.0.0", "an unspecified address"],
    ["::", "an unspecified address"],
    ["239.1.2.3", "a multicast or broadcast address"],
    ["ff02::1%2", "a multicast or broadcast address"],
  ])("%s is %s", (address, what) => {
    expect(forbiddenAddress(address)).toBe(`${address.replace(/%.*/, "")} is ${what}`);
  });

  it.each([
    "127.0.0.1",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "192.168.1.1",
    "fd00::1",
    "2001:db8::1",
    "8.8.8.8",
  ])("%s may hold a file", (address) => {
    expect(forbiddenAddress(address)).toBeNull();
  });

  it.each(["", "localhost", "169.254.169.254.evil.example", "[fe80::1]"])("%j is no address", (text) => {
    expect(forbiddenAddress(text)).toBeNull();
  });

  it("knows every spelling, even with a zone", () => {
    const zone = fc.constantFrom("", "%1", "%eth0");
    const ipv6 = fc.oneof(
      forbiddenIpv4.chain((text) => fc.constantFrom(...ipv6Spellings(text))),
      forbiddenIpv6,
    );
    fc.assert(
      fc.property(ipv6, zone, (address, name) => {
        expect(forbiddenAddress(address + name)).not.toBeNull();
      }),
      { numRuns: 150 },
    );
  });
});

it("for an address at another name of the app's machine, the error says which host the app has", () => {
  expect(judgeAnswerUrl("http://localhost:3000/f", ["http://127.0.0.1:3000"])).toEqual({
    ok: false,
    reason: "has the origin http://localhost:3000, but the app's origin here is http://127.0.0.1:3000",
    hint: "use that host in the answer: http://127.0.0.1:3000/f, or allow the other one with --allow-origin http://localhost:3000",
  });
});
