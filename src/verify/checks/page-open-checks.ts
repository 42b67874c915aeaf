import { allowsAddress, type ContentPolicy, readPolicies, sourcesFor } from "../../browser/content-policy.ts";
import { attributeValues, hasElement } from "../../browser/read-html.ts";
import { type Exchange, type HeaderLines, headerValue } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { mediaType } from "../../protocol/media-type.ts";
import { isSamePlace } from "../../protocol/url.ts";
import type { CheckFacts, Evidence, TrialCheck, TwinCheck } from "../rules/check.ts";
import { pageOf, returnOf } from "../rules/page-answer.ts";
import { withClaims } from "../rules/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../rules/verdict.ts";
import type { OpenPageTools } from "../subjects/page-tools.ts";
import { tokenTwins } from "./token-twins.ts";

type OpenCheck = TwinCheck | TrialCheck<OpenPageTools>;

/** What the checks of a page are told of the platform. */
export interface PagePlatform {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** The organization's domain. */
  readonly domain: string;
}

/** An element that no page of an app has of itself. */
const CANARY = "app-sim-canary";

const escaped =
  "Escape every text that is put into a page, for the place where it stands: template engines do, unless told otherwise.";
const injected =
  "Whatever stands in the address of a page was written by whoever made the link. As markup it runs in the app's name, with the user's token at hand.";

/** A check that opens the page once, and looks at what came. */
function looking(
  facts: Omit<CheckFacts, "area">,
  look: (answer: NonNullable<Exchange["response"]>, landing: Exchange) => string | null,
): TrialCheck<OpenPageTools> {
  const check: TrialCheck<OpenPageTools> = {
    area: "page",
    ...facts,
    run: async (tools) => void (await tools.send("opened", await tools.prepare())),
    judge: (evidence) => {
      const landing = landingIn(evidence, "opened");
      if (landing?.response == null) return skipVerdict("the page was not answered");
      if (returnOf(landing) !== null) return skipVerdict("the page sends the user back at once");
      const fault = look(landing.response, landing);
      return fault === null ? PASSED : faulty(check, fault);
    },
  };
  return check;
}

function landingIn(evidence: Evidence, role: string): Exchange | null {
  const step = evidence.steps.find((each) => each.role === role);
  return step === undefined ? null : evidence.landing(step.exchange);
}

/** A check that puts markup into one place of the request. */
function escaping(
  facts: Pick<CheckFacts, "id" | "title"> & Partial<Pick<CheckFacts, "choices">>,
  open: (tools: OpenPageTools, markup: string) => ReturnType<OpenPageTools["open"]>,
): TrialCheck<OpenPageTools> {
  const check: TrialCheck<OpenPageTools> = {
    area: "page",
    section: "4.2",
    severity: "must",
    why: injected,
    mend: escaped,
    ...facts,
    run: async (tools) => {
      for (const [index, markup] of markups.entries())
        await tools.send(`markup-${index + 1}`, await open(tools, markup));
    },
    judge: (evidence) => {
      const answers = evidence.steps.map(({ exchange }) => evidence.landing(exchange));
      const hit = answers.find(isInjected);
      if (hit !== undefined) return faulty(check, `the page of the answer ${hit.response?.status} has it as markup`);
      const broken = evidence.steps.find(({ exchange }) => evidence.read(exchange).kind === "broken");
      return broken === undefined ? PASSED : faulty(check, `the app ${evidence.read(broken.exchange).says}`);
    },
  };
  return check;
}

const markups: readonly string[] = [
  `"><${CANARY}>`,
  `'></script></title></textarea></style><${CANARY} x='`,
  `" ${CANARY}="1" x="`,
  `' ${CANARY}='1' x='`,
];

function isInjected({ response }: Exchange): boolean {
  if (response === null) return false;
  const type = mediaType(headerValue(response.headers, "content-type"));
  // Browsers run nothing in what is no page.
  if (type !== "" && !/html|xml/.test(type)) return false;
  return hasElement({ headers: response.headers, body: bodyBytes(response.body) }, `${CANARY}, [${CANARY}]`);
}

