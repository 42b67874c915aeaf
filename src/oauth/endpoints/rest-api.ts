import { visibleProjects } from "../../config/users.ts";
import { apiError, bearerRefusal, bearerToken, MISSING_TOKEN, missingTokenAnswer } from "../../protocol/bearer.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { Arrival } from "../../web/arrival.ts";
import { queryParameters } from "../rules/oauth-parameters.ts";
import { projectList, readListPage } from "../rules/project-list.ts";
import type { AccessToken } from "./grants.ts";
import { type KnownToken, knownToken } from "./known-token.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Finding, type Handled, headerOf } from "./receive.ts";
import { strike } from "./strike.ts";

const PROJECTS = "/api/v2/projects";

/** Answers calls to the REST API (interface 4.1, 5.4). */
export interface RestApi {
  /** @param domain of the organization that the host names; null: the host names none */
  handle(arrival: Arrival, domain: string | null): Promise<Handled>;
}

/** No call is under way yet. */
export function createRestApi(oauth: OAuthContext): RestApi {
  let underWay = 0;
  return {
    async handle(arrival, domain) {
      const limit = oauth.choices.get("api.rateLimit");
      const isTooMuch = limit > 0 && underWay >= limit;
      underWay += 1;
      try {
        const handled = isTooMuch ? tooMany(limit) : await handleCall(oauth, arrival, domain);
        return { ...handled, answer: oauth.hooks.apply("api", handled.answer) };
      } finally {
        underWay -= 1;
      }
    },
  };
}

async function handleCall(oauth: OAuthContext, arrival: Arrival, domain: string | null): Promise<Handled> {
  const bearer = bearerToken(headerOf(arrival, "authorization"));
  const known = bearer === null ? null : await knownToken(oauth, bearer);
  const struck = await strike(oauth, ["api"], callerOf(known?.token ?? null));
  return struck ?? answer(oauth, arrival, domain, known);
}

/** In whose name the call is, as far as that is known. */
function callerOf(token: AccessToken | null) {
  return { step: "api", client: token?.grant.app.clientId ?? null, user: token?.grant.user ?? null } as const;
}

function answer(oauth: OAuthContext, arrival: Arrival, domain: string | null, known: KnownToken | null): Handled {
  const { context, choices } = oauth;
  const { organization } = context.config;
  const nobody = callerOf(null);
  choices.relyOn("api.errors");
  if (domain !== null && domain !== organization.domain) {
    return refused(404, `there is no organization ${domain} here, but ${organization.domain}`, nobody);
  }
  if (known === null) return refusedBearer(missingTokenAnswer(), MISSING_TOKEN, nobody, "401");
  if (!known.ok) {
    const problem = problems[known.problem];
    return refusedBearer(bearerRefusal("invalid_token", problem), problem, callerOf(known.token), "invalid_token");
  }
  return answerCaller(oauth, arrival, known.token);
}

const problems = {
  malformed: "the access token was not issued by this platform",
  expired: "the access token has expired",
  revoked: "the access token was revoked",
} as const;

function answerCaller({ context, choices }: OAuthContext, arrival: Arrival, token: AccessToken): Handled {
  const { grant, scopes } = token;
  const { config } = context;
  const finding = callerOf(token);
  const path = arrival.url.split("?", 1)[0];
  if (path !== PROJECTS) {
    return refused(404, `app-sim knows nothing at ${path}, only GET ${PROJECTS}`, finding);
  }
  if (arrival.method !== "GET" && arrival.method !== "HEAD") {
    const allow = { allow: "GET, HEAD" };
    return refused(405, `${arrival.method} is not answered at ${PROJECTS}`, finding, allow);
  }
  const needed = choices.get("api.projects.scope");
  if (!scopes.includes(needed)) {
    const message = `the user did not grant the scope ${needed}`;
    return refusedBearer(bearerRefusal("insufficient_scope", message, needed), message, finding, "insufficient_scope");
  }
  choices.relyOn("api.projects");
  const parameters = queryParameters(arrival.url);
  const page = parameters === null ? "the query is not percent-encoded UTF-8" : readListPage(parameters);
  if (typeof page === "string") return refused(400, page, finding);
  const seen = visibleProjects(config.projects, grant.user);
  return { answer: jsonAnswer(200, projectList(seen, page, config.organization)), finding };
}

function tooMany(limit: number): Handled {
  return refused(429, `more than ${limit} calls at a time`, callerOf(null), { "retry-after": "1" });
}

function refused(status: number, reason: string, finding: Finding, headers: WireAnswer["headers"] = {}): Handled {
  return { answer: apiError(status, reason, headers), finding: { ...finding, error: String(status), reason } };
}

function refusedBearer(answer: WireAnswer, reason: string, finding: Finding, error: string): Handled {
  return { answer, finding: { ...finding, error, reason } };
}
