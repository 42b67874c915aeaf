import { createHash, randomUUID } from "node:crypto";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import type { Exchange, HeaderLines } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import type { OAuthRecord } from "../../src/journal/record.ts";
import { queryParameters } from "../../src/oauth/rules/oauth-parameters.ts";
import { judgeOAuthLogin } from "../../src/oauth-login/checks/judge-login.ts";
import type {
  AppVisit,
  LoginLanding,
  OAuthLoginFacts,
  PlatformRequest,
  SecondLogin,
} from "../../src/oauth-login/checks/login-facts.ts";

export const platform = "http://127.0.0.1:7410";
export const site = "http://127.0.0.1:3000";
export const redirectUri = `${site}/callback`;
const [usual] = defaultConfig.apps;
if (usual === undefined) throw new Error("a world without an app");
export const app = { ...usual, redirectUris: [redirectUri] };
const verifier = "v".repeat(43);
const challenge = createHash("sha256").update(verifier).digest("base64url");

const query: Readonly<Record<string, string>> = {
  client_id: app.clientId,
  redirect_uri: redirectUri,
  response_type: "code",
  scope: "project",
  state: "dGhlIHN0YXRlIGlzIGxvbmc",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

export const page = (status: number, body = "Hello"): Extract<LoginLanding, { kind: "page" }> => ({
  kind: "page",
  url: `${site}/home`,
  status,
  text: body,
  body,
  links: [],
});
export const trouble: Extract<LoginLanding, { kind: "trouble" }> = {
  kind: "trouble",
  reason: "nothing listens",
  hint: null,
  failure: "unreachable",
};
export const toPlatform: LoginLanding = { kind: "platform", url: `${platform}/oauth/authorize?x` };

export const visit = (landing: LoginLanding, requests: readonly PlatformRequest[] = []): AppVisit => ({
  url: `${redirectUri}?code=c`,
  landing,
  own: [],
  exchanges: [],
  requests,
});

/** An exchange of the browser with the app. */
export function browsed(
  url: string,
  cookies: readonly string[] = [],
  { location, sent }: { readonly location?: string; readonly sent?: string } = {},
): Exchange {
  const { exchange } = request("api", { url, headers: sent === undefined ? [] : [["Cookie", sent]] });
  const headers: HeaderLines = [
    ...cookies.map((line) => ["Set-Cookie", line] as const),
    ...(location === undefined ? [] : [["Location", location] as const]),
  ];
  const status = location === undefined ? 200 : 302;
  return {
    ...exchange,
    purpose: "visit",
    request: { ...exchange.request, method: "GET" },
    response: { status, headers, body: recordBody(Buffer.from("")) },
  };
}

/** A login that begins with these cookies. */
export const begun = (...cookies: string[]) => ({
  ...visit(toPlatform),
  own: [browsed(`${site}/auth/login`, cookies)],
});

interface RequestParts {
  readonly error?: string;
  readonly reason?: string;
  readonly body?: unknown;
  readonly headers?: HeaderLines;
  readonly url?: string;
  readonly method?: string;
}

export const JSON_TYPE = ["Content-Type", "application/json"] as const;

export function request(step: OAuthRecord["step"], parts: RequestParts = {}): PlatformRequest {
  const { error, reason, body, headers, url, method = "POST" } = parts;
  const id = randomUUID();
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? exchangeBody));
  return {
    record: {
      type: "oauth",
      id: randomUUID(),
      at: "2031-05-06T07:08:09.000Z",
      step,
      client: app.clientId,
      user: null,
      outcome: error === undefined ? "ok" : "refused",
      error: error ?? null,
      reason: reason ?? null,
      hint: null,
      warnings: [],
      exchange: id,
    },
    exchange: {
      type: "exchange",
      id,
      purpose: step === "api" ? "api" : "token",
      module: null,
      startedAt: "2031-05-06T07:08:09.000Z",
      timings: { headersMs: 1, totalMs: 1 },
      request: {
        method,
        url: url ?? `${platform}/oauth/token`,
        headers: headers ?? [JSON_TYPE],
        body: recordBody(bytes),
      },
      response: { status: error === undefined ? 200 : 400, headers: [], body: recordBody(Buffer.from("{}")) },
      outcome: { kind: "answered" },
    },
  };
}

