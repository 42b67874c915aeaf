import type { Config, User } from "../../config/schema.ts";
import { defaultUser } from "../../config/users.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { IncomingRequest } from "../../web/incoming-request.ts";
import { type AuthorizationRequest, judgeAuthorization, redirectLocation } from "../rules/oauth-authorize.ts";
import { parameterOf, queryParameters } from "../rules/oauth-parameters.ts";
import { type Consent, UNUSED } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Decided, receive } from "./receive.ts";

/** How long an authorization request waits for its user. */
const PENDING_MS = 10 * 60_000;

/** The user's answer to an authorization request. */
export interface ConsentDecision {
  /** Id of the requested consent. */
  readonly id: string;
  readonly decision: "approve" | "deny";
  readonly user: User;
}

/** What follows an authorization request, or a decision about one. */
export type AuthorizationStep =
  | { readonly kind: "ask"; readonly consent: Consent }
  /** Back to the app. */
  | { readonly kind: "redirect"; readonly location: string }
  /** The user is shown the reason, and is not redirected. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string; readonly hint: string };

/** Makes the browser's answer. */
export type ShowStep = (step: AuthorizationStep) => WireAnswer;

/** Handles an authorization request from a user's browser (interface 4.1, 5.2). */
export function handleAuthorization(oauth: OAuthContext, request: IncomingRequest, config: Config, show?: ShowStep) {
  return receive(oauth.context, "authorize", request, async () =>
    answered(authorize(oauth, request.url, config), request, show),
  );
}

export function handleDecision(
  oauth: OAuthContext,
  request: IncomingRequest,
  decision: ConsentDecision,
  show?: ShowStep,
) {
  return receive(oauth.context, "consent", request, async () => answered(decide(oauth, decision), request, show));
}

function answered(
  decided: DecidedStep,
  { method }: IncomingRequest,
  show: ShowStep = (step) => answerWithoutPages(step, method),
) {
  return { ...decided, answer: show(decided.step) };
}

interface DecidedStep {
  readonly step: AuthorizationStep;
  readonly decided: Decided;
}

function authorize(oauth: OAuthContext, url: string, config: Config): DecidedStep {
  const { context, choices, faults } = oauth;
  const parameters = queryParameters(url);
  if (parameters === null) {
    return refused(400, "the query is not percent-encoded UTF-8", "encode each value once (RFC 3986, 2.1)");
  }
  if (parameterOf(parameters, "code_challenge_method") === "plain") choices.relyOn("oauth.pkce.plain");
  const verdict = judgeAuthorization(parameters, config.apps, context.choices);
  const client = parameters.get("client_id")?.[0] ?? null;
  if (verdict.kind === "refuse") return refused(400, verdict.message, verdict.hint, client);
  if (verdict.kind === "redirect") {
    const { error, description: reason } = verdict;
    return sendError(oauth, verdict, { step: "authorize", client, error, reason });
  }
  const { app, request, warnings } = verdict;
  const decided = { step: "authorize", client, warnings } as const;
  const fault = faults.take(["consent"]);
  if (fault !== null) {
    const error = fault.kind === "denied" ? "access_denied" : fault.kind;
    return sendError(oauth, request, { ...decided, error, reason: "a requested fault" });
  }
  return askOrDecide(oauth, config, { id: context.ids.secret(), app, request, warnings }, decided);
}

/** Asks the user, unless the configuration decides (`oauth.consent`). */
function askOrDecide(oauth: OAuthContext, config: Config, consent: Consent, decided: Decided): DecidedStep {
  const { clock } = oauth.context;
  if (config.oauth.consent === "approve") return approve(oauth, consent, decided, defaultUser(config));
  if (config.oauth.consent === "deny") return deny(oauth, consent, { ...decided, reason: "oauth.consent is deny" });
  oauth.grants.pending.add(consent.id, { consent, expiresAt: clock.now() + PENDING_MS });
  return { step: { kind: "ask", consent }, decided: { ...decided, outcome: "asked" } };
}

function decide(oauth: OAuthContext, { id, decision, user }: ConsentDecision): DecidedStep {
  const pending = oauth.grants.pending.take(id);
  if (pending === null || oauth.context.clock.now() >= pending.expiresAt) {
    const reason = "this request has already been decided, or is too old";
    return { ...refused(410, reason, "start again at the app"), decided: { step: "consent", error: "410", reason } };
  }
  const { consent } = pending;
  const decided = { step: "consent", client: consent.app.clientId, user } as const;
  if (decision === "approve") return approve(oauth, consent, decided, user);
  return deny(oauth, consent, { ...decided, reason: "the user declined" });
}

function approve(oauth: OAuthContext, { app, request }: Consent, decided: Decided, user: User): DecidedStep {
  const { context, choices, grants } = oauth;
  const { redirectUri, challenge, scopes } = request;
  const code = context.ids.secret();
  const expiresAt = context.clock.now() + choices.get("oauth.code.lifetime") * 1000;
  const grant = { app, user, scopes, isPkce: challenge !== null, isRevoked: false };
  grants.codes.add(code, { redirectUri, challenge, expiresAt, ...UNUSED, grant });
  return { step: redirect(oauth, request, { code }), decided: { ...decided, user } };
}

function deny(oauth: OAuthContext, { request }: Consent, decided: Decided): DecidedStep {
  const error = "access_denied";
  const step = redirect(oauth, request, { error, error_description: "the user declined" });
  return { step, decided: { ...decided, error } };
}

type ReturnAddress = Pick<AuthorizationRequest, "redirectUri" | "state">;

interface DecidedError extends Decided {
  readonly error: string;
  readonly reason: string;
}

function sendError(oauth: OAuthContext, to: ReturnAddress, decided: DecidedError): DecidedStep {
  const step = redirect(oauth, to, { error: decided.error, error_description: decided.reason });
  return { step, decided };
}

function redirect(
  { context, choices, hooks }: OAuthContext,
  { redirectUri, state }: ReturnAddress,
  answer: Readonly<Record<string, string>>,
): AuthorizationStep {
  const iss = choices.get("oauth.redirect.iss") === "on" ? context.baseUrl() : null;
  return {
    kind: "redirect",
    location: hooks.apply("redirect", redirectLocation(redirectUri, { ...answer, state, iss })),
  };
}

function refused(status: number, reason: string, hint: string, client: string | null = null): DecidedStep {
  return {
    step: { kind: "refused", status, reason, hint },
    decided: { step: "authorize", client, error: String(status), reason, hint },
  };
}

/** Redirects the browser to the app; after a form with 303, because 307 would repeat the POST (RFC 9110, 15.4.4). */
export function redirectAnswer(location: string, method: string): WireAnswer {
  return { status: method === "POST" ? 303 : 302, headers: { location }, body: "" };
}

function answerWithoutPages(step: AuthorizationStep, method: string): WireAnswer {
  if (step.kind === "ask") return { status: 200, headers: {}, body: "" };
  if (step.kind === "redirect") return redirectAnswer(step.location, method);
  return jsonAnswer(step.status, { error: { message: step.reason, hint: step.hint } });
}
