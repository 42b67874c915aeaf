import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { type Journey, oauthCheck, worstOf } from "./check.ts";

/** Targets for open redirects: a browser reads each of them as an address on another host. */
const elsewhere = ["https://evil.example/", "//evil.example/", "/\\evil.example/", "/\t/evil.example/"] as const;
/** For apps that search for their own address anywhere in the text. */
const ownAddressIn = (origin: string) => [`${origin}@evil.example/`, `https://evil.example/?${origin}`];
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
    const { origin } = new URL(tools.subject.app.url);
    for (const [index, address] of [...elsewhere, ...ownAddressIn(origin)].entries()) {
      const query = Object.fromEntries(names.map((name) => [name, address]));
      const browser = `A${index}`;
      await tools.open(browser, "callback", await tools.begin(browser, { query }));
      const again = new URL(tools.subject.start);
      for (const [name, value] of Object.entries(query)) again.searchParams.append(name, value);
      // Some apps redirect a logged-in user immediately.
      await tools.open(browser, "logged-in", again.href);
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
    fix: "Accept as the next page only paths that start with one slash not followed by another slash or a backslash, or look them up in a list. Never redirect to the Referer.",
  },
  {
    journey: openRedirect,
    judge: (evidence, check) => {
      const worst = worstOf(
        evidence.visits.map(({ own, browser }) => {
          const away = own.map(redirectTarget).find((target) => target?.url.hostname === "evil.example");
          const [cause] = causes.filter(([start]) => browser.startsWith(start));
          return away == null ? PASSED : faulty(check, `${cause?.[1]} sends the browser to another site`);
        }),
      );
      // If the login link itself leads away, no login starts.
      const hasStarted = evidence.visits.some(({ what }) => what !== "start");
      return hasStarted || worst.result !== "pass"
        ? worst
        : skipVerdict("the app starts no login with such parameters");
    },
  },
);
