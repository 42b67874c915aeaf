/** `http:` or `https:` with a host, without credentials. */
export function isHttpUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:\/\/[^/]/i.test(text) && url.username === "" && url.password === "";
}

/** A URL, relative to a base if there is one; null if it is not valid. */
export function parseUrl(text: string, base?: string): URL | null {
  // In Node 20, URL.canParse rejects hosts such as bücher.example after many calls.
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** An address, or a path, without its query and fragment. */
export function withoutQuery(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? "";
}

/** The same origin, or the same port of this machine under another of its names: `localhost` is `127.0.0.1`. */
export function isSamePlace(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  return (
    one.protocol === other.protocol && one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname)
  );
}

/** Whether a host is this machine, under one of its names. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z\d-]+\.)*localhost)$/.test(hostname);
}

const signInPath = /(?:^|[/._-])(?:sign|log)[-_]?(?:in|on)(?:$|[/._-])|\/sessions?\/new\/?$|\/sso(?:$|\/)/i;

/** Whether an address looks like an app's sign-in page. */
export function isSignIn({ pathname }: URL): boolean {
  return signInPath.test(pathname);
}

/**
 * The address of a module: `{app_base_url}` followed by the module's relative URL (interface 2.1). The two are
 * concatenated as text, so a base path is kept and a leading `//` cannot lead to another host. An absolute http(s) URL
 * is used as it is.
 * @param base an http(s) URL; its query and fragment are dropped, as no path can follow them
 */
export function joinUrl(base: string, url: string): string {
  if (isHttpUrl(url)) return url;
  const slash = url.startsWith("/") || url.startsWith("?") ? "" : "/";
  const { origin, pathname } = new URL(base);
  return new URL(`${origin}${pathname.replace(/\/+$/, "")}${slash}${url}`).href;
}

/**
 * The parameters of a query string; null if it is not percent-encoded UTF-8.
 * @param search the part of an address from the question mark on, or ""
 */
export function readQuery(search: string): URLSearchParams | null {
  return percentDecoded(search) === null ? null : new URLSearchParams(search);
}

/** A percent-encoded text decoded; null: it is not valid. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