const escapingChecks: readonly TrialCheck<OpenPageTools>[] = [
  escaping(
    { id: "page.text.state-escaped", title: "The page shows a state with markup as text" },
    async (tools, state) => tools.open({ state }),
  ),
  escaping(
    { id: "page.text.token-escaped", title: "The page shows a token with markup as text" },
    async (tools, markup) => {
      const request = await tools.open({});
      return { ...request, token: request.token && { ...request.token, respell: () => markup } };
    },
  ),
  escaping(
    {
      id: "page.text.claims-escaped",
      title: "The page shows claims with markup as text",
      choices: ["guard.jwt.claims"],
    },
    async (tools, markup) => {
      const request = await tools.open({});
      const context = request.token?.claims.context as Readonly<Record<string, unknown>> | undefined;
      return withClaims(request, { name: markup, context: { ...context, user_login: markup } }) ?? request;
    },
  ),
  escaping(
    { id: "page.text.query-escaped", title: "The page shows other parameters with markup as text" },
    async (tools, markup) =>
      tools.open({
        query: Object.fromEntries(["error", "message", "error_description", "title", "name"].map((n) => [n, markup])),
      }),
  ),
];

const htmlCheck = looking(
  {
    id: "page.answer.html",
    title: "The page is HTML with status 200",
    section: "4.2",
    severity: "must",
    why: "A browser shows as a page only what says that it is one. Anything else is saved or shown as text, and the login cannot go on.",
    mend: "Answer 200 with the Content-Type text/html.",
  },
  ({ status, headers }) => {
    const type = mediaType(headerValue(headers, "content-type"));
    if (status !== 200) return `the app answered ${status}`;
    const isAttached = /^\s*attachment/i.test(headerValue(headers, "content-disposition") ?? "");
    if (isAttached) return "the page is sent as an attachment";
    const isHtml = type === "text/html" || type === "application/xhtml+xml";
    return isHtml ? null : `its Content-Type is ${type === "" ? "missing" : "another one"}`;
  },
);

const storeCheck = looking(
  {
    id: "page.headers.no-store",
    title: "The page is not stored by caches",
    section: "RFC 9111, 5.2.2.5",
    severity: "should",
    why: "The address of the page holds a token, and the page is for one user. A cache that keeps it shows it to the next one.",
    mend: "Send Cache-Control: no-store with the page.",
  },
  ({ headers }) => {
    const control = valuesOf(headers, "cache-control").join(",").toLowerCase();
    return /(^|[\s,])no-store(?=$|[\s,])/.test(control) ? null : "its Cache-Control does not say no-store";
  },
);

