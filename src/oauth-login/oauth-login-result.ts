import type { ChoiceId } from "../config/choices.ts";
import type { User } from "../config/schema.ts";
import { redactText } from "../journal/redact.ts";
import { plural } from "../output/text.ts";
import type { Failure } from "../platform/result-parts.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { exchangeText } from "./checks/exchange-checks.ts";
import { judgeOAuthLogin, type OAuthLoginFinding } from "./checks/judge-login.ts";
import {
  type AppVisit,
  approvedCallback,
  codeExchanges,
  firstUse,
  landingText,
  type OAuthLoginFacts,
  type OAuthLoginStep,
  oauthLoginSteps,
  type PlatformRequest,
  refreshVisit,
  type SecondLogin,
  SHORT_SECONDS,
  sentParameter,
} from "./checks/login-facts.ts";
import type { OAuthLoginResult } from "./login-result.ts";

type Step = OAuthLoginResult["steps"][number];

const QUOTED_CHARACTERS = 200;

/**
 * The result of an OAuth login: its steps, the findings of the checks, and the outcome.
 * @param isStrict whether a warning fails the login
 */
export function oauthLoginResult(
  facts: OAuthLoginFacts,
  user: User,
  choices: ChoiceId[],
  isStrict: boolean,
): OAuthLoginResult {
  // An app's page may repeat any secret that the app knows.
  const secrets = [facts.app.clientSecret, facts.app.appSecret, ...facts.issued.map(({ value }) => value)];
  const hide = (text: string) => redactText(text, secrets);
  const hideHint = (hint: string | null) => (hint === null ? null : hide(hint));
  const shown = withQuotedPages(facts, hide);
  const findings = judgeOAuthLogin(shown).map((finding) => ({
    ...finding,
    message: hide(finding.message),
    hint: hideHint(finding.hint),
  }));
  const steps = oauthSteps(shown, findings).map((step) => ({
    ...step,
    text: hide(step.text),
    hint: hideHint(step.hint),
    details: step.details.map(hide),
  }));
  const warning = isStrict ? findings.find(({ result }) => result === "warn") : undefined;
  const failed = steps.find(({ result }) => result === "failed") ?? (warning && { ...warning, text: warning.message });
  const { verdict } = facts.authorization ?? { verdict: null };
  const isDenied = verdict?.kind === "decided" && !verdict.isApproved;
  return {
    command: "oauth",
    outcome: failed !== undefined ? "failed" : isDenied ? "denied" : "ok",
    decision: facts.decision,
    reason: failed?.text ?? null,
    hint: failed?.hint ?? null,
    failure: failed === undefined ? null : failureOf(facts),
    start: facts.start.url,
    user: { id: user.id, role: user.role },
    steps,
    findings,
    warnings: [],
    choices,
  };
}

/**
 * Shortens the text of pages and makes it harmless; redacts secrets first, because a truncated one would not be found.
 */
function withQuotedPages(facts: OAuthLoginFacts, hide: (text: string) => string): OAuthLoginFacts {
  const quoted = (visit: AppVisit): AppVisit => {
    const { landing } = visit;
    if (landing.kind !== "page") return visit;
    return { ...visit, landing: { ...landing, text: clip(harmlessLine(hide(landing.text)), QUOTED_CHARACTERS) } };
  };
  const quotedLogin = <Login extends Omit<SecondLogin, "foreign">>(login: Login): Login => ({
    ...login,
    start: quoted(login.start),
    callback: login.callback && quoted(login.callback),
  });
  const { start, callback, use, trial, second, turns, ownClock } = facts;
  return {
    ...facts,
    start: quoted(start),
    callback: callback && quoted(callback),
    use: use && quoted(use),
    trial: trial && { ...trial, without: quoted(trial.without), control: quoted(trial.control) },
    second: second && { ...quotedLogin(second), foreign: second.foreign && quotedLogin(second.foreign) },
    turns: turns.map(quoted),
    ownClock: ownClock && quoted(ownClock),
  };
}

/** Why the app could not be reached, if that is the cause. */
function failureOf({ start, callback, use, second, turns, ownClock }: OAuthLoginFacts): Failure {
  const forged = [second?.start, second?.callback, second?.foreign?.start, second?.foreign?.callback];
  const visits = [start, callback, use, ...forged, ...turns, ownClock];
  const trouble = visits.map((visit) => visit?.landing).find((landing) => landing?.kind === "trouble");
  return trouble?.failure ?? "other";
}

/** The checks that show whether their step was taken at all. */
const decisiveChecks: ReadonlySet<string> = new Set([
  "oauth.start",
  "oauth.request",
  "oauth.exchange",
  "oauth.denied.no-exchange",
  "oauth.callback",
  "oauth.denied.answer",
  "oauth.forged",
  "oauth.api",
  "oauth.refresh",
  "oauth.refresh.rotation",
]);

/** The steps of a login that were reached, in words. A step fails if one of its checks does. */
function oauthSteps(facts: OAuthLoginFacts, findings: readonly OAuthLoginFinding[]): Step[] {
  return oauthLoginSteps.flatMap((step): Step[] => {
    const found = findings.filter((finding) => finding.step === step);
    const isReached = step === "consent" ? facts.authorization?.verdict.kind === "decided" : found.length > 0;
    if (!isReached) return [];
    const { text, details = [], exchanges } = describe[step](facts);
    const ended = (result: Step["result"], cause?: OAuthLoginFinding): Step[] => [
      { step, result, text: cause?.message ?? text, details, exchanges, hint: cause?.hint ?? null },
    ];
    const failed = found.find(({ result }) => result === "fail");
    if (failed !== undefined) return ended("failed", failed);
    const skipped = found.find(
      ({ check, result }) => decisiveChecks.has(check) && (result === "skip" || result === "inconclusive"),
    );
    if (skipped !== undefined) return ended("skipped", skipped);
    return ended(found.some(({ result }) => result === "warn") ? "warned" : "passed");
  });
}

