import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isNoValue } from "../protocol/no-value.ts";
import { isSamePlace, isSignIn, percentDecoded } from "../protocol/url.ts";

/** Whether an address is the platform's, under any name of this machine that it listens on: 127.0.0.1 only. */
export function isPlatformAddress(platform: string, address: URL): boolean {
  return isSamePlace(address, new URL(platform)) && address.hostname !== "[::1]";
}

/** An address for messages: without its query string, which may contain tokens and codes. */
export function addressText({ protocol, host, pathname }: URL): string {
  return clip(harmlessLine(`${protocol}${host === "" ? "" : `//${host}`}${pathname}`), 200);
}

/**
 * A hint for a page that redirects users of the platform to what looks like the app's own sign-in page, which they
 * cannot pass; null if it does not.
 */
export function signInHint(asked: URL, end: URL): string | null {
  if (!isSamePlace(asked, end) || isSignIn(asked) || !isSignIn(end)) return null;
  return `GET ${addressText(asked)} led to ${addressText(end)}: if that is the app's own sign-in, make the guard's page accessible without it`;
}

/**
 * Whether an address that should be the platform's shows that the app lacks a setting: it contains a word such as
 * `undefined`, or only the path is the platform's.
 * @param isOfApp whether the address is the app's, with a path of the platform
 * @returns a hint, or null if it does not
 */
export function missingSettingHint(address: URL, isOfApp: boolean, platform: string): string | null {
  const word = [address.hostname, ...address.pathname.split("/").map((part) => percentDecoded(part) ?? part)].find(
    isNoValue,
  );
  if (word === undefined && !isOfApp) return null;
  return notSetHint(word, "PLATFORM_AUTH_URL", platform);
}

/**
 * The same for what a page has in place of the platform's script or address, such as `undefined/host.js`.
 * @param text an address in full or in part, as in a Content-Security-Policy
 */
export function missingSdkHint(text: string, platform: string): string | null {
  const word = text.split("/").find(isNoValue);
  return word === undefined
    ? null
    : notSetHint(word, "PLATFORM_SDK_URL, PLATFORM_BASE_URL or PLATFORM_AUTH_URL", platform);
}

function notSetHint(word: string | undefined, setting: string, platform: string): string {
  const shown = word === undefined ? "the app's own address" : `"${harmlessLine(word)}"`;
  return `there is ${shown} in place of the platform's address: ${setting} is probably not set in the app's environment, and should be ${platform}; \`app-sim env\` prints everything that the app needs, \`app-sim dev -- COMMAND\` starts it that way`;
}
