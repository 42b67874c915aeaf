import { headerValue } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { authenticate, type ClientCredentials, readCredentials } from "../../oauth/rules/client-credentials.ts";
import { readTokenBody } from "../../oauth/rules/oauth-body.ts";
import { type Parameters, parameterOf } from "../../oauth/rules/oauth-parameters.ts";
import { verifierProblem } from "../../oauth/rules/oauth-token.ts";
import type { Challenge } from "../../oauth/rules/pkce.ts";
import { mediaType } from "../../protocol/media-type.ts";
import type { Judged } from "../../protocol/wire-answer.ts";
import {
  type AppVisit,
  breakingCall,
  type Found,
  isAccepted,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  type PlatformRequest,
  refusalText,
  tokenRequests,
} from "./oauth-login-facts.ts";

/** How the code is exchanged, and what the app makes of its callback (interface 5.2). */
export const exchangeChecks: readonly OAuthLoginCheck[] = [
  {
    id: "oauth.exchange.encoding",
    section: "5.2",
    step: "exchange",
    path: "Content-Type",
    find: ofExchange((exchange, { choices }) => {
      const body = bodyOf(exchange, choices["oauth.token.contentTypes"]);
      if (!body.ok) return { result: "fail", message: body.refusal.description, hint: "the sample sends JSON" };
      return { result: "pass", message: `the request is ${typeOf(exchange)}` };
    }),
  },
  {
    id: "oauth.exchange.client",
    section: "5.2",
    step: "exchange",
    path: "client_secret",
    find: ofExchange(findClient),
  },
  {
    id: "oauth.exchange.verifier",
    section: "5.2",
    step: "exchange",
    path: "code_verifier",
    find: ofExchange(findVerifier),
  },
  {
    id: "oauth.exchange.once",
    section: "5.2",
    step: "exchange",
    path: "code",
    find: (facts) => (approvedCallback(facts) === null ? null : findOnce(exchangesOf(facts))),
  },
  { id: "oauth.exchange", section: "5.2", step: "exchange", path: "grant_type", find: findExchange },
  { id: "oauth.callback", section: "5.2", step: "callback", path: "callback", find: findCallback },
  { id: "oauth.denied.no-exchange", section: "7", step: "exchange", path: "code", find: findNoExchange },
  { id: "oauth.denied.answer", section: "7", step: "callback", path: "callback", find: findDeniedAnswer },
];

/** What the app said to the token endpoint in its exchange, in words. */
export function exchangeText(facts: OAuthLoginFacts): string[] {
  const exchange = decisive(exchangesOf(facts));
  if (exchange === null) return [];
  const body = bodyOf(exchange, "json-and-form");
  const parameters = body.ok ? body.value : new Map();
  const credentials = credentialsOf(exchange, parameters);
  const by = credentials.ok && credentials.value.by === "basic" ? "by Basic" : "in the body";
  const hasSecret = credentials.ok && credentials.value.secret !== null;
  return [
    typeOf(exchange),
    hasSecret ? `client_secret ${by}` : "no client_secret",
    parameterOf(parameters, "code_verifier") === null ? "no code_verifier" : "code_verifier",
  ];
}

/** The callback of a user who approved; null: the login did not come so far. */
export function approvedCallback({ authorization, callback }: OAuthLoginFacts): AppVisit | null {
  return authorization?.verdict.kind === "decided" && authorization.verdict.isApproved ? callback : null;
}

/** The callback that came with an error; null: none did. */
function deniedCallback(facts: OAuthLoginFacts): AppVisit | null {
  return approvedCallback(facts) === null ? facts.callback : null;
}

/** The requests by which the app exchanged its code, or tried to. */
export function exchangesOf(facts: OAuthLoginFacts): PlatformRequest[] {
  return tokenRequests(approvedCallback(facts)?.requests ?? []).filter(({ record }) => record.step !== "refresh");
}

