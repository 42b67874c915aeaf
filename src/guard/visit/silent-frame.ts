import { load } from "cheerio/slim";
import { callApp } from "../../app-client/call-app.ts";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { explainStatus } from "../../app-client/explain-status.ts";
import type { CallFacts } from "../../app-client/refusal-hints.ts";
import { missingSdkHint, signInHint } from "../../browser/addresses.ts";
import { allowsAddress, type ContentPolicy, readPolicies, sourcesFor } from "../../browser/content-policy.ts";
import { type HeaderLines, headerValue, headerValues } from "../../journal/exchange.ts";
import { redactText } from "../../journal/redact.ts";
import { pageFacts } from "../../platform/call-facts.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { GUARD_TIMEOUT_MS, IMPORT_LIMIT_BYTES } from "../../protocol/limits.ts";
import { mediaType } from "../../protocol/media-type.ts";
import { parseUrl } from "../../protocol/url.ts";
import type { Interaction } from "../login/interaction.ts";
import { givenHint, judgeFraming, otherPlatformHint } from "./framing.ts";

/** The page of a frame guard as the app answers it (interface 4.2). */
interface FramePage {
  /** Without its query, which holds the token. */
  readonly url: URL;
  readonly status: number;
  readonly headers: HeaderLines;
  /** Empty if it could not be read. */
  readonly html: string;
}

const EXCERPT_CHARACTERS = 200;
const sdkNames = ["/host.js", "/iframe.js"];

/**
 * Why the page of a frame guard may not report: what keeps a browser from showing it in the platform's frame, or from
 * running the platform's script in it. Never empty: at the least, it did not load the script.
 * @param platform address of the platform, whose page holds the frame
 */
export function judgeFramePage(page: FramePage, platform: URL, facts: CallFacts): Explanation[] {
  const answered = judgeAnswer(page, facts);
  if (answered !== null) return [answered];
  const document = load(page.html);
  const scripts = document("script[src]")
    .map((_, script) => document(script).attr("src"))
    .get();
  const base = document("base[href]").attr("href");
  const metaPolicies = document("meta[http-equiv]")
    .filter((_, meta) => document(meta).attr("http-equiv")?.toLowerCase() === "content-security-policy")
    .map((_, meta) => document(meta).attr("content"))
    .get();
  const policies = [...headerValues(page.headers, "content-security-policy"), ...metaPolicies].flatMap(readPolicies);
  const troubles = [
    ...judgeFraming(page, platform),
    ...policies.flatMap((policy) => judgeScripts(policy, page.url, platform)),
    ...judgeSdk(addresses(scripts, base, page.url), page, platform),
  ];
  const modules = document('script[type="module"][src]')
    .map((_, script) => document(script).attr("src"))
    .get();
  const isModule = addresses(modules, base, page.url).some(({ origin }) => origin === platform.origin);
  const cause = isModule ? 'leave type="module" out: browsers load a module of another origin only with CORS' : null;
  return troubles.length > 0 ? troubles : [sdkMissing("the page did not load", platform, cause)];
}

function judgeAnswer({ url, status, headers }: FramePage, facts: CallFacts): Explanation | null {
  const answer = { status, headers, body: new Uint8Array() };
  const location = headerValue(headers, "location");
  if (status >= 300 && status < 400 && location !== undefined && parseUrl(location, url.href) !== null) {
    const target = new URL(location, url.href);
    const { origin } = target;
    const where = clip(harmlessLine(redactText(location, [])), EXCERPT_CHARACTERS);
    return {
      reason: `the page answered ${status}, a redirect to ${where}`,
      hint:
        origin === url.origin
          ? (signInHint(url, target) ?? "does the page that it redirects to load host.js?")
          : `the frame shows only pages of ${url.origin}: serve the page at options.url itself`,
    };
  }
  if (status !== 200) {
    const { reason, hint } = explainStatus(answer, facts);
    return { reason: reason.replace("the app answered", "the page answered"), hint };
  }
  const type = mediaType(headerValue(headers, "content-type"));
  if (type !== "text/html" && type !== "application/xhtml+xml") {
    const what = type === "" ? "has no Content-Type" : `has the Content-Type ${harmlessLine(type)}`;
    return { reason: `the page ${what}`, hint: "a browser shows a page only if it is text/html" };
  }
  return headerValue(headers, "content-disposition")?.trim().toLowerCase().startsWith("attachment")
    ? {
        reason: "the page is sent as an attachment",
        hint: "leave Content-Disposition out: a browser saves such a page as a file",
      }
    : null;
}

