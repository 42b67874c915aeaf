import { isLoopback, parseUrl } from "../../protocol/url.ts";

/** A registered address that resembles the one that an app sends, but is a different text. */
interface NearRedirect {
  readonly registered: string;
  /** What differs, such as `the trailing slash of its path`. */
  readonly difference: string;
  /** The condition under which the app's address is the right one. */
  readonly isRightWhere: string;
}

interface Difference {
  readonly what: string;
  readonly isRightWhere: string;
}

/**
 * The message for an address that is not registered: how it differs from a similar one, and what to do.
 * @param registration how to register it
 */
export function unregisteredRedirect(redirectUri: string, registered: readonly string[], registration: string) {
  if (parseUrl(redirectUri) === null)
    return { difference: ", and is not a full URL", hint: sendWhole(redirectUri, registered) };
  const near = nearRedirect(redirectUri, registered);
  const register = `register exactly this text: ${registration}`;
  if (near === null) return { difference: "", hint: register };
  return {
    difference: `; it differs from the registered ${near.registered} only by ${near.difference}`,
    hint: `if ${near.isRightWhere}, ${register}; otherwise let the app send ${near.registered}`,
  };
}

/** What to send instead of a bare path, or a path after an unset variable: neither can be registered. */
function sendWhole(redirectUri: string, registered: readonly string[]): string {
  const meant = registered.find((text) => redirectUri.endsWith(parseUrl(text)?.pathname ?? text)) ?? registered[0];
  return `let the app send the full URL, ${meant ?? "such as http://127.0.0.1:3000/oauth/callback"}`;
}

/**
 * The registered address that differs only in its scheme, the host name of this machine, the case of its path, a
 * trailing slash or its query, which are easily overlooked; null: there is none.
 */
function nearRedirect(redirectUri: string, registered: readonly string[]): NearRedirect | null {
  const [nearest] = registered
    .map((text) => ({ text, differences: differencesOf(redirectUri, text) }))
    .filter(({ differences }) => differences.length > 0)
    .sort((one, other) => one.differences.length - other.differences.length);
  if (nearest === undefined) return null;
  const { text, differences } = nearest;
  return {
    registered: text,
    difference: differences.map(({ what }) => what).join(" and "),
    isRightWhere: differences.map(({ isRightWhere }) => isRightWhere).join(" and "),
  };
}

/** How two similar addresses differ; empty if they are equal, or not similar. */
function differencesOf(sent: string, registered: string): Difference[] {
  const [one, other] = [partsOf(sent), partsOf(registered)];
  if (one === null || other === null || one.port !== other.port) return [];
  const isOwnHost = one.host === other.host || (isLoopback(one.host) && isLoopback(other.host));
  const [onePath, otherPath] = [one, other].map(({ path }) => path.replace(/\/$/, ""));
  if (!isOwnHost || onePath?.toLowerCase() !== otherPath?.toLowerCase()) return [];
  const differences: (Difference | false)[] = [
    one.scheme !== other.scheme && {
      what: `its scheme (${one.scheme} instead of ${other.scheme})`,
      isRightWhere: `the app is served over ${one.scheme} there`,
    },
    one.host !== other.host && {
      what: `its host (${one.host} instead of ${other.host})`,
      isRightWhere: `the login starts at ${one.host} (its cookies are sent to no other host)`,
    },
    onePath !== otherPath && {
      what: "the case of its path",
      isRightWhere: `the app serves its callback at ${one.path}`,
    },
    one.path.endsWith("/") !== other.path.endsWith("/") && {
      what: "the trailing slash of its path",
      isRightWhere: `the app serves its callback ${one.path.length > other.path.length ? "with" : "without"} the slash`,
    },
    one.query !== other.query && {
      what: "its query",
      isRightWhere: `the app needs ${one.query === "" ? "no query" : "that query"} at its callback`,
    },
  ];
  return differences.filter((each) => each !== false);
}

/** The parts of an address as written: a platform compares the text. */
function partsOf(text: string) {
  const parts = /^(https?):\/\/(\[[\da-f:]+\]|[\w.-]+)(:\d+)?(\/[^?#]*)?(.*)$/.exec(text);
  if (parts === null) return null;
  const [, scheme = "", host = "", port, path = "", query = ""] = parts;
  return { scheme, host, port, path, query };
}