/** The exchange that counts: the one that was accepted, else the last one; some clients try several ways. */
function decisive(exchanges: readonly PlatformRequest[]): PlatformRequest | null {
  return exchanges.find(isAccepted) ?? exchanges.at(-1) ?? null;
}

function ofExchange(find: (exchange: PlatformRequest, facts: OAuthLoginFacts) => Found): OAuthLoginCheck["find"] {
  return (facts) => {
    const exchange = decisive(exchangesOf(facts));
    return exchange && find(exchange, facts);
  };
}

function bodyOf({ exchange }: PlatformRequest, contentTypes: "json-and-form" | "json"): Judged<Parameters> {
  const { headers, body } = exchange.request;
  return readTokenBody(headerValue(headers, "content-type"), bodyBytes(body), contentTypes);
}

function typeOf({ exchange }: PlatformRequest): string {
  const type = mediaType(headerValue(exchange.request.headers, "content-type"));
  if (type === "application/json") return "JSON";
  return type === "application/x-www-form-urlencoded" ? "a form" : type || "without a Content-Type";
}

function credentialsOf({ exchange }: PlatformRequest, parameters: Parameters): Judged<ClientCredentials> {
  return readCredentials(parameters, headerValue(exchange.request.headers, "authorization"));
}

function findClient(exchange: PlatformRequest, { app, choices, authorization }: OAuthLoginFacts): Found {
  const body = bodyOf(exchange, choices["oauth.token.contentTypes"]);
  if (!body.ok) return null;
  const credentials = credentialsOf(exchange, body.value);
  const isBound = challengeOf(authorization) !== null && parameterOf(body.value, "code_verifier") !== null;
  const client = credentials.ok ? authenticate(credentials.value, [app], isBound) : credentials;
  if (!client.ok) {
    return {
      result: "fail",
      message: client.refusal.description,
      hint: "send the CLIENT_ID and CLIENT_SECRET that `app-sim env` prints, in the body or by Basic, not in both",
    };
  }
  const hasSecret = credentials.ok && credentials.value.secret !== null;
  return { result: "pass", message: hasSecret ? "the client secret is right" : "PKCE stands in for the client secret" };
}

function findVerifier(exchange: PlatformRequest, { choices, authorization }: OAuthLoginFacts): Found {
  const body = bodyOf(exchange, choices["oauth.token.contentTypes"]);
  if (!body.ok) return null;
  const verifier = parameterOf(body.value, "code_verifier");
  const isSent = verifier !== null;
  const challenge = challengeOf(authorization);
  const isExpected = challenge !== null;
  if (isExpected && !isSent) {
    return {
      result: "fail",
      message: "code_verifier is missing",
      hint: "a code_challenge was sent: keep its verifier with the state, and send it with the code",
    };
  }
  if (!isExpected && isSent) {
    return {
      result: "fail",
      message: "code_verifier was sent, but the authorization request had no code_challenge",
      hint: "send the verifier's SHA-256 hash as code_challenge in the authorization request",
    };
  }
  if (!isExpected) return { result: "skip", message: "there was no code_challenge" };
  const problem = exchange.record.error === "invalid_grant" ? verifierProblem(verifier, challenge) : null;
  if (problem === null) return { result: "pass", message: "code_verifier was sent" };
  return {
    result: "fail",
    message: problem,
    hint: "code_challenge is BASE64URL(SHA256(code_verifier)) without padding; each login has its own verifier",
  };
}

function challengeOf(authorization: OAuthLoginFacts["authorization"]): Challenge | null {
  if (authorization?.parameters == null) return null;
  const value = parameterOf(authorization.parameters, "code_challenge");
  const isHashed = parameterOf(authorization.parameters, "code_challenge_method") === "S256";
  return value === null ? null : { value, method: isHashed ? "S256" : "plain" };
}

