import { headerValue } from "../journal/exchange.ts";
import { redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { parseJson } from "../protocol/json.ts";
import { parseUrl } from "../protocol/url.ts";
import { textsIn } from "./answer-words.ts";
import { type Explanation, OWN_LOG } from "./explain-outcome.ts";
import { bodyLimitHint, bodyTypeHint, saysSlash, silentHandlerHint } from "./framework-hints.ts";
import type { Answer } from "./read-answer.ts";
import { badRequestHint, type CallFacts, ownFaultHint, refusalHint, silentFaultHint } from "./refusal-hints.ts";
import { signatureFaultHint } from "./signature-faults.ts";
import { ownPageHint } from "./verification-hints.ts";

const EXCERPT_CHARACTERS = 200;

/** The target of a redirect, safe to show and without credentials. */
function locationText(location: string): string {
  return clip(harmlessLine(redactText(location, [])), EXCERPT_CHARACTERS);
}

/** A longer body is a page. */
const OWN_WORDS_LIMIT_BYTES = 2000;

/** Messages of frameworks for a missing route, and those that say nothing at all. */
const routingWords =
  /^(error|fail(ed|ure)?|false|404|(404 )?(page |resource |url )?not[ _-]?found\.?|no (such )?(route|endpoint|page).*|cannot (get|post)\b.*|(the )?(route|path|url|requested|resource)\b.*not\b.*found.*|the requested (url|resource).*|no handler found.*|no static resource.*|https?:.*|about:blank|\/.*|\d{4}-\d\d-.*|)$/is;

/** The message of a 404, unless it is a router's for an unknown address; null if there is none. */
function ownWords(body: Uint8Array): string | null {
  if (body.length === 0 || body.length > OWN_WORDS_LIMIT_BYTES) return null;
  const text = Buffer.from(body).toString("utf8").trim();
  if (text.startsWith("<")) return null;
  const parsed = parseJson(body);
  const words = parsed.ok && typeof parsed.value === "object" ? textsIn(parsed.value) : [text];
  const own = words.find((each) => !routingWords.test(each.trim()));
  return own === undefined ? null : clip(harmlessLine(redactText(own.trim(), [])), EXCERPT_CHARACTERS);
}

/** Whether the app has no route for the call; its own handlers say more if something else is missing. */
export function isNoEndpoint({ status, body }: Answer): boolean {
  return status === 405 || (status === 404 && ownWords(body) === null);
}

/** Explains an unexpected status from the answer and what is known about the call. */
export function explainStatus(answer: Answer, facts: CallFacts): Explanation {
  const { status, headers, body } = answer;
  const explain = (reason: string, hint: string | null): Explanation => ({ reason, hint });
  const location = headerValue(headers, "location");
  if (status >= 300 && status < 400 && status !== 304) {
    const where = location === undefined ? "" : ` to ${locationText(location)}`;
    return explain(
      `the app answered ${status}, a redirect${where}, which app-sim never follows`,
      httpsHint(facts.url, location) ??
        slashHint(facts.url, location) ??
        (facts.verification && ownPageHint(facts.verification, parseUrl(location ?? "", facts.url))) ??
        "does a login page protect the module? Then exempt its route: the platform brings no session, only what authenticates this call. Or does the module's url differ from the route?",
    );
  }
  switch (status) {
    case 401:
      return explain("the app answered 401: it did not accept the call as authentic", refusalHint(answer, facts));
    case 403:
      return explain("the app answered 403: it refused the call", refusalHint(answer, facts));
    case 405:
      return explainMethod(answer, facts);
    case 404: {
      const said = ownWords(body);
      const compare = `compare ${namedIn(facts)} with the app's routes${methodText(facts)}`;
      // The app's own handler ran, and probably did not find something else.
      if (said !== null)
        return explain(
          `the app answered 404, in its own words: ${said}`,
          facts.refusedMeanwhile ?? `if that means the address, ${compare}`,
        );
      return explain(
        `the app answered ${status}: it has no such endpoint`,
        pathTwiceHint(facts.url) ?? `${compare}${otherSlash(facts.url)}${silentHandlerHint(answer)}`,
      );
    }
    case 413:
      return explain(
        "the app answered 413: the body is too large for it",
        bodyLimitHint(answer, facts.by === "signature"),
      );
    case 415:
      return explain(
        "the app answered 415: it does not accept the body's Content-Type or Content-Encoding",
        bodyTypeHint(facts.contentType ?? null),
      );
  }
  const reason = `the app answered ${status}`;
  if (status === 304)
    return explain(
      reason,
      "304 refers to a cached answer, but the platform caches none: answer 200 with a body each time",
    );
  if (status === 429) return explain(reason, LIMITED);
  if (status < 500) return explain(reason, badRequestHint(answer, facts));
  if (saysSlash(answer))
    return explain(reason, "its route ends in a slash: add the trailing slash to the module's url in the manifest");
  const own =
    facts.by === "signature"
      ? signatureFaultHint(answer, facts.tookBefore === "delivery")
      : silentFaultHint(answer, facts);
  const ownFault = (status === 500 ? own : null) ?? (isOfProxy(answer) ? OF_PROXY : OWN_LOG);
  return explain(reason, facts.refusedMeanwhile ?? ownFaultHint(answer, facts) ?? ownFault);
}

/** What specifies the address that was called. */
function namedIn({ by, tookBefore }: CallFacts): string {
  if (by === "page" || tookBefore === "page") return "the address that the app's page leads to";
  return `the module's ${tookBefore === "call" ? "options.url" : "url"} in the manifest`;
}

const LIMITED =
  "the app limits how often it is called: exempt its routes for the platform from that limit; `app-sim verify` calls them hundreds of times";

const OF_PROXY = `a proxy in front of the app sends this if it cannot reach the app: is the app running? If so, ${OWN_LOG}`;

/** Whether a proxy may have answered instead of the app, which may never have received the call. */
function isOfProxy({ status, body }: Answer): boolean {
  const says = Buffer.from(body.subarray(0, 2000)).toString("latin1");
  return (
    status === 502 ||
    status === 504 ||
    (status === 503 && /no healthy upstream|no server is available|upstream connect/i.test(says))
  );
}

function methodOf({ by, method }: Pick<CallFacts, "by" | "method">): string | null {
  return method ?? (by === "signature" || by === "body" ? "POST" : null);
}

/** Many frameworks answer 404 to a method that a route does not accept. */
function methodText(facts: CallFacts): string {
  const method = methodOf(facts);
  return method === null ? "" : ` for ${method}`;
}

/** Explains a 405: the app has the address, but not for this method. */
function explainMethod({ headers }: Answer, facts: CallFacts): Explanation {
  const called = methodOf(facts);
  const allowed = headerValue(headers, "allow") ?? "";
  const takes = allowed === "" ? "" : `; it accepts ${clip(harmlessLine(allowed), EXCERPT_CHARACTERS)}`;
  return {
    reason: `the app answered 405: it has the route, but does not accept ${called ?? "this method"} there${takes}`,
    hint: `add a handler for ${called ?? "the method"} to the route, or compare ${namedIn(facts)} with the app's routes`,
  };
}

/**
 * A hint if a redirect leads to the same place over TLS, which frameworks enforce in production; null if it leads
 * elsewhere.
 */
function httpsHint(url: string | undefined, location: string | undefined): string | null {
  const [from, to] = [parseUrl(url ?? ""), parseUrl(location ?? "", url)];
  if (from?.protocol !== "http:" || to?.protocol !== "https:") return null;
  if (from.hostname !== to.hostname || withoutSlash(from) !== withoutSlash(to)) return null;
  return "the app enforces HTTPS: turn that off for local runs (SECURE_SSL_REDIRECT in Django, force_ssl in Rails, UseHttpsRedirection in ASP.NET); if it speaks TLS itself, give that address with --app";
}

/** A hint if a redirect differs from the address only in a trailing slash; null if it leads elsewhere. */
function slashHint(url: string | undefined, location: string | undefined): string | null {
  if (url === undefined || location === undefined) return null;
  const [from, to] = [parseUrl(url), parseUrl(location, url)];
  if (from === null || to === null || from.pathname === to.pathname || withoutSlash(from) !== withoutSlash(to))
    return null;
  return `the route ${to.pathname.endsWith("/") ? "ends in a slash" : "has no trailing slash"}: write the module's url in the manifest the same way`;
}

function withoutSlash({ pathname }: URL): string {
  return pathname.replace(/\/$/, "");
}

/** A hint if an address that was not found begins with the same path twice; null if it does not. */
function pathTwiceHint(url: string | undefined): string | null {
  const [, path] = /^(\/.+?)\1(?=\/|$)/.exec(parseUrl(url ?? "")?.pathname ?? "") ?? [];
  if (path === undefined) return null;
  return `${clip(harmlessLine(path), 80)} occurs twice: the module's url is appended to the app's address. If that ends in the same path already, remove it from one of them`;
}

/** For an address that was not found: the same with or without the trailing slash, which may exist. */
function otherSlash(url: string | undefined): string {
  const path = url === undefined ? null : (parseUrl(url)?.pathname ?? null);
  if (path === null || path === "/") return "";
  const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
  return `; many routers distinguish ${clip(harmlessLine(path), 80)} from ${clip(harmlessLine(other), 80)}`;
}

/** Explains a status other than 200 for a file that an answer names (interface 2.4, stringsUrl and previewUrl). */
export function explainFileStatus({ status, headers }: Answer): Explanation {
  if (status === 404 || status === 410) {
    return { reason: `there is nothing (${status})`, hint: "was the file deleted too early, or is the path misspelt?" };
  }
  if (status >= 300 && status < 400) {
    const where = locationText(headerValue(headers, "location") ?? "nowhere");
    return {
      reason: `it redirects (${status} to ${where}), which app-sim does not follow`,
      hint: "give the address of the file itself",
    };
  }
  if (status === 401 || status === 403) {
    return {
      reason: `it is refused (${status})`,
      hint: "it is fetched without credentials: protect the file with an address that nobody can guess",
    };
  }
  return { reason: `it is answered with ${status}`, hint: status >= 500 ? OWN_LOG : null };
}
