import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { addressText, missingSettingHint } from "../../browser/addresses.ts";
import { expiredCookie, isStrict, keptCookies, lostCookie } from "../../browser/cookies.ts";
import { unregisteredRedirect } from "../../oauth/rules/near-redirect.ts";
import { METHOD_MISSING, registeredHint } from "../../oauth/rules/oauth-authorize.ts";
import { malformation } from "../../oauth/rules/pkce.ts";
import { plural } from "../../output/text.ts";
import { parseUrl } from "../../protocol/url.ts";
import { loginLinks } from "../app-addresses.ts";
import {
  type Authorization,
  type Found,
  fail,
  inconclusive,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  pass,
  type SecondLogin,
  sentParameter,
  skip,
  tokenRequests,
  warn,
} from "./login-facts.ts";
import { distinctNames, findOpen } from "./session-checks.ts";
import { areAllStrict, loadsAgain } from "./strict-cookies.ts";

const request = { section: "5.2", step: "authorize" } as const;

/** Where the login starts, and the app's authorization request (interface 5.2; hardening C1). */
export const requestChecks: readonly OAuthLoginCheck[] = [
  { section: "5.2", id: "oauth.start", step: "start", path: "start", find: findStart },
  { ...request, id: "oauth.request.redirect-uri", path: "redirect_uri", find: ofRequest(findRedirectUri) },
  { ...request, id: "oauth.request", path: "request", find: ofRequest(findRequest) },
  { ...request, id: "oauth.request.state", path: "state", find: ofRequest(findState) },
  { ...request, id: "oauth.request.pkce", path: "code_challenge_method", find: ofRequest(findPkce) },
  { ...request, id: "oauth.request.secret", path: "client_secret", find: ofRequest(findSecret) },
  { ...request, id: "oauth.cookie", path: "Set-Cookie", find: ofRequest(findCookie) },
];

/**
 * What a second login in another browser shows: the app accepts only its own callback (interface 5.2; hardening C2,
 * C3).
 */
export const forgedChecks: readonly OAuthLoginCheck[] = [
  { id: "oauth.forged.fresh", section: "5.2", step: "forged", path: "state, code_challenge", find: findFresh },
  { id: "oauth.forged", section: "5.2", step: "forged", path: "state", find: findForged },
  { id: "oauth.forged.browser", section: "5.2", step: "forged", path: "state", find: findForeign },
];

/** A check that reports nothing if there was no authorization request. */
function ofRequest(find: (authorization: Authorization, facts: OAuthLoginFacts) => Found): OAuthLoginCheck["find"] {
  return (facts) => facts.authorization && find(facts.authorization, facts);
}

function findStart({ start: { landing }, platform, authorization }: OAuthLoginFacts): Found {
  if (authorization !== null) return pass("the app sends the user to the platform");
  const endpoint = `${platform}/oauth/authorize`;
  if (landing.kind === "trouble") return fail(landing.reason, landing.hint);
  if (landing.kind === "platform") {
    const { origin, pathname } = new URL(landing.url);
    return fail(
      `the app sends the user to ${origin}${pathname}, but the authorization endpoint is ${endpoint}`,
      "the path is {auth_url}/oauth/authorize (interface 4.1)",
    );
  }
  const { status, text, links, url } = landing;
  const address = new URL(url);
  const missing = missingSettingHint(address, /^\/oauth\/authorize\/?$/.test(address.pathname), platform);
  if (missing !== null) {
    return fail(
      `the app sends the user to ${addressText(address)}, which is its own address, not to ${endpoint}`,
      missing,
    );
  }
  const pageText = text === "" ? "" : `; the page says: ${text}`;
  return fail(
    `the app answered ${status}, not with a redirect to ${endpoint}${pageText}`,
    status < 300 ? linksHint({ url, links }) : status >= 500 ? OWN_LOG : START_HINT,
  );
}

const START_HINT = "--start, or else verify.oauth.start of the configuration, is the address of the app's login button";

function linksHint(page: Parameters<typeof loginLinks>[0]): string {
  const named = loginLinks(page).map((link) => new URL(link).pathname);
  return named.length === 0
    ? `${START_HINT}; if a script makes it, open it in a browser while \`app-sim serve\` runs`
    : `${START_HINT}; this page links to ${named.join(", ")}`;
}

