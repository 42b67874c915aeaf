import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { addressText } from "../../browser/addresses.ts";
import { expiredCookie, keptCookies, lostCookie } from "../../browser/cookies.ts";
import { headerValue } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { authenticate, type ClientCredentials, readCredentials } from "../../oauth/rules/client-credentials.ts";
import {
  FORM_TYPE,
  JSON_TYPE,
  type Parameters,
  parameterOf,
  readTokenBody,
} from "../../oauth/rules/oauth-parameters.ts";
import {
  CODE_EXPIRED,
  GRANT_TYPE_MISSING,
  REDIRECT_URI_MISSING,
  verifierProblem,
} from "../../oauth/rules/oauth-token.ts";
import { type Challenge, malformation } from "../../oauth/rules/pkce.ts";
import { mediaType } from "../../protocol/media-type.ts";
import type { Judged } from "../../protocol/wire-answer.ts";
import {
  type AppVisit,
  approvedCallback,
  breakingCall,
  codeExchanges,
  emptyPage,
  type Found,
  fail,
  isAccepted,
  isGoodPage,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  type PlatformRequest,
  pass,
  refusalText,
  SEND_CLIENT,
  sentParameter,
  skip,
  tokenRequests,
  warn,
} from "./login-facts.ts";
import { lostOnTheWay } from "./session-checks.ts";

const exchangeStep = { section: "5.2", step: "exchange" } as const;

/** How the app exchanges the code, and how it answers its callback (interface 5.2). */
export const exchangeChecks: readonly OAuthLoginCheck[] = [
  { ...exchangeStep, id: "oauth.exchange.encoding", path: "Content-Type", find: ofExchange(findEncoding) },
  { ...exchangeStep, id: "oauth.exchange.client", path: "client_secret", find: ofParameters(findClient) },
  { ...exchangeStep, id: "oauth.exchange.verifier", path: "code_verifier", find: ofParameters(findVerifier) },
  { ...exchangeStep, id: "oauth.exchange.once", path: "code", find: findOnce },
  { ...exchangeStep, id: "oauth.exchange", path: "grant_type", find: findExchange },
  { id: "oauth.callback", section: "5.2", step: "callback", path: "callback", find: findCallback },
  { id: "oauth.denied.no-exchange", section: "7", step: "exchange", path: "code", find: ofDenial(findNoExchange) },
  { id: "oauth.denied.answer", section: "7", step: "callback", path: "callback", find: ofDenial(findDeniedAnswer) },
];

/** How the app sent its exchange, in words. */
export function exchangeText(facts: OAuthLoginFacts): string[] {
  const exchange = decisiveExchange(facts);
  if (exchange === null) return [];
  const body = bodyOf(exchange, "json-and-form");
  const parameters = body.ok ? body.value : new Map();
  const places = [
    ...(parameterOf(parameters, "client_secret") === null ? [] : ["in the body"]),
    ...(secretByBasic(exchange) === null ? [] : ["with Basic"]),
  ];
  const hasVerifier = parameterOf(parameters, "code_verifier") !== null;
  const without = hasVerifier
    ? "no client_secret (optional with code_verifier, required to refresh)"
    : "no client_secret";
  return [
    typeOf(exchange),
    places.length > 0 ? `client_secret ${places.join(" and ")}` : without,
    hasVerifier ? "code_verifier" : "no code_verifier",
  ];
}

/** The decisive exchange: the accepted one, else the last; some clients try several kinds of authentication. */
function decisiveExchange(facts: OAuthLoginFacts): PlatformRequest | null {
  const exchanges = codeExchanges(facts);
  return exchanges.find(isAccepted) ?? exchanges.at(-1) ?? null;
}

function ofExchange(find: (exchange: PlatformRequest, facts: OAuthLoginFacts) => Found): OAuthLoginCheck["find"] {
  return (facts) => {
    const exchange = decisiveExchange(facts);
    return exchange && (isMisplaced(exchange) ? null : find(exchange, facts));
  };
}

/** Whether a token request went to another address than the token endpoint, or had another method. */
function isMisplaced({ record }: PlatformRequest): boolean {
  return ["404", "405"].includes(record.error ?? "");
}

function ofParameters(
  find: (parameters: Parameters, exchange: PlatformRequest, facts: OAuthLoginFacts) => Found,
): OAuthLoginCheck["find"] {
  return ofExchange((exchange, facts) => {
    const body = bodyOf(exchange, facts.choices["oauth.token.contentTypes"]);
    return body.ok ? find(body.value, exchange, facts) : null;
  });
}

/** A check of a callback with an error. */
function ofDenial(find: (callback: AppVisit) => Found): OAuthLoginCheck["find"] {
  return (facts) => facts.callback && (approvedCallback(facts) === null ? find(facts.callback) : null);
}

