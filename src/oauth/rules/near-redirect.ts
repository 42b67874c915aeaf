import { isLoopback, parseUrl } from "../../protocol/url.ts";

/** A registered address that looks like the one that an app sends, but is another text. */
interface NearRedirect {
  readonly registered: string;
  /** What differs, as `the slash at the end of its path`. */
  readonly difference: string;
  /** When the address that the app sends is the right one of the two. */
  readonly isRightWhere: string;
}

interface Difference {
  readonly what: string;
  readonly isRightWhere: string;
}

/**
 * What to say of an address that is not registered: how it differs from one that nearly is it, and what to do.
 * @param registration how to register it
 */
export function unregisteredRedirect(redirectUri: string, registered: readonly string[], registration: string) {
  if (parseUrl(redirectUri) === null)
    return { difference: ", and is no whole address", hint: sendWhole(redirectUri, registered) };
  const near = nearRedirect(redirectUri, registered);
  const register = `register exactly this text: ${registration}`;
  if (near === null) return { difference: "", hint: register };
  return {
    difference: `; it differs from the registered ${near.registered} only by ${near.difference}`,
    hint: `where ${near.isRightWhere}, ${register}; otherwise let the app send ${near.registered}`,
  };
}

/** What to send in place of a path, or of a path behind a variable that is not set: no such text can be registered. */
function sendWhole(redirectUri: string, registered: readonly string[]): string {
  const meant = registered.find((text) => redirectUri.endsWith(parseUrl(text)?.pathname ?? text)) ?? registered[0];
  return `let the app send the whole address, ${meant ?? "such as http://127.0.0.1:3000/oauth/callback"}`;
}

/**
 * The registered address from which another differs only by the name of this machine or by a slash at the end of its
 * path, which are easily overlooked; null: there is none.
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

/** What two near addresses differ in; nothing where they are equal, or are not near. */
function differencesOf(sent: string, registered: string): Difference[] {
  const [one, other] = [partsOf(sent), partsOf(registered)];
  if (one === null || other === null) return [];
  if (one.scheme !== other.scheme || one.port !== other.port || one.query !== other.query) return [];
  const isOwnHost = one.host === other.host || (isLoopback(one.host) && isLoopback(other.host));
  const isOwnPath = [other.path, `${other.path}/`].includes(one.path) || other.path === `${one.path}/`;
  if (!isOwnHost || !isOwnPath) return [];
  return [
    ...(one.host === other.host
      ? []
      : [
          {
            what: `its host (${one.host} instead of ${other.host})`,
            isRightWhere: `the login begins at ${one.host} (its cookies go to no other host)`,
          },
        ]),
    ...(one.path === other.path
      ? []
      : [
          {
            what: "the slash at the end of its path",
            isRightWhere: `the app serves its callback ${one.path.length > other.path.length ? "with" : "without"} the slash`,
          },
        ]),
  ];
}

/** The parts of an address as they are written: a platform compares the text. */
function partsOf(text: string) {
  const parts = /^(https?:\/\/)(\[[\da-f:]+\]|[\w.-]+)(:\d+)?(\/[^?#]*)?(.*)$/.exec(text);
  if (parts === null) return null;
  const [, scheme, host = "", port, path = "", query] = parts;
  return { scheme, host, port, path, query };
}
