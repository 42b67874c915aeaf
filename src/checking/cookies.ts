import { type HeaderLines, headerValue } from "../journal/exchange.ts";

/** A cookie as an answer sets it. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** In lower case, such as `httponly` and `samesite=lax`. */
  readonly attributes: readonly string[];
}

/** Reads the value of a header Set-Cookie. */
export function readSetCookie(line: string): SetCookie {
  const [pair = "", ...attributes] = line.split(";");
  const [name = "", ...value] = pair.split("=");
  return {
    name: name.trim(),
    value: value.join("=").trim(),
    attributes: attributes.map((attribute) => attribute.trim().toLowerCase()),
  };
}

/** The cookies that a request sends, by their names. */
export function sentCookies(headers: HeaderLines): Map<string, string> {
  const pairs = (headerValue(headers, "cookie") ?? "").split(/; */).filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name, value.join("=")];
    }),
  );
}

/** The value of a header Cookie; null: there are none to send. */
export function cookieHeader(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.size === 0 ? null : [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** What is wrong with how cookies are set of which each carries a session; null: nothing. */
export function sessionCookieFault(carriers: readonly SetCookie[]): string | null {
  const readable = carriers.find(({ attributes }) => !attributes.includes("httponly"));
  if (readable !== undefined) return `the cookie ${readable.name} carries the session, but is not HttpOnly`;
  const open = carriers.find(
    ({ attributes }) => attributes.includes("samesite=none") && !attributes.includes("secure"),
  );
  return open === undefined ? null : `the cookie ${open.name} is SameSite=None without Secure: browsers drop it`;
}
