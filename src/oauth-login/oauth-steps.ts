import { parameterOf } from "../oauth/rules/oauth-parameters.ts";
import type { OAuthLoginResult } from "../platform/results.ts";
import { approvedCallback, exchangesOf, exchangeText } from "./checks/oauth-exchange-checks.ts";
import type { OAuthLoginFinding } from "./checks/oauth-login.ts";
import {
  type AppVisit,
  landingText,
  type OAuthLoginFacts,
  type OAuthLoginStep,
  oauthLoginSteps,
  type PlatformRequest,
} from "./checks/oauth-login-facts.ts";
import { firstUse } from "./checks/oauth-token-checks.ts";

type Step = OAuthLoginResult["steps"][number];
type Told = Pick<Step, "text" | "details" | "exchanges">;

/** The check that says whether a step was taken at all. */
const decisive: Readonly<Record<OAuthLoginStep, readonly string[]>> = {
  start: ["oauth.start"],
  authorize: ["oauth.request"],
  consent: [],
  exchange: ["oauth.exchange", "oauth.denied.no-exchange"],
  callback: ["oauth.callback", "oauth.denied.answer"],
  forged: ["oauth.forged"],
  api: ["oauth.api"],
  refresh: ["oauth.refresh"],
  "refresh-again": ["oauth.refresh.rotation"],
};

/** The steps of a login as far as it came, in words. A step fails where one of its checks does. */
export function oauthSteps(facts: OAuthLoginFacts, findings: readonly OAuthLoginFinding[]): Step[] {
  return oauthLoginSteps.flatMap((step): Step[] => {
    const found = findings.filter((finding) => finding.step === step);
    const isReached = step === "consent" ? facts.authorization?.verdict.kind === "decided" : found.length > 0;
    if (!isReached) return [];
    const told = tell[step](facts);
    const failed = found.find(({ result }) => result === "fail");
    if (failed !== undefined) {
      return [{ step, result: "failed", ...told, text: failed.message, hint: failed.hint }];
    }
    const left = found.find(
      ({ check, result }) => decisive[step].includes(check) && (result === "skip" || result === "inconclusive"),
    );
    if (left !== undefined) {
      return [{ step, result: "skipped", ...told, text: left.message, hint: left.hint }];
    }
    const result = found.some((finding) => finding.result === "warn") ? "warned" : "passed";
    return [{ step, result, ...told, hint: null }];
  });
}

const tell: Readonly<Record<OAuthLoginStep, (facts: OAuthLoginFacts) => Told>> = {
  start: ({ start }) => ({
    text: "the app sends the user to the platform",
    details: [],
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
    const by = decision === null ? "the platform by itself" : "the user";
    return { text: isApproved ? `${by} approves` : `${by} declines`, details: [], exchanges: given(decision) };
  },
  exchange: (facts) => {
    const isApproved = approvedCallback(facts) !== null;
    const text = isApproved ? "the app exchanges the code for tokens" : "no token was asked for";
    const requests = isApproved ? exchangesOf(facts) : (facts.callback?.requests ?? []);
    return { text, details: exchangeText(facts), exchanges: idsOf(requests) };
  },
  callback: ({ callback }) => {
    const inner = idsOf(callback?.requests ?? []);
    const exchanges = callback?.exchanges.filter((id) => !inner.includes(id)) ?? [];
    return { text: callback === null ? "" : answerText(callback), details: [], exchanges };
  },
  forged: ({ second }) => {
    const landing = second?.callback?.landing;
    const answer = landing === undefined ? "" : `: the app ${landingText(landing)}`;
    return {
      text: `a callback with another state, in another browser, logs nobody in${answer}`,
      details: [],
      exchanges: [
        ...(second?.start.exchanges ?? []),
        ...(second?.authorization?.exchanges ?? []).flatMap(given),
        ...(second?.callback?.exchanges ?? []),
      ],
    };
  },
  api: (facts) => {
    const calls = firstUse(facts);
    const exchanged = new Set(exchangesOf(facts));
    const later = facts.callback?.requests.filter((request) => !exchanged.has(request)) ?? [];
    const text = `the app calls the API with its access token: ${calls.map(statusOf).join(", ")}`;
    return { text, details: [], exchanges: [...idsOf(later), ...(facts.use?.exchanges ?? [])] };
  },
  refresh: ({ turns: [first], choices }) =>
    toldOf(first, `after ${choices["oauth.accessToken.lifetime"]} s, when the access token had expired`),
  "refresh-again": ({ turns: [, second], choices }) =>
    toldOf(second, `after ${choices["oauth.accessToken.lifetime"]} s more, with the new refresh token`),
};

function toldOf(turn: AppVisit | undefined, when: string): Told {
  if (turn === undefined) return { text: "", details: [], exchanges: [] };
  const calls = turn.requests.map(
    (request) => `${request.record.step === "api" ? "API" : "refresh"} ${statusOf(request)}`,
  );
  return {
    text: `${calls.join(", ")} ${when}`,
    details: [],
    exchanges: [...turn.exchanges],
  };
}

function requestDetails(authorization: OAuthLoginFacts["authorization"]): string[] {
  const parameters = authorization?.parameters;
  if (parameters == null) return [];
  const state = parameterOf(parameters, "state");
  const method = parameterOf(parameters, "code_challenge_method");
  return [
    `redirect_uri ${parameterOf(parameters, "redirect_uri") ?? "missing"}`,
    `scope ${parameterOf(parameters, "scope") ?? "missing"}`,
    `state ${state === null ? "missing" : `of ${state.length} characters`}`,
    `PKCE ${method ?? "missing"}`,
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
