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
  const end = pair.indexOf("=");
  return {
    name: pair.slice(0, end).trim(),
    value: pair.slice(end + 1).trim(),
    attributes: attributes.map((attribute) => attribute.trim().toLowerCase()),
  };
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
