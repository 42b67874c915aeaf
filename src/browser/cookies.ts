import { type Exchange, type HeaderLines, headerValue, headerValues } from "../journal/exchange.ts";
import { isLoopback } from "../protocol/url.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** A cookie as set by an answer. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** In lower case, such as `httponly` and `samesite=lax`. */
  readonly attributes: readonly string[];
  /** The Domain attribute in lower case, without a leading dot; null if there is none. */
  readonly domain: string | null;
  /** The Path attribute; null if there is none, or it is not a path. */
  readonly path: string | null;
}

/** Parses the value of a Set-Cookie header. */
export function readSetCookie(line: string): SetCookie {
  const [pair = "", ...rest] = line.split(";");
  const [name = "", ...value] = pair.split("=");
  const attributes = rest.map((attribute) => attribute.trim());
  const path = attributeOf(attributes, "path");
  return {
    name: name.trim(),
    value: value.join("=").trim(),
    attributes: attributes.map((attribute) => attribute.toLowerCase()),
    domain: attributeOf(attributes, "domain").toLowerCase().replace(/^\./, "") || null,
    path: path.startsWith("/") ? path : null,
  };
}

/** The value of an attribute, of which the last one counts; "" if there is none. */
function attributeOf(attributes: readonly string[], name: string): string {
  return attributes.findLast((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** The cookies that a request sends, by name. */
export function sentCookies(headers: HeaderLines): Map<string, string> {
  const pairs = (headerValue(headers, "cookie") ?? "").split(/; */).filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name, value.join("=")];
    }),
  );
}

/** The cookies that an answer sets, in order. */
export function cookiesIn({ response }: { readonly response: { readonly headers: HeaderLines } | null }): SetCookie[] {
  return headerValues(response?.headers ?? [], "set-cookie").map(readSetCookie);
}

/** Whether a cookie is gone as soon as it is set: an answer deletes it so, or does so by mistake. */
export function isGone(cookie: SetCookie, answer: Exchange | null = null): boolean {
  return whyGone(cookie, answer) !== null;
}

/** Why a cookie is gone as soon as an answer sets it, as the rest of a sentence; null if it is not. */
export function whyGone({ attributes }: SetCookie, answer: Exchange | null): string | null {
  const maxAge = attributeOf(attributes, "max-age");
  if (maxAge !== "") return Number.parseInt(maxAge, 10) <= 0 ? `has Max-Age=${maxAge}, which deletes it` : null;
  const expires = Date.parse(attributeOf(attributes, "expires"));
  return expires <= setAt(answer)
    ? `has Expires=${new Date(expires).toUTCString()}, when it had already expired`
    : null;
}

/** How long browsers keep a cookie after this answer, in seconds; null: until they are closed. */
export function lifetimeOf({ attributes }: Pick<SetCookie, "attributes">, answer: Exchange): number | null {
  const maxAge = Number.parseInt(attributeOf(attributes, "max-age"), 10);
  if (!Number.isNaN(maxAge)) return maxAge;
  const expires = Date.parse(attributeOf(attributes, "expires"));
  return Number.isNaN(expires) ? null : (expires - setAt(answer)) / 1000;
}

/**
 * When an answer was made, by the app's own clock, from which browsers count: the platform's may have been moved.
 * Without it, only a time long ago counts as expired.
 */
function setAt(answer: Exchange | null): number {
  const date = Date.parse(headerValue(answer?.response?.headers ?? [], "date") ?? "");
  return Number.isNaN(date) ? LONG_AGO : date;
}

const LONG_AGO = Date.UTC(2000);

/** Whether browsers reject a cookie because every site would get it, even over plain connections (RFC 6265bis, 5.7). */
export function isOpenToAll({ attributes }: Pick<SetCookie, "attributes">): boolean {
  return attributes.includes("samesite=none") && !attributes.includes("secure");
}

/** Bytes of a cookie's name and value together; browsers do not store more (RFC 6265bis, 5.6). */
const MOST_COOKIE_BYTES = 4096;

