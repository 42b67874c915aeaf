import type { App, User } from "../../config/schema.ts";
import { defaultUser } from "../../config/users.ts";
import { jsonAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { Arrival } from "../../web/arrival.ts";
import type { Fault } from "../rules/faults.ts";
import { type AuthorizationRequest, judgeAuthorization, redirectLocation } from "../rules/oauth-authorize.ts";
import { parameterOf, queryParameters } from "../rules/oauth-parameters.ts";
import { UNUSED } from "../rules/one-use.ts";
import type { OAuthContext } from "./oauth-context.ts";
import { type Finding, receive } from "./receive.ts";

/** Requests that wait for their user; a browser that reloads for ever makes no more. */
const WAITING = 1000;
const WAITS_MS = 10 * 60_000;

/** What the user is asked: whether this app may act in their name. */
export interface Consent {
  /** Unguessable; names the request, whose state stays here. */
  readonly id: string;
  readonly app: App;
  readonly request: AuthorizationRequest;
  readonly warnings: readonly string[];
}

export type Decision = "approve" | "deny";

/** Where an authorization request, or a decision about one, leads. */
export type Led =
  | { readonly kind: "ask"; readonly consent: Consent }
  /** Back to the app. */
  | { readonly kind: "redirect"; readonly location: string }
  /** Nowhere: the user is told why. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string; readonly hint: string };

/** What the browser is answered. */
type Shown = Led & { readonly answer: WireAnswer };

/** The authorization endpoint (interface 4.1, 5.2). */
export interface Authorization {
  /**
   * A user's browser comes with an authorization request.
   * @param show the answer as the browser gets it; default without pages
   */
  request(arrival: Arrival, show?: (led: Led) => WireAnswer): Promise<Shown>;
  /** The user decides; each request is decided once. */
  decide(arrival: Arrival, id: string, decision: Decision, user: User, show?: (led: Led) => WireAnswer): Promise<Shown>;
}

interface Waiting {
  readonly consent: Consent;
  readonly expiresAt: number;
}

/** Nobody is asked yet. */
export function createAuthorization(oauth: OAuthContext): Authorization {
  const { context, choices, faults, grants, hooks } = oauth;
  const { clock, config, ids } = context;
  const waiting = new Map<string, Waiting>();

  const redirect = (
    request: Pick<AuthorizationRequest, "redirectUri" | "state">,
    answer: Record<string, string>,
  ): Led => {
    const iss = choices.get("oauth.redirect.iss") === "on" ? context.baseUrl() : null;
    const location = redirectLocation(request.redirectUri, { ...answer, state: request.state, iss });
    return { kind: "redirect", location: hooks.apply("redirect", location) };
  };

  const approve = ({ app, request }: Consent, user: User): Led => {
    const { clientId, redirectUri, challenge, scopes } = request;
    const code = ids.secret();
    const expiresAt = clock.now() + choices.get("oauth.code.lifetime") * 1000;
    const grant = { app, user, scopes, isPkce: challenge !== null, isRevoked: false };
    grants.codes.add(code, { clientId, redirectUri, challenge, expiresAt, ...UNUSED, grant });
    return redirect(request, { code });
  };

  const deny = ({ request }: Consent): Led =>
    redirect(request, { error: "access_denied", error_description: "the user declined" });

  const strike = (consent: Consent, finding: Finding, { kind }: Fault): Judged => {
    const error = kind === "denied" ? "access_denied" : kind;
    const reason = "a fault that was asked for";
    return {
      led: redirect(consent.request, { error, error_description: reason }),
      finding: { ...finding, error, reason },
    };
  };

  const judge = (url: string): Judged => {
    const parameters = queryParameters(url);
    if (parameters === null)
      return refused(400, "the query is not percent-encoded UTF-8", "encode each value once (RFC 3986, 2.1)");
    choices.relyOn("oauth.redirectUris");
    if (parameterOf(parameters, "code_challenge_method") === "plain") choices.relyOn("oauth.pkce.plain");
    const verdict = judgeAuthorization(parameters, config.apps, context.choices);
    const client = parameters.get("client_id")?.[0] ?? null;
    if (verdict.kind === "refuse") return refused(400, verdict.message, verdict.hint, client);
    choices.relyOn("oauth.scopes");
    if (verdict.kind === "redirect") {
      const { error, description } = verdict;
      const led = redirect(verdict, { error, error_description: description });
      return { led, finding: { step: "authorize", client, error, reason: description } };
    }
    const { app, request, warnings } = verdict;
    const consent: Consent = { id: ids.secret(), app, request, warnings };
    const finding = { step: "authorize", client, warnings } as const;
    const fault = faults.take(["consent"]);
    return fault === null ? decideByItself(consent, finding) : strike(consent, finding, fault);
  };

  const decideByItself = (consent: Consent, finding: Finding): Judged => {
    const { consent: mode } = config.oauth;
    const user = defaultUser(config);
    if (mode === "approve") return { led: approve(consent, user), finding: { ...finding, user } };
    if (mode === "deny") {
      return { led: deny(consent), finding: { ...finding, error: "access_denied", reason: "oauth.consent is deny" } };
    }
    remember(consent);
    return { led: { kind: "ask", consent }, finding: { ...finding, outcome: "asked" } };
  };

  const remember = (consent: Consent) => {
    waiting.set(consent.id, { consent, expiresAt: clock.now() + WAITS_MS });
    const [oldest] = waiting.keys();
    if (waiting.size > WAITING && oldest !== undefined) waiting.delete(oldest);
  };

  const settle = (id: string, decision: Decision, user: User): Judged => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked === undefined || clock.now() >= asked.expiresAt) {
      const reason = "this request was decided already, or is too old";
      return { ...refused(410, reason, "begin again at the app"), finding: { step: "consent", error: "410", reason } };
    }
    const { consent } = asked;
    const finding = { step: "consent", client: consent.app.clientId, user } as const;
    if (decision === "approve") return { led: approve(consent, user), finding };
    return { led: deny(consent), finding: { ...finding, error: "access_denied", reason: "the user declined" } };
  };

  const answered = async (
    purpose: "authorize" | "consent",
    arrival: Arrival,
    judged: () => Judged,
    show = (led: Led) => plainAnswer(led, arrival.method),
  ): Promise<Shown> => {
    const handle = async () => {
      const { led, finding } = judged();
      return { led, finding, answer: show(led) };
    };
    const { led, answer } = await receive(context, purpose, arrival, handle);
    return { ...led, answer };
  };

  return {
    request: (arrival, show) => answered("authorize", arrival, () => judge(arrival.url), show),
    decide: (arrival, id, decision, user, show) => answered("consent", arrival, () => settle(id, decision, user), show),
  };
}

interface Judged {
  readonly led: Led;
  readonly finding: Finding;
}

function refused(status: number, reason: string, hint: string, client: string | null = null): Judged {
  return {
    led: { kind: "refused", status, reason, hint },
    finding: { step: "authorize", client, error: String(status), reason, hint },
  };
}

/** Sends the browser back to the app; after a form with 303, because with 307 it would send the form on (RFC 9110, 15.4.4). */
export function redirectAnswer({ location }: Extract<Led, { kind: "redirect" }>, method: string): WireAnswer {
  return { status: method === "POST" ? 303 : 302, headers: { location }, body: "" };
}

function plainAnswer(led: Led, method: string): WireAnswer {
  switch (led.kind) {
    case "ask":
      return { status: 200, headers: {}, body: "" };
    case "redirect":
      return redirectAnswer(led, method);
    case "refused":
      return jsonAnswer(led.status, { error: { message: led.reason, hint: led.hint } });
  }
}
