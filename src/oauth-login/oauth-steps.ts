import { approvedCallback, codeExchanges, exchangeText } from "./checks/oauth-exchange-checks.ts";
import type { OAuthLoginFinding } from "./checks/oauth-login.ts";
import {
  type AppVisit,
  landingText,
  type OAuthLoginFacts,
  type OAuthLoginStep,
  oauthLoginSteps,
  type PlatformRequest,
  sentParameter,
} from "./checks/oauth-login-facts.ts";
import { firstUse } from "./checks/oauth-token-checks.ts";
import type { OAuthLoginResult } from "./login-result.ts";

type Step = OAuthLoginResult["steps"][number];
type StepText = Pick<Step, "text" | "details" | "exchanges">;

/** The checks that tell whether a step was taken at all. */
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

/** The steps of a login that were reached, in words. A step fails if one of its checks does. */
export function oauthSteps(facts: OAuthLoginFacts, findings: readonly OAuthLoginFinding[]): Step[] {
  return oauthLoginSteps.flatMap((step): Step[] => {
    const found = findings.filter((finding) => finding.step === step);
    const isReached = step === "consent" ? facts.authorization?.verdict.kind === "decided" : found.length > 0;
    if (!isReached) return [];
    const described = describe[step](facts);
    const failed = found.find(({ result }) => result === "fail");
    if (failed !== undefined) {
      return [{ step, result: "failed", ...described, text: failed.message, hint: failed.hint }];
    }
    const left = found.find(
      ({ check, result }) => decisive[step].includes(check) && (result === "skip" || result === "inconclusive"),
    );
    if (left !== undefined) {
      return [{ step, result: "skipped", ...described, text: left.message, hint: left.hint }];
    }
    const result = found.some((finding) => finding.result === "warn") ? "warned" : "passed";
    return [{ step, result, ...described, hint: null }];
  });
}

const describe: Readonly<Record<OAuthLoginStep, (facts: OAuthLoginFacts) => StepText>> = {
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
    const verb = isApproved ? "approves" : "declines";
    const text = decision === null ? `the platform ${verb} without asking the user` : `the user ${verb}`;
    return { text, details: [], exchanges: given(decision) };
  },
  exchange: (facts) => {
    const isApproved = approvedCallback(facts) !== null;
    const text = isApproved ? "the app exchanges the code for tokens" : "the app asks for no token";
    const requests = isApproved ? codeExchanges(facts) : (facts.callback?.requests ?? []);
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
    const exchanged = new Set(codeExchanges(facts));
    const later = facts.callback?.requests.filter((request) => !exchanged.has(request)) ?? [];
    const text = `the app calls the API with its access token: ${calls.map(statusOf).join(", ")}`;
    return { text, details: [], exchanges: [...idsOf(later), ...(facts.use?.exchanges ?? [])] };
  },
  refresh: ({ turns: [first], choices }) =>
    turnText(first, `after ${choices["oauth.accessToken.lifetime"]} s, when the access token had expired`),
  "refresh-again": ({ turns: [, second], choices }) =>
    turnText(second, `after ${choices["oauth.accessToken.lifetime"]} s more, with the new refresh token`),
};

function turnText(turn: AppVisit | undefined, when: string): StepText {
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
  if (authorization?.parameters == null) return [];
  const state = sentParameter(authorization, "state");
  return [
    `redirect_uri ${sentParameter(authorization, "redirect_uri") ?? "missing"}`,
    `scope ${sentParameter(authorization, "scope") ?? "missing"}`,
    `state ${state === null ? "missing" : `of ${state.length} characters`}`,
    `PKCE ${sentParameter(authorization, "code_challenge_method") ?? "missing"}`,
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
