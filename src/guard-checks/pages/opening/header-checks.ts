import { allowsAddress, type ContentPolicy, readPolicies, sourcesFor } from "../../../browser/content-policy.ts";
import { cookiesIn } from "../../../browser/cookies.ts";
import type { HtmlPage } from "../../../browser/html-page.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { type HeaderLines, headerValues } from "../../../journal/exchange.ts";
import { isSamePlace } from "../../../protocol/url.ts";
import { pageOf } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";
import { openedPageCheck, type PagePlatform } from "./opened-page.ts";

/** Caches do not keep the page. */
export const storeCheck = openedPageCheck(
  {
    id: "page.headers.no-store",
    title: "The page is not stored by caches",
    section: "RFC 9111, 5.2.2.5",
    severity: "should",
    why: "The page's URL has a token, and the page is for one user. A cache that stores it shows it to the next user.",
    fix: "Send Cache-Control: no-store with the page.",
  },
  ({ headers }) => {
    const control = headerValues(headers, "cache-control").join(",").toLowerCase();
    return /(^|[\s,])no-store(?=$|[\s,])/.test(control) ? null : "its Cache-Control does not say no-store";
  },
);

/** Other sites do not learn its URL. */
export const referrerCheck: TrialCheck<OpenPageTools> = openedPageCheck(
  {
    id: "page.headers.no-referrer",
    title: "The page does not reveal its URL to other sites",
    section: "5.1",
    severity: "should",
    why: "The page's URL has a token. Without a strict Referrer-Policy, some browsers send that URL as the Referer to everything that the page loads or links to.",
    fix: "Send Referrer-Policy: same-origin with the page. With no-referrer, browsers send its forms with Origin: null, which the CSRF checks of Django and others refuse.",
  },
  (_, landing) => {
    if (!new URL(landing.request.url).searchParams.has("jwtToken")) return null;
    const policy = pageOf(landing)?.referrerPolicy ?? "";
    if (hiding.has(policy)) return null;
    return policy === "" ? "it has no Referrer-Policy" : `its Referrer-Policy is ${policy}`;
  },
);

/** No cookie that the page sets hands its token to scripts. */
export const tokenCookieCheck: TrialCheck<OpenPageTools> = openedPageCheck(
  {
    id: "page.headers.token-cookie",
    title: "No cookie that scripts can read holds the token of the page",
    section: "5.1",
    severity: "should",
    why: "A cookie outlives the page. Any script on the app's site can then send the token to somebody who passes the page in the user's place.",
    fix: "Carry the token in a hidden field of the form, or set the cookie with HttpOnly.",
  },
  (_, landing) => {
    const token = new URL(landing.request.url).searchParams.get("jwtToken") ?? "";
    const holders = cookiesIn(landing).filter(({ value }) => token !== "" && value.includes(token));
    const readable = holders.find(({ attributes }) => !attributes.includes("httponly"));
    return readable === undefined ? null : `the cookie ${readable.name} holds it, and is not HttpOnly`;
  },
);

const hiding: ReadonlySet<string> = new Set([
  "no-referrer",
  "same-origin",
  "origin",
  "strict-origin",
  "origin-when-cross-origin",
  "strict-origin-when-cross-origin",
]);

/** The sources of each policy of an answer that restricts which sites may frame it. */
function frameAncestors(headers: HeaderLines): (readonly string[])[] {
  return headerValues(headers, "content-security-policy")
    .flatMap(readPolicies)
    .flatMap((policy) => {
      const sources = sourcesFor(policy, "frame-ancestors");
      return sources === null ? [] : [sources];
    });
}

/** Whether a page may be framed by anybody at all. */
function isOpenToAll(headers: HeaderLines): boolean {
  const ancestors = frameAncestors(headers);
  if (ancestors.length > 0)
    return ancestors.every((sources) => sources.some((source) => /^((https?:\/\/)?\*(:\*)?|https?:)$/i.test(source)));
  return !headerValues(headers, "x-frame-options").some((value) => /^\s*(deny|sameorigin)\s*$/i.test(value));
}

/** The page of a redirect guard is never shown in a frame. */
export const redirectFramingCheck = openedPageCheck(
  {
    id: "page.headers.not-framed",
    title: "The page of a redirect guard cannot be framed by other sites",
    section: "RFC 7034, 2.1",
    severity: "should",
    why: "A site that shows the page in an invisible frame can trick the user into pressing its buttons. This page should never be in a frame.",
    fix: "Send Content-Security-Policy: frame-ancestors 'none' with the page.",
  },
  ({ headers }) => (isOpenToAll(headers) ? "any site may show it in a frame" : null),
);