/** Why browsers do not store a cookie, as the rest of a sentence that begins with the cookie; null if they do. */
export function whyNotStored(cookie: Pick<SetCookie, "name" | "value" | "attributes">): string | null {
  if (isOpenToAll(cookie)) return "is SameSite=None without Secure, and is not stored";
  const bytes = Buffer.byteLength(cookie.name + cookie.value);
  if (bytes <= MOST_COOKIE_BYTES) return null;
  return `has ${withCommas(bytes)} bytes, more than the ${withCommas(MOST_COOKIE_BYTES)} that browsers store`;
}

/** Whether browsers withhold a cookie on requests from another site. */
export function isStrict({ attributes }: SetCookie): boolean {
  return attributes.includes("samesite=strict");
}

/**
 * Why a browser that gets a cookie from one address does not send it to another (RFC 6265bis, 5.7 and 5.8.3), as the
 * rest of a sentence that begins with the cookie; null if it does, as far as host, path and transport are concerned.
 */
export function keptBack(cookie: SetCookie, from: URL, to: URL): string | null {
  const { name, domain, path, attributes } = cookie;
  const notStored = whyNotStored(cookie);
  if (notStored !== null) return notStored;
  if (/^__(Host|Secure)-/i.test(name) && !attributes.includes("secure"))
    return "has no Secure, which its name requires, and is not stored";
  if (/^__Host-/i.test(name) && (domain !== null || (path ?? defaultPath(from)) !== "/"))
    return "needs Path=/ and no Domain because of its name, and is not stored";
  if (domain !== null && !isBelow(from.hostname, domain))
    return `has Domain=${domain}, to which ${from.hostname} does not belong`;
  if (domain !== null && !isBelow(to.hostname, domain)) return `is for ${domain}, not for ${to.hostname}`;
  if (domain === null && from.hostname !== to.hostname) return `is for ${from.hostname}, not for ${to.hostname}`;
  const plain = [from, to].find((url) => url.protocol === "http:" && !isLoopback(url.hostname));
  if (attributes.includes("secure") && plain !== undefined) return `is Secure, and ${plain.origin} is not https`;
  const own = path ?? defaultPath(from);
  if (isOnPath(to.pathname, own)) return null;
  return path === null
    ? `has no Path, so it is only for the addresses below ${own}`
    : `has Path=${own}, and ${to.pathname} is not below it`;
}

function isBelow(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host));
}

/** The default path of a cookie (RFC 6265, 5.1.4). */
function defaultPath({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf("/")) || "/";
}

function isOnPath(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** The cookies that a browser receives and stores. */
export function keptCookies(own: readonly Exchange[]): SetCookie[] {
  return own.flatMap((answer) => cookiesIn(answer).filter((cookie) => !isGone(cookie, answer)));
}

/** The cookies that a browser has after these answers, each as it was last set. */
export function currentCookies(own: readonly Exchange[]): SetCookie[] {
  const set = own.flatMap((answer) => cookiesIn(answer).map((cookie) => ({ cookie, answer })));
  const newest = new Map(set.map((each) => [each.cookie.name, each] as const));
  return [...newest.values()].filter(({ cookie, answer }) => !isGone(cookie, answer)).map(({ cookie }) => cookie);
}

/** Why no cookie of these answers reaches an address, for a hint; null if one does, or none was set. */
export function lostCookie(own: readonly Exchange[], to: URL): string | null {
  const ways = own.flatMap((answer) =>
    keptCookies([answer]).map((cookie) => ({
      name: cookie.name,
      why: keptBack(cookie, new URL(answer.request.url), to),
    })),
  );
  const [lost] = ways;
  if (lost === undefined || ways.some(({ why }) => why === null)) return null;
  return `the cookie ${lost.name} ${lost.why}`;
}

/** What is wrong with the first cookie that has a value, but is gone as soon as it is set; null if there is none. */
export function expiredCookie(own: readonly Exchange[]): string | null {
  const [gone] = own.flatMap((answer) =>
    // One that is deleted on purpose is empty; PHP writes "deleted".
    cookiesIn(answer).flatMap(({ value, ...cookie }) => {
      const why = value === "" || value === "deleted" ? null : whyGone({ value, ...cookie }, answer);
      return why === null ? [] : [`the cookie ${cookie.name} ${why}`];
    }),
  );
  return gone ?? null;
}
