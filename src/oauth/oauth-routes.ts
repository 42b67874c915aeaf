import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SimulatorContext } from "../platform/context.ts";
import { apiError } from "../protocol/bearer.ts";
import { withoutQuery } from "../protocol/url.ts";
import { refusalAnswer } from "../protocol/wire-answer.ts";
import { answerRefusals } from "../web/errors.ts";
import { refuseForeignPages } from "../web/foreign-requests.ts";
import { incomingRequest, keepBodies } from "../web/incoming-request.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import type { AddRoutes } from "../web/routes.ts";
import { messageAnswer, sendAnswer, wantsPage } from "../web/send-page.ts";
import { authorizeRoutes } from "./authorize-routes.ts";
import type { OAuth } from "./endpoints/oauth.ts";

interface OAuthRoutesContext extends SimulatorContext {
  readonly oauth: OAuth;
  /** The public keys of all tokens, as a JWK Set. */
  readonly jwks: () => Promise<{ readonly keys: readonly unknown[] }>;
}

/** The authorization server and the REST API (interface 4.1, 5.2 to 5.4). */
export const oauthRoutes: AddRoutes<OAuthRoutesContext> = (server, { config, oauth, jwks }, { tokens, foreign }) => {
  const discovery = {
    // Metadata for standard clients (RFC 8414).
    "/.well-known/oauth-authorization-server": async () => oauth.metadata(),
    // OpenID Connect clients look here, and see from what is missing that this server does not support it.
    "/.well-known/openid-configuration": async () => oauth.metadata(),
    // The keys that verify tokens (RFC 7517).
    "/.well-known/jwks.json": () => jwks(),
  };
  for (const [path, answer] of Object.entries(discovery)) {
    server.get(path, answer);
    refuseOtherMethods(server, path, ["GET", "HEAD"]);
  }
  server.register(async (scope) => authorizeRoutes(scope, { oauth, config, tokens, foreign }));
  // Only programs send requests there: those of other sites' pages are neither counted nor kept, and use up no fault.
  answerStray(server, oauth);
  server.register(async (scope) => {
    refuseForeignPages(scope, foreign);
    scope.register(async (inner) => tokenRoutes(inner, oauth));
    scope.register(async (inner) => apiRoutes(inner, oauth));
  });
};

const endpoints = ["token", "revoke", "introspect"] as const;

/** Serves the endpoints for tokens (interface 4.1), revocation (RFC 7009) and introspection (RFC 7662). */
function tokenRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  answerRefusals(scope, (request, status, description) => {
    const answer = refusalAnswer({ error: "invalid_request", description, status });
    return oauth.refuse(endpointOf(request), incomingRequest(request), answer, description);
  });
  for (const endpoint of endpoints) {
    const path = `/oauth/${endpoint}`;
    scope.post(path, async (request, reply) => sendAnswer(reply, await oauth[endpoint](incomingRequest(request))));
    refuseOtherMethods(scope, path, ["POST"], async (request, reply, refusal) => {
      const description = `${refusal.reason}, only POST`;
      const answer = wantsPage(request)
        ? messageAnswer(request, 405, refusal)
        : refusalAnswer({ error: "invalid_request", description, status: 405 });
      return sendAnswer(reply, await oauth.refuse(endpoint, incomingRequest(request), answer, refusal.reason));
    });
  }
  const refuseAddress = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = messageAnswer(request, 404, {
      title: "Page not found",
      reason: `this platform serves nothing at ${request.method} ${withoutQuery(request.url)}`,
      hint: "GET /oauth/authorize asks the user, POST /oauth/token issues tokens",
    });
    const refused = oauth.refuse(endpointOf(request), incomingRequest(request), answer, "no such address");
    return sendAnswer(reply, await refused);
  };
  scope.all("/oauth/*", refuseAddress);
  // Otherwise an app with a wrong path would seem to have sent nothing.
  scope.post("/*", (request, reply) =>
    tokenPath.test(withoutQuery(request.url)) ? refuseAddress(request, reply) : reply.callNotFound(),
  );
}

/** A path that looks like one of a token endpoint. */
const tokenPath = /token\/?$/i;

/** The endpoint of a request; an unknown address counts as the token endpoint. */
function endpointOf({ url }: FastifyRequest): (typeof endpoints)[number] {
  return endpoints.find((endpoint) => url.startsWith(`/oauth/${endpoint}`)) ?? "token";
}

/** Serves the REST API (interface 4.1, 5.4), at {api_host} and at the organization's own host, `{domain}.{api_host}`. */
function apiRoutes(scope: FastifyInstance, oauth: OAuth): void {
  keepBodies(scope);
  answerRefusals(scope, (request, status, reason) =>
    oauth.refuse("api", incomingRequest(request), apiError(status, reason), reason),
  );
  scope.all("/api/*", (request, reply) => answerApi(scope, oauth, request, reply));
}

/** An access token is a JWT; the keys of the platform's own pages are not. */
const withJwt = /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/;

/**
 * Treats a request with an access token to an unknown address as a call to the API: otherwise an app that omits the
 * prefix would seem to have sent nothing. Browsers send no access tokens.
 */
function answerStray(server: FastifyInstance, oauth: OAuth): void {
  server.addHook("onRequest", async (request, reply) => {
    const isStray = request.is404 && request.method === "GET" && withJwt.test(request.headers.authorization ?? "");
    return isStray ? answerApi(server, oauth, request, reply) : undefined;
  });
}

async function answerApi(
  scope: FastifyInstance,
  oauth: OAuth,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const domain = organizationOf(request.headers.host ?? "", scope.ownAddress.url);
  return sendAnswer(reply, await oauth.api(incomingRequest(request), domain));
}

/**
 * The organization's domain in a host name, a subdomain of the platform's host; null for the platform's host itself.
 */
function organizationOf(given: string, platform: string): string | null {
  const host = given.toLowerCase().replace(/:\d+$/, "");
  const { hostname } = new URL(platform);
  const isBelow = host.endsWith(`.${hostname}`) || (host !== hostname && host.endsWith(".localhost"));
  const [name] = isBelow ? host.split(".") : [];
  // These belong to the platform itself.
  return name === undefined || ["api", "auth", "www"].includes(name) ? null : name;
}
