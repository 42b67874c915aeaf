import { NotPrepared } from "../checking/subject.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { parseUrl } from "../protocol/url.ts";
import { type Journey, oauthCheck, worstOf } from "./check.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

/** Targets for open redirects: a browser, or an app that normalizes them, reads each as an address on another host. */
const elsewhere = [
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example/",
  "/\t/evil.example/",
  // Parsers that find no host here may still remove two of the slashes.
  "////evil.example/",
  // Without its dot segment, the path begins with two slashes.
  "/.//evil.example/",
  // A scheme without slashes: for parsers, a path; for browsers, only if it is the scheme of the page.
  "https:evil.example/",
  "http:evil.example/",
  // For apps that write their own address in front of it.
  "@evil.example/",
] as const;
/** For apps that search for their own address anywhere in the text, or redirect to the path of an address. */
const ownAddressIn = ({ origin, protocol, host }: URL) => [
  `${origin}@evil.example/`,
  `https://evil.example/?${origin}`,
  `${origin}//evil.example/`,
  // Many parsers take what follows the @ for the host; a browser reads the backslash as a slash.
  `${protocol}//evil.example\\@${host}/`,
];
/** For apps that compare only the beginning of an address: what follows makes it another one. */
const longerThanOwn = ({ origin }: URL) => [`${origin}.evil.example/`, `${origin}0/`];
const names = [
  "next",
  "return_to",
  "returnTo",
  "return",
  "redirect",
  "redirect_to",
  "redirectTo",
  "url",
  "continue",
  "back",
  "from",
  "target",
  "dest",
  "destination",
  "returnUrl",
  "return_url",
  "redirect_url",
  "callbackUrl",
  "goto",
  "to",
  "forward",
  "path",
  "redirectUrl",
  "ReturnUrl",
  "return_uri",
] as const;

/** A foreign page that sends its full URL as Referer. */
const linkingPage = { url: "http://evil.example/offer", referrerPolicy: "unsafe-url" } as const;

const openRedirect: Journey = {
  key: "oauth.redirect.elsewhere",
  run: async (tools) => {
    const own = new URL(tools.subject.app.url);
    const addresses = [...elsewhere, ...ownAddressIn(own), ...longerThanOwn(own)];
    for (const [index, address] of addresses.entries()) {
      const query = Object.fromEntries(names.map((name) => [name, address]));
      await loginWith(tools, `A${index}`, query);
      // A client ignores unknown parameters (RFC 6749, 4.1.2).
      const callback = new URL(await tools.begin(`B${index}`));
      for (const [name, value] of Object.entries(query)) callback.searchParams.append(name, value);
      await tools.open(`B${index}`, "callback", callback.href);
    }
    // Last, because an app may refuse a login that starts at a link on another site. If the platform does not ask for
    // consent, the browser names that site to the callback, too.
    await tools.open("R", "callback", await tools.begin("R", { from: linkingPage }), linkingPage);
  },
};

/** Logs in at a link with these parameters, if the app does not refuse them: it may still follow those of the next link. */
async function loginWith(tools: OAuthTools, browser: string, query: Readonly<Record<string, string>>): Promise<void> {
  try {
    await tools.open(browser, "callback", await tools.begin(browser, { query }));
  } catch (error) {
    const [start] = tools.visitsOf(browser);
    if (!(error instanceof NotPrepared) || start?.landing.kind !== "page") throw error;
    return;
  }
  const again = new URL(tools.subject.start);
  for (const [name, value] of Object.entries(query)) again.searchParams.append(name, value);
  // Some apps redirect a logged-in user immediately.
  await tools.open(browser, "logged-in", again.href);
}

/** Schemes of the app's address with which a redirect during this visit leads to another site. */
function schemesOfLeaving({ own }: OAuthVisit): string[] {
  return own.flatMap((exchange) => {
    const raw = redirectTarget(exchange)?.raw ?? "";
    // With the port of a test server, they may be no addresses; with the host of a real one, they are.
    if (longerThanOwn(new URL(exchange.request.url)).some((address) => raw.startsWith(address)))
      return ["http:", "https:"];
    const bases = ["http:", "https:"].map((scheme) => exchange.request.url.replace(/^https?:/, scheme));
    return bases
      .filter((base) => parseUrl(raw, base)?.hostname === "evil.example")
      .map((base) => new URL(base).protocol);
  });
}

/** The source of an open redirect, by the first letter of the browsers. */
const causes = [
  ["A", "a parameter of the login link"],
  ["B", "a parameter of the callback"],
  ["R", "the page with the login link (Referer)"],
] as const;

/** The check of where a browser goes after a login (hardening C10). */
export const openRedirectCheck = oauthCheck(
  {
    id: "oauth.redirect.elsewhere",
    title:
      "After a login the browser stays at the app, whatever the parameters of the login link and the callback, and wherever the link is",
    section: "RFC 6749, 10.15",
    why: "Users trust a link that starts with the app's address, even if it ends elsewhere. Users who have just logged in type their password wherever they land.",
    fix: "Accept as the next page only paths that start with one slash not followed by another slash, a backslash or a control character, or look them up in a list. Redirect to exactly what you checked. Never redirect to the Referer.",
  },
  {
    journey: openRedirect,
    judge: (evidence, check) => {
      const worst = worstOf(
        causes.map(([start, cause]) => {
          const visits = evidence.visits.filter(({ browser }) => browser.startsWith(start));
          // What leads away only from http: is harmless for an app that is reached by https: and the reverse.
          const isLeaving = new Set(visits.flatMap(schemesOfLeaving)).size === 2;
          return isLeaving ? faulty(check, `${cause} sends the browser to another site`) : PASSED;
        }),
      );
      // The app may refuse the login link, or lead away from it.
      const hasStarted = evidence.visits.some(({ browser, what }) => browser.startsWith("A") && what !== "start");
      return hasStarted || worst.result !== "pass"
        ? worst
        : skipVerdict("the app starts no login with such parameters");
    },
  },
);
