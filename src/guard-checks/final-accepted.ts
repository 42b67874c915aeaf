import type { ObservationCheck } from "../checking/check.ts";
import { CONTROL } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { pageOf } from "./pages/walk/answer.ts";

/** Statuses of an app that is rate-limiting or overloaded: not a decision. */
const BUSY: readonly unknown[] = [429, 503];

/** The check that the right final call is let in: everything else about the final call depends on it. */
export const finalAcceptedCheck: ObservationCheck = {
  id: "guard.final.accepted",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets in a user who returns with the code that its page has just issued",
  why: "With its code the page says that the user did what was asked for. A guard that denies then locks out everybody who must open its page.",
  fix: "Store each code with its user, organization and module until the final call, and answer that with success: true.",
  shows: isRightCall,
  observe: (exchanges) => {
    const calls = exchanges.filter(isRightCall);
    const replies = calls.map(readGuardReply);
    const [first] = replies;
    if (first === undefined) return skipVerdict("nobody got as far as the final call");
    if (replies.some(({ kind }) => kind === "accepted")) return PASSED;
    const reason = `the app ${first.says} to each right final call`;
    const isBusy = calls.some(({ response }) => BUSY.includes(response?.status));
    if (isBusy) return { result: "inconclusive", reason };
    // The input may be wrong, and an app may judge it on the final call.
    return exchanges.some(asksForAnswers)
      ? { result: "inconclusive", reason, hint: "set in verify.guards.KEY.pass what to enter on its page" }
      : faulty(finalAcceptedCheck, reason);
  },
};

function isRightCall({ purpose, check }: Exchange): boolean {
  return purpose === "guard" && check?.role === CONTROL;
}

/** Whether a page has fields whose right values its user knows. */
function asksForAnswers(exchange: Exchange): boolean {
  if (exchange.purpose !== "guard-page") return false;
  const controls = pageOf(exchange)?.forms.flatMap((form) => form.controls) ?? [];
  return controls.some(({ kind }) => ["text", "select", "radio"].includes(kind));
}
