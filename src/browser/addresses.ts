import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isNoValue } from "../protocol/no-value.ts";
import { isSamePlace, isSignIn } from "../protocol/url.ts";

/** Whether an address is one of the platform, by any name of this machine under which it listens: 127.0.0.1 only. */
export function isPlatformAddress(platform: string, address: URL): boolean {
  return isSamePlace(address, new URL(platform)) && address.hostname !== "[::1]";
}

/** An address for people: without its query, which holds tokens and codes. */
export function addressText({ protocol, host, pathname }: URL): string {
  return clip(harmlessLine(`${protocol}${host === "" ? "" : `//${host}`}${pathname}`), 200);
}

/**
 * What is said of a page for users of the platform that redirects to what looks like the app's own sign-in page, which
 * they cannot pass; null: it does not.
 */
export function signInHint(asked: URL, end: URL): string | null {
  if (!isSamePlace(asked, end) || isSignIn(asked) || !isSignIn(end)) return null;
  return `GET ${addressText(asked)} led to ${addressText(end)}: where that is the app's own sign-in, leave the guard's page out of it`;
}

/**
 * What an address that should be the platform's shows of a setting that the app does not have: a word such as
 * `undefined` in it, or nothing of the platform but the path.
 * @param isOfApp whether the address is one of the app, with a path of the platform
 * @returns a hint, or null where nothing is shown
 */
export function missingSettingHint(address: URL, isOfApp: boolean, platform: string): string | null {
  const word = [address.hostname, ...address.pathname.split("/").map(decoded)].find(isNoValue);
  if (word === undefined && !isOfApp) return null;
  return notSetHint(word, "PLATFORM_AUTH_URL", platform);
}

/**
 * The same of what a page names where the platform's script or address should be, such as `undefined/host.js`.
 * @param text an address in full or in part, as in a Content-Security-Policy
 */
export function missingSdkHint(text: string, platform: string): string | null {
  const word = text.split("/").find(isNoValue);
  return word === undefined
    ? null
    : notSetHint(word, "PLATFORM_SDK_URL, PLATFORM_BASE_URL or PLATFORM_AUTH_URL", platform);
}

function notSetHint(word: string | undefined, setting: string, platform: string): string {
  const shown = word === undefined ? "nothing" : `"${harmlessLine(word)}"`;
  return `${shown} stands where the platform's address should: ${setting} is probably not set in the app's environment, and should be ${platform}; \`app-sim env\` prints all that the app needs, \`app-sim dev -- COMMAND\` starts it with that`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