function bodyOf({ exchange }: PlatformRequest, contentTypes: "json-and-form" | "json"): Judged<Parameters> {
  const { headers, body } = exchange.request;
  return readTokenBody(headerValue(headers, "content-type"), bodyBytes(body), contentTypes);
}

function typeOf({ exchange }: PlatformRequest): string {
  const type = mediaType(headerValue(exchange.request.headers, "content-type"));
  if (type === JSON_TYPE) return "JSON";
  return type === FORM_TYPE ? "a form" : type || "without a Content-Type";
}

function credentialsOf({ exchange }: PlatformRequest, parameters: Parameters): Judged<ClientCredentials> {
  return readCredentials(parameters, headerValue(exchange.request.headers, "authorization"));
}

/** Without the parameters of the body, only Basic is left. */
function secretByBasic(exchange: PlatformRequest): string | null {
  const credentials = credentialsOf(exchange, new Map());
  return credentials.ok ? credentials.value.secret : null;
}

function findEncoding(exchange: PlatformRequest, { choices }: OAuthLoginFacts): Found {
  const body = bodyOf(exchange, choices["oauth.token.contentTypes"]);
  if (!body.ok) {
    const form = choices["oauth.token.contentTypes"] === "json" ? "" : `, or a form with ${FORM_TYPE}`;
    return fail(body.refusal.description, `send JSON with Content-Type: ${JSON_TYPE}${form}`);
  }
  return pass(`the request is ${typeOf(exchange)}`);
}

function findClient(parameters: Parameters, exchange: PlatformRequest, { app, authorization }: OAuthLoginFacts): Found {
  const credentials = credentialsOf(exchange, parameters);
  const isBound = challengeOf(authorization) !== null && parameterOf(parameters, "code_verifier") !== null;
  const client = credentials.ok ? authenticate(credentials.value, [app], isBound) : credentials;
  if (!client.ok) {
    return fail(client.refusal.description, SEND_CLIENT);
  }
  const hasSecret = credentials.ok && credentials.value.secret !== null;
  return pass(hasSecret ? "the client secret is right" : "PKCE replaces the client secret");
}

function findVerifier(parameters: Parameters, exchange: PlatformRequest, { authorization }: OAuthLoginFacts): Found {
  const verifier = parameterOf(parameters, "code_verifier");
  const challenge = challengeOf(authorization);
  if (challenge === null && verifier === null) return skip("there was no code_challenge");
  if (challenge === null) {
    return fail(
      "code_verifier was sent, but the authorization request had no code_challenge",
      "send the verifier's SHA-256 hash as code_challenge in the authorization request",
    );
  }
  if (verifier === null) {
    return fail(
      "code_verifier is missing",
      "a code_challenge was sent: keep its verifier with the state, and send it with the code",
    );
  }
  const problem = exchange.record.error === "invalid_grant" ? verifierProblem(verifier, challenge) : null;
  if (problem === null) return pass("code_verifier was sent");
  return fail(
    problem,
    malformation(verifier) === null
      ? "code_challenge is BASE64URL(SHA256(code_verifier)) without padding; each login has its own verifier"
      : "a good code_verifier is 32 random bytes in base64url, which is 43 characters",
  );
}

function challengeOf(authorization: OAuthLoginFacts["authorization"]): Challenge | null {
  const value = sentParameter(authorization, "code_challenge");
  const isHashed = sentParameter(authorization, "code_challenge_method") === "S256";
  return value === null ? null : { value, method: isHashed ? "S256" : "plain" };
}

/** A client that tries several kinds of authentication is refused before its code is judged. */
function findOnce(facts: OAuthLoginFacts): Found {
  const exchanges = codeExchanges(facts);
  const accepted = exchanges.findIndex(isAccepted);
  if (accepted < 0) return null;
  const others = exchanges.filter(({ record }, index) => index > accepted || record.error === "invalid_grant");
  if (others.length === 0) return pass("the code was exchanged once");
  return fail(
    `the code was exchanged ${others.length + 1} times: the platform refuses the second use and may revoke its tokens`,
    "a code is valid for one use; does a page reload, a retry or a second handler exchange it again?",
  );
}