function findRedirectUri(authorization: Authorization, { app: { redirectUris } }: OAuthLoginFacts): Found {
  const redirectUri = sentParameter(authorization, "redirect_uri");
  if (redirectUri === null) return fail("redirect_uri is missing", registeredHint(redirectUris));
  if (redirectUris.includes(redirectUri)) return pass("redirect_uri is registered, character by character");
  const registration = `"redirectUris": ["${redirectUri}"] of the app in the configuration, or --redirect-uri=${redirectUri} (so far: ${redirectUris.join(" ") || "none"})`;
  const { difference, hint } = unregisteredRedirect(redirectUri, redirectUris, registration);
  return fail(`redirect_uri ${redirectUri} is not registered${difference}`, hint);
}

function findRequest(authorization: Authorization, facts: OAuthLoginFacts): Found {
  const { verdict } = authorization;
  if (verdict.kind === "decided") return pass("the platform accepts the request");
  // Reported by another check.
  if (findRedirectUri(authorization, facts)?.result === "fail") return null;
  if (verdict.kind === "refused") return fail(verdict.reason, verdict.hint);
  const hint = verdict.error === "invalid_scope" ? scopeHint(facts) : challengeHint(authorization, verdict.reason);
  return fail(`${verdict.error}: ${verdict.reason}`, hint);
}

/** What to send if the platform refuses a request because of its PKCE challenge; null: it has another reason. */
function challengeHint(authorization: Authorization, reason: string): string | null {
  if (reason === METHOD_MISSING)
    return "add code_challenge_method=S256: the challenge is then the SHA-256 hash of the verifier";
  const challenge = sentParameter(authorization, "code_challenge");
  const isMalformed = challenge !== null && reason === `code_challenge ${malformation(challenge)}`;
  return isMalformed ? "code_challenge is BASE64URL(SHA256(code_verifier)) without padding" : null;
}

function scopeHint({ app: { scopes }, choices }: OAuthLoginFacts): string {
  const shape = "scope is a list of names separated by single spaces";
  return scopes.length === 0
    ? `${shape}, such as ${choices["api.projects.scope"]}; no scopes are registered for this app (scopes of the app in the configuration), so any name will do`
    : `${shape}, each registered for this app: ${scopes.join(" ")}; to let it ask for more, add them to scopes of the app in the configuration`;
}

function findState(authorization: Authorization): Found {
  const state = sentParameter(authorization, "state");
  // PKCE prevents the exchange of a code that another browser got.
  const judge = sentParameter(authorization, "code_challenge") === null ? fail : warn;
  if (state === null) {
    return judge(
      "no state was sent: the app cannot tell its own callback from a forged one",
      "send an unguessable state, bound to the browser, and compare it at the callback",
    );
  }
  const why = guessable(state);
  if (why === null) return pass(`state has ${state.length} characters`);
  return judge(`state is guessable: ${why}`, "make it from at least 16 random bytes");
}

/**
 * Why a state is guessable; null if nothing suggests that. A state of 8 or more random bytes, in any usual encoding, is
 * never called guessable.
 */
export function guessable(state: string): string | null {
  if (state.length < 8) return `it has only ${plural(state.length, "character")}`;
  if (/^\d{1,13}$/.test(state)) return "it is a number, such as a time or a counter";
  const different = new Set(state).size;
  return different < 4 ? `it has only ${plural(different, "different character")}` : null;
}

function findPkce(authorization: Authorization): Found {
  if (sentParameter(authorization, "code_challenge") === null) {
    return warn(
      "no code_challenge was sent: anyone who gets hold of the code can use it",
      "send code_challenge and code_challenge_method=S256 (PKCE), which are strongly recommended",
    );
  }
  const method = sentParameter(authorization, "code_challenge_method");
  if (method === "S256") return pass("PKCE with S256");
  // Reported by another check.
  if (method === null) return null;
  return warn(
    `PKCE with ${method}: anyone who sees the request knows the verifier`,
    "send the SHA-256 hash of the verifier, with code_challenge_method=S256",
  );
}

function findSecret({ parameters, url }: Authorization, { app: { clientSecret } }: OAuthLoginFacts): Found {
  const isSent = [...(parameters?.values() ?? [])].flat().includes(clientSecret);
  if (!isSent && !url.includes(clientSecret) && parameters?.has("client_secret") !== true) {
    return pass("no secret is in the URL");
  }
  return fail(
    "the client secret is in the URL that the user's browser is sent to",
    "leave client_secret out: it is only for the token endpoint",
  );
}

