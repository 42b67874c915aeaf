import { currentCookies, keptCookies, type SetCookie } from "../browser/cookies.ts";
import type { Verdict } from "../checking/check.ts";
import { readableCookieFault } from "../checking/cookies.ts";
import { derivedFrom } from "../checking/derived-values.ts";
import { openSecretOf } from "../checking/known-secrets.ts";
import { alterations, tellingAlterations } from "../checking/other-value.ts";
import { changedCharacters, computableKindOf, isTimeAsNumber, timesOf } from "../checking/randomness.ts";
import { faulty, PASSED } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { plural } from "../output/text.ts";
import { parseUrl, percentDecoded } from "../protocol/url.ts";
import { type Journey, type OAuthCheck, oauthCheck } from "./check.ts";
import { gotTokens, isLoggedIn, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import { cookiesOf, neededCookies, ONLY, ofSession, sessionCookies, WITHOUT } from "./session-carriers.ts";
import type { OAuthTools } from "./tools.ts";

/** Maximum number of cookies that are left out one by one. */
const MOST_COOKIES = 8;

/** Finds the session cookies by leaving out one after the other, and by sending each alone. */
export const cookieJourney: Journey = {
  key: "oauth.session.cookies",
  run: async (tools) => {
    await tools.login("A");
    const names = tools.cookieNames("A").slice(0, MOST_COOKIES);
    for (const name of names) {
      await tools.fork("A", `${WITHOUT}${name}`, (each, value) => (each === name ? null : value));
      await tools.use(`${WITHOUT}${name}`);
    }
    for (const browser of ["B", "C"]) await tools.login(browser);
    await useByAddress(tools);
    await useAltered(tools);
    if (names.length < 2) return;
    // A new login, because an app may replace its cookies at each use. It comes last, because an app may end a session of
    // which one cookie comes alone.
    await tools.login("D");
    for (const name of names) {
      await tools.fork("D", `${ONLY}${name}`, (each, value) => (each === name ? value : null));
      await tools.use(`${ONLY}${name}`);
    }
  },
};

/** Opens the page that uses the token with one of the cookies altered. */
async function useAltered(tools: OAuthTools): Promise<void> {
  for (const name of tools.cookieNames("A").slice(0, MOST_COOKIES)) {
    for (const [how, alter] of Object.entries(alterations)) {
      await tools.fork("A", `${name} ${how}`, (each, value) => (each === name ? alter(value) : value));
      await tools.use(`${name} ${how}`);
    }
  }
}

/** Names under which apps look for a session in an address. */
const sessionParameters = ["sid", "session", "session_id", "sessionId", "PHPSESSID", "JSESSIONID"];
const BY_ADDRESS = "by-address";

/** Opens, in browsers without cookies, the page that uses the token with the values of cookies in its address. */
async function useByAddress(tools: OAuthTools): Promise<void> {
  const { start, use } = tools.subject;
  const cookies = cookiesOf({ visits: tools.visitsOf("A") }, "A").slice(0, 8);
  const addressWith = (address: string, name: string, value: string) => {
    const url = new URL(address);
    for (const each of new Set([name, name.toLowerCase(), ...sessionParameters])) url.searchParams.set(each, value);
    return url.href;
  };
  for (const { name, value } of cookies) {
    if (use === null) continue;
    await tools.open(`Q ${name}`, BY_ADDRESS, addressWith(use, name, percentDecoded(value) ?? value));
    for (const spelling of new Set([name.toLowerCase(), name]))
      await tools.open(`S ${spelling}`, BY_ADDRESS, withPathParameter(use, spelling, value));
  }
  // Then logins by links that name a session: a correct app gives the browser a new id.
  for (const { name, value } of cookies) {
    const planted = tools.context.ids.secret().repeat(4).slice(0, value.length);
    const query = Object.fromEntries(new URL(addressWith(start, name, planted)).searchParams);
    await tools.open(`P ${name}`, "callback", await tools.begin(`P ${name}`, { query }));
  }
}

/** The address with the session in its path, as servlets read it: `/projects;jsessionid=ID`. */
function withPathParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.pathname += `;${name}=${value}`;
  return url.href;
}

const BY_PATH: Verdict = {
  result: "warn",
  reason: "a session id in the path of an address, as in /page;jsessionid=ID, is enough to be logged in",
  hint: "Let the servlet container read sessions only from cookies: tracking mode COOKIE.",
};

