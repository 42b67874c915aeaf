import { type Explanation, explainOutcome } from "../app-client/explain-outcome.ts";
import { type Choices, readChoices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { judgeGuardAnswer } from "../guard/checks/verification.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import type { JournalRecord, OAuthRecord, VerificationRecord } from "../journal/record.ts";
import { redactSecrets } from "../journal/redact.ts";
import { appAt } from "../platform/app-at.ts";
import { tokenFacts } from "../platform/call-facts.ts";
import { judgeImportAnswer } from "../post-import/checks/import-answer.ts";
import type { ImportFinding } from "../post-import/import-result.ts";
import { isForged } from "../webhook/signature-steps.ts";
import type { FindingView } from "./view.ts";

interface Judges {
  readonly config: Config;
  readonly choices: Choices;
  /** What must not be shown (hardening S27). */
  readonly secrets: readonly string[];
}

interface AnswerJudges extends Judges {
  /** Findings about the strings of a post-import call. */
  readonly strings: readonly ImportFinding[];
}

/** Why a call got no answer; null if it did. */
export function explanationOf({ outcome, request }: Exchange, { config }: Judges): Explanation | null {
  if (outcome.kind === "answered" || !URL.canParse(request.url)) return null;
  return explainOutcome(
    outcome,
    request.url,
    config.apps.map(({ url }) => url),
  );
}

/**
 * All findings about an exchange: from verifications, from the platform's decision, and from the rules for a module's
 * answer.
 */
export async function findingsOf(
  exchange: Exchange,
  records: readonly JournalRecord[],
  judges: AnswerJudges,
): Promise<FindingView[]> {
  const verifications = records.filter((record) => record.type === "verification");
  const decisions = records.filter((record) => record.type === "oauth" && record.exchange === exchange.id);
  const found = [
    ...(await verified(exchange, verifications)),
    ...decisions.flatMap((record) => (record.type === "oauth" ? decided(record) : [])),
    ...(exchange.check === undefined ? judged(exchange, judges) : []),
  ];
  const hide = redactSecrets(judges.secrets);
  const hidden = (text: string | null) => (text === null ? null : hide(text));
  return found.map((finding) => ({ ...finding, reason: hidden(finding.reason), hint: hidden(finding.hint) }));
}

/** What verifications found with this exchange, either as the request itself or as its control. */
async function verified({ id }: Exchange, verifications: readonly VerificationRecord[]): Promise<FindingView[]> {
  const own = verifications.flatMap(({ checks }) =>
    checks.filter(({ control, twin, exchanges }) => control === id || twin === id || exchanges.includes(id)),
  );
  if (own.length === 0) return [];
  // The checks take long to load, and most exchanges belong to none.
  const { allChecks } = await import("../verify/checks.ts");
  return own.map((check) => {
    const facts = allChecks.find((each) => each.id === check.id);
    const { result, reason, control, twin } = check;
    return {
      check: check.id,
      result,
      title: facts?.title ?? check.id,
      section: facts?.section ?? "",
      reason,
      hint: check.hint ?? (result === "pass" ? null : (facts?.fix ?? null)),
      control: control === id ? null : control,
      twin: twin === id ? null : twin,
    };
  });
}

const sections: Readonly<Record<OAuthRecord["step"], string>> = {
  authorize: "5.2",
  consent: "5.2",
  exchange: "5.2",
  refresh: "5.3",
  installation: "5.2",
  agent: "5.2",
  "call-code": "5.2",
  token: "5.2",
  revoke: "RFC 7009",
  introspect: "RFC 7662",
  api: "5.4",
};

function decided({ step, outcome, error, reason, hint, warnings }: OAuthRecord): FindingView[] {
  const about = { check: `oauth.${step}`, section: sections[step], control: null, twin: null };
  const title = `The platform's decision: ${outcome}${error === null ? "" : ` (${error})`}`;
  const result = outcome === "refused" ? "fail" : "pass";
  return [
    { ...about, title, result, reason, hint },
    ...warnings.map((warning) => ({
      ...about,
      title: "A warning",
      result: "warn" as const,
      reason: warning,
      hint: null,
    })),
  ];
}

/** How the platform interprets a module's answer. */
function judged(exchange: Exchange, { config, choices, strings }: AnswerJudges): FindingView[] {
  const { purpose, response, outcome } = exchange;
  if (response === null || outcome.kind !== "answered") return [];
  const answer = { status: response.status, headers: response.headers, body: bodyBytes(response.body) };
  const isCut = response.body.size > answer.body.length;
  const about = { control: null, twin: null };
  const app = appAt(config.apps, exchange.request.url) ?? config.apps[0];
  const facts =
    app === undefined
      ? ({ by: "token" } as const)
      : {
          ...tokenFacts({ config, choices }, app, exchange.module ?? ""),
          url: exchange.request.url,
          method: exchange.request.method,
        };
  if (purpose === "guard" && !isCut) {
    const verdict = judgeGuardAnswer(answer, readChoices(choices), facts);
    const title = "The answer of the guard (interface 2.2)";
    const warnings = verdict.warnings.map((reason) => warning("guard.answer", "2.2", title, reason));
    if (verdict.kind === "failed") {
      return [{ ...about, check: "guard.answer", section: "2.2", title, result: "fail", ...verdict }, ...warnings];
    }
    const means = verdict.success
      ? "success true: the guard is passed"
      : "success false: denied, or the user has to interact";
    const reason = verdict.message === null ? means : `${means}; message: ${verdict.message}`;
    return [
      { ...about, check: "guard.answer", section: "2.2", title, result: "pass", reason, hint: null },
      ...warnings,
    ];
  }
  if (purpose === "post-import" && !isCut) {
    const verdict = judgeImportAnswer(answer, readChoices(choices), facts);
    const title = "The answer of the post-import module (interface 2.4)";
    const base = { ...about, check: "import.answer", section: "2.4", title };
    if (verdict.kind === "app-error") {
      return [{ ...base, result: "warn", reason: `the app refuses the file: ${verdict.message}`, hint: null }];
    }
    if (verdict.kind === "not-modified") return [{ ...base, result: "pass", reason: "nothing changed", hint: null }];
    const findings = [...verdict.findings, ...strings].map(({ check, section, result, path, message, rule }) => ({
      ...{ ...about, check, section, result, title: rule, reason: `${path}: ${message}`, hint: null },
    }));
    if (verdict.kind === "failed")
      return [{ ...base, result: "fail", reason: verdict.reason, hint: verdict.hint }, ...findings];
    return [
      { ...base, result: "pass", reason: "it has the shape that the interface requires", hint: null },
      ...findings,
    ];
  }
  if (purpose === "webhook")
    return [deliveryFinding(response.status, isForged(exchange, config.apps, choices) === true)];
  return [];
}

/** A valid delivery has to be acknowledged, a forged one refused (interface 5.1, 6.5). */
function deliveryFinding(status: number, isForgery: boolean): FindingView {
  const isTaken = status >= 200 && status < 300;
  const about = { check: "webhook.status", section: isForgery ? "5.1" : "6", control: null, twin: null };
  const title = "The status of the answer to a delivery";
  const pass = { ...about, title, result: "pass" as const, hint: null };
  if (isForgery) {
    if (!isTaken) return { ...pass, reason: `${status}: refused, as it has to be: the signature does not match` };
    const reason = `${status}: the app acknowledges a delivery whose signature does not match`;
    return { ...pass, result: "fail", reason, hint: "verify the signature over the raw body before anything else" };
  }
  if (isTaken) return { ...pass, reason: `${status}: the delivery is acknowledged` };
  const hint = "compare the signature below step by step with what the app computes";
  return { ...pass, result: "warn", reason: `${status}: the delivery is not acknowledged`, hint };
}

function warning(check: string, section: string, title: string, reason: string): FindingView {
  return { check, section, title, result: "warn", reason, hint: null, control: null, twin: null };
}
