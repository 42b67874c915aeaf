/** `http:` or `https:` with a host, without credentials. */
export function isHttpUrl(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:\/\/[^/]/i.test(text) && url.username === "" && url.password === "";
}

/** A URL, relative to a base if there is one; null for what is none. */
export function parseUrl(text: string, base?: string): URL | null {
  // URL.canParse of Node 20 says no to every host such as bücher.example, once it was called often.
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

/** The same origin, or the same port of this machine by another of its names: `localhost` is `127.0.0.1`. */
export function isSamePlace(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  return (
    one.protocol === other.protocol && one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname)
  );
}

/** Whether a host is this machine, by one of its names. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z\d-]+\.)*localhost)$/.test(hostname);
}

const signInPath = /(?:^|[/._-])(?:sign|log)[-_]?(?:in|on)(?:$|[/._-])|\/sessions?\/new\/?$|\/sso(?:$|\/)/i;

/** Whether an address is what apps call the page on which their users sign in. */
export function isSignIn({ pathname }: URL): boolean {
  return signInPath.test(pathname);
}

/**
 * The address of a module: `{app_base_url}` followed by the module's relative URL (interface 2.1). The two
 * are put together as text, so a base path is kept and a leading `//` cannot lead to another host. An
 * absolute http(s) URL stands for itself.
 * @param base an http(s) URL; its query and fragment, which cannot be followed by a path, are left out
 */
export function joinUrl(base: string, url: string): string {
  if (isHttpUrl(url)) return url;
  const slash = url.startsWith("/") || url.startsWith("?") ? "" : "/";
  const { origin, pathname } = new URL(base);
  return new URL(`${origin}${pathname.replace(/\/+$/, "")}${slash}${url}`).href;
}

/**
 * The parameters of a query; null where it is not percent-encoded UTF-8.
 * @param search the part of an address from the question mark on, or ""
 */
export function readQuery(search: string): URLSearchParams | null {
  try {
    decodeURIComponent(search);
  } catch {
    return null;
  }
  return new URLSearchParams(search);
}