/** Whether the page's policy lets the platform's script run, and report with the page's origin. */
function judgeScripts(policy: ContentPolicy, page: URL, platform: URL): Explanation[] {
  const sandbox = policy.get("sandbox");
  const missing = ["allow-scripts", "allow-same-origin"].filter(
    (flag) => sandbox !== undefined && !sandbox.includes(flag),
  );
  const closed =
    missing.length === 0
      ? []
      : [{ reason: `the page's policy has a sandbox without ${missing.join(" and ")}`, hint: "host.js needs both" }];
  const sources = sourcesFor(policy, "script-src-elem", "script-src", "default-src");
  // A nonce or a hash may allow any script.
  if (sources === null || sources.some((source) => /^'(nonce-|sha\d|strict-dynamic)/i.test(source))) return closed;
  const sdk = new URL("/host.js", platform);
  if (allowsAddress(sources, sdk, page)) return closed;
  return [
    ...closed,
    {
      reason: `the page's policy does not let scripts of ${platform.origin} run`,
      hint:
        otherPlatformHint(sources, page, platform, "PLATFORM_SDK_URL") ??
        `add ${sdk.href} to its script-src (PLATFORM_SDK_URL of \`app-sim env\`)`,
    },
  ];
}

/** Whether the page loads the script, and from this platform. */
function judgeSdk(scripts: readonly URL[], { html, url: page }: FramePage, platform: URL): Explanation[] {
  const sdks = scripts.filter(({ pathname }) => sdkNames.some((name) => pathname.endsWith(name)));
  if (sdks.some(({ origin, pathname }) => origin === platform.origin && sdkNames.includes(pathname))) return [];
  const [other] = sdks;
  if (other !== undefined) {
    return [
      sdkMissing(
        `the page loads ${clip(harmlessLine(other.origin + other.pathname), EXCERPT_CHARACTERS)}, not`,
        platform,
        missingSdkHint(other.host + other.pathname, platform.origin) ??
          (other.pathname === "/host.js" && other.origin !== page.origin
            ? givenHint("PLATFORM_SDK_URL", platform)
            : null),
      ),
    ];
  }
  return html === "" || sdkNames.some((name) => html.includes(name))
    ? []
    : [sdkMissing("the page's HTML does not load", platform)];
}

function sdkMissing(what: string, platform: URL, cause: string | null = null): Explanation {
  const { href } = new URL("/host.js", platform);
  return {
    reason: `${what} ${href}`,
    hint: cause ?? `it needs <script src="${href}"></script>`,
  };
}

function addresses(sources: readonly string[], base: string | undefined, page: URL): URL[] {
  const from = (base === undefined ? null : parseUrl(base, page.href)) ?? page;
  return sources.flatMap((source) => parseUrl(source, from.href) ?? []);
}

/**
 * What the page of a frame guard did wrong: `no-sdk`: it did not run host.js; `no-report`: it never called
 * `AP.verifyAuth()`, and the time is nearly over; `misuse`: it called it with wrong arguments, as host.js reported.
 */
export type FrameTrouble =
  | { readonly trouble: "no-sdk" | "no-report" }
  | { readonly trouble: "misuse"; readonly problem: string };

/** What is wrong if a page called `AP.verifyAuth()` with something other than an outcome, in the words of host.js. */
export function misuseOf(problem: string): Explanation {
  return { reason: `a call of the page had no effect: ${problem}`, hint: CALL };
}

/** The page looks right, and waits for its user or for something that never comes. */
export const NOT_CALLED = "the page loaded host.js, but never called AP.verifyAuth()";

/** The error of a script that calls another function of host.js; captures its name. */
const noSuchFunction = /\bAP\??\.(?!verifyAuth\b)\w+ is not a function/;
/** Chromium's message for a call to another origin that does not allow it. */
const blockedCall = /blocked by CORS policy/;
/** Chromium's message for a script that ran without AP. */
const noAp = /\bAP is not defined\b|\(reading 'verifyAuth'\)/;

/**
 * What a script's error reveals about its use of host.js; null: nothing.
 * @param error the script's last error
 * @param found what else is known about the silent page
 */
export function scriptErrorHint(error: string, found: string | undefined): string | null {
  if (blockedCall.test(error))
    return "is that the app itself under another name, such as localhost for 127.0.0.1? Then use a relative URL; another service must send Access-Control-Allow-Origin";
  if (noSuchFunction.test(error)) return `host.js has one function; ${CALL}`;
  const mayHaveHost = found === undefined || found === NOT_CALLED;
  return noAp.test(error) && mayHaveHost
    ? 'is <script src=".../host.js">, without async and defer, above the script that uses AP?'
    : null;
}

/** Whether an error is Chromium's long message about the policy that was found to be the cause. */
export function repeatsPolicy(error: string | null, found: string | undefined): boolean {
  return error?.includes("Content Security Policy") === true && found !== undefined && found !== NOT_CALLED;
}

const CALL = "call AP.verifyAuth({ code }) or AP.verifyAuth({ error }) when the user is done";

/** Finds out why the page of a frame guard reports nothing (interface 4.2). */
export async function explainFrame(
  context: SimulatorContext,
  interaction: Interaction,
  trouble: FrameTrouble,
): Promise<readonly Explanation[]> {
  if (trouble.trouble === "misuse") return [misuseOf(trouble.problem)];
  if (trouble.trouble === "no-sdk") return inspectPage(context, interaction);
  return [
    {
      reason: NOT_CALLED,
      hint: CALL,
    },
  ];
}

async function inspectPage(context: SimulatorContext, interaction: Interaction): Promise<readonly Explanation[]> {
  const url = await interaction.pageUrl();
  const called = await callApp(context, {
    purpose: "guard-page",
    module: interaction.guard.key,
    method: "GET",
    url,
    headers: [
      ["Accept", "text/html"],
      ["Accept-Encoding", "identity"],
    ],
    body: new Uint8Array(),
    timeoutMs: GUARD_TIMEOUT_MS,
    sizeLimit: IMPORT_LIMIT_BYTES["5MiB"],
  });
  if (!called.ok) return [{ reason: `the page cannot be shown: ${called.reason}`, hint: called.hint }];
  const { status, headers, body } = called.answer;
  const { origin, pathname } = new URL(url);
  const facts = pageFacts(context, interaction.guard.installed.app, interaction.guard.key);
  const html = Buffer.from(body).toString("utf8");
  return judgeFramePage({ url: new URL(pathname, origin), status, headers, html }, new URL(context.baseUrl()), facts);
}