/** Clients that try one way of authentication after the other are refused before their code is looked at. */
function findOnce(exchanges: readonly PlatformRequest[]): Found {
  const accepted = exchanges.findIndex(isAccepted);
  if (accepted < 0) return null;
  const others = exchanges.filter(
    ({ record }, index) => index > accepted || (index < accepted && record.error === "invalid_grant"),
  );
  if (others.length === 0) return { result: "pass", message: "the code was exchanged once" };
  return {
    result: "fail",
    message: `the code was exchanged ${others.length + 1} times: the platform revokes its tokens`,
    hint: "a code is good once; does a page reload, a retry or a second handler exchange it again?",
  };
}

function findExchange(facts: OAuthLoginFacts): Found {
  const callback = approvedCallback(facts);
  if (callback === null) return null;
  const exchange = decisive(exchangesOf(facts));
  if (exchange === null) {
    // An app that refuses its callback says so by its answer.
    if (callback.landing.kind !== "page" || callback.landing.status >= 400) return null;
    return {
      result: "fail",
      message: "the app did not exchange the code while it answered its callback",
      hint: `it is to POST to ${facts.platform}/oauth/token (interface 5.2)`,
    };
  }
  if (isAccepted(exchange)) return { result: "pass", message: "the app exchanged the code for tokens" };
  const isSaid = exchangeChecks.some(
    ({ id, find }) => id.startsWith("oauth.exchange.") && find(facts)?.result === "fail",
  );
  if (isSaid) return null;
  const hint =
    exchange.record.error === "invalid_grant" ? "it is the code, redirect_uri and client of this login" : null;
  return { result: "fail", message: `the platform refused the exchange: ${refusalText(exchange)}`, hint };
}

function findCallback(facts: OAuthLoginFacts): Found {
  const callback = approvedCallback(facts);
  if (callback === null) return null;
  const { landing } = callback;
  const exchange = decisive(exchangesOf(facts));
  if (landing.kind === "page" && landing.status < 400) {
    return { result: "pass", message: `the app ${landingText({ ...landing, text: "" })}` };
  }
  const message = landing.kind === "trouble" ? landing.reason : `the app ${landingText(landing)}`;
  if (exchange !== null && !isAccepted(exchange)) {
    return { result: "skip", message: `after the refused exchange, ${message}` };
  }
  if (breakingCall(callback) !== null) {
    return { result: "skip", message: `after the refused call to the API, ${message}` };
  }
  return { result: "fail", message, hint: callbackHint(facts, callback) };
}

function callbackHint({ cookies }: OAuthLoginFacts, { url, landing }: AppVisit): string | null {
  const { hostname } = new URL(url);
  const hosts = [...new Set(cookies.map(({ host }) => host))];
  if (cookies.length > 0 && !hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))) {
    return `the app set its cookies for ${hosts.join(", ")}, but redirect_uri is at ${hostname}: a browser does not send them there`;
  }
  if (landing.kind === "trouble") return landing.hint;
  if (landing.kind === "platform")
    return "did the app lose the login, such as by a cookie that it does not find again?";
  return landing.status >= 500 ? "look into the app's own log" : "does the app compare the state that it sent?";
}

/** Hardening C6. */
function findNoExchange(facts: OAuthLoginFacts): Found {
  const callback = deniedCallback(facts);
  if (callback === null) return null;
  if (tokenRequests(callback.requests).length === 0) return { result: "pass", message: "no token was asked for" };
  return {
    result: "fail",
    message: "the callback came with an error, but the app called the token endpoint",
    hint: "look for error in the callback's query before anything else",
  };
}

function findDeniedAnswer(facts: OAuthLoginFacts): Found {
  const callback = deniedCallback(facts);
  if (callback === null) return null;
  const { landing } = callback;
  switch (landing.kind) {
    case "trouble":
      return { result: "fail", message: landing.reason, hint: landing.hint };
    case "platform":
      return {
        result: "fail",
        message: "the app sent the user who declined straight back to the platform",
        hint: "show a page that says so, with a link to log in again",
      };
    case "page": {
      const message = `the app ${landingText(landing)}`;
      if (landing.status < 500) return { result: "pass", message };
      return { result: "fail", message, hint: "the callback comes with error and without a code (interface 7)" };
    }
  }
}
