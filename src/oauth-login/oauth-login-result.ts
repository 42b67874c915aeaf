import type { ChoiceId } from "../config/choices.ts";
import type { User } from "../config/schema.ts";
import { redactText } from "../journal/redact.ts";
import type { Failure } from "../platform/result-parts.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { judgeOAuthLogin, type OAuthLoginFinding } from "./checks/oauth-login.ts";
import type { AppVisit, OAuthLoginFacts } from "./checks/oauth-login-facts.ts";
import type { OAuthLoginResult } from "./login-result.ts";
import { oauthSteps } from "./oauth-steps.ts";

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
  // An app's page may repeat any secret that the app was given.
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
  const failed = steps.find(({ result }) => result === "failed") ?? (isStrict ? firstWarning(findings) : null);
  return {
    command: "oauth",
    outcome: failed !== null ? "failed" : isDenied(facts) ? "denied" : "ok",
    decision: facts.decision,
    reason: failed?.text ?? null,
    hint: failed?.hint ?? null,
    failure: failed === null ? null : failureOf(facts),
    start: facts.start.url,
    user: { id: user.id, role: user.role },
    steps,
    findings,
    warnings: [],
    choices,
  };
}

function firstWarning(
  findings: readonly OAuthLoginFinding[],
): { readonly text: string; readonly hint: string | null } | null {
  const warning = findings.find(({ result }) => result === "warn");
  return warning === undefined ? null : { text: warning.message, hint: warning.hint };
}

/** Shortens the text of pages and makes it harmless; hides secrets first, because a cut secret would not be found. */
function withQuotedPages(facts: OAuthLoginFacts, hide: (text: string) => string): OAuthLoginFacts {
  const quoted = (visit: AppVisit): AppVisit => {
    const { landing } = visit;
    if (landing.kind !== "page") return visit;
    return { ...visit, landing: { ...landing, text: clip(harmlessLine(hide(landing.text)), QUOTED_CHARACTERS) } };
  };
  const { start, callback, use, second, turns } = facts;
  return {
    ...facts,
    start: quoted(start),
    callback: callback && quoted(callback),
    use: use && quoted(use),
    second: second && {
      ...second,
      start: quoted(second.start),
      callback: second.callback && quoted(second.callback),
    },
    turns: turns.map(quoted),
  };
}

function isDenied({ authorization }: OAuthLoginFacts): boolean {
  return authorization?.verdict.kind === "decided" && !authorization.verdict.isApproved;
}

/** Why the app could not be reached, if that is the cause. */
function failureOf({ start, callback, use, second, turns }: OAuthLoginFacts): Failure {
  const landings = [start, callback, use, second?.start, second?.callback, ...turns].flatMap(
    (visit) => visit?.landing ?? [],
  );
  const trouble = landings.find((landing) => landing.kind === "trouble");
  return trouble?.failure ?? "other";
}