/** Whether an address sets a browser's session: to the one that somebody's link names, or to another browser's. */
function judgeAddress(evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  for (const { name } of carriers) {
    if (isLoggedIn(evidence, visitOfRole(evidence, `Q ${name}`, BY_ADDRESS)) === true)
      return faulty(check, `an address with the value of the cookie ${name} is enough to be logged in`);
    const link = visitOfRole(evidence, `P ${name}`, "start")?.own[0]?.request.url;
    const planted = link === undefined ? null : new URL(link).searchParams.get(name);
    const given = cookiesOf(evidence, `P ${name}`).find((cookie) => cookie.name === name);
    if (planted !== null && given?.value === planted)
      return faulty(check, `the login takes the value of the cookie ${name} from the login link`);
  }
  // The default of servlet containers, which few developers know.
  const isByPath = carriers
    .flatMap(({ name }) => [name, name.toLowerCase()])
    .some((spelling) => isLoggedIn(evidence, visitOfRole(evidence, `S ${spelling}`, BY_ADDRESS)) === true);
  return isByPath ? BY_PATH : PASSED;
}

/** Whether an altered cookie still logs a browser in. */
function judgeAltered(evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  for (const carrier of carriers) {
    const { name } = carrier;
    const taken = tellingAlterations(valuesOf(evidence, carrier)).find(
      (how) => isLoggedIn(evidence, visitOfRole(evidence, `${name} ${how}`, "use")) === true,
    );
    if (taken !== undefined) return faulty(check, `the cookie ${name} is enough to be logged in when it is ${taken}`);
  }
  return PASSED;
}

/** The value of a cookie, and those of the same name in other browsers. */
function valuesOf(evidence: OAuthEvidence, { name, value }: SetCookie): string[] {
  const others = ["B", "C"].flatMap((browser) => cookiesOf(evidence, browser));
  return [value, ...others.flatMap((cookie) => (cookie.name === name ? [cookie.value] : []))];
}

/** Fewer random characters can be found by brute force. */
const SHORTEST_SESSION_CHARACTERS = 16;

function judgeSessionValue(evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  const { visits, user, app } = evidence;
  const callbacks = visits.filter(({ what }) => what === "callback").flatMap(({ own }) => own);
  const isWrittenTime = derivedFrom(timesOf(callbacks, String(user.id)));
  const isOfTime = (text: string) =>
    isWrittenTime(text) || callbacks.some((callback) => isTimeAsNumber(text, callback, [String(user.id)]));
  const isKnown = derivedFrom(knownTexts(evidence));
  for (const carrier of carriers) {
    const { name, value } = carrier;
    const values = valuesOf(evidence, carrier);
    if (values.some((each) => each.length < SHORTEST_SESSION_CHARACTERS)) {
      return faulty(
        check,
        `the cookie ${name}, which carries the session, has only ${plural(value.length, "character")}`,
      );
    }
    const changing = values.length < 3 || new Set(values).size < values.length ? null : changedCharacters(values);
    if (values.some(isKnown)) {
      return faulty(
        check,
        `the cookie ${name}, which carries the session, is the user, the state or the code, or a hash of one of them`,
      );
    }
    if (values.some(isOfTime)) {
      return faulty(check, `the cookie ${name}, which carries the session, is the time of the login, or a hash of it`);
    }
    const kind = computableKindOf(values);
    if (kind !== null) return faulty(check, `the cookie ${name}, which carries the session, is ${kind}`);
    const secret = openSecretOf(percentDecoded(value) ?? value, [app.clientId]);
    if (secret !== null)
      return faulty(
        check,
        `the cookie ${name}, which holds the session, is signed with the well-known secret "${secret}"`,
      );
    if (changing !== null && changing < 6) {
      return faulty(
        check,
        `the cookie ${name}, which carries the session, differs from login to login in only ${changing} characters`,
      );
    }
  }
  return PASSED;
}

/** What others can know about a login: the user, and the callback's query. */
function knownTexts({ visits, user }: OAuthEvidence): string[] {
  const callbacks = visits.filter(({ what }) => what === "callback").flatMap(({ url }) => parseUrl(url) ?? []);
  const sent = callbacks.flatMap(({ searchParams }) => ["state", "code"].map((name) => searchParams.get(name) ?? ""));
  return [String(user.id), user.login, ...sent.filter((text) => text !== "")];
}

