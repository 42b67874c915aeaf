import type { ObservationCheck } from "../checking/check.ts";
import { CONTROL, PREPARATION } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { GuardRequest } from "../guard/checks/verification.ts";
import { refusedCodeHint } from "../guard/rules/refused-code.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { unpackedText } from "../journal/readable-body.ts";
import { sentences } from "../protocol/sentences.ts";
import { pageOf } from "./pages/walk/answer.ts";

/** The role of one more correct final call, if the configuration says how the page is passed. */
export const AS_CONFIGURED = "passed as configured";

/** Statuses of an app that is rate-limiting or overloaded: not a decision. */
const BUSY: readonly unknown[] = [429, 503];

const STORE =
  "Store each code with its user, organization and module until the final call, and answer that call with success: true.";

/** The check that the correct final call is let in: everything else about the final call depends on it. */
export const finalAcceptedCheck: ObservationCheck = {
  id: "guard.final.accepted",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets in a user who returns with the code that its page has just issued",
  why: "The code says that the user did what the page asked for. A guard that still denies locks out everybody who must open its page.",
  fix: STORE,
  shows: isRightCall,
  observe: (exchanges) => {
    const calls = exchanges.filter(isRightCall);
    const replies = calls.map(readGuardReply);
    const [call] = calls;
    const [first] = replies;
    if (call === undefined || first === undefined) return skipVerdict("nobody got as far as the final call");
    if (replies.some(({ kind }) => kind === "accepted")) return PASSED;
    const reason = `the app ${first.says} to each correct final call`;
    const isBusy = calls.some(({ response }) => BUSY.includes(response?.status));
    if (isBusy) return { result: "inconclusive", reason };
    // Unless it was configured, the input may be wrong, and an app may judge it on the final call.
    if (exchanges.some(asksForAnswers) && !exchanges.some(({ check }) => check?.role === AS_CONFIGURED))
      return { result: "inconclusive", reason, hint: "set in verify.guards.KEY.pass what to enter on its page" };
    const fault = faulty(finalAcceptedCheck, reason);
    return first.success === false ? { ...fault, hint: `${sentences([STORE, whereToLook(call, exchanges)])}.` } : fault;
  },
};

/** What to compare in an app that denies a user with the right code. */
function whereToLook(call: Exchange, exchanges: readonly Exchange[]): string {
  const before = exchanges.slice(0, exchanges.indexOf(call));
  const first = before.findLast(({ purpose, check }) => purpose === "guard" && check?.role === PREPARATION);
  const answerTo = (exchange: Exchange | undefined) =>
    exchange?.response == null ? null : unpackedText(exchange.response);
  const { userId } = JSON.parse(bodyText(call.request.body)) as GuardRequest;
  return refusedCodeHint({ userId, first: answerTo(first), final: answerTo(call) });
}

function isRightCall({ purpose, check }: Exchange): boolean {
  return purpose === "guard" && check?.role === CONTROL;
}

/** Whether a page has fields whose right values its user knows. */
function asksForAnswers(exchange: Exchange): boolean {
  if (exchange.purpose !== "guard-page") return false;
  const controls = pageOf(exchange)?.forms.flatMap((form) => form.controls) ?? [];
  return controls.some(({ kind }) => ["text", "select", "radio"].includes(kind));
}