function findExchange(facts: OAuthLoginFacts): Found {
  const callback = approvedCallback(facts);
  if (callback === null) return null;
  const exchange = decisiveExchange(facts);
  if (exchange === null) {
    // The answer of an app that refuses its callback says so.
    if (!isGoodPage(callback.landing)) return null;
    return fail(
      "the app did not exchange the code while handling its callback",
      `send a POST to ${facts.platform}/oauth/token (interface 5.2)`,
    );
  }
  if (isAccepted(exchange)) return pass("the app exchanged the code for tokens");
  if (isMisplaced(exchange)) {
    const { method, url } = exchange.exchange.request;
    return exchange.record.error === "404"
      ? fail(
          `the app asked for tokens at ${addressText(new URL(url))}, but the token endpoint is ${facts.platform}/oauth/token`,
          "the path is {auth_url}/oauth/token (interface 4.1)",
        )
      : fail(
          `the app sent ${method} to the token endpoint, which accepts only POST`,
          "send a POST with the parameters in its body (interface 5.2)",
        );
  }
  const isReported = exchangeChecks.some(
    ({ id, find }) => id.startsWith("oauth.exchange.") && find(facts)?.result === "fail",
  );
  if (isReported) return null;
  return fail(`the platform refused the exchange: ${refusalText(exchange)}`, exchangeHint(exchange, facts));
}

function exchangeHint(exchange: PlatformRequest, { authorization, choices }: OAuthLoginFacts): string | null {
  const { error, reason } = exchange.record;
  if (reason === REDIRECT_URI_MISSING) {
    return `send redirect_uri with the code, too, exactly as before: ${sentParameter(authorization, "redirect_uri")}`;
  }
  if (reason === GRANT_TYPE_MISSING) return "send grant_type=authorization_code, in the body";
  if (error !== "invalid_grant") return null;
  if (reason === CODE_EXPIRED) {
    return `exchange the code immediately: it is valid for ${choices["oauth.code.lifetime"]} s of the platform's clock`;
  }
  const body = bodyOf(exchange, choices["oauth.token.contentTypes"]);
  const code = body.ok ? parameterOf(body.value, "code") : null;
  if (code !== null && code === sentParameter(authorization, "state"))
    return "this is the state of the login: send the `code` of the callback's query";
  return "send this login's code, redirect_uri and client_id";
}

function findCallback(facts: OAuthLoginFacts): Found {
  const callback = approvedCallback(facts);
  if (callback === null) return null;
  const { landing } = callback;
  const empty = emptyPage(landing);
  if (empty !== null) return warn(...empty);
  if (landing.kind === "page" && isGoodPage(landing)) return pass(`the app answered ${landing.status}`);
  const exchange = decisiveExchange(facts);
  const message = landing.kind === "trouble" ? landing.reason : `the app ${landingText(landing)}`;
  if (exchange !== null && !isAccepted(exchange)) return skip(`after the refused exchange, ${message}`);
  if (breakingCall(callback) !== null) return skip(`after the refused call to the API, ${message}`);
  return fail(message, callbackHint(facts, callback));
}

function callbackHint({ start, authorization }: OAuthLoginFacts, callback: AppVisit): string | null {
  const { url, landing } = callback;
  const isKept = keptCookies(start.own).length > 0;
  const unsent = isKept ? lostCookie(start.own, new URL(url)) : expiredCookie(start.own);
  if (unsent !== null) return `${unsent}: a browser does not send it to redirect_uri, ${addressText(new URL(url))}`;
  const lost = lostOnTheWay(callback, start.own);
  if (lost !== null) return `${lost}: a browser does not send it to the address that the callback redirects to`;
  if (landing.kind === "trouble") return landing.hint;
  if (landing.kind === "platform") {
    return "did the app lose the login, perhaps because a cookie is missing?";
  }
  if (landing.status >= 500) return OWN_LOG;
  if (landing.status === 404 || landing.status === 405) {
    return `the app's redirect_uri is ${addressText(new URL(url))}: does the app serve GET there, or is its callback elsewhere?`;
  }
  // The app accepted the callback's state, and got tokens.
  if (tokenRequests(callback.requests).length > 0) return OWN_LOG;
  if (!isKept) {
    return "the login started without a cookie, so the browser sends none with the callback: does the app look for its state there? Set one (HttpOnly; SameSite=Lax; Path=/) in the answer that redirects to the platform";
  }
  return sentParameter(authorization, "state") === null
    ? "the app sent no state, so its callback has none: does it look for one?"
    : "does the app compare the state with the one that it sent?";
}

/** Hardening C6. */
function findNoExchange({ requests }: AppVisit): Found {
  if (tokenRequests(requests).length === 0) return pass("the app requested no token");
  return fail(
    "the callback had an error, but the app called the token endpoint",
    "check the callback's query for error before anything else",
  );
}

function findDeniedAnswer({ landing }: AppVisit): Found {
  if (landing.kind === "trouble") return fail(landing.reason, landing.hint);
  if (landing.kind === "platform") {
    return fail(
      "the app redirected the user who declined straight back to the platform",
      "show a page that says so, with a link to log in again",
    );
  }
  const message = `the app ${landingText(landing)}`;
  return landing.status < 500 ? pass(message) : fail(message, "the callback has error, but no code (interface 7)");
}