const referrerCheck: TrialCheck<OpenPageTools> = looking(
  {
    id: "page.headers.no-referrer",
    title: "The page does not tell its address to other sites",
    section: "5.1",
    severity: "should",
    why: "The address of the page holds a token. Whatever the page loads or links to would get it as the referrer.",
    mend: "Send Referrer-Policy: no-referrer with the page.",
  },
  (_, landing) => {
    if (!new URL(landing.request.url).searchParams.has("jwtToken")) return null;
    const policy = pageOf(landing)?.referrerPolicy ?? "";
    if (hiding.has(policy)) return null;
    return policy === "" ? "it says nothing about the referrer" : `its Referrer-Policy is ${policy}`;
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

function valuesOf(headers: HeaderLines, name: string): string[] {
  return headers.flatMap(([line, value]) => (line.toLowerCase() === name ? [value] : []));
}

/** For each policy of an answer that restricts who may frame it: the sources. */
function frameAncestors(headers: HeaderLines): (readonly string[])[] {
  return valuesOf(headers, "content-security-policy")
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
  return !valuesOf(headers, "x-frame-options").some((value) => /^\s*(deny|sameorigin)\s*$/i.test(value));
}

const redirectFramingCheck = looking(
  {
    id: "page.headers.not-framed",
    title: "The page of a redirect guard cannot be framed by other sites",
    section: "RFC 7034, 2.1",
    severity: "should",
    why: "A site that shows the page in an invisible frame can have the user press its buttons unknowingly. This page is never meant to be in a frame.",
    mend: "Send Content-Security-Policy: frame-ancestors 'none' with the page.",
  },
  ({ headers }) => (isOpenToAll(headers) ? "any site may show it in a frame" : null),
);

const frameOnlyCheck = looking(
  {
    id: "page.frame.platform-only",
    title: "The page of a frame guard can be framed by the platform only",
    section: "4.2",
    severity: "should",
    why: "A site that shows the page in an invisible frame can have the user press its buttons unknowingly. Only the platform has a reason to show it.",
    mend: "Send Content-Security-Policy: frame-ancestors {auth_url} with the page.",
  },
  ({ headers }) => (isOpenToAll(headers) ? "any site may show it in a frame" : null),
);

function frameChecks({ url }: PagePlatform): readonly TrialCheck<OpenPageTools>[] {
  return [
    frameOnlyCheck,
    looking(
      {
        id: "page.frame.embeddable",
        title: "The platform can show the page of a frame guard in its frame",
        section: "4.2",
        severity: "must",
        why: "The platform loads the page in a frame. A page that refuses to be framed leaves the user before an empty box.",
        mend: "Leave X-Frame-Options out, and let Content-Security-Policy: frame-ancestors name the address of the platform.",
      },
      ({ headers }, { request }) => {
        const platform = new URL(url);
        const refusing = frameAncestors(headers).find(
          (sources) => !allowsAddress(sources, platform, new URL(request.url)),
        );
        if (refusing !== undefined) return "its frame-ancestors leave the platform out";
        if (frameAncestors(headers).length > 0) return null;
        return isOpenToAll(headers) || new URL(request.url).origin === platform.origin
          ? null
          : "its X-Frame-Options forbid the frame of another site";
      },
    ),
    looking(
      {
        id: "page.frame.scripts-allowed",
        title: "The page of a frame guard lets the platform's script run",
        section: "4.2",
        severity: "must",
        why: "The page reports with host.js, which is the platform's. A policy that keeps it from running keeps every user out.",
        mend: "Let the page's Content-Security-Policy name {sdk_url}/host.js in script-src, and leave `sandbox` out.",
      },
      (response, landing) => {
        const metas = attributeValues(
          { headers: response.headers, body: bodyBytes(response.body) },
          "meta[http-equiv=Content-Security-Policy i]",
          "content",
        );
        const policies = [...valuesOf(response.headers, "content-security-policy"), ...metas].flatMap(readPolicies);
        return policies.some((policy) => forbidsScript(policy, new URL(url), new URL(landing.request.url)))
          ? "its Content-Security-Policy forbids host.js"
          : null;
      },
    ),
    looking(
      {
        id: "page.frame.sdk",
        title: "The page of a frame guard loads host.js from the platform",
        section: "4.2",
        severity: "must",
        why: "A page without host.js has no way to report its outcome. The user waits for ever.",
        mend: "Put <script src={sdk_url}/host.js></script> into the page, before the script that calls AP.verifyAuth.",
      },
      (_, landing) => {
        const page = pageOf(landing);
        if (page === null) return "it has no page";
        const named = page.scripts.filter((src) => /\/host\.js$/.test(new URL(src).pathname));
        const platform = new URL(url);
        if (named.some((src) => isSamePlace(new URL(src), platform))) return null;
        if (named.length > 0) return "it loads host.js from elsewhere";
        // A script of the page may bring it; what runs in a browser is judged there.
        const others = page.scripts.length > 0 || page.inlineScripts.length > 0;
        return others && !page.inlineScripts.some((code) => /AP\s*\.\s*verifyAuth/.test(code))
          ? null
          : "it does not load it";
      },
    ),
  ];
}

function forbidsScript(policy: ContentPolicy, platform: URL, self: URL): boolean {
  const sandbox = policy.get("sandbox");
  if (sandbox !== undefined && !["allow-scripts", "allow-same-origin"].every((flag) => sandbox.includes(flag)))
    return true;
  const sources = sourcesFor(policy, "script-src-elem", "script-src", "default-src");
  if (sources === null || sources.some((source) => /^'(nonce-|sha\d|strict-dynamic)/i.test(source))) return false;
  return !allowsAddress(sources, new URL("/host.js", platform), self);
}

const otherModuleCheck: TwinCheck = {
  id: "page.token.other-module",
  area: "page",
  title: "The page refuses a token that was issued for another guard",
  section: "5.1",
  severity: "should",
  choices: ["guard.jwt.claims"],
  why: "Each guard asks something else of the user. A token for one must not open the page of another.",
  mend: "Compare the claim `module` with the key of the guard whose page it is.",
  changes: "token.claims.module",
  right: "refused",
  twin: (request) => withClaims(request, { module: "another-guard" }),
};

/** The checks of a GET of a guard's page (hardening P1, P2, P5). */
export function openPageChecks(type: "redirect" | "frame", platform: PagePlatform): readonly OpenCheck[] {
  return [
    ...pageTokenChecks,
    htmlCheck,
    storeCheck,
    referrerCheck,
    ...escapingChecks,
    ...(type === "redirect" ? [redirectFramingCheck] : frameChecks(platform)),
  ];
}

/** The twins of the token in a page's address. */
export const pageTokenChecks: readonly TwinCheck[] = [
  ...tokenTwins({ prefix: "page.token", area: "page", what: "The page" }),
  otherModuleCheck,
];