type StepText = Pick<Step, "text" | "exchanges"> & Partial<Pick<Step, "details">>;

const describe: Readonly<Record<OAuthLoginStep, (facts: OAuthLoginFacts) => StepText>> = {
  start: ({ start }) => ({
    text: "the app sends the user to the platform",
    exchanges: [...start.exchanges],
  }),
  authorize: ({ authorization }) => {
    const [request] = authorization?.exchanges ?? [null];
    return { text: "the platform asks the user", details: requestDetails(authorization), exchanges: given(request) };
  },
  consent: ({ authorization }) => {
    const [, decision] = authorization?.exchanges ?? [null, null];
    const { verdict } = authorization ?? { verdict: null };
    const isApproved = verdict?.kind === "decided" && verdict.isApproved;
    const verb = isApproved ? "approves" : "declines";
    const text = decision === null ? `the platform ${verb} without asking the user` : `the user ${verb}`;
    return { text, exchanges: given(decision) };
  },
  exchange: (facts) => {
    const isApproved = approvedCallback(facts) !== null;
    const text = isApproved ? "the app exchanges the code for tokens" : "the app requests no token";
    const requests = isApproved ? codeExchanges(facts) : (facts.callback?.requests ?? []);
    return { text, details: exchangeText(facts), exchanges: idsOf(requests) };
  },
  callback: ({ callback, trial }) => {
    const inner = idsOf(callback?.requests ?? []);
    const login = callback?.exchanges.filter((id) => !inner.includes(id)) ?? [];
    const exchanges = [...login, ...(trial?.without.exchanges ?? []), ...(trial?.control.exchanges ?? [])];
    return { text: callback === null ? "" : answerText(callback), exchanges };
  },
  forged: ({ second }) => {
    const landing = second?.callback?.landing;
    const answer = landing === undefined ? "" : `: the app ${landingText(landing)}`;
    const isForeignTried = second?.foreign?.callback != null;
    const foreign = isForeignTried ? ", nor does one with another browser's state and code" : "";
    return {
      text: `a callback with a forged state logs nobody in${foreign}${answer}`,
      exchanges: [second, second?.foreign].flatMap((login) => [
        ...(login?.start.exchanges ?? []),
        ...(login?.authorization?.exchanges ?? []).flatMap(given),
        ...(login?.callback?.exchanges ?? []),
      ]),
    };
  },
  api: (facts) => {
    const calls = firstUse(facts);
    const exchanged = new Set(codeExchanges(facts));
    const later = facts.callback?.requests.filter((request) => !exchanged.has(request)) ?? [];
    const text = `the app calls the API with its access token: ${calls.map(statusOf).join(", ")}`;
    return { text, exchanges: [...idsOf(later), ...(facts.use?.exchanges ?? [])] };
  },
  refresh: (facts) => {
    const { turns, ownClock, choices } = facts;
    const [first] = turns;
    const turn = refreshVisit(facts);
    const when =
      turn !== undefined && turn === ownClock
        ? `by the app's own clock, with an access token valid for ${SHORT_SECONDS} s`
        : `after ${choices["oauth.accessToken.lifetime"]} s, when the access token had expired`;
    return { ...turnText(turn, when), exchanges: [...(first?.exchanges ?? []), ...(ownClock?.exchanges ?? [])] };
  },
  "refresh-again": ({ turns: [, second], choices }) =>
    turnText(second, `after another ${choices["oauth.accessToken.lifetime"]} s, with the new refresh token`),
};

function turnText(turn: AppVisit | undefined, when: string): StepText {
  const calls = turn?.requests.map(
    (request) => `${request.record.step === "api" ? "API" : "refresh"} ${statusOf(request)}`,
  );
  return { text: `${calls?.join(", ") ?? ""} ${when}`, exchanges: [...(turn?.exchanges ?? [])] };
}

function requestDetails(authorization: OAuthLoginFacts["authorization"]): string[] {
  if (authorization?.parameters == null) return [];
  const state = sentParameter(authorization, "state");
  const method = sentParameter(authorization, "code_challenge_method");
  return [
    `redirect_uri ${sentParameter(authorization, "redirect_uri") ?? "missing"}`,
    `scope ${sentParameter(authorization, "scope") ?? "missing"}`,
    `state ${state === null ? "missing" : `of ${plural(state.length, "character")}`}`,
    `PKCE ${method ?? (sentParameter(authorization, "code_challenge") === null ? "missing" : "without its method")}`,
  ];
}

function answerText({ landing }: AppVisit): string {
  if (landing.kind !== "page") return "";
  const { origin, pathname } = new URL(landing.url);
  return `the app answered ${landing.status} at ${origin}${pathname}${landing.text === "" ? "" : `: ${landing.text}`}`;
}

function statusOf({ exchange }: PlatformRequest): string {
  return String(exchange.response?.status);
}

function idsOf(requests: readonly PlatformRequest[]): string[] {
  return requests.map(({ exchange }) => exchange.id);
}

function given(id: string | null): string[] {
  return id === null ? [] : [id];
}
