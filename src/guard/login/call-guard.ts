import { callApp } from "../../app-client/call-app.ts";
import { isNoEndpoint } from "../../app-client/explain-status.ts";
import { doubtedCallHint } from "../../app-client/refusal-hints.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { unpackedText } from "../../journal/readable-body.ts";
import { tokenFacts, withCircumstances } from "../../platform/call-facts.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { moduleToken } from "../../platform/module-token.ts";
import { listenForRequests } from "../../platform/own-requests.ts";
import type { Failure } from "../../platform/result-parts.ts";
import { GUARD_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../../protocol/limits.ts";
import { joinUrl } from "../../protocol/url.ts";
import { guardLeaks } from "../checks/leak-warnings.ts";
import { type GuardRequest, judgeGuardAnswer } from "../checks/verification.ts";
import { noValueHint } from "../rules/callback.ts";
import type { LoginEvent } from "../rules/login.ts";
import { refusedCodeHint } from "../rules/refused-code.ts";
import type { LoginGuard } from "./login-plan.ts";

/** Notes on the calls to one guard, apart from the verdict. */
export interface GuardNotes {
  readonly exchanges: string[];
  readonly warnings: string[];
  hint: string | null;
  /** A choice made on the page on behalf of the user. */
  guess: string | null;
  failure: Failure;
  /** Whether the guard answered 401 or 403. */
  isRefused: boolean;
  /** Rows of the table of interface 3.1 that were taken. */
  readonly rows: number[];
}

/** The notes of a guard that has not been called yet. */
export function emptyNotes(): GuardNotes {
  return { exchanges: [], warnings: [], hint: null, guess: null, failure: null, isRefused: false, rows: [] };
}

/** Who logs in, and what the calls need. */
export interface GuardCaller {
  readonly context: SimulatorContext;
  readonly choices: ChoiceReader;
  readonly user: User;
  readonly ipAddress: string;
}

/** A guard of a login that is called. */
export interface CalledGuard {
  readonly guard: LoginGuard;
  /** Index of the guard in the login's plan. */
  readonly index: number;
  /** What the call adds to. */
  readonly notes: GuardNotes;
}

/**
 * Posts one verification request (interface 2.2, 4.2) and says what it means for the login.
 * @param code only on the final call
 */
export async function callGuard(
  { context, choices, user, ipAddress }: GuardCaller,
  { guard: { key, installed, module }, index: guard, notes }: CalledGuard,
  code: string | null,
): Promise<LoginEvent> {
  const { app } = installed;
  const token = await moduleToken(context, choices, { app, user, module: key });
  const body: GuardRequest = {
    userId: user.id,
    organizationId: context.config.organization.id,
    ipAddress,
    moduleKey: key,
    ...(code === null ? {} : { code }),
  };
  const url = joinUrl(app.url, module.url);
  const requests = listenForRequests(context, app);
  const called = await callApp(context, {
    purpose: "guard",
    module: key,
    method: "POST",
    url,
    headers: [
      ["Authorization", `Bearer ${token}`],
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: Buffer.from(JSON.stringify(body)),
    timeoutMs: code === null ? GUARD_TIMEOUT_MS : choices.get("guard.timeout.final"),
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  }).finally(requests.end);
  notes.exchanges.push(called.record.id);
  notes.warnings.push(...guardLeaks(called.record, app));
  if (!called.ok) {
    notes.failure = called.failure;
    notes.hint = called.hint;
    return { type: "guard-call-failed", guard, reason: called.reason };
  }
  const { status } = called.answer;
  const page = module.optionsUrl == null ? null : joinUrl(app.url, module.optionsUrl);
  const verification = { page: module.type === "direct" ? null : page, hasCode: code !== null };
  const facts = { ...tokenFacts(context, app, key), verification, url, method: "POST" };
  const circumstances = { status, ownRequests: requests.end() };
  const verdict = judgeGuardAnswer(called.answer, choices, await withCircumstances(context, app, facts, circumstances));
  notes.warnings.push(...verdict.warnings);
  const noCode = noValueHint(code, "code");
  if (verdict.kind === "answered") {
    // If there is a page, "token" may be something its user typed.
    if (!verdict.success)
      notes.hint = (module.type === "direct" ? doubtedCallHint(verdict.message ?? "", facts) : noCode) ?? notes.hint;
    return { type: "guard-answered", guard, success: verdict.success, message: verdict.message };
  }
  notes.isRefused = status === 401 || status === 403;
  notes.failure = notes.isRefused ? "refused" : isNoEndpoint(called.answer) ? "no-endpoint" : "other";
  notes.hint = noCode ?? verdict.hint;
  return { type: "guard-call-failed", guard, reason: verdict.reason };
}

/**
 * What to look at if a guard refuses the code that its own page has just issued.
 * @param ids of the requests made to the app for this guard, in order
 */
export function explainRefusedCode(
  { context: { journal }, user }: Pick<GuardCaller, "context" | "user">,
  ids: readonly string[],
): string {
  const exchanges = ids.map((id) => journal.find(id)).filter((record) => record?.type === "exchange");
  const answers = exchanges
    .filter(({ purpose }) => purpose === "guard")
    .map(({ response }) => response && unpackedText(response));
  const [first = null] = answers.slice(0, -1);
  return refusedCodeHint({ userId: user.id, first, final: answers.at(-1) ?? null });
}