function findCookie(authorization: Authorization, facts: OAuthLoginFacts): Found {
  const { start } = facts;
  const { own } = start;
  const cookies = keptCookies(own);
  const redirectUri = parseUrl(sentParameter(authorization, "redirect_uri") ?? "");
  const lost = (redirectUri && lostCookie(own, redirectUri)) ?? (cookies.length > 0 ? null : expiredCookie(own));
  if (cookies.length === 0 && lost === null) {
    return warn(
      "no cookie was set before the user was sent to the platform",
      "without one the app's callback cannot know which browser started the login",
    );
  }
  const open = findOpen(own);
  if (open !== null) return open;
  const strict = distinctNames(cookies.filter(isStrict));
  if (loadsAgain(facts)) {
    return pass("the callback loads itself again, and so gets the cookie of the login, which is SameSite=Strict");
  }
  if (strict.length > 0) {
    // Where another cookie is sent, the app may not need the Strict one.
    const judge = areAllStrict(start) ? fail : warn;
    return judge(
      `the cookie ${strict.join(", ")} is SameSite=Strict`,
      "a browser that returns from another site does not send it with the callback: use Lax",
    );
  }
  if (lost === null) return pass("the cookie of the login is sent with the callback");
  return warn(
    `no cookie of the login is sent with the callback: ${lost}`,
    "without one the app's callback cannot know which browser started the login",
  );
}

/** Hardening C2. */
function findFresh({ authorization, second }: OAuthLoginFacts): Found {
  const later = second?.authorization ?? null;
  if (authorization === null || later === null) return null;
  const same = ["state", "code_challenge"].filter((name) => {
    const value = sentParameter(authorization, name);
    return value !== null && value === sentParameter(later, name);
  });
  if (same.length === 0) return pass("each login has its own state and code_challenge");
  return fail(
    `two logins in two browsers sent the same ${same.join(" and ")}`,
    "make a new random state and code_verifier for each login",
  );
}

/** Hardening C3; the first login, identical except for the state, is the control. */
function findForged({ second }: OAuthLoginFacts): Found {
  if (second?.callback == null) return second && whyNotForged(second);
  const { landing, requests } = second.callback;
  if (tokenRequests(requests).some(({ record }) => record.step !== "refresh")) {
    return fail(
      "the callback had a forged state, but the app called the token endpoint",
      "first compare the callback's state with the one kept for this browser",
    );
  }
  // Without a token request nobody is logged in, wherever the app sends the user.
  if (landing.kind === "trouble") return (landing.failure === "other" ? warn : fail)(landing.reason, landing.hint);
  if (landing.kind === "page" && landing.status >= 500) {
    return warn(
      `the callback had a forged state, and the app broke: it ${landingText(landing)}`,
      "answer with 400 and a page that says so: this is not a server error",
    );
  }
  return pass(`a callback with a forged state was refused: the app ${landingText(landing)}`);
}

/**
 * Hardening C3, C4: an attacker who plants their own callback in a victim's browser logs the victim in as the attacker.
 * An app that sends the code with this browser's own code_verifier gets no token, which protects it as well (RFC 9700,
 * 4.7.1).
 */
function findForeign({ second }: OAuthLoginFacts): Found {
  if (second?.foreign == null) return null;
  const { callback } = second.foreign;
  if (callback === null) return inconclusive("a third login, in another browser, got no code from the platform");
  const tokens = tokenRequests(callback.requests).filter(({ record }) => record.step !== "refresh");
  if (tokens.some(({ exchange }) => exchange.response?.status === 200)) {
    return fail(
      "a callback with another browser's state and code logged this one in: the state is not bound to the browser",
      "keep the state in a cookie or session of the browser, and compare the callback's state with that one",
    );
  }
  return pass(`a callback with another browser's state and code was refused: the app ${landingText(callback.landing)}`);
}

function whyNotForged({ start: { landing }, authorization }: SecondLogin): Found {
  const where = "a second login, in another browser,";
  if (landing.kind === "trouble") return fail(`${where} did not start: ${landing.reason}`, landing.hint);
  if (authorization === null) return inconclusive(`${where} did not start: the app ${landingText(landing)}`);
  if (sentParameter(authorization, "state") === null) return skip("the app sends no state that could be changed");
  return inconclusive(`${where} got no code from the platform`);
}
