import { ASK_DOCTOR, withoutDoctor } from "../../app-client/doctor-words.ts";
import { OWN_LOG } from "../../app-client/explain-outcome.ts";
import { doubtsToken } from "../../app-client/refusal-hints.ts";
import { DENIES_WITH_200 } from "../../guard/checks/verification.ts";
import type { GuardResult } from "../../guard/guard-result.ts";
import { shellWord } from "../../output/shell-word.ts";
import { sentences } from "../../protocol/sentences.ts";
import { type Diagnosis, passedCheck } from "../doctor-result.ts";

/** Why an app refuses a valid call, as far as other calls show it. */
export interface RefusalCause {
  /** Whether a call was found that it accepts. */
  readonly isFound: boolean;
  /** null if nothing was tried. */
  readonly hint: string | null;
}

type SignedCall = Pick<GuardResult, "outcome" | "reason" | "hint" | "failure" | "user">;

/** What else is known about the call. */
export interface KnownOfCall {
  /** null: it was not looked for. */
  readonly cause: RefusalCause | null;
  /** What the app's own file of variables shows; null: nothing. */
  readonly ownHint: string | null;
  /** Whether the guard accepts a forged call as well. */
  readonly isForgedAccepted: boolean;
}

/** Whether the answer to a signed call leaves open what the app would accept instead. */
export function needsCause({ outcome, reason, hint, failure }: SignedCall): boolean {
  if (outcome === "denied") return reason !== null && doubtsToken(reason);
  // A verifier that throws is often not caught.
  return outcome === "failed" && (failure === "refused" || isCrash(hint));
}

/** Whether app and platform have the same secret, by one signed call to a guard. */
export function judgeSignedCall(key: string, call: SignedCall, known: KnownOfCall): Diagnosis {
  const { outcome, reason, hint, user } = call;
  if (outcome === "denied" && reason !== null && doubtsToken(reason)) {
    const message = `guard ${key} denies a signed call, in words about its token: ${reason}`;
    const { cause } = known;
    if (cause?.isFound === true) return { check: "secrets", result: "failed", message, hint: cause.hint };
    return { check: "secrets", result: "warned", message, hint: hint && withoutDoctor(hint) };
  }
  if (outcome === "denied") {
    const words = reason === null ? "" : `, in words that are not about its token: ${reason}`;
    const message = `guard ${key} denies the ${user.role}${words}; it is unknown whether it accepts a signed call`;
    return { check: "secrets", result: "skipped", message, hint: suitableUserHint(key) };
  }
  if (known.isForgedAccepted) {
    const message = `guard ${key} accepts a signed call, but a forged one as well`;
    const hint = `does it verify the token? Try app-sim guard --tamper --module ${shellWord(key)}; app-sim guard --explain LANGUAGE prints code that does`;
    return { check: "secrets", result: "warned", message, hint };
  }
  if (outcome !== "failed")
    return passedCheck(
      "secrets",
      `guard ${key} accepts a signed call; app-sim verify tests whether it refuses invalid ones`,
    );
  const message = `a signed call to guard ${key} failed: ${reason ?? "no usable answer"}`;
  return { check: "secrets", result: "failed", message, hint: whyFailed(call, known) };
}

/** The same if there is no guard to call. */
export function secretsUntried(hasManifest: boolean): Diagnosis {
  return {
    check: "secrets",
    result: "skipped",
    message: hasManifest ? "there is no guard to try them with" : "not tried without a manifest",
    hint: hasManifest ? "`app-sim webhook EVENT` sends a signed delivery" : null,
  };
}

/** What to do about a guard that did not answer a signed call as it should. */
function whyFailed({ hint, failure }: SignedCall, { cause, ownHint }: KnownOfCall): string | null {
  if (cause?.isFound === true) return cause.hint;
  // Without its secret, a handler crashes on the first token.
  if (isCrash(hint)) return sentences([OWN_LOG, ownHint ?? "Was it started with the variables of app-sim env?"]);
  if (failure !== "refused" || cause === null) return hint;
  return sentences([ownHint, unexplained(cause.hint, hint)]);
}

function isCrash(hint: string | null): boolean {
  return hint?.startsWith(OWN_LOG) === true;
}

/** What the app's own message says about its refusal, unless other calls show more. */
function unexplained(cause: string | null, hint: string | null): string | null {
  // The reader already uses the doctor.
  if (hint?.includes(ASK_DOCTOR) === false || cause === null) return hint && withoutDoctor(hint);
  return hint?.includes(DENIES_WITH_200) === true ? `${cause} A ${DENIES_WITH_200}` : cause;
}

/** A denial looks the same whether or not the app trusts the call. */
function suitableUserHint(key: string): string {
  const tried = `app-sim guard --tamper --module ${shellWord(key)}`;
  return `whom does it let in? Set login.user and login.ipAddress, or APP_SIM_USER and APP_SIM_IP, accordingly; or run \`${tried}\`, which looks for a suitable user`;
}
