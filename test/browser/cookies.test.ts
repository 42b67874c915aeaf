import { describe, expect, it } from "vitest";
import { expiredCookie, isGone, isOpenToAll, keptBack, readSetCookie } from "../../src/browser/cookies.ts";

const app = "http://127.0.0.1:3000";

describe("a cookie that a browser was given", () => {
  it("is read with its attributes, of which the last of a name counts", () => {
    expect(readSetCookie("sid=a=b; Path=/A; HttpOnly; Domain=.B.example; path=/C")).toEqual({
      name: "sid",
      value: "a=b",
      attributes: ["path=/a", "httponly", "domain=.b.example", "path=/c"],
      domain: "b.example",
      path: "/C",
    });
    expect(readSetCookie("sid=1; Path=login; Domain=")).toMatchObject({ domain: null, path: null });
  });

  it.each<[line: string, from: string, to: string, why: string | null]>([
    ["a=1; Path=/", `${app}/login`, `${app}/callback`, null],
    ["a=1", `${app}/login`, `${app}/oauth/callback`, null],
    ["a=1; Path=/oauth", `${app}/login`, `${app}/oauth`, null],
    ["a=1; Path=/oauth/", `${app}/login`, `${app}/oauth/callback`, null],
    ["a=1; Path=/login", `${app}/login`, `${app}/callback`, "has Path=/login, and /callback is not below it"],
    ["a=1; Path=/o", `${app}/login`, `${app}/oauth`, "has Path=/o, and /oauth is not below it"],
    ["a=1", `${app}/auth/login`, `${app}/cb`, "has no Path, so it is only for the addresses below /auth"],
    ["a=1; Path=/; Domain=127.0.0.1", `${app}/login`, `${app}/cb`, null],
    [
      "a=1; Path=/; Domain=example.com",
      `${app}/login`,
      `${app}/cb`,
      "has Domain=example.com, to which 127.0.0.1 does not belong",
    ],
    ["a=1; Path=/; Domain=a.test", "http://x.a.test/", "http://y.a.test/", null],
    ["a=1; Path=/; Domain=a.test", "http://x.a.test/", "http://b.test/", "is for a.test, not for b.test"],
    ["a=1; Path=/; Domain=0.0.1", `${app}/login`, `${app}/cb`, "has Domain=0.0.1, to which 127.0.0.1 does not belong"],
    ["a=1; Path=/", "http://localhost:3000/", `${app}/cb`, "is for localhost, not for 127.0.0.1"],
    ["a=1; Path=/", "http://127.0.0.1:1/", `${app}/cb`, null],
    // Browsers take this machine for safe.
    ["a=1; Path=/; Secure", `${app}/login`, `${app}/cb`, null],
    ["a=1; Path=/; Secure", "http://app.localhost/", "http://app.localhost/cb", null],
    ["a=1; Path=/; Secure", "https://a.test/", "https://a.test/cb", null],
    ["a=1; Path=/; Secure", "http://a.test/", "http://a.test/cb", "is Secure, and http://a.test is not https"],
    ["a=1; SameSite=None", `${app}/login`, `${app}/cb`, "is SameSite=None without Secure, and is not stored"],
    ["a=1; SameSite=None; Secure", `${app}/login`, `${app}/cb`, null],
    ["__Host-a=1; Path=/; Secure", `${app}/login`, `${app}/cb`, null],
    ["__Host-a=1; Secure", `${app}/login`, `${app}/cb`, null],
    ["__Host-a=1; Path=/", `${app}/login`, `${app}/cb`, "has no Secure, which its name requires, and is not stored"],
    ["__Secure-a=1; Path=/; Secure; Domain=127.0.0.1", `${app}/login`, `${app}/cb`, null],
    ["__secure-a=1", `${app}/login`, `${app}/cb`, "has no Secure, which its name requires, and is not stored"],
    [
      "__Host-a=1; Path=/oauth; Secure",
      `${app}/login`,
      `${app}/oauth`,
      "needs Path=/ and no Domain because of its name, and is not stored",
    ],
    [`a=${"1".repeat(4095)}; Path=/`, `${app}/login`, `${app}/cb`, null],
    [
      `a=${"1".repeat(4096)}; Path=/`,
      `${app}/login`,
      `${app}/cb`,
      "has 4,097 bytes, more than the 4,096 that browsers store",
    ],
  ])("%s from %s to %s: %s", (line, from, to, why) => {
    expect(keptBack(readSetCookie(line), new URL(from), new URL(to))).toBe(why);
  });

  it.each<[line: string, isSo: boolean]>([
    ["a=", false],
    ["a=1; Max-Age=0", true],
    ["a=1; Max-Age=-1", true],
    ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", true],
    ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", false],
    ["a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT", false],
    ["a=1; Expires=soon", false],
  ])("%s: expired immediately is %s", (line, isSo) => {
    expect(isGone(readSetCookie(line))).toBe(isSo);
  });

  it.each<[line: string, date: string, why: string | null]>([
    ["a=1; Max-Age=0", "", "the cookie a has Max-Age=0, which deletes it"],
    ["a=; Max-Age=0", "", null],
    ["a=deleted; Max-Age=0", "", null],
    ["a=1; Max-Age=1", "", null],
    [
      "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT",
      "Wed, 01 Jan 2031 00:00:01 GMT",
      "the cookie a has Expires=Wed, 01 Jan 2031 00:00:00 GMT, when it had already expired",
    ],
    ["a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT", "Tue, 31 Dec 2030 23:59:59 GMT", null],
    ["a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT", "", null],
  ])("%s in an answer of %s: %s", (line, date, why) => {
    const headers = [["Set-Cookie", line] as const, ...(date === "" ? [] : [["Date", date] as const])];
    expect(expiredCookie([{ response: { headers } } as never])).toBe(why);
  });

  it("is not stored if it is for all sites but not Secure", () => {
    const isOpen = (line: string) => isOpenToAll(readSetCookie(line));
    expect([isOpen("a=1; SameSite=None"), isOpen("a=1; SameSite=None; Secure"), isOpen("a=1")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
