import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config/schema.ts";
import { defaultUser } from "../config/users.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { type ForeignRequests, isForeign } from "../web/foreign-requests.ts";
import { acceptForms, FOREIGN_FORM, type FormTokens, formOf, isOwnForm } from "../web/forms.ts";
import { incomingRequest } from "../web/incoming-request.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { leadToOneOrigin } from "../web/own-origin.ts";
import { type Message, messageAnswer, pageAnswer, sendAnswer } from "../web/send-page.ts";
import { consentPage } from "./consent-page.ts";
import { type AuthorizationStep, redirectAnswer } from "./endpoints/authorization.ts";
import type { Consent } from "./endpoints/grants.ts";
import type { OAuth } from "./endpoints/oauth.ts";

const PATH = "/oauth/authorize";
const NO_DESCRIPTION = "Not described: add a description to oauth.scopes in the configuration";

interface AuthorizeParts {
  readonly oauth: OAuth;
  readonly config: Config;
  readonly tokens: FormTokens;
  readonly foreign: ForeignRequests;
}

/** Serves the authorization endpoint (interface 4.1, 5.2): GET asks the user, POST submits the decision. */
export function authorizeRoutes(scope: FastifyInstance, parts: AuthorizeParts): void {
  leadToOneOrigin(scope);
  acceptForms(scope);

  scope.get(PATH, { exposeHeadRoute: false }, async (request, reply) => {
    if (parts.config.oauth.consent === "ask" && isHidden(request)) return parts.foreign.refuse(request, reply);
    const { answer } = await parts.oauth.request(incomingRequest(request), (step) => show(request, parts, step));
    return sendAnswer(reply, answer);
  });

  scope.post(PATH, async (request, reply) => {
    const form = formOf(request);
    const incoming = incomingRequest(request, Buffer.from(new URLSearchParams(form).toString()));
    const refuse = async (status: number, message: Message) => {
      const answer = messageAnswer(request, status, message);
      return sendAnswer(reply, await parts.oauth.refuse("consent", incoming, answer, message.reason));
    };
    const { request: id = "", decision, user: login } = form;
    if (!isOwnForm(request, parts.tokens, id)) return refuse(403, FOREIGN_FORM);
    const user = parts.config.users.find((candidate) => candidate.login === login);
    const title = "This form is incomplete";
    if (user === undefined) {
      const hint = `user is a login name: ${parts.config.users.map((each) => each.login).join(", ")}`;
      return refuse(400, { title, reason: `there is no user "${login ?? ""}"`, hint });
    }
    if (decision !== "approve" && decision !== "deny") {
      return refuse(400, { title, reason: "decision is approve or deny", hint: "press one of the two buttons" });
    }
    const { answer } = await parts.oauth.decide(incoming, { id, decision, user }, (step) => show(request, parts, step));
    return sendAnswer(reply, answer);
  });

  refuseOtherMethods(scope, PATH, ["GET", "POST"]);
}

/** Whether another site framed this page, which browsers refuse to show there (hardening S11). */
function isHidden(request: FastifyRequest): boolean {
  const { "sec-fetch-dest": destination = "document" } = request.headers;
  return isForeign(request) && destination !== "document";
}

function show(request: FastifyRequest, parts: AuthorizeParts, step: AuthorizationStep): WireAnswer {
  if (step.kind === "ask") return pageAnswer(200, page(parts, step.consent));
  if (step.kind === "redirect") return redirectAnswer(step.location, request.method);
  const { status, reason, hint } = step;
  return messageAnswer(request, status, { title: "This request for access was refused", reason, hint });
}

function page({ config, tokens }: AuthorizeParts, { id, app, request, warnings }: Consent) {
  const words = new Map(Object.entries(config.oauth.scopes));
  return consentPage({
    request: id,
    token: tokens.tokenFor(id),
    appName: app.name ?? app.clientId,
    clientId: app.clientId,
    domain: config.organization.domain,
    scopes: request.scopes.map((name) => ({ name, words: words.get(name) ?? NO_DESCRIPTION })),
    users: config.users,
    chosen: defaultUser(config).login,
    redirectUri: request.redirectUri,
    warnings,
  });
}
