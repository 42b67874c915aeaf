import { visibleProjects } from "../../config/users.ts";
import { headerValue } from "../../journal/exchange.ts";
import { apiError, bearerRefusal, bearerToken, missingTokenAnswer, missingTokenText } from "../../protocol/bearer.ts";
import { withoutQuery } from "../../protocol/url.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { queryParameters } from "../rules/oauth-parameters.ts";
import { projectList, readListPage } from "../rules/project-list.ts";
import type { AccessToken } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { applyFault, type Decided, type Handled } from "./receive.ts";
import { type CheckedToken, checkAccessToken } from "./tokens.ts";

const PROJECTS = "/api/v2/projects";

/**
 * Creates the handler for calls to the REST API (interface 4.1, 5.4).
 * @returns a function of the request and the organization's domain in the host name; null: there is none
 */
export function createRestApi(
  oauth: OAuthContext,
): (request: IncomingRequest, domain: string | null) => Promise<Handled> {
  let inFlight = 0;
  return async (request, domain) => {
    const limit = oauth.choices.get("api.rateLimit");
    const isOverLimit = limit > 0 && inFlight >= limit;
    inFlight += 1;
    try {
      const handled = isOverLimit ? tooMany(limit) : await handleCall(oauth, request, domain);
      return { ...handled, answer: inChosenWords(oauth, oauth.hooks.apply("api", handled.answer)) };
    } finally {
      inFlight -= 1;
    }
  };
}

/** A deployment may give no details with 401 (choice `api.unauthorized`). */
function inChosenWords({ choices }: OAuthContext, answer: WireAnswer): WireAnswer {
  const message = choices.peek("api.unauthorized");
  if (answer.status !== 401 || message === "") return answer;
  choices.relyOn("api.unauthorized");
  return { ...answer, body: apiError(401, message).body };
}

async function handleCall(oauth: OAuthContext, request: IncomingRequest, domain: string | null): Promise<Handled> {
  const bearer = bearerToken(headerValue(request.headers, "authorization"));
  const checked = bearer === null ? null : await checkAccessToken(oauth, bearer);
  const fault = await applyFault(oauth, ["api"], callerOf(checked?.token ?? null));
  return fault ?? answer(oauth, request, domain, checked);
}

/** The app and the user of the call, if the token names them. */
function callerOf(token: AccessToken | null) {
  return { step: "api", client: token?.grant.app.clientId ?? null, user: token?.grant.user ?? null } as const;
}

function answer(
  oauth: OAuthContext,
  request: IncomingRequest,
  domain: string | null,
  checked: CheckedToken | null,
): Handled {
  const { context } = oauth;
  const { organization } = context.config;
  const nobody = callerOf(null);
  if (domain !== null && domain !== organization.domain) {
    return refused(
      404,
      `there is no organization ${domain} here, only ${organization.domain ?? "one without a domain"}`,
      nobody,
    );
  }
  if (checked === null) {
    const missing = missingTokenText(headerValue(request.headers, "authorization"));
    return refusedBearer(missingTokenAnswer(missing), missing, nobody, "401");
  }
  if (!checked.ok) {
    const problem = problems[checked.problem];
    return refusedBearer(bearerRefusal("invalid_token", problem), problem, callerOf(checked.token), "invalid_token");
  }
  return answerCaller(oauth, request, checked.token);
}

const problems = {
  malformed: "the access token was not issued by this platform",
  unset:
    "a word such as undefined was sent instead of the access token: send the access_token from the token endpoint's answer",
  quoted: "the access token is in quotes: send it without them",
  refresh: "a refresh token is not an access token: send the access_token from the token endpoint's answer",
  code: "an authorization code is not an access token: send the access_token from the token endpoint's answer",
  expired: "the access token has expired",
  revoked: "the access token was revoked",
} as const;

function answerCaller({ context, choices }: OAuthContext, request: IncomingRequest, token: AccessToken): Handled {
  const { grant, scopes } = token;
  const { config } = context;
  const decided = callerOf(token);
  const path = withoutQuery(request.url);
  if (path !== PROJECTS) {
    return refused(404, `app-sim serves nothing at ${path}, only GET ${PROJECTS}`, decided);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    const allow = { allow: "GET, HEAD" };
    return refused(405, `${request.method} is not answered at ${PROJECTS}`, decided, allow);
  }
  const needed = choices.get("api.projects.scope");
  if (!scopes.includes(needed)) {
    const message = `the user did not grant the scope ${needed}`;
    return refusedBearer(bearerRefusal("insufficient_scope", message, needed), message, decided, "insufficient_scope");
  }
  const parameters = queryParameters(request.url);
  const page = parameters === null ? "the query is not percent-encoded UTF-8" : readListPage(parameters);
  if (typeof page === "string") return refused(400, page, decided);
  const seen = visibleProjects(config.projects, grant.user);
  return { answer: jsonAnswer(200, projectList(seen, page, config.organization)), decided };
}

function tooMany(limit: number): Handled {
  return refused(429, `more than ${limit} concurrent calls`, callerOf(null), { "retry-after": "1" });
}

function refused(status: number, reason: string, decided: Decided, headers: WireAnswer["headers"] = {}): Handled {
  return { answer: apiError(status, reason, headers), decided: { ...decided, error: String(status), reason } };
}

function refusedBearer(answer: WireAnswer, reason: string, decided: Decided, error: string): Handled {
  return { answer, decided: { ...decided, error, reason } };
}
