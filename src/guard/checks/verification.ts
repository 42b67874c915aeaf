import { z } from "zod";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { explainStatus } from "../../app-client/explain-status.ts";
import { type Answer, readJsonAnswer } from "../../app-client/read-answer.ts";
import { type CallFacts, doubtsToken } from "../../app-client/refusal-hints.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { madeTwice } from "../../protocol/json-slip.ts";
import { type Slip, slipsIn, slipText } from "../../protocol/nearest.ts";
import { problemsOf } from "../../protocol/problems.ts";

/** The answer of an auth-guard, or why it is invalid: then access is denied (fail closed). */
type GuardVerdict =
  | {
      readonly kind: "answered";
      readonly success: boolean;
      readonly message: string | null;
      readonly warnings: readonly string[];
    }
  | ({ readonly kind: "failed"; readonly warnings: readonly string[] } & Explanation);

/** Judges a complete answer to a verification request (interface 2.2; other statuses: choice `guard.denial.status`). */
export function judgeGuardAnswer(answer: Answer, choices: ChoiceReader, facts: CallFacts): GuardVerdict {
  if (answer.status !== 200) return judgeOtherStatus(answer, choices, facts);
  const json = readJsonAnswer(answer, GUARD_ANSWER_SHAPE, LEAST_ANSWER);
  if (!json.ok) return { kind: "failed", reason: json.reason, hint: json.hint, warnings: [] };
  const parsed = guardAnswerSchema.safeParse(json.value);
  const [slip] = [...slipsIn(json.value, Object.keys(guardAnswerSchema.shape)), ...textElsewhere(json.value)];
  const slipped = slip === undefined ? null : `"${harmlessLine(slip.name)}" ${slipText(slip)}`;
  if (parsed.success) {
    const { success, message } = parsed.data;
    const warnings = slipped === null ? json.warnings : [...json.warnings, `in its answer, ${slipped}`];
    return { kind: "answered", success, message: message ?? null, warnings };
  }
  const [problem] = problemsOf(parsed.error, json.value);
  const what =
    problem === undefined || problem.path === "" ? "it is not an object" : `${problem.path} ${problem.message}`;
  return {
    kind: "failed",
    reason: `the app's answer is not ${GUARD_ANSWER_SHAPE}: ${what}`,
    hint: madeTwice(json.value) ?? slipped ?? awaitHint(json.value) ?? deeperHint(json.value),
    warnings: json.warnings,
  };
}

/** A promise becomes {} in JSON, and so does an object whose members a schema does not list. */
function awaitHint(value: unknown): string | null {
  if (JSON.stringify(value) === "{}")
    return "the answer is an empty object: is an await missing, or does a response schema leave success out?";
  const { success } = (value ?? {}) as { readonly success?: unknown };
  const isEmpty = typeof success === "object" && success !== null && Object.keys(success).length === 0;
  return isEmpty && !Array.isArray(success) ? "a promise becomes {} in JSON: is an await missing?" : null;
}

/** An answer that a framework wrapped in another object. */
function deeperHint(value: unknown): string | null {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const name = members.find(([, member]) => guardAnswerSchema.safeParse(member).success)?.[0];
  if (name === undefined) return null;
  if (Array.isArray(value)) return "success is inside an array: answer with the object alone";
  return `success is inside ${JSON.stringify(clip(harmlessLine(name), 40))}: put it at the top level of the answer`;
}

/** Names that apps use for the reason of a denial, but the interface does not. */
const OTHER_NAMES_OF_TEXT = ["error", "reason", "errorMessage", "error_message"];

/** The reason for a denial under a name that the platform does not read, so the user never sees it. */
function textElsewhere(value: unknown): Slip[] {
  const answer = guardAnswerSchema.safeParse(value);
  if (!answer.success || answer.data.success || typeof answer.data.message === "string") return [];
  const name = OTHER_NAMES_OF_TEXT.find((other) => Object.hasOwn(answer.data, other));
  return name === undefined ? [] : [{ name, meant: "message" }];
}

function judgeOtherStatus(answer: Answer, choices: ChoiceReader, facts: CallFacts): GuardVerdict {
  const explanation = explainStatus(answer, facts);
  if (choices.get("guard.denial.status") === "strict") return { kind: "failed", ...explanation, warnings: [] };
  const json = readJsonAnswer(answer, GUARD_ANSWER_SHAPE, LEAST_ANSWER);
  const parsed = guardAnswerSchema.safeParse(json.ok ? json.value : null);
  if (!parsed.success) {
    const expected = answer.status < 300 ? `; expected 200 with ${GUARD_ANSWER_SHAPE}` : "";
    return { kind: "failed", ...explanation, reason: explanation.reason + expected, warnings: [] };
  }
  const { success, message } = parsed.data;
  const warnings = [
    `it answered ${answer.status}, but the interface shows 200: nobody is let in, whatever success says`,
  ];
  if (success) return { kind: "failed", ...explanation, hint: "a guard that lets somebody in answers 200", warnings };
  if (message === undefined || message === null) return { kind: "failed", ...explanation, warnings };
  return { kind: "failed", reason: message, hint: denialHint(explanation, answer, message), warnings };
}

/** The advice for a denial with another status, without its article. */
export const DENIES_WITH_200 = "guard that wants to deny access answers 200";

/** The status may refuse the token, or deny access in a way that the platform does not expect. */
function denialHint({ hint }: Explanation, { status }: Answer, message: string): string {
  const deny = DENIES_WITH_200;
  if (hint === null) return `a ${deny}`;
  // Apps answer 403 to users without access, and 401 to tokens that they do not accept.
  if (status === 403 || (status === 401 && !doubtsToken(message)))
    return `a ${deny}. If it did not accept the token: ${hint}`;
  return /[?.]$/.test(hint) ? `${hint} A ${deny}` : `${hint}; a ${deny}`;
}

/** The body of a verification request (interface 2.2). */
export interface GuardRequest {
  readonly userId: number;
  readonly organizationId: number;
  readonly ipAddress: string;
  readonly moduleKey: string;
  /** Only on the final call of `redirect` and `frame`. */
  readonly code?: string;
}

/** The body of a verification answer (interface 2.2). Other keys are ignored. */
export const guardAnswerSchema = z.looseObject({
  success: z.boolean(),
  message: z.string().nullish(),
});

/** The shape of the app's answer, for messages. */
const GUARD_ANSWER_SHAPE = '{"success": true|false, "message"?: text}';
/** The smallest correct answer. */
const LEAST_ANSWER = '{"success":true}';
