import type { IncomingMessage } from "node:http";

/**
 * The value of a cookie, "" if it is missing or there are several: all servers at this host share its cookies, whatever
 * their ports, and of two of one name it is not known which is ours.
 */
export function cookieOf(request: IncomingMessage, name: string): string {
  const cookies = (request.headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  const [value, ...others] = cookies.filter((cookie) => cookie.startsWith(`${name}=`));
  return value === undefined || others.length > 0 ? "" : value.slice(name.length + 1);
}

/**
 * The value of a Set-Cookie header. No script reads the cookie, and requests that other sites make carry it only when
 * they bring the user here, as the platform's redirect does. Behind https it would also have to be `Secure`.
 * @param maxAge seconds; without it the cookie lives as long as the browser runs
 */
export function setCookie(name: string, value: string, maxAge?: number): string {
  const lifetime = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${lifetime}`;
}