export const exchangeBody = {
  grant_type: "authorization_code",
  client_id: app.clientId,
  client_secret: app.clientSecret,
  redirect_uri: redirectUri,
  code: "c",
  code_verifier: verifier,
};
const { code_verifier: _verifier, ...withoutVerifier } = exchangeBody;
const { client_secret: _secret, ...withoutSecret } = exchangeBody;

export { withoutSecret, withoutVerifier };

export const basic = (secret: string) =>
  ["Authorization", `Basic ${Buffer.from(`${app.clientId}:${secret}`).toString("base64")}`] as const;

export function authorization(
  changes: Readonly<Record<string, string | undefined>> = {},
): NonNullable<OAuthLoginFacts["authorization"]> {
  const given = Object.entries({ ...query, ...changes }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const url = `${platform}/oauth/authorize?${new URLSearchParams(given)}`;
  const location = `${redirectUri}?code=c`;
  return {
    url,
    parameters: queryParameters(url),
    verdict: { kind: "decided", isApproved: true, location },
    exchanges: ["a", "b"],
  };
}

export const refreshed = visit(page(200), [
  request("api", { error: "invalid_token" }),
  request("refresh"),
  request("api"),
]);

const second: SecondLogin = {
  start: visit(toPlatform),
  authorization: authorization({ state: "YW5vdGhlciBzdGF0ZSBub3c", code_challenge: "o".repeat(43) }),
  callback: visit(page(400)),
  foreign: { start: visit(toPlatform), authorization: authorization(), callback: visit(page(400)) },
};

export const good: OAuthLoginFacts = {
  app,
  choices: defaultChoices,
  platform,
  decision: "approve",
  start: begun("login=x; Path=/; HttpOnly; SameSite=Lax"),
  authorization: authorization(),
  callback: visit(page(200), [request("exchange"), request("api")]),
  use: null,
  useSetting: "--use",
  trial: null,
  withoutStrict: null,
  second,
  turns: [refreshed, refreshed],
  notTurned: null,
  ownClock: null,
  answers: [],
  issued: [{ name: "access_token", value: "the-access-token" }],
};
export const denied: OAuthLoginFacts = {
  ...good,
  decision: "deny",
  authorization: { ...authorization(), verdict: { kind: "decided", isApproved: false, location: redirectUri } },
  callback: visit(page(403)),
  second: null,
  turns: [],
  issued: [],
};

/** What does not pass, as `check result`. */
export function found(facts: OAuthLoginFacts): string[] {
  return judgeOAuthLogin(facts).flatMap(({ check, result }) => (result === "pass" ? [] : [`${check} ${result}`]));
}

export const asked = (changes: Readonly<Record<string, string | undefined>>): OAuthLoginFacts => ({
  ...good,
  authorization: authorization(changes),
});
export const called = (...requests: PlatformRequest[]): OAuthLoginFacts => ({
  ...good,
  callback: visit(page(200), requests),
});
export const exchanged = (parts: RequestParts): OAuthLoginFacts => called(request("exchange", parts), request("api"));
export const turned = (...turns: AppVisit[]): OAuthLoginFacts => ({ ...good, turns });
export const forged = (changes: Partial<SecondLogin>): OAuthLoginFacts => ({
  ...good,
  second: { ...second, ...changes },
});

/** An authorization request without PKCE. */
export const bare = { code_challenge: undefined, code_challenge_method: undefined };

/** What one check says; undefined: nothing. */
export function verdictOf(check: string, facts: OAuthLoginFacts) {
  const finding = judgeOAuthLogin(facts).find((each) => each.check === check);
  return finding && { result: finding.result, message: finding.message, hint: finding.hint };
}
