import { isOpenToAll, type SetCookie } from "../browser/cookies.ts";

/** The value of a header Cookie; null: there are none to send. */
export function cookieHeader(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.size === 0 ? null : [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

/** What is wrong with how session cookies are set; null: nothing. */
export function sessionCookieFault(carriers: readonly SetCookie[]): string | null {
  const open = carriers.find(isOpenToAll);
  return (
    readableCookieFault(carriers) ??
    (open === undefined ? null : `the cookie ${open.name} is SameSite=None without Secure: browsers drop it`)
  );
}

/** Whether scripts can read session cookies; null: they cannot. */
export function readableCookieFault(carriers: readonly SetCookie[]): string | null {
  const readable = carriers.find(({ attributes }) => !attributes.includes("httponly"));
  return readable === undefined ? null : `the cookie ${readable.name} carries the session, but is not HttpOnly`;
}
