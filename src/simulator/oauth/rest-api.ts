import { apiError, bearerRefusal, bearerToken, missingTokenAnswer } from "../../platform/bearer.ts";
import { jsonAnswer, type WireAnswer } from "../../platform/oauth-answer.ts";
import { queryParameters } from "../../platform/oauth-parameters.ts";
import { projectList, readListPage, visibleProjects } from "../../platform/project-list.ts";
import { type Arrival, type Finding, type Handled, headerOf } from "./arrival.ts";
import type { AccessToken } from "./grants.ts";
import { knownToken } from "./known-token.ts";
import type { OAuthContext } from "./oauth-context.ts";
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
        const handled = isTooMuch
          ? refused(tooMany(limit), { step: "api" })
          : ((await strikeCaller(oauth, arrival)) ?? (await answer(oauth, arrival, domain)));
        return { ...handled, answer: oauth.hooks.apply("api", handled.answer) };
      } finally {
        underWay -= 1;
      }
    },
  };
}

async function strikeCaller(oauth: OAuthContext, arrival: Arrival): Promise<Handled | null> {
  const bearer = bearerToken(headerOf(arrival, "authorization"));
  const known = bearer === null ? null : await knownToken(oauth, bearer);
  return strike(oauth, ["api"], callerOf(known?.token ?? null));
}

/** In whose name the call is, as far as that is known. */
function callerOf(token: AccessToken | null) {
  return { step: "api", client: token?.grant.app.clientId ?? null, user: token?.grant.user ?? null } as const;
}

async function answer(oauth: OAuthContext, arrival: Arrival, domain: string | null): Promise<Handled> {
  const { context, choices } = oauth;
  const { organization } = context.config;
  choices.relyOn("api.errors");
  if (domain !== null && domain !== organization.domain) {
    return refused(apiError(404, `there is no organization ${domain} here, but ${organization.domain}`), {
      step: "api",
    });
  }
  const bearer = bearerToken(headerOf(arrival, "authorization"));
  if (bearer === null) return refused(missingTokenAnswer(), { step: "api" });
  const known = await knownToken(oauth, bearer);
  if (!known.ok) {
    return refused(bearerRefusal("invalid_token", problems[known.problem]), callerOf(known.token), "invalid_token");
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
    return refused(apiError(404, `app-sim knows nothing at ${path}, only GET ${PROJECTS}`), finding);
  }
  if (arrival.method !== "GET" && arrival.method !== "HEAD") {
    const allow = { allow: "GET, HEAD" };
    return refused(apiError(405, `${arrival.method} is not answered at ${PROJECTS}`, allow), finding);
  }
  const needed = choices.get("api.projects.scope");
  if (!scopes.includes(needed)) {
    const message = `the user did not grant the scope ${needed}`;
    return refused(bearerRefusal("insufficient_scope", message, needed), finding, "insufficient_scope");
  }
  choices.relyOn("api.projects");
  const parameters = queryParameters(arrival.url);
  const page = parameters === null ? "the query is not percent-encoded UTF-8" : readListPage(parameters);
  if (typeof page === "string") return refused(apiError(400, page), finding);
  const seen = visibleProjects(config.projects, grant.user);
  return { answer: jsonAnswer(200, projectList(seen, page, config.organization)), finding };
}

function tooMany(limit: number): WireAnswer {
  return apiError(429, `more than ${limit} calls at a time`, { "retry-after": "1" });
}

function refused(answer: WireAnswer, finding: Finding, error = String(answer.status)): Handled {
  const { message } = (JSON.parse(answer.body) as { error: { message: string } }).error;
  return { answer, finding: { ...finding, error, reason: message } };
}