const frameOnlyCheck = openedPageCheck(
  {
    id: "page.frame.platform-only",
    title: "The page of a frame guard can be framed only by the platform",
    section: "4.2",
    severity: "should",
    why: "A site that shows the page in an invisible frame can trick the user into pressing its buttons. Only the platform has a reason to show it.",
    fix: "Send Content-Security-Policy: frame-ancestors {auth_url} with the page.",
  },
  ({ headers }) => (isOpenToAll(headers) ? "any site may show it in a frame" : null),
);

/** The checks that the page of a frame guard can work in the frame (interface 4.2). */
export function framingChecks({ url }: PagePlatform): readonly TrialCheck<OpenPageTools>[] {
  return [
    frameOnlyCheck,
    openedPageCheck(
      {
        id: "page.frame.embeddable",
        title: "The platform can show the page of a frame guard in its frame",
        section: "4.2",
        severity: "must",
        why: "The platform loads the page in a frame. If the page refuses to be framed, the user sees an empty box.",
        fix: "Omit X-Frame-Options, and list the platform's address in Content-Security-Policy: frame-ancestors.",
      },
      ({ headers }, { request }) => {
        const platform = new URL(url);
        const refusing = frameAncestors(headers).find(
          (sources) => !allowsAddress(sources, platform, new URL(request.url)),
        );
        if (refusing !== undefined) return "its frame-ancestors do not list the platform";
        if (frameAncestors(headers).length > 0) return null;
        return isOpenToAll(headers) || new URL(request.url).origin === platform.origin
          ? null
          : "its X-Frame-Options forbid framing by another site";
      },
    ),
    openedPageCheck(
      {
        id: "page.frame.scripts-allowed",
        title: "The page of a frame guard lets the platform's script run",
        section: "4.2",
        severity: "must",
        why: "The page reports with the platform's host.js. A policy that blocks it locks every user out.",
        fix: "List {sdk_url}/host.js in script-src of the page's Content-Security-Policy, and omit `sandbox`.",
      },
      (_, landing) => {
        const page = pageOf(landing);
        return !asksFirst(page) &&
          page?.policies.some((policy) => forbidsScript(policy, new URL(url), new URL(landing.request.url)))
          ? "its Content-Security-Policy forbids host.js"
          : null;
      },
    ),
    openedPageCheck(
      {
        id: "page.frame.sdk",
        title: "The page of a frame guard loads host.js from the platform",
        section: "4.2",
        severity: "must",
        why: "A page without host.js cannot report its outcome. The user waits forever.",
        fix: "Put <script src={sdk_url}/host.js></script> into the page, before the script that calls AP.verifyAuth.",
      },
      (_, landing) => {
        const page = pageOf(landing);
        if (page === null) return "the answer has no page";
        const named = page.scripts.filter((src) => /\/host\.js$/.test(new URL(src).pathname));
        const platform = new URL(url);
        if (named.some((src) => isSamePlace(new URL(src), platform))) return null;
        if (named.length > 0) return "it loads host.js from elsewhere";
        // A script of the page may load it: that is judged in a browser.
        const others = page.scripts.length > 0 || page.inlineScripts.length > 0;
        if (asksFirst(page)) return null;
        const [reports, loads] = [/AP\s*\.\s*verifyAuth/, /\bhost\.js\b/].map((words) =>
          page.inlineScripts.some((code) => words.test(code)),
        );
        return others && (loads || !reports) ? null : "it does not load it";
      },
    ),
  ];
}

/** Whether a page only has a form without scripts, and leaves the report to the next page. */
function asksFirst(page: HtmlPage | null): boolean {
  return page?.hasScripts === false && page.forms.some(({ action }) => action !== null);
}

function forbidsScript(policy: ContentPolicy, platform: URL, self: URL): boolean {
  const sandbox = policy.get("sandbox");
  if (sandbox !== undefined && !["allow-scripts", "allow-same-origin"].every((flag) => sandbox.includes(flag)))
    return true;
  const sources = sourcesFor(policy, "script-src-elem", "script-src", "default-src");
  if (sources === null || sources.some((source) => /^'(nonce-|sha\d|strict-dynamic)/i.test(source))) return false;
  return !allowsAddress(sources, new URL("/host.js", platform), self);
}
