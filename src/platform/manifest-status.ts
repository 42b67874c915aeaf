import { answerWords } from "../app-client/answer-words.ts";
import type { Explanation } from "../app-client/explain-outcome.ts";
import { OWN_LOG } from "../app-client/explain-outcome.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { headerValue } from "../journal/exchange.ts";
import { redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isSignIn, joinUrl, parseUrl } from "../protocol/url.ts";

/** Where an app serves its manifest by default. */
export const MANIFEST_PATH = "/manifest.json";
/** The smallest valid manifest. */
export const LEAST_MANIFEST = '{"modules":{}}';
/** What to do if there is none. */
const SERVE_MANIFEST = `serve the manifest there, at least ${LEAST_MANIFEST}, or give it with --manifest FILE|URL`;

const SHOWN_CHARACTERS = 200;

/**
 * Explains why there is no manifest at an address that answers with a status other than 200.
 * @param app the address of the app
 */
export function explainManifestStatus(answer: Answer, url: string, app: string): Explanation {
  const { reason } = explainStatus(answer, { by: "none" });
  const { status, headers } = answer;
  if (status === 401 || status === 403) {
    return {
      reason,
      hint: `the platform fetches the manifest without a token: make ${pathOf(url)} accessible without a login`,
    };
  }
  if (status >= 300 && status < 400) return { reason, hint: redirectHint(url, headerValue(headers, "location")) };
  if (status < 500) return { reason, hint: noManifestHint(url, app) };
  const words = harmlessLine(redactText(answerWords(answer).trim(), []));
  const begins = words === "" ? "" : `; its answer says: ${clip(words, SHOWN_CHARACTERS)}`;
  return { reason, hint: `the handler of ${pathOf(url)} failed: ${OWN_LOG}${begins}` };
}

/**
 * What to do if something else is at the manifest's address: the app's address may include a path that it should not.
 */
export function noManifestHint(url: string, app: string): string {
  const [, before] = /^(.*)\/manifest\.json\/manifest\.json$/.exec(url) ?? [];
  if (before !== undefined) return `give the app's address without /manifest.json: --app ${before}`;
  const { origin } = new URL(app);
  const atRoot = joinUrl(origin, MANIFEST_PATH);
  if (url !== joinUrl(app, MANIFEST_PATH) || url === atRoot) return SERVE_MANIFEST;
  return `is the app's manifest at ${atRoot}? Then give its address without the path: --app ${origin}; otherwise ${SERVE_MANIFEST}`;
}

function redirectHint(url: string, location: string | undefined): string {
  const [from, to] = [parseUrl(url), location === undefined ? null : parseUrl(location, url)];
  if (from === null || to === null) return SERVE_MANIFEST;
  const there = clip(harmlessLine(redactText(to.href, [])), SHOWN_CHARACTERS);
  if (from.host === to.host && from.pathname === to.pathname && from.protocol !== to.protocol) {
    return `the app requires TLS: give its address with --app ${to.origin}`;
  }
  if (from.pathname.replace(/\/$/, "") === to.pathname.replace(/\/$/, "")) {
    return `the manifest is at another address: give it with --manifest ${there}, or serve it at ${pathOf(url)} directly`;
  }
  const ask = `does a login page protect it? Then make ${pathOf(url)} accessible without a login`;
  return isSignIn(to) ? ask : `${ask}; if the manifest is at the other address, give that with --manifest ${there}`;
}

function pathOf(url: string): string {
  return clip(harmlessLine(new URL(url).pathname), SHOWN_CHARACTERS);
}