/** Whether a session has the value of another cookie from before its login, which an attacker may have planted. */
function judgeRenamed(evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  const before = evidence.visits.filter(({ what }) => what === "start").flatMap(({ own }) => currentCookies(own));
  for (const carrier of carriers) {
    const values = valuesOf(evidence, carrier);
    const source = before.find(({ name, value }) => name !== carrier.name && value !== "" && values.includes(value));
    if (source !== undefined)
      return faulty(
        check,
        `the cookie ${carrier.name} has the value that the cookie ${source.name} had before the login`,
      );
  }
  return PASSED;
}

/** A session cookie without an attribute that it has after the login, and the answer that sets it so. */
interface WeakenedCookie {
  readonly name: string;
  readonly lacks: string;
  readonly answer: Exchange;
}

/** Where a browser that is logged in gets its session cookie again, but readable or not Secure; null: nowhere. */
function weakenedCookie({ all }: OAuthEvidence, carriers: readonly SetCookie[]): WeakenedCookie | null {
  const isIn = new Set<string>();
  for (const visit of all) {
    const browser = JSON.stringify([visit.journey, visit.browser]);
    if (gotTokens(visit)) isIn.add(browser);
    const answers = isIn.has(browser) ? visit.own : [];
    for (const answer of answers) {
      for (const { name, value, attributes } of keptCookies([answer])) {
        const given = value === "" ? undefined : carriers.find((carrier) => carrier.name === name);
        const lacks = ["HttpOnly", "Secure"].find((each) => {
          const attribute = each.toLowerCase();
          return given?.attributes.includes(attribute) === true && !attributes.includes(attribute);
        });
        if (lacks !== undefined) return { name, lacks, answer };
      }
    }
  }
  return null;
}

function judgeReadable(evidence: OAuthEvidence, check: OAuthCheck, carriers: readonly SetCookie[]): Verdict {
  const fault = readableCookieFault(carriers);
  if (fault !== null) return faulty(check, fault);
  const weakened = weakenedCookie(evidence, carriers);
  if (weakened === null) return PASSED;
  const { name, lacks, answer } = weakened;
  const { pathname } = new URL(answer.request.url);
  return faulty(check, `the cookie ${name} carries the session, but ${pathname} sets it again without ${lacks}`);
}

/** Checks of the session cookie. */
export const oauthCookieChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.session.http-only",
      title: "No script can read the session cookie, even when it is set again",
      section: "5.4",
      severity: "should",
      why: "An injected script can send a readable cookie away. With it the session can be used from anywhere.",
      fix: "Set the session cookie with HttpOnly and SameSite=Lax, and with Secure if the app uses https: with the same options wherever it is set.",
    },
    {
      journey: cookieJourney,
      judge: ofSession(judgeReadable, sessionCookies),
      shows: (evidence) => {
        const carriers = sessionCookies(evidence);
        return readableCookieFault(carriers) === null ? (weakenedCookie(evidence, carriers)?.answer ?? null) : null;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.session.guessable",
      title: "The session cookie cannot be guessed",
      section: "5.4",
      why: "Anybody who guesses the value of the cookie is logged in as its user. Numbers, times and user ids are easy to guess.",
      fix: "Make session ids from at least 16 random bytes, or sign the cookie. A hash of something that others know is no secret.",
    },
    { journey: cookieJourney, judge: ofSession(judgeSessionValue, sessionCookies) },
  ),
  oauthCheck(
    {
      id: "oauth.session.renamed",
      title: "The session cookie does not have the value of another cookie from before the login",
      section: "5.2",
      why: "An attacker who plants a cookie in a browser knows its value. If the login makes that value the id of the session, the attacker is logged in, too.",
      fix: "Make a new session id on login, from at least 16 random bytes.",
    },
    { journey: cookieJourney, judge: ofSession(judgeRenamed, sessionCookies) },
  ),
  oauthCheck(
    {
      id: "oauth.session.address",
      title: "No URL logs a browser in, or names its session",
      section: "5.2",
      why: "The author of a link can put their own session into it, and anybody who sees a URL can take the session from it. URLs end up in histories and logs.",
      fix: "Read the session only from its cookie, never from the URL.",
    },
    { journey: cookieJourney, judge: ofSession(judgeAddress, sessionCookies) },
  ),
  oauthCheck(
    {
      id: "oauth.session.altered",
      title: "A session cookie that is empty, or right only in its first half, logs nobody in",
      section: "5.4",
      why: "If part of a session id is enough, or none of it, an attacker is soon logged in as somebody else.",
      fix: "Look the session up by the complete value of its cookie, in a map keyed by session ids.",
    },
    // If another cookie is enough, too, an altered one proves nothing.
    { journey: cookieJourney, judge: ofSession(judgeAltered, neededCookies) },
  ),
];
