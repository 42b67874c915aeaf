import {
  cookiesIn,
  currentCookies,
  isGone,
  isOpenToAll,
  isStrict,
  keptCookies,
  lostCookie,
  type SetCookie,
  sentCookies,
  whyGone,
} from "../../browser/cookies.ts";
import { type Exchange, headerValue } from "../../journal/exchange.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { withoutQuery } from "../../protocol/url.ts";
import {
  type AppVisit,
  apiRequests,
  approvedCallback,
  type CookieTrial,
  type Found,
  hasTokens,
  isGoodPage,
  landingPage,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  pass,
  warn,
} from "./login-facts.ts";
import { loadsAgain } from "./strict-cookies.ts";

const callback = { section: "5.2", step: "callback" } as const;

/** The session cookies after the login. */
export const sessionChecks: readonly OAuthLoginCheck[] = [
  { ...callback, id: "oauth.session.kept", path: "Set-Cookie", find: findKept },
  { ...callback, id: "oauth.session.in-address", path: "address", find: findInAddress },
];

/** The names of cookies; one that several answers set is named once. */
export function distinctNames(cookies: readonly SetCookie[]): string[] {
  return [...new Set(cookies.map(({ name }) => name))];
}

/** The fault of cookies that browsers do not store; null: none. */
export function findOpen(own: readonly Exchange[]): Found {
  const names = distinctNames(keptCookies(own).filter(isOpenToAll));
  if (names.length === 0) return null;
  return warn(
    `the cookie ${names.join(", ")} is SameSite=None without Secure`,
    "browsers do not store such a cookie: use SameSite=Lax",
  );
}

function findKept(facts: OAuthLoginFacts): Found {
  const visit = approvedCallback(facts);
  if (visit === null || !hasTokens(facts)) return null;
  const open = findOpen(visit.own);
  if (open !== null) return open;
  const names = strictOnTheWay(visit);
  const { trial } = facts;
  if (loadsAgain(facts) || names.length === 0 || trial === null || !isNeeded(trial, visit))
    return pass("browsers send the session cookie");
  return warn(
    `without the cookie ${names.join(", ")}, which is SameSite=Strict, the callback does not reach this page: the app ${landingText(trial.without.landing)}`,
    "a browser that returns from another site does not send it with the callback's redirects: use Lax",
  );
}

/** Whether the page differs without the cookies, and is the same with them. */
function isNeeded({ without, control }: CookieTrial, shown: AppVisit): boolean {
  const callsApi = ({ requests }: AppVisit) => apiRequests(requests).length > 0;
  if (looks(control) !== looks(shown)) return false;
  return looks(without) !== looks(control) || (callsApi(control) && !callsApi(without));
}

function looks({ landing }: AppVisit): string {
  if (landing.kind !== "page") return landing.kind;
  return JSON.stringify([landing.status, withoutQuery(landing.url), landing.text]);
}

/**
 * The page on which a login ended, and the cookies that the page may need; null: there are none, or it did not end on a
 * page that can be opened again.
 */
export function cookiesToTry(
  callback: AppVisit | null,
): { readonly page: string; readonly names: readonly string[] } | null {
  const page = landingPage(callback);
  if (callback === null || page === null || !isGoodPage(callback.landing)) return null;
  const strict = strictOnTheWay(callback);
  // A page opened without cookies of both kinds would not show which of them it needs.
  const names = strict.length > 0 ? strict : inAddress(callback, callback.own);
  return names.length === 0 ? null : { page, names };
}

/**
 * The cookies that a browser does not send between the platform and the page on which a login ends: Strict ones that
 * were set on the way. After a page of the app that continues by itself, all are sent.
 */
function strictOnTheWay({ own }: AppVisit): string[] {
  const answers = own.slice(0, -1);
  if (answers.some((answer) => redirectTarget(answer) === null)) return [];
  const strict = answers.flatMap((answer, index) =>
    cookiesIn(answer)
      .filter(isStrict)
      .filter(({ name, value }) =>
        own.slice(index + 1).some(({ request }) => sentCookies(request.headers).get(name) === value),
      ),
  );
  return distinctNames(strict);
}

/** Shorter values occur in URLs by chance. */
const SHORTEST_VALUE = 16;

/** A cookie may hold the page that the user wanted. */
const namesPage = /^(?:\/|%2f|https?:|https?%3a)/i;

/** The cookies whose values are in a URL that the callback redirects to. */
function inAddress({ own }: AppVisit, given: readonly Exchange[]): string[] {
  const addresses = [
    ...own.slice(1).map(({ request }) => request.url),
    ...own.flatMap(({ response }) => headerValue(response?.headers ?? [], "location") ?? []),
  ];
  const long = keptCookies(given).filter(({ value }) => value.length >= SHORTEST_VALUE && !namesPage.test(value));
  return distinctNames(
    long.filter(({ value }) => spellingsOf(value).some((text) => addresses.some((address) => address.includes(text)))),
  );
}

/** Other values may be there for a reason, such as a cookie with the page's organization. */
function findInAddress(facts: OAuthLoginFacts): Found {
  const visit = approvedCallback(facts);
  if (visit === null || !hasTokens(facts)) return null;
  const given = [...facts.start.own, ...visit.own];
  const names = inAddress(visit, given);
  const { trial } = facts;
  const areNeeded = trial?.names.every((name) => names.includes(name)) === true && isNeeded(trial, visit);
  const session = areNeeded ? trial.names[0] : names.find((name) => name === onlySession(given));
  if (session === undefined) return pass("the session is not in any URL");
  return warn(
    `the value of the cookie ${session} is in a URL of the app`,
    "URLs end up in histories and logs: keep the session only in its cookie",
  );
}

/** The only cookie that can carry the session; null: none, or several. Usually scripts cannot read it. */
function onlySession(own: readonly Exchange[]): string | null {
  const long = currentCookies(own).filter(({ value }) => value.length >= SHORTEST_VALUE);
  const hidden = long.filter(({ attributes }) => attributes.includes("httponly"));
  const [session, ...others] = hidden.length > 0 ? hidden : long;
  return session === undefined || others.length > 0 ? null : session.name;
}

function spellingsOf(value: string): string[] {
  try {
    const plain = decodeURIComponent(value);
    return [value, plain, encodeURIComponent(plain)];
  } catch {
    return [value];
  }
}

/** For a hint: why a cookie of the callback's answers is not sent to the next address; null: all are. */
export function lostOnTheWay({ own }: AppVisit, before: readonly Exchange[]): string | null {
  for (const [index, answer] of own.slice(0, -1).entries()) {
    const next = own[index + 1];
    const known = new Set([...before, ...own.slice(0, index)].flatMap(cookiesIn).map(({ name }) => name));
    const gone = cookiesIn(answer).find((cookie) => isGone(cookie, answer) && isNewValue(cookie, known));
    const lost =
      (next === undefined ? null : lostCookie([answer], new URL(next.request.url))) ??
      (gone === undefined || keptCookies([answer]).length > 0
        ? null
        : `the cookie ${gone.name} ${whyGone(gone, answer)}`);
    if (lost !== null) return lost;
  }
  return null;
}

/** Whether a cookie that expires immediately was meant to stay: one deleted on purpose is empty, or existed before. */
function isNewValue({ name, value }: SetCookie, known: ReadonlySet<string>): boolean {
  return value.length >= SHORTEST_VALUE && !known.has(name);
}
