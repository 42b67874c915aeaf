import type { Explanation } from "../../app-client/explain-outcome.ts";
import { missingSdkHint } from "../../browser/addresses.ts";
import { allowsAddress, readPolicies, sourcesFor } from "../../browser/content-policy.ts";
import { type HeaderLines, headerValues } from "../../journal/exchange.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { parseUrl } from "../../protocol/url.ts";

/** Policies may be long. */
const POLICY_CHARACTERS = 200;

/** Whether the page lets the platform show it in a frame; `frame-ancestors` takes precedence over X-Frame-Options. */
export function judgeFraming(
  { url, headers }: { readonly url: URL; readonly headers: HeaderLines },
  platform: URL,
): Explanation[] {
  const ancestors = headerValues(headers, "content-security-policy")
    .flatMap(readPolicies)
    .flatMap((policy) => {
      const sources = sourcesFor(policy, "frame-ancestors");
      return sources === null ? [] : [sources];
    });
  const refusal = ancestors.find((sources) => !allowsAddress(sources, platform, url));
  if (refusal !== undefined) {
    const shown = clip(harmlessLine(["frame-ancestors", ...refusal].join(" ")), POLICY_CHARACTERS);
    return [
      {
        reason: `the page refuses to be framed by ${platform.origin}: its policy is ${shown}`,
        hint: otherPlatformHint(refusal, url, platform, "PLATFORM_AUTH_URL") ?? letPlatformIn(platform),
      },
    ];
  }
  const options = headerValues(headers, "x-frame-options").flatMap((line) =>
    line.split(",").map((value) => value.trim()),
  );
  const option = options.find(
    (value) => /^deny$/i.test(value) || (/^sameorigin$/i.test(value) && url.origin !== platform.origin),
  );
  return option === undefined || ancestors.length > 0
    ? []
    : [
        {
          reason: `the page refuses to be framed: X-Frame-Options is ${option}`,
          hint: withoutFrameOptions(platform),
        },
      ];
}

/** How to fix a page that X-Frame-Options keeps out of the platform's frame. */
export function withoutFrameOptions(platform: URL): string {
  return `leave X-Frame-Options out and ${letPlatformIn(platform)}`;
}

function letPlatformIn({ origin }: URL): string {
  return `let the platform in: Content-Security-Policy: frame-ancestors ${origin} (PLATFORM_AUTH_URL of \`app-sim env\`)`;
}

/**
 * What a policy without the platform reveals about the app's settings: a word such as `undefined`, or the address of
 * what may be another platform; null: neither.
 * @param setting the variable of the app's environment that most likely holds the address
 */
export function otherPlatformHint(
  sources: readonly string[],
  page: URL,
  platform: URL,
  setting: string,
): string | null {
  // The word none may be the keyword 'none' without its quotes.
  const named = sources.filter((source) => source !== "none");
  const missing = named.map((source) => missingSdkHint(source, platform.origin)).find((each) => each !== null);
  if (missing !== undefined) return missing;
  const isOther = named.some((source) => {
    const address = /^https?:\/\//i.test(source) ? parseUrl(source) : null;
    return address !== null && address.origin !== page.origin && address.origin !== platform.origin;
  });
  return isOther ? givenHint(setting, platform) : null;
}

/** How to fix an app that has the address of another platform. */
export function givenHint(setting: string, platform: URL): string {
  return `the platform is ${platform.origin} here: give the app the ${setting} that \`app-sim env\` prints; \`app-sim dev -- COMMAND\` starts it with that`;
}
